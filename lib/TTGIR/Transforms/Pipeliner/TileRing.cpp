//===- TileRing.cpp - slots that an engine fills --------------------------===//
// See TileRing.h.
//===----------------------------------------------------------------------===//
#include "TileRing.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;

static Value emitNumber(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

void TileRing::allocate(OpBuilder &b, Location loc, unsigned numWarps) {
  full = engine->makeBarriers(b, loc, slots, /*arrivals=*/1);
  empty = engine->makeBarriers(b, loc, slots, numWarps);
}

void TileRing::emitAwait(OpBuilder &b, Location loc, Value read, Value phase) const {
  Value barrier = engine->chooseBarrier(b, loc, full, read)->getResult(0);
  engine->await(b, loc, barrier, phase, buffers);
}

void TileRing::emitHandshake(OpBuilder &b, Location loc, Value read, Value phase) const {
  Value end = emitNumber(b, loc, slots);
  Value next = arith::AddIOp::create(b, loc, read, emitNumber(b, loc, distance));
  Value isPast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, next, end);
  Value wrapped = arith::SubIOp::create(b, loc, next, end);
  Value slot = arith::SelectOp::create(b, loc, isPast, wrapped, next);
  Value barrier = engine->chooseBarrier(b, loc, empty, slot)->getResult(0);
  engine->release(b, loc, barrier, buffers);
  engine->acquire(b, loc, barrier, phase, buffers);
}

Value TileRing::emitExpect(OpBuilder &b, Location loc, Value written) const {
  Value barrier = engine->chooseBarrier(b, loc, full, written)->getResult(0);
  engine->expect(b, loc, barrier, bytes, arith::ConstantIntOp::create(b, loc, 1, 1));
  return barrier;
}

void TileRing::end(OpBuilder &b, Location loc) const {
  engine->endBarriers(b, loc, full, slots);
  engine->endBarriers(b, loc, empty, slots);
}
