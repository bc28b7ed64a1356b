//===- LoopInvariantCodeMotion.cpp - what every iteration would repeat -----===//
// Ops whose operands do not change in a loop move before it, innermost loops
// first: those that may run even where the loop does not, and loads. A load
// moves where nothing in the loop writes; it then reads only if the loop runs.
//
//   before: scf.for %i = %lb to %ub step %s {
//             %v = tt.load %p, %m : tensor<128x!tt.ptr<f32>> ...
//   after:  %runs = arith.cmpi slt, %lb, %ub
//           %r = tt.splat %runs ; %n = arith.andi %r, %m
//           %v = tt.load %p, %n : tensor<128x!tt.ptr<f32>>
//           scf.for %i = %lb to %ub step %s { ...
//
// Where the loop is known to run, the mask stays as it is. Where it does not
// run, nobody reads what the load would have given.
//
// A loop that says `disable_licm` (tl.range) keeps its body: long live ranges
// may cost more than the work. Triton 3.6.0 leaves that to LLVM, and compares
// the bounds of unsigned loops as signed numbers.
//
// Requires: effects of ops are as they declare them. Ensures: values unchanged.
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

/// Moves what does not change out of one loop.
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
  scf::ForOp counted; // null for other loops
  std::optional<bool> readOnly;
  Value runs; // whether the loop has an iteration
};
} // namespace

/// `tl.range(..., disable_licm=True)`.
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
  // A block pointer takes no mask; what is in a region of the loop's may not be reached.
  // A volatile load counts as a write of the loop.
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

/// Lets `load`, whose operands stand before the loop, read only if the loop runs.
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
  // Post-order: what leaves an inner loop may leave the next one, too.
  getOperation().walk([](LoopLikeOpInterface loop) {
    if (!forbidsMotion(loop))
      Hoister(loop).run();
  });
}
