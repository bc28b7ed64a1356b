//===- Reduce.cpp - reductions inside a loop nest -------------------------===//
// See Reduce.h.
//===----------------------------------------------------------------------===//
#include "Reduce.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "../Kernel/Combine.h"
#include "../Kernel/Loops.h"
#include "../Lanes/MemoryAccess.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

int8_t ReductionEmitter::loopOf(const Reduction &reduction) const {
  tt::ReduceOp op = reduction.op;
  return identityIndex(loops.shape)[op.getAxis()];
}

bool ReductionEmitter::isAlongVectors(const Reduction &reduction) const {
  return loops.isVectorLoop(loopOf(reduction));
}

bool ReductionEmitter::isOrdered(const Reduction &reduction) const {
  return !isCommutative(tt::ReduceOp(reduction.op).getCombineOp());
}

/// Combines the lanes of a vector: adjacent lanes if the order must be kept, otherwise halves,
/// which are cheaper.
SmallVector<Value> ReductionEmitter::combineLanes(const Reduction &reduction,
                                                  SmallVector<Value> values) {
  tt::ReduceOp op = reduction.op;
  LaneBuilder b(context.builder, op->getLoc());
  for (unsigned lanes = lanesOf(values[0]); lanes > 1; lanes /= 2) {
    bool ordered = isOrdered(reduction);
    SmallVector<int32_t> first, second;
    for (unsigned i = 0; i < lanes / 2; ++i) {
      first.push_back(ordered ? 2 * i : i);
      second.push_back(ordered ? 2 * i + 1 : i + lanes / 2);
    }
    SmallVector<Value> left, right;
    for (Value value : values) {
      auto pick = [&](ArrayRef<int32_t> from) -> Value {
        if (lanes == 2)
          return b.extract(value, from[0]);
        return LLVM::ShuffleVectorOp::create(b.builder, b.loc, value, value, from);
      };
      left.push_back(pick(first));
      right.push_back(pick(second));
    }
    values = applyCombine(context, b, op.getCombineOp(), left, right);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

static constexpr int64_t kRun = 16;

int64_t ReductionEmitter::stepsOf(const Reduction &reduction) const {
  int64_t extent = loops.extents[loopOf(reduction)];
  return isAlongVectors(reduction) ? extent / loops.lanes : extent;
}

bool ReductionEmitter::needsTree(const Reduction &reduction) const {
  tt::ReduceOp op = reduction.op;
  if (loopOf(reduction) < 0 || !identityOf(op.getCombineOp()))
    return false;
  bool rounds = isa<arith::AddFOp, arith::MulFOp>(op.getCombineOp().front().front());
  return rounds && stepsOf(reduction) > kRun;
}

/// Returns the bytes of one level of the tree: those of the results, or of the lanes of a row.
uint64_t ReductionEmitter::levelBytes(const Reduction &reduction) const {
  tt::ReduceOp op = reduction.op;
  Type result = op->getResult(0).getType();
  if (isAlongVectors(reduction))
    return uint64_t(elementBytes(getElementTypeOrSelf(result))) * loops.lanes;
  auto tensor = dyn_cast<RankedTensorType>(result);
  return tensor ? KernelContext::tileBytes(tensor) : 64;
}

void ReductionEmitter::begin() {
  for (const Reduction &reduction : reductions) {
    if (!needsTree(reduction))
      continue;
    LaneBuilder b(context.builder, tt::ReduceOp(reduction.op)->getLoc());
    uint64_t levels = llvm::Log2_64(stepsOf(reduction) / kRun) + 1;
    trees[reduction.op] = context.reserveBytes(b, levels * levelBytes(reduction));
  }
}

/// Runs at the end of run t of a row: the trailing ones of t in binary are the levels that wait for
/// a partner. Returns the sum of this run and the runs that it was combined with; after the last
/// run, of all.
Value ReductionEmitter::climbTree(const Reduction &reduction, Value step, Value run) {
  tt::ReduceOp op = reduction.op;
  OpBuilder &builder = context.builder;
  LaneBuilder b(builder, op->getLoc());
  Value levels = trees[op], result = op->getResult(0), position = b.i64(0);
  auto bytes = static_cast<int64_t>(levelBytes(reduction));
  context.arena().touch(levels);
  MemoryAccess memory;
  memory.element = getElementTypeOrSelf(result.getType());
  memory.lanes = lanesOf(run);
  if (!isAlongVectors(reduction)) {
    TileIndex rest = identityIndex(loops.shape);
    rest.erase(rest.begin() + op.getAxis());
    Value place = evaluator.tileAddress(result, rest, reduction.results[0]);
    position = b.sub(b.addressOf(place), b.addressOf(reduction.results[0]));
  }
  auto levelAt = [&](Value level) {
    Value offset = b.add(b.mul(level, bytes), position);
    memory.pointer = b.offset(levels, offset);
    return memory;
  };
  Value number = b.shiftRight(step, int64_t(llvm::Log2_64(kRun)));
  Type i64 = builder.getI64Type();
  Block *head = appendBlock(b, {i64, run.getType()}), *body = appendBlock(b),
        *done = appendBlock(b);
  LLVM::BrOp::create(builder, b.loc, ValueRange{b.i64(0), run}, head);
  builder.setInsertionPointToEnd(head);
  Value level = head->getArgument(0), sum = head->getArgument(1);
  Value waits = b.compare(Int::ne, b.bitAnd(b.shiftRight(number, level), 1), 0);
  LLVM::CondBrOp::create(builder, b.loc, waits, body, ValueRange(), done, ValueRange());
  builder.setInsertionPointToEnd(body);
  Value partner = emitLoad(b, levelAt(level), {});
  Value both = applyCombine(context, b, op.getCombineOp(), partner, sum)[0];
  LLVM::BrOp::create(builder, b.loc, ValueRange{b.add(level, 1), both}, head);
  builder.setInsertionPointToEnd(done);
  emitStore(b, levelAt(level), sum);
  return sum;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Lanes hold elements in their register representation; an i1 has no bit pattern to spare.
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
      Value slot =
          context.reserveSlot(isOrdered(reduction) ? element : withLanes(element, loops.lanes));
      slots.push_back(slot);
      if (identity)
        LLVM::StoreOp::create(context.builder, b.loc,
                              b.splat(context.constant(b, identity), loops.lanes), slot);
    }
  }
}

void ReductionEmitter::accumulate() {
  for (auto [i, reduction] : llvm::enumerate(reductions))
    accumulate(reduction,
               i < accumulators.size() ? ArrayRef<Value>(accumulators[i]) : ArrayRef<Value>());
}

void ReductionEmitter::accumulate(const Reduction &reduction, ArrayRef<Value> slots) {
  tt::ReduceOp op = reduction.op;
  OpBuilder &builder = context.builder;
  LaneBuilder b(builder, op->getLoc());
  TileIndex index = identityIndex(loops.shape), rest = index;
  rest.erase(rest.begin() + op.getAxis());
  int8_t loop = loopOf(reduction);
  bool vector = loops.lanes && llvm::is_contained(index, loops.vectorLoop);
  unsigned lanes = vector ? loops.lanes : 0;

  SmallVector<Value> values, before;
  for (Value operand : op->getOperands())
    values.push_back(b.splat(evaluator.evaluate(operand, index), lanes));
  bool inRegisters = isAlongVectors(reduction);
  if (inRegisters && isOrdered(reduction))
    values = combineLanes(reduction, std::move(values));
  for (auto [i, value] : llvm::enumerate(values)) {
    if (loop < 0)
      break; // one element each
    before.push_back(inRegisters
                         ? Value(LLVM::LoadOp::create(builder, b.loc, value.getType(), slots[i]))
                         : evaluator.loadTile(op->getResult(i), rest, reduction.results[i]));
  }
  auto keep = [&](unsigned i, Value value) {
    if (inRegisters)
      LLVM::StoreOp::create(builder, b.loc, value, slots[i]);
    else
      evaluator.storeTile(op->getResult(i), rest, reduction.results[i], value);
  };
  if (loop < 0) {
    for (auto [i, value] : llvm::enumerate(values))
      keep(i, value);
    return;
  }
  SmallVector<Value> after = applyCombine(context, b, op.getCombineOp(), before, values);
  bool tree = needsTree(reduction);
  Value step = loops.indices[loop];
  if (inRegisters)
    step = b.shiftRight(step, int64_t(llvm::Log2_32(loops.lanes)));
  // A row, and in a tree each run, begins with its first elements.
  if (tree || !inRegisters || !identityOf(op.getCombineOp())) {
    Value isFirst = b.compare(Int::eq, tree ? b.bitAnd(step, kRun - 1) : step, 0);
    for (auto [next, value] : llvm::zip(after, values))
      next = b.select(isFirst, value, next);
  }
  for (auto [i, value] : llvm::enumerate(after))
    keep(i, value);
  if (tree)
    emitIf(b, b.compare(Int::eq, b.bitAnd(step, kRun - 1), kRun - 1),
           [&] { keep(0, climbTree(reduction, step, after[0])); });
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
      Type type = isOrdered(reduction) ? element : withLanes(element, loops.lanes);
      values.push_back(LLVM::LoadOp::create(context.builder, b.loc, type, slot));
    }
    values = combineLanes(reduction, std::move(values));
    TileIndex rest = identityIndex(loops.shape);
    rest.erase(rest.begin() + op.getAxis());
    for (auto [i, value] : llvm::enumerate(values))
      evaluator.storeTile(op->getResult(i), rest, reduction.results[i], value);
  }
}
