//===- Reduce.cpp - reductions inside a loop nest -------------------------===//
// See Reduce.h.
//===----------------------------------------------------------------------===//
#include "Reduce.h"
#include "Combine.h"
#include "MemoryAccess.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

int8_t ReductionEmitter::loopOf(const Reduction &reduction) const {
  tt::ReduceOp op = reduction.op;
  return identityIndex(evaluator.extents)[op.getAxis()];
}

bool ReductionEmitter::isAlongVectors(const Reduction &reduction) const {
  return evaluator.lanes && loopOf(reduction) == evaluator.vectorLoop;
}

/// Lanes hold elements as registers do; no pattern of bits is spared for i1.
void ReductionEmitter::beginRow() {
  accumulators.clear();
  for (const Reduction &reduction : reductions) {
    SmallVector<Value> &slots = accumulators.emplace_back();
    if (!isAlongVectors(reduction))
      continue;
    tt::ReduceOp op = reduction.op;
    LaneBuilder b(context.builder, op->getLoc());
    TypedAttr identity = identityOf(op.getCombineOp());
    for (Value operand : op->getOperands()) {
      Type element = convertElement(getElementTypeOrSelf(operand.getType()));
      Value slot = context.reserveSlot(withLanes(element, evaluator.lanes));
      slots.push_back(slot);
      if (identity)
        LLVM::StoreOp::create(context.builder, b.loc,
                              b.splat(context.constant(b, identity), evaluator.lanes), slot);
    }
  }
}

void ReductionEmitter::accumulate() {
  for (auto [i, reduction] : llvm::enumerate(reductions))
    accumulate(reduction, i < accumulators.size() ? ArrayRef<Value>(accumulators[i])
                                                  : ArrayRef<Value>());
}

void ReductionEmitter::accumulate(const Reduction &reduction, ArrayRef<Value> slots) {
  tt::ReduceOp op = reduction.op;
  OpBuilder &builder = context.builder;
  LaneBuilder b(builder, op->getLoc());
  TileIndex index = identityIndex(evaluator.extents), rest = index;
  rest.erase(rest.begin() + op.getAxis());
  int8_t loop = loopOf(reduction);
  bool vector = evaluator.lanes && llvm::is_contained(index, evaluator.vectorLoop);
  unsigned lanes = vector ? evaluator.lanes : 0;

  SmallVector<Value> values, before;
  for (Value operand : op->getOperands())
    values.push_back(b.splat(evaluator.evaluate(operand, index), lanes));
  bool inRegisters = isAlongVectors(reduction);
  for (auto [i, value] : llvm::enumerate(values)) {
    if (loop < 0)
      break; // one element each
    before.push_back(
        inRegisters
            ? Value(LLVM::LoadOp::create(builder, b.loc, value.getType(), slots[i]))
            : evaluator.loadTile(op->getResult(i), rest, reduction.results[i]));
  }
  SmallVector<Value> after = values;
  if (loop >= 0) {
    after = applyCombine(context, b, op.getCombineOp(), before, values);
    bool needsFirst = !inRegisters || !identityOf(op.getCombineOp());
    if (needsFirst) {
      Value isFirst = b.compare(Int::eq, evaluator.indices[loop], 0);
      for (auto [next, value] : llvm::zip(after, values))
        next = b.select(isFirst, value, next);
    }
  }
  for (auto [i, value] : llvm::enumerate(after)) {
    if (inRegisters)
      LLVM::StoreOp::create(builder, b.loc, value, slots[i]);
    else
      evaluator.storeTile(op->getResult(i), rest, reduction.results[i], value);
  }
}

void ReductionEmitter::endRow() {
  for (auto [reduction, slots] : llvm::zip(reductions, accumulators)) {
    if (slots.empty())
      continue;
    tt::ReduceOp op = reduction.op;
    LaneBuilder b(context.builder, op->getLoc());
    SmallVector<Value> values;
    for (auto [operand, slot] : llvm::zip(op->getOperands(), slots)) {
      Type element = convertElement(getElementTypeOrSelf(operand.getType()));
      values.push_back(LLVM::LoadOp::create(context.builder, b.loc,
                                            withLanes(element, evaluator.lanes), slot));
    }
    for (unsigned lanes = evaluator.lanes; lanes > 1; lanes /= 2) {
      SmallVector<Value> low, high;
      for (Value value : values) {
        low.push_back(lanes == 2 ? b.extract(value, 0) : b.slice(value, 0, lanes / 2));
        high.push_back(lanes == 2 ? b.extract(value, 1) : b.slice(value, lanes / 2, lanes / 2));
      }
      values = applyCombine(context, b, op.getCombineOp(), low, high);
    }
    TileIndex rest = identityIndex(evaluator.extents);
    rest.erase(rest.begin() + op.getAxis());
    for (auto [i, value] : llvm::enumerate(values))
      evaluator.storeTile(op->getResult(i), rest, reduction.results[i], value);
  }
}
