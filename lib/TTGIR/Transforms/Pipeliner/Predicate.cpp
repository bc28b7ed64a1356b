//===- Predicate.cpp - run an op only if ------------------------------------===//
// The first and the last rounds of a pipelined loop meet iterations that do not exist.
//
//   tt.load %p, %m          ->  tt.load %p, (%m and %predicate)
//   async_copy %p, %b       ->  async_copy %p, %b mask %predicate     writes zeros
//   scf.if %c { load }      ->  the loads inside
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

Operation *tessera::predicateOp(RewriterBase &b, Operation *op, Value predicate) {
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
