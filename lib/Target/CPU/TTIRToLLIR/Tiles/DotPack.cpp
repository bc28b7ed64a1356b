//===- DotPack.cpp - convert the operands of a dot for the block kernel -===//
// See DotPack.h. Cost: a load and a store of each element, and per 64 units of a transposed panel
// 12 insertions and 8 shuffles.
//===----------------------------------------------------------------------===//
#include "DotPack.h"
#include "../Kernel/Loops.h"
#include "../Lanes/SmallFloat.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value DotBuilder::load(Value address, Type element, int64_t lanes) {
  Type type = withLanes(element, lanes == 1 ? 0 : lanes);
  unsigned bytes = lanes * element.getIntOrFloatBitWidth() / 8;
  return LLVM::LoadOp::create(b.builder, b.loc, type, address, std::min(bytes, 64u));
}

void DotBuilder::store(Value address, Value value) {
  unsigned lanes = std::max(1u, lanesOf(value));
  unsigned bytes = lanes * laneType(value).getIntOrFloatBitWidth() / 8;
  LLVM::StoreOp::create(b.builder, b.loc, value, address, std::min(bytes, 64u));
}

SmallVector<Value> tessera::cpu::emitCounted(
    LaneBuilder &b, int64_t count, int64_t step, ArrayRef<Value> initial,
    function_ref<SmallVector<Value>(Value index, ArrayRef<Value> carried)> body) {
  if (count <= step)
    return body(b.i64(0), initial);
  OpBuilder &builder = b.builder;
  SmallVector<Type> types = {builder.getI64Type()};
  llvm::append_range(types, ValueRange(initial).getTypes());
  Block *inside = appendBlock(b, types), *exit = appendBlock(b);
  SmallVector<Value> start = {b.i64(0)};
  llvm::append_range(start, initial);
  LLVM::BrOp::create(builder, b.loc, start, inside);

  builder.setInsertionPointToEnd(inside);
  Value index = inside->getArgument(0);
  SmallVector<Value> carried(inside->getArguments().drop_front());
  SmallVector<Value> result = body(index, carried);
  Value next = b.add(index, step);
  Value more = b.compare(LLVM::ICmpPredicate::ne, next, count);
  SmallVector<Value> back = {next};
  llvm::append_range(back, result);
  LLVM::CondBrOp::create(builder, b.loc, more, inside, back, exit, ValueRange());
  builder.setInsertionPointToEnd(exit);
  return result;
}

void tessera::cpu::emitCounted(LaneBuilder &b, int64_t count, int64_t step,
                               function_ref<void(Value index)> body) {
  emitCounted(b, count, step, {}, [&](Value index, ArrayRef<Value>) {
    body(index);
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// Elements to parts
//===----------------------------------------------------------------------===//

Value tessera::cpu::toPart(DotBuilder &dot, Value stored, Type element, DotSide side) {
  LaneBuilder &b = dot.b;
  if (isa<FloatType>(element)) {
    Value wide = widenFloat(b, stored, element, dot.context.spec);
    return narrowFloat(b, wide, dot.plan.part, Rounding::NearestEven, dot.context.spec);
  }
  if (element.isInteger(1))
    return b.resizeUnsigned(stored, dot.plan.part);
  // The instruction multiplies unsigned bytes of A: -128 .. 127 become 0 .. 255.
  if (dot.plan.arithmetic == DotArithmetic::Bytes && side == DotSide::A)
    return b.bitXor(stored, -128);
  return b.resizeSigned(stored, dot.plan.part);
}

void tessera::cpu::emitConvert(DotBuilder &dot, Value from, Type element, DotSide side, Value to,
                               int64_t count) {
  LaneBuilder &b = dot.b;
  Type storage = storageType(element);
  int64_t fromBytes = elementBytes(element), partBits = dot.plan.part.getIntOrFloatBitWidth();
  int64_t lanes = std::min<int64_t>(count, dot.context.spec.vectorBits / partBits);
  int64_t unroll = std::min<int64_t>(2, count / lanes);
  emitCounted(b, count, unroll * lanes, [&](Value index) {
    Value source = b.offset(from, b.mul(index, fromBytes));
    Value target = b.offset(to, b.mul(index, partBits / 8));
    for (int64_t i = 0; i < unroll; ++i) {
      Value stored = dot.load(b.offset(source, i * lanes * fromBytes), storage, lanes);
      dot.store(b.offset(target, i * lanes * partBits / 8), toPart(dot, stored, element, side));
    }
  });
}

//===----------------------------------------------------------------------===//
// Parts to units
//===----------------------------------------------------------------------===//

Value tessera::cpu::zipLanes(LaneBuilder &b, Value x, Value y) {
  int32_t lanes = lanesOf(x);
  if (!lanes) {
    Value pair = LLVM::PoisonOp::create(b.builder, b.loc, withLanes(x.getType(), 2));
    return b.insert(b.insert(pair, x, 0), y, 1);
  }
  SmallVector<int32_t> mask;
  for (int32_t lane = 0; lane < lanes; ++lane)
    mask.append({lane, lanes + lane});
  return LLVM::ShuffleVectorOp::create(b.builder, b.loc, x, y, mask);
}

/// Joins vectors of parts to units; the first vector has the first parts.
static Value joinParts(DotBuilder &dot, ArrayRef<Value> parts) {
  LaneBuilder &b = dot.b;
  if (parts.size() == 1)
    return parts.front();
  SmallVector<Value> halves;
  for (size_t i = 0; i < parts.size(); i += 2)
    halves.push_back(zipLanes(b, parts[i], parts[i + 1]));
  int64_t lanes = lanesOf(parts.front());
  if (halves.size() == 2) {
    Type pair = withLanes(b.builder.getI16Type(), lanes);
    for (Value &half : halves)
      half = LLVM::BitcastOp::create(b.builder, b.loc, pair, half);
    halves = {zipLanes(b, halves[0], halves[1])};
  }
  return LLVM::BitcastOp::create(b.builder, b.loc, withLanes(dot.plan.sum, lanes), halves.front());
}

void tessera::cpu::emitInterleave(DotBuilder &dot, Value from, Type element, DotSide side,
                                  int64_t rowElements, Value to, int64_t width, int64_t steps) {
  LaneBuilder &b = dot.b;
  const DotPlan &plan = dot.plan;
  Type storage = storageType(element);
  int64_t bytes = elementBytes(element), unit = plan.unitBytes();
  int64_t widest = dot.context.spec.vectorBits / plan.sum.getIntOrFloatBitWidth();
  int64_t lanes = std::min(width, widest), unroll = std::min<int64_t>(4, width / lanes);
  emitCounted(b, steps, 1, [&](Value step) {
    Value row = b.offset(from, b.mul(step, plan.group * rowElements * bytes));
    Value target = b.offset(to, b.mul(step, width * unit));
    emitCounted(b, width, unroll * lanes, [&](Value column) {
      Value source = b.offset(row, b.mul(column, bytes));
      Value place = b.offset(target, b.mul(column, unit));
      for (int64_t vector = 0; vector < unroll; ++vector) {
        SmallVector<Value> parts;
        for (int64_t part = 0; part < plan.group; ++part) {
          int64_t offset = (part * rowElements + vector * lanes) * bytes;
          Value stored = dot.load(b.offset(source, offset), storage, lanes);
          parts.push_back(toPart(dot, stored, element, side));
        }
        dot.store(b.offset(place, vector * lanes * unit), joinParts(dot, parts));
      }
    });
  });
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

/// In each group of `size` lanes, selects lane i of `x` and `y` by `pick`: below `size` from x,
/// otherwise from y.
static Value shuffleParts(LaneBuilder &b, Value x, Value y, int32_t size, ArrayRef<int32_t> pick) {
  int32_t lanes = lanesOf(x);
  SmallVector<int32_t> mask;
  for (int32_t base = 0; base < lanes; base += size)
    for (int32_t lane : pick)
      mask.push_back(lane < size ? base + lane : lanes + base + lane - size);
  return LLVM::ShuffleVectorOp::create(b.builder, b.loc, x, y, mask);
}

/// Transposes the squares of `rows.size()` (2 or 4) lanes in `rows`.
static SmallVector<Value> transposeSquares(LaneBuilder &b, ArrayRef<Value> rows) {
  if (rows.size() == 2)
    return {shuffleParts(b, rows[0], rows[1], 2, {0, 2}),
            shuffleParts(b, rows[0], rows[1], 2, {1, 3})};
  Value low01 = shuffleParts(b, rows[0], rows[1], 4, {0, 4, 1, 5});
  Value high01 = shuffleParts(b, rows[0], rows[1], 4, {2, 6, 3, 7});
  Value low23 = shuffleParts(b, rows[2], rows[3], 4, {0, 4, 1, 5});
  Value high23 = shuffleParts(b, rows[2], rows[3], 4, {2, 6, 3, 7});
  return {shuffleParts(b, low01, low23, 4, {0, 1, 4, 5}),
          shuffleParts(b, low01, low23, 4, {2, 3, 6, 7}),
          shuffleParts(b, high01, high23, 4, {0, 1, 4, 5}),
          shuffleParts(b, high01, high23, 4, {2, 3, 6, 7})};
}

/// Transposes `square` steps of `lanes` columns. Rows i, i + square, i + 2 square, ... are loaded
/// into one vector: inserting from memory is cheaper than shuffling, and the remaining shuffles
/// stay within 128 bits.
static void transposeStrip(DotBuilder &dot, Value from, int64_t rowUnits, Value to, int64_t width,
                           int64_t lanes, int64_t square) {
  LaneBuilder &b = dot.b;
  int64_t unit = dot.plan.unitBytes();
  SmallVector<Value> rows;
  for (int64_t i = 0; i < square; ++i) {
    SmallVector<Value> pieces;
    for (int64_t row = i; row < lanes; row += square)
      pieces.push_back(dot.load(b.offset(from, row * rowUnits * unit), dot.plan.sum, square));
    rows.push_back(b.concat(pieces));
  }
  SmallVector<Value> columns = transposeSquares(b, rows);
  for (int64_t i = 0; i < square; ++i)
    dot.store(b.offset(to, i * width * unit), columns[i]);
}

void tessera::cpu::emitTranspose(DotBuilder &dot, Value from, int64_t rowUnits, Value to,
                                 int64_t width, int64_t steps) {
  LaneBuilder &b = dot.b;
  int64_t unit = dot.plan.unitBytes();
  int64_t widest = dot.context.spec.vectorBits / (8 * unit);
  int64_t lanes = std::min(width, widest), square = 16 / unit;
  bool isSmall = lanes < square || steps < square;
  if (isSmall)
    lanes = square = 1;
  emitCounted(b, width, lanes, [&](Value column) {
    Value source = b.offset(from, b.mul(column, rowUnits * unit));
    Value target = b.offset(to, b.mul(column, unit));
    emitCounted(b, steps, square, [&](Value step) {
      Value piece = b.offset(source, b.mul(step, unit));
      Value place = b.offset(target, b.mul(step, width * unit));
      if (isSmall)
        dot.store(place, dot.load(piece, dot.plan.sum, 1));
      else
        transposeStrip(dot, piece, rowUnits, place, width, lanes, square);
    });
  });
}
