//===- DotScaled.cpp - matrix products with shared scales ----------------===//
// Groups of 32 (16, with fp8 scales) elements along K share a scale. Operands with scales, or with
// pairs of e2m1 in a byte, are first converted to f32, each element times its scale; then an
// ordinary product follows.
//
//   a [M, K] e2m1, pairs along K:  byte (m, k / 2), the even k in the low half
//   a_scale [M, K / 32]            row m's
//   b [K, N] e2m1, pairs along N:  byte (k, n / 2), the even n in the low half
//   b_scale [N, K / 32]            column n's; transposed here, so that the scales
//                                  of a vector of columns are consecutive
//
// A scale e in i8 means 2^(e - 127), and 255 means NaN, also with `fastMath`. All values of the
// formats are exact in f32, and so are their products with scales unless they overflow or
// underflow.
//===----------------------------------------------------------------------===//
#include "Dot.h"
#include "DotPack.h"
#include "../Lanes/SmallFloat.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

namespace {
/// One operand and its layout: lines are rows of A, and rows (single values of k) of B. Sizes count
/// elements, not pairs.
struct ScaledOperand {
  Tile tile;
  std::optional<Tile> scale;
  bool isA;
  bool isPairs, pairsAlongLine;
  int64_t batch, lines, length;

  int64_t inner() const { return isA ? length : lines; }
  int64_t outer() const { return isA ? lines : length; }
  /// Returns the number of elements along K that share a scale.
  int64_t group() const {
    return scale ? std::max<int64_t>(1, inner() / scale->shape.back()) : inner();
  }
};

class Unpacker {
public:
  Unpacker(KernelContext &context, LaneBuilder &b, const ScaledOperand &operand)
      : context(context), b(b), operand(operand), f32(b.builder.getF32Type()) {
    chooseLanes();
  }
  /// Emits the operand as f32 into reserved memory; `scales` is the memory for scales.
  Tile emit();

private:
  void chooseLanes();
  Value load(Value address, Type type, int64_t lanes);
  void store(Value address, Value value);
  Value scaleValue(Value stored);
  Value elementsOf(Value stored);
  void emitScales(Value from, Value to);
  void emitLines(Value from, Value scales, Value to);
  void emitPiece(Value from, Value line, Value column, Value scales, Value to);
  Value scaleOf(Value scales, Value line, Value column, int64_t lanes);

  KernelContext &context;
  LaneBuilder &b;
  const ScaledOperand &operand;
  Type f32;
  int64_t lanes; // the elements of a line that are converted at a time
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Unpacker::load(Value address, Type type, int64_t count) {
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  return LLVM::LoadOp::create(b.builder, b.loc, withLanes(type, count == 1 ? 0 : count), address,
                              bytes);
}

void Unpacker::store(Value address, Value value) {
  unsigned bytes = laneType(value).getIntOrFloatBitWidth() / 8;
  LLVM::StoreOp::create(b.builder, b.loc, value, address, bytes);
}

/// Converts a stored scale to a factor.
Value Unpacker::scaleValue(Value stored) {
  Type element = operand.scale->element, i32 = b.builder.getI32Type();
  if (isa<FloatType>(element))
    return widenFloat(b, stored, element, context.spec);
  Value exponent = b.resizeUnsigned(stored, i32);
  Value power = b.shiftLeft(exponent, 23);
  // 2^-127 is subnormal.
  Value isZero = b.compare(LLVM::ICmpPredicate::eq, exponent, 0);
  power = b.select(isZero, b.integer(power.getType(), int64_t(0x00400000)), power);
  Value isNaN = b.compare(LLVM::ICmpPredicate::eq, exponent, 255);
  power = b.select(isNaN, b.integer(power.getType(), int64_t(0x7fc00000)), power);
  return b.bitcast(power, f32);
}

/// Converts e2m1 in the low half of each byte: 0, 0.5, 1, 1.5, 2, 3, 4, 6. From 1 on, its bits are
/// those of an f32 with a smaller bias.
static Value widenE2M1(LaneBuilder &b, Value bytes) {
  Type i32 = b.builder.getI32Type();
  Value bits = b.resizeUnsigned(bytes, i32);
  Value magnitude = b.bitAnd(bits, 7);
  Value normal = b.add(b.shiftLeft(magnitude, 22), 0x3f000000);
  Value small = b.bitAnd(b.sub(b.zero(magnitude.getType()), magnitude), 0x3f000000);
  Value isSmall = b.compare(LLVM::ICmpPredicate::ult, magnitude, 2);
  Value sign = b.shiftLeft(b.bitAnd(bits, 8), 28);
  return b.bitcast(b.bitOr(b.select(isSmall, small, normal), sign), b.builder.getF32Type());
}

/// Converts loaded elements that are not pairs.
Value Unpacker::elementsOf(Value stored) {
  return widenFloat(b, stored, operand.tile.element, context.spec);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Emits the factors in the order in which A (by rows) and B (by values of k) read them: [M, K /
/// f], [K / f, N].
void Unpacker::emitScales(Value from, Value to) {
  int64_t outer = operand.outer(), groups = operand.scale->shape.back();
  int64_t bytes = elementBytes(operand.scale->element);
  Type storage = storageType(operand.scale->element);
  emitCounted(b, outer, 1, [&](Value row) {
    emitCounted(b, groups, 1, [&](Value group) {
      Value source = b.add(b.mul(row, groups), group);
      Value target = operand.isA ? source : b.add(b.mul(group, outer), row);
      Value stored = load(b.offset(from, b.mul(source, bytes)), storage, 1);
      store(b.offset(to, b.mul(target, 4)), scaleValue(stored));
    });
  });
}

/// Chooses as many elements as a vector of f32 holds, or two for pairs, but no more than a line
/// has, and for A no more than share a scale.
void Unpacker::chooseLanes() {
  lanes = context.spec.vectorBits / 32;
  if (operand.isPairs && operand.pairsAlongLine)
    lanes *= 2;
  lanes = std::min(lanes, operand.length);
  if (operand.isA)
    lanes = std::min(lanes, operand.group());
}

/// Returns the factors of the elements (line, column + 0 .. count - 1).
Value Unpacker::scaleOf(Value scales, Value line, Value column, int64_t count) {
  if (operand.isA) {
    int64_t groups = operand.inner() / operand.group();
    Value group = b.shiftRight(column, llvm::Log2_64(operand.group()));
    Value index = b.add(b.mul(line, groups), group);
    return b.splat(load(b.offset(scales, b.mul(index, 4)), f32, 1), count == 1 ? 0 : count);
  }
  Value group = b.shiftRight(line, llvm::Log2_64(operand.group()));
  Value index = b.add(b.mul(group, operand.length), column);
  return load(b.offset(scales, b.mul(index, 4)), f32, count);
}

/// Converts `lanes` elements of a stored line from `column` on; of two lines if pairs lie across
/// lines.
void Unpacker::emitPiece(Value from, Value line, Value column, Value scales, Value to) {
  auto finish = [&](Value values, Value target) {
    if (scales)
      values = b.make<LLVM::FMulOp>(values, scaleOf(scales, target, column, lanes));
    Value index = b.add(b.mul(target, operand.length), column);
    store(b.offset(to, b.mul(index, 4)), values);
  };
  if (!operand.isPairs) {
    Value index = b.add(b.mul(line, operand.length), column);
    Value source = b.offset(from, b.mul(index, elementBytes(operand.tile.element)));
    finish(elementsOf(load(source, storageType(operand.tile.element), lanes)), line);
    return;
  }
  Type i8 = b.builder.getI8Type();
  if (operand.pairsAlongLine) {
    Value index = b.add(b.mul(line, operand.length / 2), b.shiftRight(column, 1));
    Value bytes = load(b.offset(from, index), i8, lanes / 2);
    Value parts = zipLanes(b, b.bitAnd(bytes, 15), b.shiftRight(bytes, 4));
    finish(widenE2M1(b, parts), line);
    return;
  }
  Value bytes = load(b.offset(from, b.add(b.mul(line, operand.length), column)), i8, lanes);
  Value first = b.shiftLeft(line, 1);
  finish(widenE2M1(b, b.bitAnd(bytes, 15)), first);
  finish(widenE2M1(b, b.shiftRight(bytes, 4)), b.add(first, 1));
}

void Unpacker::emitLines(Value from, Value scales, Value to) {
  bool isAcross = operand.isPairs && !operand.pairsAlongLine;
  emitCounted(b, operand.lines / (isAcross ? 2 : 1), 1, [&](Value line) {
    emitCounted(b, operand.length, lanes,
                [&](Value column) { emitPiece(from, line, column, scales, to); });
  });
}

Tile Unpacker::emit() {
  int64_t count = operand.lines * operand.length, batch = operand.batch;
  Tile result{context.reserveBytes(b, batch * count * 4), {operand.lines, operand.length}, f32};
  if (operand.tile.shape.size() == 3)
    result.shape.insert(result.shape.begin(), batch);
  Value scales;
  if (operand.scale)
    scales = context.reserveBytes(b, operand.scale->elements() / batch * 4);
  emitCounted(b, batch, 1, [&](Value index) {
    auto entry = [&](const Tile &tile) {
      int64_t bytes = tile.elements() / batch * elementBytes(tile.element);
      return b.offset(tile.address, b.mul(index, bytes));
    };
    if (scales)
      emitScales(entry(*operand.scale), scales);
    emitLines(entry(operand.tile), scales, entry(result));
  });
  if (scales)
    context.arena().touch(scales);
  return result;
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

void tessera::cpu::emitDotScaled(KernelContext &context, tt::DotScaledOp op, const Tile &a,
                                 const std::optional<Tile> &aScale, const Tile &b,
                                 const std::optional<Tile> &bScale,
                                 const std::optional<Tile> &accumulator, const Tile &result) {
  LaneBuilder builder(context.builder, op.getLoc());
  size_t rank = result.shape.size();
  int64_t batch = rank == 3 ? result.shape[0] : 1;
  int64_t rows = result.shape[rank - 2], columns = result.shape[rank - 1];
  bool pairsA = op.getAElemType() == tt::ScaleDotElemType::E2M1;
  bool pairsB = op.getBElemType() == tt::ScaleDotElemType::E2M1;
  int64_t inner = a.shape[rank - 1] * (pairsA && op.getLhsKPack() ? 2 : 1);

  Tile left = a, right = b;
  if (Type type = scaledElementType(op.getContext(), op.getAElemType()))
    left.element = type;
  if (Type type = scaledElementType(op.getContext(), op.getBElemType()))
    right.element = type;
  if (pairsA || aScale)
    left = Unpacker(context, builder,
                    {left, aScale, true, pairsA, op.getLhsKPack(), batch, rows, inner})
               .emit();
  if (pairsB || bScale)
    right = Unpacker(context, builder,
                     {right, bScale, false, pairsB, !op.getRhsKPack(), batch, inner, columns})
                .emit();
  emitProduct(context, op.getLoc(), left, right, accumulator, result);
  for (const Tile *tile : {&a, aScale ? &*aScale : nullptr, &b, bScale ? &*bScale : nullptr})
    if (tile)
      context.arena().touch(tile->address);
}
