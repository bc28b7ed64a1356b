//===- ElementwiseCast.cpp - conversions between element types ------------===//
// See Elementwise.h. Whatever the pair of types, a conversion rounds once.
//===----------------------------------------------------------------------===//
#include "Elementwise.h"
#include "SmallFloat.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

bool tessera::cpu::isCastOp(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp,
             tt::FpToFpOp>(op);
}

static Value plainIntToFloat(LaneBuilder &b, Value value, Type element, bool isSigned) {
  Type type = withLanes(element, lanesOf(value));
  if (isSigned)
    return LLVM::SIToFPOp::create(b.builder, b.loc, type, value);
  return LLVM::UIToFPOp::create(b.builder, b.loc, type, value);
}

/// A 64-bit integer in f64 such that rounding it to a small float comes out as if
/// done in one step. Above 2^53 the low bits that cannot be kept leave a mark in
/// the last one that is.
static Value markLostBits(LaneBuilder &b, Value value, bool isSigned) {
  constexpr int64_t extra = 64 - 53, lowBits = (1 << extra) - 1;
  Value high = isSigned ? b.signedShiftRight(value, extra) : b.shiftRight(value, extra);
  Value lost = b.compare(Int::ne, b.bitAnd(value, lowBits), 0);
  Value marked = b.bitOr(high, b.resizeUnsigned(lost, b.builder.getI64Type()));
  Type f64 = b.builder.getF64Type();
  Value large = b.mulFloat(plainIntToFloat(b, marked, f64, isSigned), 0x1p11);
  // Small ones fit as they are: their high part is -1, 0 or less than 2^42.
  Value magnitude = isSigned ? b.bitXor(high, b.signedShiftRight(high, 63)) : high;
  Value fits = b.compare(Int::ult, magnitude, int64_t(1) << (53 - extra));
  return b.select(fits, plainIntToFloat(b, value, f64, isSigned), large);
}

static Value intToFloat(LaneBuilder &b, Value value, Type to, bool isSigned, const CPUSpec &spec) {
  if (!isSmallFloat(to))
    return plainIntToFloat(b, value, to, isSigned);
  unsigned bits = laneType(value).getIntOrFloatBitWidth();
  Type f32 = b.builder.getF32Type(), f64 = b.builder.getF64Type();
  // Through a type that holds every such integer.
  Value number = bits == 64 ? markLostBits(b, value, isSigned)
                            : plainIntToFloat(b, value, bits > 16 ? f64 : f32, isSigned);
  return narrowFloat(b, number, to, Rounding::NearestEven, spec);
}

Value tessera::cpu::lowerCastOp(LaneBuilder &b, Operation *op, Value value, const CPUSpec &spec) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  auto widened = [&] { return widenFloat(b, value, from, spec); };
  return TypeSwitch<Operation *, Value>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return narrowFloat(b, widened(), to, Rounding::NearestEven, spec); })
      .Case([&](tt::FpToFpOp convert) {
        bool towardZero = convert.getRounding() == tt::RoundingMode::TowardZero;
        return narrowFloat(b, widened(), to,
                           towardZero ? Rounding::TowardZero : Rounding::NearestEven, spec);
      })
      .Case([&](arith::ExtUIOp) { return b.resizeUnsigned(value, to); })
      .Case<arith::ExtSIOp, arith::TruncIOp>([&](Operation *) { return b.resizeSigned(value, to); })
      .Case([&](arith::SIToFPOp) { return intToFloat(b, value, to, true, spec); })
      .Case([&](arith::UIToFPOp) { return intToFloat(b, value, to, false, spec); })
      .Case([&](arith::FPToSIOp) { return b.toInteger(widened(), to, true); })
      .Case([&](arith::FPToUIOp) { return b.toInteger(widened(), to, false); })
      .Case([&](arith::BitcastOp) { return b.bitcast(value, convertElement(to)); })
      .Default([](Operation *) { return Value(); });
}
