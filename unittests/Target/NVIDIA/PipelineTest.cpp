//===- PipelineTest.cpp - whole kernels to PTX and cubins -----------------===//
#include "CompileStages.h"
#include "Kernels.h"
#include "tessera/Target/NVIDIA/Binary.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"
#include "gtest/gtest.h"
#include <thread>

using namespace tessera;
using namespace tessera::nvidia;

static unsigned count(llvm::StringRef text, llvm::StringRef part) { return text.count(part); }

static std::string findPtxas() {
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas");
  return path ? *path : "";
}

//===----------------------------------------------------------------------===//
// The vector add
//===----------------------------------------------------------------------===//

TEST(VectorAdd, AlignedMoves128BitsAtATime) {
  Compiled kernel = compileStages(vectorAddText(1024, true));
  ASSERT_TRUE(kernel.ok()) << kernel.diagnostics;
  EXPECT_EQ(count(kernel.assembly, "ld.global.v4.b32"), 4u);
  EXPECT_EQ(count(kernel.assembly, "st.global.v4.b32"), 2u);
  EXPECT_EQ(count(kernel.assembly, "ld.global.b32"), 0u);
  EXPECT_EQ(count(kernel.assembly, ".shared"), 0u);
  EXPECT_EQ(count(kernel.assembly, ".reqntid 128"), 1u);
}

TEST(VectorAdd, UnalignedMovesOneElementAtATime) {
  Compiled kernel = compileStages(vectorAddText(1024, false));
  ASSERT_TRUE(kernel.ok()) << kernel.diagnostics;
  EXPECT_EQ(count(kernel.assembly, "ld.global.b32"), 16u);
  EXPECT_EQ(count(kernel.assembly, "st.global.b32"), 8u);
  EXPECT_EQ(count(kernel.assembly, ".v4"), 0u);
}

TEST(VectorAdd, FewerElementsThanThreadsStoreOnce) {
  Compiled kernel = compileStages(vectorAddText(64, true));
  ASSERT_TRUE(kernel.ok()) << kernel.diagnostics;
  EXPECT_EQ(count(kernel.assembly, "st.global"), 1u);
}

TEST(VectorAdd, EveryChipAndNumberOfWarps) {
  for (const NvidiaSpec &spec : NvidiaSpec::all())
    for (unsigned warps : {1u, 2u, 8u, 32u}) {
      CompileRequest request{.target = "cuda:" + std::to_string(spec.capability)};
      request.options.numWarps = warps;
      Compiled kernel = compileStages(vectorAddText(1024, true), request);
      ASSERT_TRUE(kernel.ok()) << kernel.diagnostics;
      EXPECT_EQ(count(kernel.assembly, (".target " + spec.chip + "\n").str()), 1u);
      EXPECT_EQ(count(kernel.assembly, ".reqntid " + std::to_string(32 * warps)), 1u);
      EXPECT_EQ(kernel.record.numWarps, warps);
      EXPECT_EQ(kernel.record.threadsPerWarp, 32u);
      EXPECT_EQ(kernel.record.kernelName, "add_kernel");
      EXPECT_TRUE(kernel.record.hiddenArguments.size() == 2);
    }
}

TEST(VectorAdd, ManyThreadsCompileTheSameCode) {
  CompileRequest request{.last = "ptx"};
  std::string expected = compileStages(vectorAddText(1024, true), request).assembly;
  ASSERT_FALSE(expected.empty());
  std::vector<std::string> assemblies(8);
  std::vector<std::thread> threads;
  for (std::string &assembly : assemblies)
    threads.emplace_back(
        [&] { assembly = compileStages(vectorAddText(1024, true), request).assembly; });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &assembly : assemblies)
    EXPECT_EQ(assembly, expected);
}

TEST(VectorAdd, Cubin) {
  std::string ptxas = findPtxas();
  if (ptxas.empty())
    GTEST_SKIP() << "no ptxas on this machine";
  CompileRequest request{.last = "cubin"};
  request.tools.paths["ptxas"] = ptxas;
  Compiled kernel = compileStages(vectorAddText(1024, true), request);
  ASSERT_TRUE(kernel.ok()) << kernel.diagnostics;
  EXPECT_TRUE(llvm::StringRef(kernel.binary)
                  .starts_with("\x7f"
                               "ELF"));
  EXPECT_GT(kernel.record.registers, 0);
  EXPECT_EQ(kernel.record.spillBytes, 0);
  EXPECT_TRUE(llvm::StringRef(kernel.record.assembler).starts_with("ptxas "));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

TEST(Options, RegistersVersionFusionAndLines) {
  CompileRequest request;
  request.options.maxRegisters = 64;
  request.options.ptxVersion = 87;
  request.options.fpFusion = false;
  Compiled kernel = compileStages(vectorAddText(1024, true), request);
  ASSERT_TRUE(kernel.ok()) << kernel.diagnostics;
  EXPECT_EQ(count(kernel.assembly, ".maxnreg 64"), 1u);
  EXPECT_EQ(count(kernel.assembly, ".version 8.7"), 1u);
  EXPECT_EQ(count(kernel.assembly, "add.rn.f32"), 8u);

  request.options.lineInfo = true;
  EXPECT_GT(count(compileStages(vectorAddText(1024, true), request).assembly, "\t.loc\t"), 0u);
  request.options.lineInfo = false;
  EXPECT_EQ(count(compileStages(vectorAddText(1024, true), request).assembly, "\t.loc\t"), 0u);
}

static std::string complaint(CompileOptions options) {
  CompileRequest request;
  request.options = options;
  return compileStages(vectorAddText(1024, true), request).diagnostics;
}

TEST(Options, OutOfRange) {
  EXPECT_EQ(complaint({.numWarps = 3}),
            "unsupported: num_warps = 3; use a power of two from 1 to 32\n");
  EXPECT_EQ(complaint({.numWarps = 64}),
            "unsupported: num_warps = 64; use a power of two from 1 to 32\n");
  EXPECT_EQ(complaint({.numCTAs = 2}), "");
  EXPECT_EQ(complaint({.maxRegisters = 4}),
            "unsupported: maxnreg = 4; use 16 to 255, or 0 for no limit\n");
  EXPECT_EQ(complaint({.wgmma = "maybe"}), "unsupported: wgmma = maybe; use auto or off\n");
  EXPECT_EQ(complaint({.tma = "maybe"}), "unsupported: tma = maybe; use auto or off\n");
  EXPECT_EQ(complaint({.ptxVersion = 64}), "unsupported: PTX version 6.4 cannot be written for "
                                           "sm_90a: use --ptx-version 81 to 90\n");
}

TEST(Resources, MoreSharedMemoryThanThereIs) {
  // A tile of 256 KiB that has to change its layout.
  std::string text = R"(
tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %col = tt.expand_dims %r {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %rb = tt.broadcast %row : tensor<256x1xi32> -> tensor<256x256xi32>
  %cb = tt.broadcast %col : tensor<1x256xi32> -> tensor<256x256xi32>
  %n = arith.constant dense<256> : tensor<256x256xi32>
  %rn = arith.muli %rb, %n : tensor<256x256xi32>
  %cn = arith.muli %cb, %n : tensor<256x256xi32>
  %i = arith.addi %rn, %cb : tensor<256x256xi32>
  %j = arith.addi %cn, %rb : tensor<256x256xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x256x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %i : tensor<256x256x!tt.ptr<f32>>, tensor<256x256xi32>
  %x = tt.load %pp : tensor<256x256x!tt.ptr<f32>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<256x256x!tt.ptr<f32>>
  %qp = tt.addptr %qs, %j : tensor<256x256x!tt.ptr<f32>>, tensor<256x256xi32>
  tt.store %qp, %x : tensor<256x256x!tt.ptr<f32>>
  tt.return
}
)";
  CompileRequest request;
  request.options.numWarps = 32;
  EXPECT_EQ(compileStages(text, request).diagnostics,
            "unsupported: kernel 'k' needs 262144 bytes of shared memory, sm_90a has 232448; use "
            "smaller blocks\n");
}

TEST(Tools, NoAssembler) {
  std::string said = compileStages(vectorAddText(1024, true), {.last = "cubin"}).diagnostics;
  EXPECT_EQ(count(said, "unsupported: making a cubin without ptxas; install a CUDA toolkit"), 1u)
      << said;
}

TEST(Tools, AssemblerThatFails) {
  CompileRequest request{.last = "cubin"};
  request.tools.paths["ptxas"] = "/bin/false";
  std::string said = compileStages(vectorAddText(1024, true), request).diagnostics;
  EXPECT_EQ(count(said,
                  "unsupported: making a cubin with '/bin/false': it ended with exit status 1 "
                  "and wrote nothing; is it ptxas, and is there memory enough?"),
            1u)
      << said;
}

/// A program that reports an unknown PTX version as ptxas of CUDA 11.8 does.
static constexpr llvm::StringLiteral kOldAssembler = R"(#!/bin/sh
if [ "$1" = --version ]; then echo "Cuda compilation tools, release 11.8, V11.8.89"; exit 0; fi
echo "ptxas kernel.ptx, line 5; fatal   : Unsupported .version 8.1; current version is '7.8'" >&2
exit 255
)";

/// Compiles with a shell script in the place of ptxas.
static Compiled compileWith(llvm::StringRef script, CompileRequest request = {.last = "cubin"}) {
  llvm::SmallString<128> path;
  int file = -1;
  if (llvm::sys::fs::createTemporaryFile("ptxas", "sh", file, path))
    return {};
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << script;
  if (llvm::sys::fs::setPermissions(path, llvm::sys::fs::owner_all))
    return {};
  request.tools.paths["ptxas"] = path.str().str();
  Compiled kernel = compileStages(vectorAddText(1024, true), request);
  llvm::sys::fs::remove(path);
  return kernel;
}

/// An assembler that gives each limit another number of registers.
static constexpr llvm::StringLiteral kReportingAssembler = R"(#!/bin/sh
registers=50
for word; do
  case "$word" in
    --minnctapersm=*) registers=32 ;;
  esac
  [ "$last" = -o ] && printf '\177ELF' > "$word"
  last=$word
done
echo "ptxas info    : 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
echo "ptxas info    : Used $registers registers, used 0 barriers"
)";

TEST(Tools, StreamsLeaveTheChoiceToTheAssembler) {
  CompileRequest request{.last = "cubin"};
  request.options.numWarps = 8;
  EXPECT_EQ(compileWith(kReportingAssembler, request).record.registers, 50);
}

TEST(Tools, LimitOfTheUserIsTheOnlyOne) {
  CompileRequest request{.last = "cubin"};
  request.options.numWarps = 8;
  request.options.maxRegisters = 64;
  EXPECT_EQ(compileWith(kReportingAssembler, request).record.registers, 50);
}

TEST(Tools, AssemblerThatIsTooOld) {
  std::string said = compileWith(kOldAssembler).diagnostics;
  EXPECT_EQ(count(said, "unsupported: making a cubin for sm_90a with ptxas 11.8 ('"), 1u) << said;
  EXPECT_EQ(count(said, "too old: it takes the one of CUDA 12.1 or later (--ptxas PATH, in Python"),
            1u)
      << said;
}

TEST(Tools, ReadsTheAssemblersReport) {
  AssemblerReport report =
      parseAssemblerReport("ptxas info    : 0 bytes gmem\n"
                           "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
                           "ptxas info    : Function properties for k\n"
                           "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
                           "ptxas info    : Used 26 registers, used 0 barriers\n");
  EXPECT_EQ(report.kernelName, "k");
  EXPECT_EQ(report.registers, 26);
  EXPECT_EQ(report.spillBytes, 12);
  EXPECT_EQ(report.advice, "");
  EXPECT_EQ(parseAssemblerReport("what a strange assembler registers").registers, -1);
  AssemblerReport serialised = parseAssemblerReport(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized due to insufficient register resources in function 'k'\n"
      "ptxas info    : (C7519) an arrive was injected\n"
      "ptxas info    : (C7508) setmaxnreg ignored\n"
      "ptxas info    : (C7x10) no number\n");
  EXPECT_EQ(serialised.advice,
            "C7510: wgmma.mma_async instructions are serialized due to insufficient register "
            "resources in function 'k'; C7508: setmaxnreg ignored");
}

TEST(Spec, Table) {
  EXPECT_EQ(NvidiaSpec::parse("cuda:90")->chip, "sm_90a");
  EXPECT_EQ(NvidiaSpec::parse("cuda:75"), nullptr);
  EXPECT_EQ(NvidiaSpec::parse("cuda:"), nullptr);
  EXPECT_EQ(NvidiaSpec::parse("cpu"), nullptr);
}
