//===- NestEmitter.cpp - the loops of one nest ----------------------------===//
// See NestEmitter.h: the outer loops, and the vector loop with its bodies. If masks or alignment
// require it, the vector loop is peeled into chunks that are full, stored non-temporally, or
// masked. Cost: linear in the ops that the nest computes, for each of its bodies.
//===----------------------------------------------------------------------===//
#include "NestEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

Block *NestEmitter::newBlock() {
  OpBuilder::InsertionGuard guard(context.builder);
  Region *region = context.builder.getBlock()->getParent();
  return context.builder.createBlock(region, region->end());
}

void NestEmitter::emitBody(BodyKind kind) {
  evaluator.beginBody(kind);
  // Accesses are emitted in program order: a load must not move behind a store to the same element.
  for (const NestAccess &access : accesses) {
    if (access.isStore()) {
      evaluator.store(access);
      continue;
    }
    evaluator.evaluate(access.op->getResult(0), access.index);
  }
  for (auto [value, tile] : nest.outputs)
    evaluator.writeTile(value, identityIndex(nest.shape), tile);
  reducer.accumulate();
}

/// Returns the range of a loop in which any access is unmasked.
std::pair<Value, Value> NestEmitter::hullOf(unsigned loop) {
  Value first, last;
  Value none = b.i64(0), all = b.i64(loops.extents[loop]);
  if (!nest.outputs.empty() || !nest.reductions.empty())
    return {none, all};
  for (const NestAccess &access : accesses) {
    if (!access.isStore())
      continue;
    auto [begin, end] = access.box[loop];
    begin = begin ? begin : none;
    end = end ? end : all;
    for (Value condition : access.mask.conditions)
      end = b.select(condition, end, none);
    first = first ? b.signedMin(first, begin) : begin;
    last = last ? b.signedMax(last, end) : end;
  }
  return {first, last};
}

void NestEmitter::emitLoops(unsigned position) {
  if (position == 0)
    reducer.begin();
  if (position == order.size())
    return emitBody(BodyKind::Masked);
  unsigned loop = order[position];
  loops.depths[loop] = position + 1;
  if (loops.isVectorLoop(loop)) {
    reducer.beginRow();
    emitChunks();
    return reducer.endRow();
  }
  auto [first, last] = hullOf(loop);
  Block *header = newBlock(), *body = newBlock(), *exit = newBlock();
  Value index = header->addArgument(context.builder.getI64Type(), loc);
  loops.points.push_back(LLVM::BrOp::create(context.builder, loc, first, header));
  context.builder.setInsertionPointToEnd(header);
  branch(b.compare(Int::slt, index, last), body, {}, exit, {});
  context.builder.setInsertionPointToEnd(body);
  loops.indices[loop] = index;
  emitLoops(position + 1);
  jump(header, b.add(index, 1));
  context.builder.setInsertionPointToEnd(exit);
}

/// Returns the store whose address decides where chunks begin: aligned vectors do not cross cache
/// lines and may be stored non-temporally. This pays off only for long rows.
const NestAccess *NestEmitter::findStreamedStore() const {
  unsigned loop = loops.vectorLoop;
  // Alignment adds lanes outside of the tile, which must not be reduced.
  if (!context.spec.streamingStores || loops.extents[loop] < 8 * int64_t(loops.lanes) ||
      !nest.reductions.empty())
    return nullptr;
  auto store = llvm::find_if(accesses, [&](const NestAccess &access) {
    return access.isStore() && access.isConsecutive(loop);
  });
  return store == accesses.end() ? nullptr : &*store;
}

void NestEmitter::emitChunks() {
  bool masked = llvm::any_of(accesses, [&](const NestAccess &access) {
    return !access.mask.bounds.empty() || !access.mask.conditions.empty();
  });
  if (masked || findStreamedStore())
    return emitPeeledChunks();
  unsigned loop = loops.vectorLoop;
  Block *body = newBlock();
  if (loops.extents[loop] == int64_t(loops.lanes)) { // a single chunk needs no loop
    loops.indices[loop] = b.i64(0);
    loops.points.push_back(LLVM::BrOp::create(context.builder, loc, ValueRange(), body));
    context.builder.setInsertionPointToEnd(body);
    return emitBody(BodyKind::Full);
  }
  Block *exit = newBlock();
  Value index = body->addArgument(context.builder.getI64Type(), loc);
  loops.points.push_back(LLVM::BrOp::create(context.builder, loc, b.i64(0), body));
  context.builder.setInsertionPointToEnd(body);
  loops.indices[loop] = index;
  emitBody(BodyKind::Full);
  Value next = b.add(index, int64_t(loops.lanes));
  branch(b.compare(Int::slt, next, loops.extents[loop]), body, next, exit, {});
  context.builder.setInsertionPointToEnd(exit);
}

/// Returns the range of the vector loop in which all accesses are within their bounds; empty in
/// rows where one is not.
std::pair<Value, Value> NestEmitter::fullRange() {
  unsigned vectorLoop = loops.vectorLoop;
  Value begin = b.i64(0), end = b.i64(loops.extents[vectorLoop]), inside;
  auto require = [&](Value condition) {
    inside = inside ? b.bitAnd(inside, condition) : condition;
  };
  for (const NestAccess &access : accesses) {
    if (!llvm::is_contained(access.index, vectorLoop))
      continue; // it is computed once per row, with its own mask
    for (Value condition : access.mask.conditions)
      require(condition);
    for (auto [loop, bounds] : llvm::enumerate(access.box)) {
      if (!bounds.first)
        continue;
      if (loop == vectorLoop) {
        begin = b.signedMax(begin, bounds.first);
        end = b.signedMin(end, bounds.second);
        continue;
      }
      require(b.compare(Int::sge, loops.indices[loop], bounds.first));
      require(b.compare(Int::slt, loops.indices[loop], bounds.second));
    }
  }
  return {begin, inside ? b.select(inside, end, b.i64(0)) : end};
}

/// Returns whether the launch writes more than the caches hold, and all vectors that would be
/// stored non-temporally are aligned if the first chunk is.
Value NestEmitter::wantsStreaming() {
  uint64_t bytes = 0;
  Value aligned;
  for (const NestAccess &access : accesses) {
    if (!access.isStore() || !access.isConsecutive(loops.vectorLoop))
      continue;
    bytes += elementBytes(access.pointee());
    Value address = b.bitAnd(b.addressOf(evaluator.firstAddress(access)), 63);
    aligned = aligned ? b.bitOr(aligned, address) : address;
  }
  for (int64_t extent : nest.shape)
    bytes *= extent;
  Value enough =
      b.compare(Int::ugt, context.programCount(), int64_t(context.spec.streamingBytes / bytes));
  return b.bitAnd(enough, b.compare(Int::eq, aligned, 0));
}

/// Returns where the first chunk of a row begins, and whether stores are non-temporal (null if
/// there is no such store).
std::pair<Value, Value> NestEmitter::startOfChunks(Value first, const NestAccess *streamed) {
  if (!streamed) // whole chunks stay inside the tile
    return {b.bitAnd(first, -int64_t(loops.lanes)), Value()};
  unsigned loop = loops.vectorLoop;
  loops.mayOverhang = true;
  loops.indices[loop] = first;
  Value misaligned = b.bitAnd(b.addressOf(evaluator.firstAddress(*streamed)), 63);
  unsigned size = elementBytes(streamed->pointee());
  Value start = b.sub(first, b.shiftRight(misaligned, int64_t(llvm::Log2_32(size))));
  loops.indices[loop] = start;
  Value streaming = wantsStreaming();
  context.noteStreamingStore();
  return {start, streaming};
}

void NestEmitter::emitPeeledChunks() {
  OpBuilder &builder = context.builder;
  unsigned loop = loops.vectorLoop;
  int64_t lanes = loops.lanes;
  Type i64 = builder.getI64Type();

  // Computed once per row: the first and last chunk, and the range in which masks are true.
  auto [first, last] = hullOf(loop);
  auto [fullBegin, fullEnd] = fullRange();
  const NestAccess *streamed = findStreamedStore();
  auto [start, streaming] = startOfChunks(first, streamed);

  Block *header = newBlock(), *choose = newBlock(), *full = newBlock();
  Block *stream = streamed ? newBlock() : nullptr, *masked = newBlock(), *exit = newBlock();
  Value at = header->addArgument(i64, loc);
  loops.points.push_back(LLVM::BrOp::create(builder, loc, start, header));
  builder.setInsertionPointToEnd(header);
  branch(b.compare(Int::slt, at, last), choose, {}, exit, {});

  builder.setInsertionPointToEnd(choose);
  auto fits = [&](Value index) { return b.compare(Int::sle, b.add(index, lanes), fullEnd); };
  Value isFull = b.bitAnd(b.compare(Int::sge, at, fullBegin), fits(at));
  Block *fullEntry = full;
  if (stream) {
    fullEntry = newBlock();
    branch(isFull, fullEntry, {}, masked, {});
    builder.setInsertionPointToEnd(fullEntry);
    branch(streaming, stream, at, full, at);
  } else {
    branch(isFull, full, at, masked, {});
  }

  auto emitFull = [&](Block *block, BodyKind kind) {
    builder.setInsertionPointToEnd(block);
    Value index = block->addArgument(i64, loc);
    loops.indices[loop] = index;
    emitBody(kind);
    Value next = b.add(index, lanes);
    branch(fits(next), block, next, header, next);
  };
  emitFull(full, BodyKind::Full);
  if (stream)
    emitFull(stream, BodyKind::Streaming);

  builder.setInsertionPointToEnd(masked);
  loops.indices[loop] = at;
  emitBody(BodyKind::Masked);
  jump(header, b.add(at, lanes));
  builder.setInsertionPointToEnd(exit);
}
