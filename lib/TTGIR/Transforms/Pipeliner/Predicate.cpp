//===- Predicate.cpp - predicate the ops of a pipelined loop ----------------===//
// The stages of a pipelined loop also run for iterations that do not exist: in the prologue of a
// short loop, and in its last iterations. Memory accesses are masked there:
//
//   tt.load %p, %m          ->  tt.load %p, (%m and %predicate)
//   async_copy %p, %b       ->  async_copy %p, %b mask %predicate     writes zeros
//   a copy of a whole tile  ->  the same with its predicate
//   scf.if %c { load }      ->  scf.if (%c and %predicate) { load }
//
// If both sides of a branch have loads, the branch keeps its condition and all of its loads are
// masked. Ops that must not run for all values, such as divisions, are treated like loads when the
// condition of a branch is chosen.
//===----------------------------------------------------------------------===//
#include "Predicate.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;

/// Returns `mask` (which may be null) and `predicate`, in the shape of `pointers`.
static Value emitBoth(RewriterBase &b, Location loc, Value mask, Value predicate, Type pointers) {
  if (auto tensor = dyn_cast<RankedTensorType>(pointers)) {
    auto type = RankedTensorType::get(tensor.getShape(), b.getI1Type(), tensor.getEncoding());
    predicate = tt::SplatOp::create(b, loc, type, predicate);
  }
  return mask ? arith::AndIOp::create(b, loc, predicate, mask) : predicate;
}

static void maskLoad(RewriterBase &b, tt::LoadOp load, Value predicate) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(load);
  Value mask = emitBoth(b, load.getLoc(), load.getMask(), predicate, load.getPtr().getType());
  b.modifyOpInPlace(load, [&] { load.getMaskMutable().assign(mask); });
}

/// Returns whether the ops of a region have no effects and may run for all values.
static bool isHarmless(Region &region) {
  return llvm::all_of(region.getOps(),
                      [](Operation &op) { return isMemoryEffectFree(&op) && isSpeculatable(&op); });
}

/// Adds `predicate` to the condition of a branch, so that its first side runs only if the predicate
/// is true. Returns null if the other side must not run instead.
static Operation *predicateBranch(RewriterBase &b, scf::IfOp branch, Value predicate) {
  if (!isHarmless(branch.getElseRegion()))
    return nullptr;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch);
  Value both = arith::AndIOp::create(b, branch.getLoc(), branch.getCondition(), predicate);
  b.modifyOpInPlace(branch, [&] { branch.getConditionMutable().assign(both); });
  return branch;
}

Operation *tessera::predicateOp(RewriterBase &b, Operation *op, Value predicate) {
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && !isHarmless(branch.getThenRegion()))
    if (Operation *predicated = predicateBranch(b, branch, predicate))
      return predicated;
  if (isMemoryEffectFree(op) ||
      isa<ttg::AsyncCommitGroupOp, ttg::AsyncWaitOp, ttg::LocalLoadOp>(op))
    return op;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    maskLoad(b, load, predicate);
    return op;
  }
  if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(copy);
    Value mask = emitBoth(b, copy.getLoc(), copy.getMask(), predicate, copy.getSrc().getType());
    b.modifyOpInPlace(copy, [&] { copy.getMaskMutable().assign(mask); });
    return op;
  }
  if (auto async = dyn_cast<ttg::AsyncAccessOpInterface>(op))
    return async.addPredicate(b, predicate) ? op : nullptr;
  if (!isa<scf::IfOp>(op))
    return nullptr;
  op->walk([&](tt::LoadOp load) { maskLoad(b, load, predicate); });
  return op;
}
