//===- SmallFloat.cpp - floats narrower than 32 bits ----------------------===//
// A format is described by its bits (sign, `exponent`, `mantissa`), its bias and the meaning of its
// largest bit patterns; widening and narrowing are written once for all formats.
//
// Narrowing f32, on the magnitude's bits `a`:
//   normal:    subtract the difference of the biases from the exponent, then
//              round away the low 23 - mantissa bits;
//   subnormal: shift the mantissa with its implicit one right by the amount that the exponent is
//              too small, then round likewise;
//   too large: infinity, or the largest number.
// To round to nearest even, add half an ulp minus one, plus the last kept bit.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/SmallFloat.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;
using namespace tessera;
using Int = LLVM::ICmpPredicate;

namespace {
struct Format {
  unsigned width, mantissa;
  int bias;
  bool infinity;    // an exponent of all ones means infinity or NaN
  bool negativeNaN; // the only NaN is "minus zero"
  uint32_t largest; // the bits of the largest number
  uint32_t nan;     // the bits of a quiet NaN
};
} // namespace

/// Returns the format of f16 or an fp8 type; bf16 is handled separately.
static Format formatOf(Type type) {
  if (type.isF16())
    return {16, 10, 15, true, false, 0x7bff, 0x7e00};
  if (isa<Float8E5M2Type>(type))
    return {8, 2, 15, true, false, 0x7b, 0x7f};
  if (isa<Float8E4M3FNType>(type))
    return {8, 3, 7, false, false, 0x7e, 0x7f};
  if (isa<Float8E4M3FNUZType>(type))
    return {8, 3, 8, false, true, 0x7f, 0x80};
  return {8, 2, 16, false, true, 0x7f, 0x80}; // Float8E5M2FNUZType
}

bool tessera::isSmallFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float8E5M2Type, Float8E4M3FNType, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

static Value widenBits(LaneBuilder &b, Value bits, const Format &format) {
  Type i32 = b.builder.getI32Type(), f32 = b.builder.getF32Type();
  Value wide = b.resizeUnsigned(bits, i32);
  uint32_t signBit = 1u << (format.width - 1);
  Value sign = b.shiftLeft(b.bitAnd(wide, signBit), 32 - format.width);
  Value magnitude = b.bitAnd(wide, signBit - 1);
  // Normal numbers get f32's bias. Subnormal numbers are small integers times the smallest number;
  // reading them as f32 subnormals would be shorter, but processors take over a hundred cycles for
  // arithmetic on subnormals.
  Value shifted = b.shiftLeft(magnitude, 23 - format.mantissa);
  Value normal = b.add(shifted, int64_t(127 - format.bias) << 23);
  Value count = LLVM::SIToFPOp::create(b.builder, b.loc, withLanes(f32, lanesOf(wide)), magnitude);
  Value smallest = b.real(count.getType(), std::ldexp(1.0, 1 - format.bias - int(format.mantissa)));
  Value subnormal = LLVM::FMulOp::create(b.builder, b.loc, count, smallest);
  Value isSubnormal = b.compare(Int::ult, magnitude, int64_t(1) << format.mantissa);
  Value result = b.select(isSubnormal, b.bitcast(subnormal, i32), normal);
  if (format.infinity) {
    // Infinity and NaN keep their mantissa and get an exponent of all ones.
    Value special = b.compare(Int::ugt, magnitude, int64_t(format.largest));
    result = b.select(special, b.bitOr(shifted, 0x7f800000), result);
  } else {
    Value nan = format.negativeNaN ? b.compare(Int::eq, wide, int64_t(format.nan))
                                   : b.compare(Int::eq, magnitude, int64_t(format.nan));
    result = b.select(nan, b.integer(result.getType(), int64_t(0x7fc00000)), result);
  }
  return b.bitcast(b.bitOr(result, sign), f32);
}

Value tessera::widenFloat(LaneBuilder &b, Value value, Type type, bool hasHalfConversions) {
  if (!isSmallFloat(type))
    return value;
  Type i32 = b.builder.getI32Type(), f32 = b.builder.getF32Type();
  if (type.isBF16())
    return b.bitcast(b.shiftLeft(b.resizeUnsigned(value, i32), 16), f32);
  if (type.isF16() && hasHalfConversions) {
    Value half = b.bitcast(value, b.builder.getF16Type());
    return LLVM::FPExtOp::create(b.builder, b.loc, withLanes(f32, lanesOf(half)), half);
  }
  if (isa<Float8E5M2Type>(type) && hasHalfConversions) { // e5m2 is the upper half of an f16
    Value half = b.shiftLeft(b.resizeUnsigned(value, b.builder.getI16Type()), 8);
    return widenFloat(b, half, b.builder.getF16Type(), hasHalfConversions);
  }
  return widenBits(b, value, formatOf(type));
}

//===----------------------------------------------------------------------===//
// Narrowing
//===----------------------------------------------------------------------===//

/// Returns `bits` shifted right by `shift` (1 to 31) with rounding. `shift` may differ per lane.
static Value roundedShift(LaneBuilder &b, Value bits, Value shift, Rounding rounding) {
  if (rounding == Rounding::NearestEven) {
    Value one = b.integer(bits.getType(), int64_t(1));
    Value half = b.sub(b.shiftLeft(one, b.sub(shift, 1)), 1);
    Value last = b.bitAnd(b.shiftRight(bits, shift), 1);
    bits = b.add(b.add(bits, half), last);
  }
  return b.shiftRight(bits, shift);
}

static Value narrowBits(LaneBuilder &b, Value value, const Format &format, Rounding rounding) {
  Type i32 = b.builder.getI32Type();
  Value bits = b.bitcast(value, i32);
  Type type = bits.getType();
  Value sign = b.shiftRight(b.bitAnd(bits, int64_t(0x80000000)), 32 - format.width);
  Value magnitude = b.bitAnd(bits, 0x7fffffff);

  unsigned drop = 23 - format.mantissa;
  int rebias = 127 - format.bias;
  Value shift = b.integer(type, int64_t(drop));
  Value result = roundedShift(b, b.sub(magnitude, int64_t(rebias) << 23), shift, rounding);
  if (rebias > 0) {
    // Subnormal results: after a shift of 25 or more nothing is left, not even for rounding.
    Value exponent = b.shiftRight(magnitude, 23);
    Value more = b.sub(b.integer(type, int64_t(rebias + 1 + drop)), exponent);
    Value clamped = b.signedMax(b.signedMin(more, 25), 1);
    Value hidden = b.bitOr(b.bitAnd(magnitude, 0x7fffff), 0x800000);
    Value small = b.compare(Int::ult, magnitude, int64_t(rebias + 1) << 23);
    result = b.select(small, roundedShift(b, hidden, clamped, rounding), result);
  }

  bool saturates = format.width == 8 || rounding == Rounding::TowardZero;
  Value largest = b.integer(type, int64_t(format.largest));
  Value tooLarge = saturates ? largest : b.integer(type, int64_t(format.largest) + 1);
  // The subtraction above overflows for small magnitudes, but their result was replaced.
  result = b.select(b.compare(Int::sgt, result, tooLarge), tooLarge, result);
  if (format.width == 16) { // infinity stays infinity even if rounding saturates
    Value infinite = b.compare(Int::eq, magnitude, 0x7f800000);
    result = b.select(infinite, b.integer(type, int64_t(format.largest) + 1), result);
  }
  Value nan = b.compare(Int::ugt, magnitude, 0x7f800000);
  result = b.select(nan, b.integer(type, int64_t(format.nan)), result);
  if (format.negativeNaN) // these formats have no negative zero, and NaN has no sign
    sign = b.select(b.bitOr(nan, b.compare(Int::eq, result, 0)), b.zero(type), sign);
  return b.resizeSigned(b.bitOr(result, sign), b.builder.getIntegerType(format.width));
}

/// bf16 is the upper half of f32: a carry out of the mantissa correctly increments the exponent, up
/// to infinity.
static Value narrowToBF16(LaneBuilder &b, Value value, Rounding rounding) {
  Value bits = b.bitcast(value, b.builder.getI32Type());
  Value rounded = bits;
  if (rounding == Rounding::NearestEven) {
    Value last = b.bitAnd(b.shiftRight(bits, 16), 1);
    rounded = b.add(b.add(bits, 0x7fff), last);
  }
  // Rounding could turn a NaN into a number; the quiet bit prevents that.
  Value nan = b.compare(LLVM::FCmpPredicate::uno, value, value);
  Value result = b.select(nan, b.bitOr(bits, 0x400000), rounded);
  return b.resizeSigned(b.shiftRight(result, 16), b.builder.getI16Type());
}

/// Converts f64 to f32 such that a later rounding to fewer bits gives the same result as rounding
/// once: it rounds towards zero and sets the last bit if any bit was lost.
static Value roundToOdd(LaneBuilder &b, Value value) {
  Type i32 = b.builder.getI32Type(), f32 = b.builder.getF32Type();
  unsigned lanes = lanesOf(value);
  Value single = LLVM::FPTruncOp::create(b.builder, b.loc, withLanes(f32, lanes), value);
  Value back = LLVM::FPExtOp::create(b.builder, b.loc, value.getType(), single);
  Value size = LLVM::FAbsOp::create(b.builder, b.loc, value);
  Value backSize = LLVM::FAbsOp::create(b.builder, b.loc, back);
  Value bits = b.bitcast(single, i32);
  Value above = b.compare(LLVM::FCmpPredicate::ogt, backSize, size);
  Value inexact = b.compare(LLVM::FCmpPredicate::one, backSize, size);
  Value truncated = b.sub(bits, b.resizeUnsigned(above, i32));
  Value odd = b.bitOr(truncated, b.resizeUnsigned(inexact, i32));
  return b.bitcast(odd, f32);
}

Value tessera::narrowFloat(LaneBuilder &b, Value value, Type type, Rounding rounding,
                           bool hasHalfConversions) {
  Type from = laneType(value);
  if (from == type)
    return value;
  if (type.isF64())
    return LLVM::FPExtOp::create(b.builder, b.loc, withLanes(type, lanesOf(value)), value);
  if (type.isF32()) {
    if (rounding == Rounding::NearestEven)
      return LLVM::FPTruncOp::create(b.builder, b.loc, withLanes(type, lanesOf(value)), value);
    // Rounds to nearest, and corrects by one ulp if that rounded away from zero.
    Value single =
        LLVM::FPTruncOp::create(b.builder, b.loc, withLanes(type, lanesOf(value)), value);
    Value back = LLVM::FPExtOp::create(b.builder, b.loc, value.getType(), single);
    Value above = b.compare(LLVM::FCmpPredicate::ogt, LLVM::FAbsOp::create(b.builder, b.loc, back),
                            LLVM::FAbsOp::create(b.builder, b.loc, value));
    Value bits = b.bitcast(single, b.builder.getI32Type());
    return b.bitcast(b.sub(bits, b.resizeUnsigned(above, b.builder.getI32Type())), type);
  }
  if (from.isF64())
    value = roundToOdd(b, value);
  if (type.isF16() && hasHalfConversions && rounding == Rounding::NearestEven) {
    Type half = withLanes(b.builder.getF16Type(), lanesOf(value));
    return b.bitcast(LLVM::FPTruncOp::create(b.builder, b.loc, half, value),
                     b.builder.getI16Type());
  }
  if (type.isBF16())
    return narrowToBF16(b, value, rounding);
  return narrowBits(b, value, formatOf(type), rounding);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value plainIntToFloat(LaneBuilder &b, Value value, Type element, bool isSigned) {
  Type type = withLanes(element, lanesOf(value));
  if (isSigned)
    return LLVM::SIToFPOp::create(b.builder, b.loc, type, value);
  return LLVM::UIToFPOp::create(b.builder, b.loc, type, value);
}

/// Converts a 64-bit integer to f64 such that rounding to a small float gives the same result as
/// rounding once. Above 2^53, the last kept bit records whether any lower bit was lost.
static Value markLostBits(LaneBuilder &b, Value value, bool isSigned) {
  constexpr int64_t extra = 64 - 53, lowBits = (1 << extra) - 1;
  Value high = isSigned ? b.signedShiftRight(value, extra) : b.shiftRight(value, extra);
  Value lost = b.compare(Int::ne, b.bitAnd(value, lowBits), 0);
  Value marked = b.bitOr(high, b.resizeUnsigned(lost, b.builder.getI64Type()));
  Type f64 = b.builder.getF64Type();
  Value large = b.mulFloat(plainIntToFloat(b, marked, f64, isSigned), 0x1p11);
  // Small integers are exact: their high part is -1, 0 or less than 2^42.
  Value magnitude = isSigned ? b.bitXor(high, b.signedShiftRight(high, 63)) : high;
  Value fits = b.compare(Int::ult, magnitude, int64_t(1) << (53 - extra));
  return b.select(fits, plainIntToFloat(b, value, f64, isSigned), large);
}

Value tessera::convertInteger(LaneBuilder &b, Value value, Type to, bool isSigned,
                              bool hasHalfConversions) {
  if (!isSmallFloat(to))
    return plainIntToFloat(b, value, to, isSigned);
  unsigned bits = laneType(value).getIntOrFloatBitWidth();
  Type f32 = b.builder.getF32Type(), f64 = b.builder.getF64Type();
  // The conversion goes through a type that holds every such integer.
  Value number = bits == 64 ? markLostBits(b, value, isSigned)
                            : plainIntToFloat(b, value, bits > 16 ? f64 : f32, isSigned);
  return narrowFloat(b, number, to, Rounding::NearestEven, hasHalfConversions);
}
