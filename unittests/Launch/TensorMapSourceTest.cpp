//===- TensorMapSourceTest.cpp - tensor maps in generated C ---------------===//
// Generates a C launcher and a library for kernels with tensor maps, compiles them with the
// machine's C compiler, and runs them on the driver that keeps notes. What they encode and launch
// must be what TensorMapEvaluator says.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/AotLauncher.h"
#include "tessera/Launch/KernelLibrary.h"
#include "tessera/Support/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace tessera;
using Kind = LaunchExpression::Kind;

namespace {

CompiledKernel makeKernel(unsigned numWarps) {
  CompiledKernel kernel;
  KernelRecord &record = kernel.record;
  record.kernelName = "fill";
  record.target = "cuda:90";
  record.arguments = {{.name = "p", .type = "*i32"}, {.name = "n", .type = "i32"}};
  record.setHidden({}, {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch});
  record.numWarps = numWarps;
  record.threadsPerWarp = 32;
  kernel.artifacts["cubin"] = "ELF";
  return kernel;
}

/// Uses every operation: extents n and (n * n - 5) / 3 floordiv 2 ..., a stride of n * 16 bytes.
TensorMapRecipe makeRecipe() {
  LaunchExpression n = LaunchExpression::argument(1);
  auto number = LaunchExpression::number;
  auto combine = LaunchExpression::combine;
  LaunchExpression odd = combine(
      Kind::CeilDivide,
      combine(Kind::FloorDivide,
              combine(Kind::Divide,
                      combine(Kind::Subtract, combine(Kind::Multiply, n, n), number(5)), number(3)),
              number(2)),
      combine(Kind::Add, combine(Kind::Remainder, n, number(7)), number(1)));
  LaunchExpression bounded =
      combine(Kind::Max, number(-3), combine(Kind::Min, odd, number(int64_t(1) << 33)));
  return {
      .base = 0,
      .offset = combine(Kind::Multiply, LaunchExpression::convert(Kind::Unsigned, n), number(16)),
      .type = "bf16",
      .extents = {n, bounded},
      .strides = {LaunchExpression::convert(Kind::Narrow, combine(Kind::Multiply, n, number(16)))},
      .box = {64, 8},
      .swizzle = 128,
      .fillsWithNaN = true,
      .l2Bytes = 256};
}

constexpr int32_t kValues[] = {1,  2,   3,    7,         64,        64,         0,         -1, -8,
                               48, 100, 1000, 134217727, 134217728, 2147483647, INT32_MIN, 5,  5};

struct TensorMapSourceTest : testing::Test {
  std::string folder;
  CompiledKernel mapped = makeKernel(4), plain = makeKernel(2);

  void SetUp() override {
    if (!llvm::sys::findProgramByName("cc"))
      GTEST_SKIP() << "no C compiler";
    mapped.record.setHidden({makeRecipe()},
                            {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch});
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tensor-maps", path));
    folder = path.str().str();
    // A library opens the first, a program is linked to the second.
    for (const char *name : {"/libcuda.so.1", "/libFakeDriver.so"})
      ASSERT_FALSE(llvm::sys::fs::create_link(FAKE_DRIVER, folder + name));
  }
  void TearDown() override {
    if (!folder.empty())
      (void)llvm::sys::fs::remove_directories(folder);
  }
  void write(const std::string &name, const std::string &text) {
    llvm::cantFail(writeFile(folder + "/" + name, text));
  }
  /// What main.c prints, which calls `call` for each value.
  std::string run(const std::string &head, const std::string &call, const std::string &sources,
                  llvm::StringRef compiler = "cc") {
    std::string values;
    for (int32_t value : kValues)
      values += "INT32_C(" + std::to_string(int64_t(value) + 1) + ") - 1, ";
    write("main.c", head + R"(
#include <stdio.h>
const char *fakeNotes(void);
void fakeForget(void);
int main(void) {
  static const int32_t values[] = {)" +
                        values + R"(};
  unsigned i;
  for (i = 0; i < sizeof values / sizeof *values; ++i) {
    int32_t n = values[i];
    int status = (int))" +
                        call + R"(;
    printf("%d: status %d\n%s", (int)n, status, fakeNotes());
    fakeForget();
  }
  return 0;
}
)");
    std::string line =
        "cd " + folder + " && " + compiler.str() + " -Wall -Wextra -Werror -pedantic main.c " +
        sources + " " + FAKE_DRIVER +
        " -ldl -pthread -o main 2> errors && LD_LIBRARY_PATH=. ./main > out 2>> errors";
    int status = std::system(line.c_str());
    EXPECT_EQ(0, status) << llvm::cantFail(readFile(folder + "/errors"));
    return status == 0 ? llvm::cantFail(readFile(folder + "/out")) : "";
  }
  /// The launches of `kValues`, as the plan has them; the same value twice is encoded once.
  std::string expected(bool hasPlain, int refusal) {
    TensorMapEvaluator plan = llvm::cantFail(TensorMapEvaluator::create(mapped.record));
    std::string text;
    std::optional<int32_t> last;
    uint64_t address = 4096;
    for (int32_t n : kValues) {
      void *args[] = {&address, &n};
      llvm::SmallVector<int64_t> inputs(plan.inputCount());
      plan.read(args, inputs);
      TensorMapValues values;
      bool fits = plan.evaluate(0, inputs, values).empty();
      text +=
          std::to_string(n) + ": status " + std::to_string(fits || hasPlain ? 0 : refusal) + "\n";
      if (fits && last != n)
        text += "encode type 9 at " + std::to_string(values.base) + " extent " +
                std::to_string(values.extents[0]) + " box 64 extent " +
                std::to_string(values.extents[1]) + " box 8 stride " +
                std::to_string(values.strides[0]) + " swizzle 3 l2 3 fill 1\n";
      if (fits || hasPlain)
        text += "launch 3 1 1 x " + std::string(fits ? "128" : "64") + " shared 0 n " +
                std::to_string(n) +
                (fits ? " map of " + std::to_string(values.extents[0]) : std::string()) +
                " scratch null profile null\n";
      last = n;
    }
    return text;
  }
  /// Without the notes about loading.
  static std::string launches(const std::string &text) {
    std::string kept;
    for (llvm::StringRef line : llvm::split(text, '\n'))
      if (!line.starts_with("load") && !line.starts_with("retain") && !line.empty())
        kept += line.str() + "\n";
    return kept;
  }
};

TEST_F(TensorMapSourceTest, Launcher) {
  for (bool hasPlain : {true, false}) {
    AotRequest request;
    request.withoutMaps = hasPlain ? &plain : nullptr;
    llvm::Expected<AotSources> sources = writeAotSources(mapped, request, "fill.h");
    ASSERT_TRUE(bool(sources)) << llvm::toString(sources.takeError());
    write("fill.h", sources->header);
    write("fill.c", sources->source);
    std::string text =
        run("#include \"fill.h\"\n", sources->function + "(NULL, 3, 1, 1, 4096, n)", "fill.c");
    EXPECT_EQ(expected(hasPlain, 1), launches(text));
  }
}

TEST_F(TensorMapSourceTest, LauncherInCpp) {
  AotRequest request;
  request.withoutMaps = &plain;
  llvm::Expected<AotSources> sources = writeAotSources(mapped, request, "fill.h");
  ASSERT_TRUE(bool(sources));
  write("fill.h", sources->header);
  write("fill.c", sources->source);
  std::string line = "cd " + folder + " && cc -x c++ -Wall -Wextra -Werror -c fill.c -o fill.o";
  EXPECT_EQ(0, std::system(line.c_str()));
}

TEST_F(TensorMapSourceTest, Library) {
  for (bool hasPlain : {true, false}) {
    LibraryBinary binary{mapped.record, false, "fill_image", "sm_90a"};
    if (hasPlain)
      binary.withoutMaps.push_back({plain.record, false, "plain_image", "sm_90a"});
    KernelLibrary library{"mine", "kernels.toml", {{"fill", {}, {{"", {binary}}}}}};
    InterfaceProblem problem;
    std::optional<LibraryInterface> interface = planInterface(library.kernels[0], problem);
    ASSERT_TRUE(interface.has_value()) << problem.message;
    write("mine.h", writeLibraryHeader(library, *interface));
    write("mine.c", writeLibrarySource(library, *interface));
    std::string text = run("#include \"mine.h\"\nextern const unsigned char fill_image[], "
                           "plain_image[];\nconst unsigned char fill_image[] = \"ELF\", "
                           "plain_image[] = \"ELF\";\n",
                           "fill(0, 3, 1, 1, (int32_t *)4096, n)", "mine.c");
    EXPECT_EQ(expected(hasPlain, 4), launches(text));
  }
}

} // namespace
