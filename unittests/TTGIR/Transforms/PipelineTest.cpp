//===- PipelineTest.cpp - pipelined loops against the loops they came from -===//
// Every kernel below is run before and after pipelining, for every number of stages and
// of iterations, including none. What it stores and what it reads must not change; every
// tile must have arrived when it is read; and one barrier per round must be enough.
//===----------------------------------------------------------------------===//
#include "PipelinedLoop.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera;
using namespace tessera::test;

namespace {

const char *const kPrelude = R"(
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#r = #ttg.slice<{dim = 1, parent = #b}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!p = tensor<64x64x!tt.ptr<f16>, #b>
!i = tensor<64x64xi32, #b>
!t = tensor<64x64xf16, #b>
!tx = tensor<64x64xf16, #x>
!ty = tensor<64x64xf16, #y>
!acc = tensor<64x64xf32, #mma>
!m = tensor<64x64xi1, #b>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func public @kernel(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : !acc
  %eight = arith.constant dense<8> : !i
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
)";

const char *const kEnd = R"(
  tt.store %cs, %out : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}
})";

/// Pointers that move.
const char *const kMatmul = R"(
  %out, %pa, %pb = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa0 = %ap, %pb0 = %bp) -> (!acc, !p, !p) : i32 {
    %av = tt.load %pa0 : !p
    %bv = tt.load %pb0 : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %pa1 = tt.addptr %pa0, %eight : !p, !i
    %pb1 = tt.addptr %pb0, %eight : !p, !i
    scf.yield %d, %pa1, %pb1 : !acc, !p, !p
  }
)";

/// Addresses and masks from the index; a value other than zero where the mask is false;
/// bounds that are no multiple of the step, and do not begin at zero.
const char *const kMasked = R"(
  %other = arith.constant dense<5.0> : !t
  %end = arith.muli %n, %c3 : i32
  %end1 = arith.addi %end, %c1 : i32
  %limit = arith.subi %end, %c3 : i32
  %from = arith.constant 2 : i32
  %out = scf.for %k = %from to %end1 step %c3 iter_args(%acc = %zero) -> (!acc) : i32 {
    %k16 = arith.muli %k, %c16 : i32
    %off = tt.splat %k16 : i32 -> !i
    %pa = tt.addptr %ap, %off : !p, !i
    %in = arith.cmpi slt, %k, %limit : i32
    %mask = tt.splat %in : i1 -> !m
    %av = tt.load %pa, %mask, %other : !p
    %pb = tt.addptr %bp, %off : !p, !i
    %bv = tt.load %pb, %mask : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
)";

/// Two dots, the second on what follows from the first; stores in the loop.
const char *const kAttention = R"(
  %out = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %k16 = arith.muli %k, %c16 : i32
    %off = tt.splat %k16 : i32 -> !i
    %pa = tt.addptr %ap, %off : !p, !i
    %av = tt.load %pa : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %ay = ttg.convert_layout %av : !t -> !ty
    %s = tt.dot %ax, %ay, %zero : !tx * !ty -> !acc
    %h = arith.truncf %s : !acc to tensor<64x64xf16, #mma>
    %hx = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> !tx
    %pb = tt.addptr %bp, %off : !p, !i
    %bv = tt.load %pb : !p
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %hx, %by, %acc : !tx * !ty -> !acc
    %big = arith.cmpi sgt, %k, %c3 : i32
    scf.if %big {
      tt.store %cs, %s : tensor<64x64x!tt.ptr<f32>, #mma>
    }
    scf.yield %d : !acc
  }
)";

/// The address of one load is another load's value; a choice between two.
const char *const kIndirect = R"(
  %out = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %qk = tt.addptr %q, %k : !tt.ptr<i32>, i32
    %page = tt.load %qk : !tt.ptr<i32>
    %odd = arith.cmpi slt, %page, %c16 : i32
    %chosen = scf.if %odd -> (i32) {
      %more = arith.muli %page, %c3 : i32
      scf.yield %more : i32
    } else {
      scf.yield %page : i32
    }
    %at = arith.muli %chosen, %c16 : i32
    %off = tt.splat %at : i32 -> !i
    %pa = tt.addptr %ap, %off : !p, !i
    %av = tt.load %pa : !p
    %pb = tt.addptr %bp, %off : !p, !i
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
)";

/// Rows that are named by a loaded tile: the copy of one tile waits for another's.
const char *const kGathered = R"(
  %rr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #r>
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #r>
  %qp = tt.addptr %qs, %rr : tensor<64x!tt.ptr<i32>, #r>, tensor<64xi32, #r>
  %out = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %ks = tt.splat %k : i32 -> tensor<64xi32, #r>
    %qk = tt.addptr %qp, %ks : tensor<64x!tt.ptr<i32>, #r>, tensor<64xi32, #r>
    %rows = tt.load %qk : tensor<64x!tt.ptr<i32>, #r>
    %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #r> -> tensor<64x1xi32, #b>
    %wide = tt.broadcast %column : tensor<64x1xi32, #b> -> !i
    %off = arith.muli %wide, %eight : !i
    %pa = tt.addptr %ap, %off : !p, !i
    %av = tt.load %pa : !p
    %pb = tt.addptr %bp, %off : !p, !i
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
)";

/// One operand's rows are named by a tile that is itself named by one; the other operand
/// uses the first of them, and its own address.
const char *const kGatheredTwice = R"(
  %rr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #r>
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #r>
  %qp = tt.addptr %qs, %rr : tensor<64x!tt.ptr<i32>, #r>, tensor<64xi32, #r>
  %out = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %ks = tt.splat %k : i32 -> tensor<64xi32, #r>
    %qk = tt.addptr %qp, %ks : tensor<64x!tt.ptr<i32>, #r>, tensor<64xi32, #r>
    %names = tt.load %qk : tensor<64x!tt.ptr<i32>, #r>
    %qn = tt.addptr %qp, %names : tensor<64x!tt.ptr<i32>, #r>, tensor<64xi32, #r>
    %rows = tt.load %qn : tensor<64x!tt.ptr<i32>, #r>
    %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #r> -> tensor<64x1xi32, #b>
    %wide = tt.broadcast %column : tensor<64x1xi32, #b> -> !i
    %off = arith.muli %wide, %eight : !i
    %pa = tt.addptr %ap, %off : !p, !i
    %av = tt.load %pa : !p
    %column1 = tt.expand_dims %names {axis = 1 : i32} : tensor<64xi32, #r> -> tensor<64x1xi32, #b>
    %wide1 = tt.broadcast %column1 : tensor<64x1xi32, #b> -> !i
    %off1 = arith.muli %wide1, %eight : !i
    %pb = tt.addptr %bp, %off1 : !p, !i
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
)";

/// A tile that the next iteration uses too, and results used after the loop.
const char *const kCarried = R"(
  %first = tt.load %ap : !p
  %fx = ttg.convert_layout %first : !t -> !tx
  %out, %last, %pe = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %before = %fx, %pa0 = %ap) -> (!acc, !tx, !p) : i32 {
    %pa1 = tt.addptr %pa0, %eight : !p, !i
    %av = tt.load %pa1 : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %ay = ttg.convert_layout %av : !t -> !ty
    %d = tt.dot %before, %ay, %acc : !tx * !ty -> !acc
    scf.yield %d, %ax, %pa1 : !acc, !tx, !p
  } {tt.num_stages = 4 : i32}
  %after = tt.load %pe : !p
  %w = ttg.convert_layout %after : !t -> tensor<64x64xf16, #mma>
  %w32 = arith.extf %w : tensor<64x64xf16, #mma> to !acc
  tt.store %cs, %w32 : tensor<64x64x!tt.ptr<f32>, #mma>
  %l = ttg.convert_layout %last : !tx -> tensor<64x64xf16, #mma>
  %l32 = arith.extf %l : tensor<64x64xf16, #mma> to !acc
  tt.store %cs, %l32 : tensor<64x64x!tt.ptr<f32>, #mma>
)";

class PipelineTest : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    context.loadDialect<arith::ArithDialect, scf::SCFDialect, tt::TTDialect, ttg::TTGDialect>();
  }
  OwningOpRef<ModuleOp> parse() {
    std::string text = std::string(kPrelude) + GetParam() + kEnd;
    return parseSourceString<ModuleOp>(text, &context);
  }
  static Operation *kernel(ModuleOp module) { return *module.getOps<tt::FuncOp>().begin(); }

  MLIRContext context;
};

TEST_P(PipelineTest, ComputesTheSame) {
  for (int run = 0; run < 12; ++run) {
    int stages = 2 + run / 2;
    bool prefetch = run % 2 == 1;
    OwningOpRef<ModuleOp> before = parse(), after = parse();
    ASSERT_TRUE(before && after);
    TTGAssignLatenciesOptions options;
    options.numStages = stages;
    PassManager passes(&context);
    passes.addPass(createTTGAssignLatencies(options));
    passes.addPass(createTTGScheduleLoops());
    passes.addPass(createTTGPipeline());
    if (prefetch)
      passes.addPass(createTTGPrefetch());
    ASSERT_TRUE(succeeded(passes.run(*after)));
    bool hasCopies = false;
    after->walk([&](ttg::AsyncCopyGlobalToLocalOp) { hasCopies = true; });
    EXPECT_TRUE(hasCopies);

    for (int64_t count = 0; count <= 2 * stages; ++count) {
      SCOPED_TRACE("stages " + std::to_string(stages) + ", iterations " + std::to_string(count) +
                   (prefetch ? ", prefetched" : ""));
      LoopInterpreter expected, actual;
      int64_t arguments[] = {1000, 2000, 3000, count, 4000};
      ASSERT_EQ(expected.run(kernel(*before), arguments), "");
      ASSERT_EQ(actual.run(kernel(*after), arguments), "");
      EXPECT_EQ(actual.stored, expected.stored);
      EXPECT_EQ(actual.loaded, expected.loaded);
      EXPECT_EQ(actual.extraBarriers, 0u);
    }
  }
}

std::string nameOf(const ::testing::TestParamInfo<const char *> &info) {
  const char *const names[] = {"Matmul",   "Masked",        "Attention", "Indirect",
                               "Gathered", "GatheredTwice", "Carried"};
  return names[info.index];
}

INSTANTIATE_TEST_SUITE_P(Kernels, PipelineTest,
                         ::testing::Values(kMatmul, kMasked, kAttention, kIndirect, kGathered,
                                           kGatheredTwice, kCarried),
                         nameOf);

} // namespace
