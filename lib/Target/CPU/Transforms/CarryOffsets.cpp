//===- CarryOffsets.cpp - carry a scalar offset instead of a pointer tensor -===//
// A loop-carried tensor to whose elements the loop adds the same value is its initial value plus a
// scalar. Carrying the scalar keeps addresses affine, so that accesses in the loop stay plain
// vectors and no tile is needed.
//
//   before: %r = scf.for ... iter_args(%p = %start) {
//             ... tt.load %p ...
//             %q = tt.addptr %p, splat(%step)
//             scf.yield %q
//   after:  %o = scf.for ... iter_args(%off = 0 : i64) {
//             %p = tt.addptr %start, splat(%off)
//             ... tt.load %p ...
//             scf.yield %off + %step
//           %r = tt.addptr %start, splat(%o)
//
// The same is done for integer tensors and arith.addi. Requires: nothing. Ensures: values are
// unchanged (both sums overflow alike). Tensors whose elements get different increments are left
// alone. Cost: linear; loops without such tensors are not changed.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tessera::cpu {
#define GEN_PASS_DEF_CPUCARRYOFFSETS
#include "tessera/Target/CPU/Passes.h.inc"
} // namespace tessera::cpu

using namespace mlir;
using namespace tessera;

namespace {
/// A loop-carried tensor to which `step`, a tensor of equal elements, is added.
struct Induction {
  unsigned position;
  Value step;
  bool isPointer;
};
} // namespace

static bool isUniform(Value tensor) {
  DenseElementsAttr constant;
  return tensor.getDefiningOp<tt::SplatOp>() ||
         (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat());
}

static SmallVector<Induction> findInductions(scf::ForOp loop) {
  SmallVector<Induction> found;
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    Value next = yield->getOperand(i);
    if (auto move = next.getDefiningOp<tt::AddPtrOp>()) {
      if (move.getPtr() == argument && isUniform(move.getOffset()))
        found.push_back({static_cast<unsigned>(i), move.getOffset(), true});
    } else if (auto sum = next.getDefiningOp<arith::AddIOp>()) {
      Value step = sum.getLhs() == argument ? sum.getRhs() : sum.getLhs();
      bool moves = sum.getLhs() == argument || sum.getRhs() == argument;
      if (moves && isUniform(step))
        found.push_back({static_cast<unsigned>(i), step, false});
    }
  }
  return found;
}

/// Returns the element of a uniform tensor as `type`, sign-extended if necessary.
static Value elementOf(OpBuilder &b, Location loc, Value tensor, Type type) {
  Value scalar;
  if (auto splat = tensor.getDefiningOp<tt::SplatOp>()) {
    scalar = splat.getSrc();
  } else {
    DenseElementsAttr constant;
    matchPattern(tensor, m_Constant(&constant));
    auto element = cast<TypedAttr>(constant.getSplatValue<Attribute>());
    scalar = arith::ConstantOp::create(b, loc, element);
  }
  if (scalar.getType() == type)
    return scalar;
  return arith::ExtSIOp::create(b, loc, type, scalar);
}

/// Returns the tensor after the loop has added `offset` to its initial value.
static Value moved(OpBuilder &b, Location loc, Value start, Value offset, bool isPointer) {
  auto type = cast<RankedTensorType>(start.getType());
  Value spread = tt::SplatOp::create(b, loc, type.clone(offset.getType()), offset);
  if (isPointer)
    return tt::AddPtrOp::create(b, loc, type, start, spread);
  return arith::AddIOp::create(b, loc, start, spread);
}

static void carryOffsets(scf::ForOp loop, ArrayRef<Induction> inductions) {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> zeros;
  for (const Induction &induction : inductions) {
    Type element = cast<RankedTensorType>(induction.step.getType()).getElementType();
    Type type = induction.isPointer ? rewriter.getI64Type() : element;
    zeros.push_back(arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(type, 0)));
  }
  unsigned before = loop.getNumRegionIterArgs();
  auto yieldSums = [&](OpBuilder &b, Location at, ArrayRef<BlockArgument> offsets) {
    SmallVector<Value> sums;
    for (auto [induction, offset] : llvm::zip(inductions, offsets)) {
      Value step = elementOf(b, at, induction.step, offset.getType());
      sums.push_back(arith::AddIOp::create(b, at, offset, step));
    }
    return sums;
  };
  auto result = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, zeros, /*replaceInitOperandUsesInLoop=*/false, yieldSums));

  for (auto [k, induction] : llvm::enumerate(inductions)) {
    Value start = result.getInitArgs()[induction.position];
    Value argument = result.getRegionIterArgs()[induction.position];
    rewriter.setInsertionPointToStart(result.getBody());
    Value inside =
        moved(rewriter, loc, start, result.getRegionIterArgs()[before + k], induction.isPointer);
    rewriter.replaceAllUsesWith(argument, inside);
    // The loop now passes the old argument on unchanged; folding removes it.
    result.getBody()->getTerminator()->setOperand(induction.position, argument);
    rewriter.setInsertionPointAfter(result);
    Value after = moved(rewriter, loc, start, result.getResult(before + k), induction.isPointer);
    rewriter.replaceAllUsesWith(result.getResult(induction.position), after);
  }
}

namespace {
struct CarryOffsets : tessera::cpu::impl::CPUCarryOffsetsBase<CarryOffsets> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, SmallVector<Induction>>> plans;
    getOperation()->walk([&](scf::ForOp loop) {
      if (SmallVector<Induction> found = findInductions(loop); !found.empty())
        plans.push_back({loop, std::move(found)});
    });
    for (auto &[loop, inductions] : plans)
      carryOffsets(loop, inductions);
    if (plans.empty())
      return;
    RewritePatternSet patterns(&getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
