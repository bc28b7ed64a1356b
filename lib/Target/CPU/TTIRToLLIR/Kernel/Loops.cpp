//===- Loops.cpp - counted loops in the LLVM dialect ----------------------===//
// See Loops.h.
//===----------------------------------------------------------------------===//
#include "Loops.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

Block *tessera::cpu::appendBlock(LaneBuilder &b, TypeRange arguments) {
  OpBuilder::InsertionGuard guard(b.builder);
  Region *region = b.builder.getBlock()->getParent();
  SmallVector<Location> locations(arguments.size(), b.loc);
  return b.builder.createBlock(region, region->end(), arguments, locations);
}

SmallVector<Value>
tessera::cpu::forEach(LaneBuilder &b, Value begin, Value end, int64_t step, ArrayRef<Value> initial,
                      function_ref<SmallVector<Value>(Value index, ArrayRef<Value> carried)> body) {
  OpBuilder &builder = b.builder;
  SmallVector<Type> types = {builder.getI64Type()};
  llvm::append_range(types, ValueRange(initial).getTypes());
  Block *head = appendBlock(b, types), *inside = appendBlock(b), *exit = appendBlock(b);
  SmallVector<Value> start = {begin};
  llvm::append_range(start, initial);
  LLVM::BrOp::create(builder, b.loc, start, head);

  builder.setInsertionPointToEnd(head);
  Value index = head->getArgument(0);
  SmallVector<Value> carried(head->getArguments().drop_front());
  Value more = b.compare(LLVM::ICmpPredicate::slt, index, end);
  LLVM::CondBrOp::create(builder, b.loc, more, inside, ValueRange(), exit, ValueRange());

  builder.setInsertionPointToEnd(inside);
  SmallVector<Value> next = body(index, carried);
  next.insert(next.begin(), b.add(index, step));
  LLVM::BrOp::create(builder, b.loc, next, head);
  builder.setInsertionPointToEnd(exit);
  return carried;
}

void tessera::cpu::forEach(LaneBuilder &b, Value begin, Value end, int64_t step,
                           function_ref<void(Value index)> body) {
  forEach(b, begin, end, step, {}, [&](Value index, ArrayRef<Value>) {
    body(index);
    return SmallVector<Value>();
  });
}

void tessera::cpu::emitIf(LaneBuilder &b, Value condition, function_ref<void()> body) {
  Block *inside = appendBlock(b), *after = appendBlock(b);
  LLVM::CondBrOp::create(b.builder, b.loc, condition, inside, ValueRange(), after, ValueRange());
  b.builder.setInsertionPointToEnd(inside);
  body();
  LLVM::BrOp::create(b.builder, b.loc, ValueRange(), after);
  b.builder.setInsertionPointToEnd(after);
}
