//===- VectorAddTest.cpp - the kernel everybody starts from ---------------===//
// Sizes around every edge of tiles and vectors, and that code size and time do
// not depend on the block.
//===----------------------------------------------------------------------===//
#include "CompileAndLoad.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace tessera;
using namespace tessera::cpu;

static std::string addKernel(int block, const std::string &type = "f32") {
  std::string op = type[0] == 'i' ? "arith.addi" : "arith.addf";
  return elementwiseKernel(type, type, block, "%r = " + op + " %x, %y : $T");
}

static uint32_t programs(int n, int block) { return (n + block - 1) / block; }

static void checkAdd(Kernel &kernel, int n, int block, uint64_t chunk, int misalign) {
  std::vector<float> x(n + 8), y(n + 8), out(n + 72, -1);
  std::iota(x.begin(), x.end(), 1.0f);
  std::iota(y.begin(), y.end(), 1000.0f);
  float *to = out.data() + misalign;
  kernel.runChunks({programs(n, block), 1, 1}, chunk, x.data(), y.data(), to, n);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(to[i], x[i] + y[i]) << "n " << n << " block " << block << " i " << i;
  for (int i = -misalign; i < 0; ++i)
    ASSERT_EQ(to[i], -1) << "before the beginning";
  for (int i = n; i < n + 72 - misalign; ++i)
    ASSERT_EQ(to[i], -1) << "past the end";
}

TEST(VectorAdd, EveryEdge) {
  for (int block : {1, 2, 4, 8, 16, 32, 64, 128, 512, 1024, 4096}) {
    Kernel kernel = Kernel::compile(addKernel(block));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    for (int n : {0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 511, 1023, 1025, 4097})
      for (int misalign : {0, 1, 5, 16})
        checkAdd(kernel, n, block, misalign == 5 ? 3 : 0, misalign);
    EXPECT_EQ(kernel.status, 0);
  }
}

TEST(VectorAdd, BlocksOfAMillion) {
  Kernel kernel = Kernel::compile(addKernel(1 << 20));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int n : {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3000000})
    checkAdd(kernel, n, 1 << 20, 0, 3);
}

TEST(VectorAdd, MoreThanTheCachesHold) { // large enough to bypass them
  Kernel kernel = Kernel::compile(addKernel(1024));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  llvm::Expected<CPUSpec> spec = CPUSpec::find("");
  ASSERT_TRUE(static_cast<bool>(spec));
  uint64_t n = std::min<uint64_t>(spec->streamingBytes / sizeof(float), 60000000) + 100001;
  for (int misalign : {0, 3})
    checkAdd(kernel, int(n), 1024, 0, misalign);
}

TEST(VectorAdd, CodeDoesNotGrowWithTheBlock) {
  Kernel small = Kernel::compile(addKernel(4096)), large = Kernel::compile(addKernel(1 << 20));
  ASSERT_TRUE(small.ok() && large.ok());
  EXPECT_EQ(small.instructions(), large.instructions());
  EXPECT_LT(large.instructions(), 400u);
}

TEST(VectorAdd, NeedsNothingButMalloc) {
  Kernel kernel = Kernel::compile(addKernel(1024, "f16"));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (const std::string &name : kernel.needs())
    EXPECT_TRUE(name == "malloc" || name == "free") << name;
}

TEST(VectorAdd, NamedProcessors) {
  for (const char *name : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "portable"}) {
    CompileOptions options;
    options.cpu = name;
    for (const char *type : {"f32", "f16", "bf16", "f64", "i8"}) {
      Kernel kernel = Kernel::compile(addKernel(256, type), options);
      ASSERT_FALSE(kernel.object().empty()) << kernel.error();
      for (const std::string &needed : kernel.needs())
        EXPECT_TRUE(needed == "malloc" || needed == "free") << name << " " << type << " " << needed;
    }
  }
  CompileOptions options;
  options.cpu = "z80";
  EXPECT_NE(Kernel::compile(addKernel(256), options).error().find("no processor 'z80'"),
            std::string::npos);
  // LLVM would end the process.
  options.cpu = "i486";
  EXPECT_NE(Kernel::compile(addKernel(256), options).error().find("no processor 'i486'"),
            std::string::npos);
}

TEST(VectorAdd, PortableRunsHere) {
  CompileOptions options;
  options.cpu = "portable";
  options.debugInfo = true;
  Kernel kernel = Kernel::compile(addKernel(256), options);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int n : {0, 1, 255, 1000})
    checkAdd(kernel, n, 256, 3, 0);
  EXPECT_EQ(kernel.status, 0);
}

template <typename T> static void checkIntegers(const std::string &type) {
  Kernel kernel = Kernel::compile(addKernel(128, type));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  int n = 1000;
  std::vector<T> x(n), y(n), out(n);
  for (int i = 0; i < n; ++i)
    x[i] = T(i * 2654435761u), y[i] = T(i * 40503u + 7);
  kernel.run({8, 1, 1}, x.data(), y.data(), out.data(), n);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(out[i], T(x[i] + y[i])) << type << " " << i;
}

TEST(VectorAdd, Integers) {
  checkIntegers<uint8_t>("i8");
  checkIntegers<uint16_t>("i16");
  checkIntegers<uint32_t>("i32");
  checkIntegers<uint64_t>("i64");
}

TEST(VectorAdd, Doubles) {
  Kernel kernel = Kernel::compile(addKernel(64, "f64"));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<double> x(77, 0.1), y(77, 0.7), out(77);
  kernel.run({2, 1, 1}, x.data(), y.data(), out.data(), 77);
  for (double value : out)
    ASSERT_EQ(value, 0.1 + 0.7);
}
