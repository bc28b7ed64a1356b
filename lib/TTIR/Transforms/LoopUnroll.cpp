//===- LoopUnroll.cpp - unroll loops by tl.range's factor ----------------===//
// Unrolls loops as `tl.range(..., loop_unroll_factor=4)` requests.
//
//   before: scf.for %i = %lb to %ub step %s { body(%i) }
//             {tt.loop_unroll_factor = 4}
//   after:  scf.for %i = %lb to %mid step 4*%s
//             { body(%i) body(%i + s) body(%i + 2s) body(%i + 3s) }
//           scf.for %i = %mid to %ub step %s { body(%i) } {tt.num_stages = 1}
//
// where %mid is the end of the whole groups of four. If the trip count is known, a loop of one
// iteration is replaced by its body, and a loop of none is not created. Inner loops are unrolled
// first, so that an unrolled outer loop contains the unrolled inner ones.
//
// Requires: steps are positive. Ensures: the same iterations in the same order, also for empty
// ranges and for ranges that span more than half of the integers. Cost: the size of the unrolled
// code.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Unsupported.h"
#include "tessera/TTIR/IR/TTAttrs.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTLOOPUNROLL
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

/// The limit on the operations that unrolling one loop may create.
static constexpr uint64_t kMaxUnrolledOps = 1 << 17;

namespace {
struct LoopUnroll : tessera::impl::TTLoopUnrollBase<LoopUnroll> {
  using TTLoopUnrollBase::TTLoopUnrollBase;
  void runOnOperation() override;
};

/// The decision for one loop.
struct UnrollPlan {
  /// The number of iterations that become one; 1 means that only the attribute is removed.
  uint64_t factor = 1;
  /// The trip count, if it is known.
  std::optional<APInt> tripCount;

  bool hasEpilogue() const { return !tripCount || tripCount->urem(factor) != 0; }
};
} // namespace

/// Returns the factor that the loop requests, or 0 if it requests none.
static FailureOr<uint64_t> requestedFactor(scf::ForOp loop) {
  Attribute attr = loop->getAttr(tt::kLoopUnrollFactorAttr);
  if (!attr)
    return 0;
  auto number = dyn_cast<IntegerAttr>(attr);
  if (!number)
    return loop.emitError() << tt::kLoopUnrollFactorAttr << " must be an integer, but is " << attr;
  APInt value = number.getValue();
  return value.isNegative() ? 0 : value.getLimitedValue();
}

static uint64_t countOps(scf::ForOp loop) {
  uint64_t count = 0;
  loop.getBody()->walk([&](Operation *) { ++count; });
  return count;
}

/// Returns whether `step * factor` fits the loop's type and 64 bits.
static bool canScaleStep(scf::ForOp loop, uint64_t factor) {
  Type type = loop.getInductionVar().getType();
  unsigned bits =
      type.isIndex() ? IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
  if (bits > 64 || llvm::Log2_64(factor) + 1 >= bits)
    return false;
  bool overflows = false;
  if (std::optional<APInt> step = loop.getConstantStep())
    (void)step->smul_ov(APInt(bits, factor), overflows);
  return !overflows;
}

/// Returns nothing if the loop stays as it is; fails if it requests the impossible.
static FailureOr<std::optional<UnrollPlan>> planUnroll(scf::ForOp loop) {
  FailureOr<uint64_t> requested = requestedFactor(loop);
  if (failed(requested))
    return failure();
  if (*requested < 2)
    return std::optional<UnrollPlan>();
  UnrollPlan plan{*requested, loop.getStaticTripCount()};
  if (plan.tripCount)
    plan.factor = std::max<uint64_t>(1, std::min(plan.factor, plan.tripCount->getLimitedValue()));
  uint64_t ops = countOps(loop);
  if (plan.factor > kMaxUnrolledOps / ops)
    return emitUnsupported(loop) << "cannot unroll " << ops << " operations " << plan.factor
                                 << " times: a loop may become " << kMaxUnrolledOps
                                 << " operations at most";
  if (!canScaleStep(loop, plan.factor))
    return std::optional<UnrollPlan>();
  return std::optional(plan);
}

static Value emitConstant(OpBuilder &b, Location loc, Type type, const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

/// Returns `count` times the loop's step.
static Value emitSteps(scf::ForOp loop, uint64_t count, OpBuilder &b) {
  Location loc = loop.getLoc();
  Type type = loop.getStep().getType();
  if (count == 1)
    return loop.getStep();
  if (std::optional<APInt> step = loop.getConstantStep())
    return emitConstant(b, loc, type, *step * count);
  Value times = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, count));
  return arith::MulIOp::create(b, loc, loop.getStep(), times);
}

/// Returns the induction variable at the end of the last whole group.
static Value emitMiddle(scf::ForOp loop, const UnrollPlan &plan, OpBuilder &b) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  Type type = lower.getType();
  if (plan.tripCount) {
    uint64_t whole = plan.tripCount->getZExtValue() / plan.factor * plan.factor;
    std::optional<APInt> by = loop.getConstantStep();
    APInt from;
    if (by && matchPattern(lower, m_ConstantInt(&from)))
      return emitConstant(b, loc, type, from + *by * whole);
    return arith::AddIOp::create(b, loc, lower, emitSteps(loop, whole, b));
  }
  // The span is exact as an unsigned number. Rounding up as (span - 1) / step + 1 cannot overflow;
  // for an empty range the result is not used.
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  auto constant = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value zero = constant(0), one = constant(1);
  Value runs = arith::CmpIOp::create(b, loc, less, lower, upper);
  Value span = arith::SubIOp::create(b, loc, upper, lower);
  Value last = arith::SubIOp::create(b, loc, span, one);
  Value count = arith::AddIOp::create(b, loc, arith::DivUIOp::create(b, loc, last, step), one);
  Value trips = arith::SelectOp::create(b, loc, runs, count, zero);
  Value left = arith::RemUIOp::create(b, loc, trips, constant(plan.factor));
  Value whole = arith::SubIOp::create(b, loc, trips, left);
  Value length = arith::MulIOp::create(b, loc, whole, step);
  return arith::AddIOp::create(b, loc, lower, length);
}

/// Creates the loop for the remaining iterations, from `middle` on, after `loop`.
static scf::ForOp addEpilogue(scf::ForOp loop, Value middle, IRRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(loop);
  auto epilogue = cast<scf::ForOp>(rewriter.clone(*loop));
  rewriter.replaceAllUsesWith(loop.getResults(), epilogue.getResults());
  epilogue.setLowerBound(middle);
  epilogue.getInitArgsMutable().assign(loop.getResults());
  epilogue->setAttr(tt::kNumStagesAttr, rewriter.getI32IntegerAttr(1));
  loop.setUpperBound(middle);
  return epilogue;
}

static void unroll(scf::ForOp loop, const UnrollPlan &plan, IRRewriter &rewriter) {
  loop->removeAttr(tt::kLoopUnrollFactorAttr);
  rewriter.setInsertionPoint(loop);
  scf::ForOp epilogue;
  if (plan.hasEpilogue())
    epilogue = addEpilogue(loop, emitMiddle(loop, plan, rewriter), rewriter);

  // The offsets are computed outside of the loop, and all copies of the body use them.
  SmallVector<Value> distances{Value()};
  for (uint64_t i = 1; i < plan.factor && !loop.getInductionVar().use_empty(); ++i)
    distances.push_back(emitSteps(loop, i, rewriter));
  auto shifted = [&](unsigned iteration, Value iv, OpBuilder b) -> Value {
    return arith::AddIOp::create(b, loop.getLoc(), iv, distances[iteration]);
  };
  loop.setStep(emitSteps(loop, plan.factor, rewriter));
  SmallVector<Value> yields(loop.getYieldedValues());
  generateUnrolledLoop(loop.getBody(), loop.getInductionVar(), plan.factor, shifted,
                       /*annotateFn=*/nullptr, loop.getRegionIterArgs(), yields);

  Operation *step = loop.getStep().getDefiningOp();
  if (succeeded(loop.promoteIfSingleIteration(rewriter)) && step && isOpTriviallyDead(step))
    rewriter.eraseOp(step);
  if (epilogue)
    (void)epilogue.promoteIfSingleIteration(rewriter);
}

void LoopUnroll::runOnOperation() {
  IRRewriter rewriter(&getContext());
  // The walk is post-order: inner loops are collected before the loops around them.
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    FailureOr<std::optional<UnrollPlan>> plan = planUnroll(loop);
    if (failed(plan))
      return signalPassFailure();
    if (*plan)
      unroll(loop, **plan, rewriter);
  }
}
