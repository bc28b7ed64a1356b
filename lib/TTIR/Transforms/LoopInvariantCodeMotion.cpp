//===- LoopInvariantCodeMotion.cpp - hoist loop-invariant ops and loads -===//
// Ops whose operands do not change in a loop move before it, innermost loops first: ops that may be
// executed speculatively, and loads. A load is hoisted if nothing in the loop writes memory; it is
// then masked so that it reads only if the loop has an iteration.
//
//   before: scf.for %i = %lb to %ub step %s {
//             %v = tt.load %p, %m : tensor<128x!tt.ptr<f32>> ...
//   after:  %runs = arith.cmpi slt, %lb, %ub
//           %r = tt.splat %runs ; %n = arith.andi %r, %m
//           %v = tt.load %p, %n : tensor<128x!tt.ptr<f32>>
//           scf.for %i = %lb to %ub step %s { ...
//
// If the loop is known to have an iteration, the mask stays as it is. If it has none, the result of
// the load is not used.
//
// A loop with `disable_licm` (tl.range) is left alone: long live ranges may cost more than the
// work. Triton 3.6.0 compares the bounds of unsigned loops as signed numbers.
//
// Requires: ops declare their memory effects. Ensures: values unchanged.
// Cost: linear in the depth of nesting times the size.
//===----------------------------------------------------------------------===//
#include "MemoryWrites.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTLOOPINVARIANTCODEMOTION
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using namespace tessera::tt;

namespace {
struct LoopInvariantCodeMotion
    : tessera::impl::TTLoopInvariantCodeMotionBase<LoopInvariantCodeMotion> {
  using TTLoopInvariantCodeMotionBase::TTLoopInvariantCodeMotionBase;
  void runOnOperation() override;
};

/// Hoists loop-invariant ops out of one loop.
class Hoister {
public:
  explicit Hoister(LoopLikeOpInterface loop)
      : loop(loop), counted(dyn_cast<scf::ForOp>(loop.getOperation())) {}
  void run();

private:
  bool canMove(Operation *op);
  bool canMoveLoad(LoadOp load);
  bool isReadOnly();
  bool isKnownToRun();
  void guard(LoadOp load);
  Value getRuns();

  LoopLikeOpInterface loop;
  scf::ForOp counted; // null if the loop is no scf.for
  std::optional<bool> readOnly;
  Value runs; // whether the loop has an iteration
};
} // namespace

/// Returns whether the loop has `tl.range(..., disable_licm=True)`.
static bool forbidsMotion(Operation *loop) {
  auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(kLoopAnnotationAttr);
  return annotation && annotation.getLicm() && annotation.getLicm().getDisable() &&
         annotation.getLicm().getDisable().getValue();
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

bool Hoister::isReadOnly() {
  if (!readOnly)
    readOnly = !mayWrite(loop);
  return *readOnly;
}

bool Hoister::isKnownToRun() {
  std::optional<APInt> trips = counted.getStaticTripCount();
  return trips && !trips->isZero();
}

bool Hoister::canMoveLoad(LoadOp load) {
  // Loads of block pointers take no mask, and loads in nested regions may not be reached, so
  // neither is hoisted. A volatile load counts as a write of the loop.
  if (!counted || !isReadOnly())
    return false;
  return isKnownToRun() || !isTensorPointer(load.getPtr().getType());
}

bool Hoister::canMove(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return canMoveLoad(load);
  return isMemoryEffectFree(op) && isSpeculatable(op);
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

Value Hoister::getRuns() {
  if (!runs) {
    OpBuilder builder(loop);
    auto less = counted.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    runs = arith::CmpIOp::create(builder, loop.getLoc(), less, counted.getLowerBound(),
                                 counted.getUpperBound());
  }
  return runs;
}

/// Masks `load`, whose operands are defined before the loop, so that it reads only if the loop has
/// an iteration.
void Hoister::guard(LoadOp load) {
  if (isKnownToRun())
    return;
  Value mask = getRuns();
  OpBuilder builder(loop);
  Location loc = load.getLoc();
  if (Type type = getMaskType(load.getPtr().getType()); isa<RankedTensorType>(type))
    mask = SplatOp::create(builder, loc, type, mask);
  if (load.getMask())
    mask = arith::AndIOp::create(builder, loc, mask, load.getMask());
  load.getMaskMutable().assign(mask);
}

void Hoister::run() {
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) { return canMove(op); },
      [&](Operation *op, Region *) {
        if (auto load = dyn_cast<LoadOp>(op))
          guard(load);
        loop.moveOutOfLoop(op);
      });
}

void LoopInvariantCodeMotion::runOnOperation() {
  // The walk is post-order: an op hoisted from an inner loop may be hoisted from the outer one too.
  getOperation().walk([](LoopLikeOpInterface loop) {
    if (!forbidsMotion(loop))
      Hoister(loop).run();
  });
}
