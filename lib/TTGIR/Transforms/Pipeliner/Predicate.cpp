//===- Predicate.cpp - run an op only if ------------------------------------===//
// The first and the last rounds of a pipelined loop meet iterations that do not exist.
//
//   tt.load %p, %m          ->  tt.load %p, (%m and %predicate)
//   async_copy %p, %b       ->  async_copy %p, %b mask %predicate     writes zeros
//   scf.if %c { load }      ->  scf.if (%c and %predicate) { load }
//
// A branch with loads on its other side keeps its condition; its loads are masked. What may
// not run for any value, such as a division, counts as a load here.
//===----------------------------------------------------------------------===//
#include "Predicate.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;

/// `mask` (may be null), where `predicate` holds; of the shape of `pointers`.
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

/// Whether the ops of a region may run for any values.
static bool isHarmless(Region &region) {
  return llvm::all_of(region.getOps(),
                      [](Operation &op) { return isMemoryEffectFree(&op) && isSpeculatable(&op); });
}

/// A branch is not taken where `predicate` is false; null where that would take another one.
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
  if (!isa<scf::IfOp>(op))
    return nullptr;
  op->walk([&](tt::LoadOp load) { maskLoad(b, load, predicate); });
  return op;
}
