//===- DirectedRounding.cpp - arithmetic rounded down, up or toward zero --===//
// Sums, products and fused products are the chip's instructions under another MODE. LLVM knows
// nothing of that, so the change and the instruction are one piece of assembly:
//
//   s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3 ; v_add_f32 %r, %x, %y ; (MODE as before)
//
// LLVM computes quotients, roots and conversions with several instructions, which round to nearest
// in between. There the nearest number is corrected by a step to its neighbour, if it is on the
// wrong side of the exact result. The sign of the difference is that of an exact remainder.
//
//   quotient q of x / y   x - q y     fused, in f64; f64 is scaled so that nothing underflows
//   root r of x           x - r r     likewise
//   f64 to f32            the f64 number against the f32 one
//   integers              halves are exact in f64, and their sum is rounded once
//===----------------------------------------------------------------------===//
#include "DirectedRounding.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;
using Float = LLVM::FCmpPredicate;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// RDNA3 ISA, "MODE register": two bits for f32, and two for f64 and f16.
static unsigned modeOf(Direction direction) {
  switch (direction) {
  case Direction::Nearest:
    return 0;
  case Direction::Up:
    return 1;
  case Direction::Down:
    return 2;
  case Direction::TowardZero:
    break;
  }
  return 3;
}

static StringRef instructionOf(RoundedOp op, bool isSingle) {
  switch (op) {
  case RoundedOp::Add:
    return isSingle ? "v_add_f32 $0, $1, $2" : "v_add_f64 $0, $1, $2";
  case RoundedOp::Sub:
    return isSingle ? "v_sub_f32 $0, $1, $2" : "v_add_f64 $0, $1, -$2";
  case RoundedOp::Mul:
    return isSingle ? "v_mul_f32 $0, $1, $2" : "v_mul_f64 $0, $1, $2";
  case RoundedOp::Fma:
    return isSingle ? "v_fma_f32 $0, $1, $2, $3" : "v_fma_f64 $0, $1, $2, $3";
  default:
    return "";
  }
}

/// Emits the instruction between two changes of MODE. LLVM keeps two wait states between changes of
/// one register; inside of assembly that is our task.
static Value emitInMode(LaneBuilder &b, RoundedOp op, Direction direction, ValueRange args) {
  Type type = args[0].getType();
  bool isSingle = type.isF32();
  unsigned field = isSingle ? 0 : 2;
  std::string text = llvm::formatv("s_setreg_imm32_b32 hwreg(HW_REG_MODE, {0}, 2), {1}\n\t{2}\n\t"
                                   "s_nop 1\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, {0}, 2), 0",
                                   field, modeOf(direction), instructionOf(op, isSingle));
  std::string constraints = "=v";
  for (unsigned i = 0; i < args.size(); ++i)
    constraints += ",v";
  return LLVM::InlineAsmOp::create(b.builder, b.loc, type, args, text, constraints,
                                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, {}, {})
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// On which side of the exact result a number is. Both are false if it is exact, or no number.
struct Side {
  Value isAbove, isBelow;
};
} // namespace

static Value negate(LaneBuilder &b, Value value) {
  return LLVM::FNegOp::create(b.builder, b.loc, value);
}

static Value multiplyAdd(LaneBuilder &b, Value x, Value y, Value z) {
  return LLVM::FMAOp::create(b.builder, b.loc, x, y, z);
}

static Value sizeOf(LaneBuilder &b, Value value) {
  return LLVM::FAbsOp::create(b.builder, b.loc, value);
}

/// The neighbour of `number` below it; above it if `isUp`.
static Value emitNeighbour(LaneBuilder &b, Value number, bool isUp) {
  Type type = number.getType(), word = b.builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (isUp)
    return negate(b, emitNeighbour(b, negate(b, number), false));
  Value bits = b.bitcast(number, word);
  Value isPositive = b.compare(Float::ogt, number, 0.0);
  Value next = b.bitcast(b.select(isPositive, b.sub(bits, 1), b.add(bits, 1)), type);
  Value least =
      b.bitcast(b.integer(word, APInt::getSignMask(word.getIntOrFloatBitWidth()) + 1), type);
  return b.select(b.compare(Float::oeq, number, 0.0), least, next);
}

/// Moves the nearest number to the side that the direction asks for.
static Value emitStep(LaneBuilder &b, Direction direction, Value near, Side side) {
  Value below = emitNeighbour(b, near, false), above = emitNeighbour(b, near, true);
  if (direction == Direction::Down)
    return b.select(side.isAbove, below, near);
  if (direction == Direction::Up)
    return b.select(side.isBelow, above, near);
  // A number that is too large is not zero, nor on the other side of it.
  Value isPositive = b.compare(Float::ogt, near, 0.0),
        isNegative = b.compare(Float::olt, near, 0.0);
  Value lower = b.select(b.bitAnd(isPositive, side.isAbove), below, near);
  return b.select(b.bitAnd(isNegative, side.isBelow), above, lower);
}

//===----------------------------------------------------------------------===//
// Quotients and roots
//===----------------------------------------------------------------------===//

/// The side of a result, by the sign of exact minus result.
static Side sideOf(LaneBuilder &b, Value rest) {
  return {b.compare(Float::olt, rest, 0.0), b.compare(Float::ogt, rest, 0.0)};
}

static Value widen(LaneBuilder &b, Value value) {
  return b.resizeFloat(value, b.builder.getF64Type());
}

/// Multiplies by a power of two where the condition is true.
static Value scaleIf(LaneBuilder &b, Value condition, Value value, double factor) {
  return b.select(condition, b.mulFloat(value, factor), value);
}

static Value emitQuotient(LaneBuilder &b, Direction direction, Value x, Value y) {
  Value near = b.divFloat(x, y);
  Value left = widen(b, x), right = widen(b, y);
  if (x.getType().isF64()) {
    // The remainder has up to 106 bits below x. Where y is too large to be scaled with a small x,
    // the quotient is zero, and the remainder is x.
    Value isSmall = b.bitAnd(b.compare(Float::olt, sizeOf(b, x), 0x1p-900),
                             b.compare(Float::olt, sizeOf(b, y), 0x1p400));
    left = scaleIf(b, isSmall, left, 0x1p600);
    right = scaleIf(b, isSmall, right, 0x1p600);
  }
  Value rest = multiplyAdd(b, negate(b, widen(b, near)), right, left);
  rest = b.select(b.compare(Float::olt, right, 0.0), negate(b, rest), rest);
  return emitStep(b, direction, near, sideOf(b, rest));
}

static Value emitRoot(LaneBuilder &b, Direction direction, Value x) {
  Value near = b.squareRoot(x);
  Value square = widen(b, x), root = widen(b, near);
  if (x.getType().isF64()) {
    Value isSmall = b.compare(Float::olt, x, 0x1p-900);
    square = scaleIf(b, isSmall, square, 0x1p600);
    root = scaleIf(b, isSmall, root, 0x1p300);
  }
  return emitStep(b, direction, near, sideOf(b, multiplyAdd(b, negate(b, root), root, square)));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Rounds `number + rest` of f64, whose rest is less than half a unit of the number's last place.
static Value emitNarrow(LaneBuilder &b, Direction direction, Value number, Value rest) {
  Value near = b.resizeFloat(number, b.builder.getF32Type());
  Value wide = widen(b, near);
  Side side = {b.compare(Float::ogt, wide, number), b.compare(Float::olt, wide, number)};
  if (rest) {
    Value isEqual = b.compare(Float::oeq, wide, number);
    Side last = sideOf(b, rest);
    side.isAbove = b.bitOr(side.isAbove, b.bitAnd(isEqual, last.isAbove));
    side.isBelow = b.bitOr(side.isBelow, b.bitAnd(isEqual, last.isBelow));
  }
  return emitStep(b, direction, near, side);
}

static Value emitFromInteger(LaneBuilder &b, Direction direction, Value integer, bool isSigned,
                             Type result) {
  Type f64 = b.builder.getF64Type(), i32 = b.builder.getI32Type();
  auto toFloat = [&](Value value, bool hasSign) -> Value {
    if (hasSign)
      return LLVM::SIToFPOp::create(b.builder, b.loc, f64, value);
    return LLVM::UIToFPOp::create(b.builder, b.loc, f64, value);
  };
  if (integer.getType().isInteger(32)) {
    Value exact = toFloat(integer, isSigned);
    return result.isF64() ? exact : emitNarrow(b, direction, exact, {});
  }
  auto half = [&](Value value) -> Value {
    return LLVM::TruncOp::create(b.builder, b.loc, i32, value);
  };
  Value high = b.mulFloat(toFloat(half(b.shiftRight(integer, 32)), isSigned), 0x1p32);
  Value low = toFloat(half(integer), false);
  if (result.isF64())
    return emitInMode(b, RoundedOp::Add, direction, {high, low});
  // The sum, and its error: the high half is zero or larger than the low one.
  Value sum = b.addFloat(high, low);
  return emitNarrow(b, direction, sum, b.subFloat(low, b.subFloat(sum, high)));
}

Value amd::emitDirected(LaneBuilder &b, RoundedOp op, Direction direction, ArrayRef<Value> args,
                        Type result) {
  switch (op) {
  case RoundedOp::Add:
  case RoundedOp::Sub:
  case RoundedOp::Mul:
  case RoundedOp::Fma:
    return emitInMode(b, op, direction, args);
  case RoundedOp::Div:
    return emitQuotient(b, direction, args[0], args[1]);
  case RoundedOp::Sqrt:
    return emitRoot(b, direction, args[0]);
  case RoundedOp::Narrow:
    return emitNarrow(b, direction, args[0], {});
  case RoundedOp::FromSigned:
    return emitFromInteger(b, direction, args[0], true, result);
  case RoundedOp::FromUnsigned:
    return emitFromInteger(b, direction, args[0], false, result);
  }
  return {};
}
