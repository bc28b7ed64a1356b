//===- ElementwiseInteger.cpp - integer arithmetic on lanes ---------------===//
// See Elementwise.h, which defines division by zero and shifts by too many bits.
// Cost: a few LLVM ops each; a vector division of up to 32 bits is done in f64, and one of 64 bits
// lane by lane.
//===----------------------------------------------------------------------===//
#include "Elementwise.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

bool tessera::cpu::isIntegerOp(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::CmpIOp, arith::SelectOp,
             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, math::AbsIOp,
             math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp, tt::MulhiUIOp>(
      op);
}

static bool isNonZeroConstant(Value value) {
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  if (!constant)
    return false;
  APInt bits;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
    bits = splat.getSplatValue<APInt>();
  else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
    bits = integer.getValue();
  else
    return false;
  return !bits.isZero() && !bits.isAllOnes();
}

/// Divides integers in floating point. Quotients of at most 16 bits are exact in f32, and of 32
/// bits in f64: a quotient that is no integer is further from the next integer than the rounding
/// error. Processors have vector division for floats, but not for integers.
static Value divideByFloat(LaneBuilder &b, Value x, Value y, bool isSigned) {
  Type element = laneType(x), wide = b.builder.getI32Type();
  Type number = withLanes(element.getIntOrFloatBitWidth() > 16 ? b.builder.getF64Type()
                                                               : b.builder.getF32Type(),
                          lanesOf(x));
  auto toFloat = [&](Value value) -> Value {
    if (isSigned)
      return LLVM::SIToFPOp::create(b.builder, b.loc, number, b.resizeSigned(value, wide));
    return LLVM::UIToFPOp::create(b.builder, b.loc, number, b.resizeUnsigned(value, wide));
  };
  Value quotient = b.divFloat(toFloat(x), toFloat(y));
  Type integer = withLanes(wide, lanesOf(x));
  Value result = isSigned ? Value(LLVM::FPToSIOp::create(b.builder, b.loc, integer, quotient))
                          : Value(LLVM::FPToUIOp::create(b.builder, b.loc, integer, quotient));
  return b.resizeSigned(result, element);
}

static Value divide(LaneBuilder &b, Operation *op, Value x, Value y) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool remainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  auto plain = [&](Value divisor) -> Value {
    if (lanesOf(x) && laneType(x).getIntOrFloatBitWidth() <= 32 && !isNonZeroConstant(divisor))
      return divideByFloat(b, x, divisor, isSigned);
    return isSigned ? b.make<LLVM::SDivOp>(x, divisor) : b.make<LLVM::UDivOp>(x, divisor);
  };
  if (isNonZeroConstant(y)) {
    if (!remainder)
      return plain(y);
    return isSigned ? b.make<LLVM::SRemOp>(x, y) : b.make<LLVM::URemOp>(x, y);
  }
  // Divisors that trap are replaced by one, and the results of these lanes afterwards.
  Value byZero = b.compare(Int::eq, y, 0);
  Value one = b.integer(y.getType(), int64_t(1));
  Value safe = b.select(byZero, one, y);
  Value quotient;
  if (isSigned) {
    Value byMinusOne = b.compare(Int::eq, y, -1);
    quotient = plain(b.select(byMinusOne, one, safe));
    quotient = b.select(byMinusOne, b.sub(b.zero(x.getType()), x), quotient);
  } else {
    quotient = plain(safe);
  }
  if (remainder) // quotient times zero is zero, so x % 0 is x
    return b.sub(x, b.mul(quotient, y));
  return b.select(byZero, b.integer(x.getType(), int64_t(-1)), quotient);
}

static Value shift(LaneBuilder &b, Operation *op, Value x, Value amount) {
  int64_t bits = laneType(x).getIntOrFloatBitWidth();
  if (isa<arith::ShRSIOp>(op))
    return b.signedShiftRight(x, b.unsignedMin(amount, bits - 1));
  Value inRange = b.compare(Int::ult, amount, bits);
  Value safe = b.select(inRange, amount, b.zero(amount.getType()));
  Value shifted = isa<arith::ShLIOp>(op) ? b.shiftLeft(x, safe) : b.shiftRight(x, safe);
  return b.select(inRange, shifted, b.zero(x.getType()));
}
Value tessera::cpu::lowerIntegerOp(LaneBuilder &b, Operation *op, ArrayRef<Value> args) {
  OpBuilder &builder = b.builder;
  Location loc = b.loc;
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::AddIOp) { return b.add(args[0], args[1]); })
      .Case([&](arith::SubIOp) { return b.sub(args[0], args[1]); })
      .Case([&](arith::MulIOp) { return b.mul(args[0], args[1]); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *division) { return divide(b, division, args[0], args[1]); })
      .Case([&](arith::AndIOp) { return b.bitAnd(args[0], args[1]); })
      .Case([&](arith::OrIOp) { return b.bitOr(args[0], args[1]); })
      .Case([&](arith::XOrIOp) { return b.bitXor(args[0], args[1]); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](Operation *by) { return shift(b, by, args[0], args[1]); })
      .Case([&](arith::CmpIOp compare) {
        // arith's predicates have the same numbers as LLVM's.
        auto predicate = static_cast<LLVM::ICmpPredicate>(compare.getPredicate());
        return b.compare(predicate, args[0], args[1]);
      })
      .Case([&](arith::SelectOp) { return b.select(args[0], args[1], args[2]); })
      .Case([&](arith::MaxSIOp) { return b.signedMax(args[0], args[1]); })
      .Case([&](arith::MinSIOp) { return b.signedMin(args[0], args[1]); })
      .Case([&](arith::MaxUIOp) { return b.make<LLVM::UMaxOp>(args[0], args[1]); })
      .Case([&](arith::MinUIOp) { return b.unsignedMin(args[0], args[1]); })
      .Case([&](math::AbsIOp) {
        return LLVM::AbsOp::create(builder, loc, args[0].getType(), args[0],
                                   /*is_int_min_poison=*/false);
      })
      .Case([&](tt::MulhiUIOp) { return b.highProduct(args[0], args[1], /*isSigned=*/false); })
      .Case([&](math::CtPopOp) { return LLVM::CtPopOp::create(builder, loc, args[0]); })
      .Case([&](math::CountLeadingZerosOp) {
        return LLVM::CountLeadingZerosOp::create(builder, loc, args[0].getType(), args[0],
                                                 /*is_zero_poison=*/false);
      })
      .Case([&](math::CountTrailingZerosOp) {
        return LLVM::CountTrailingZerosOp::create(builder, loc, args[0].getType(), args[0],
                                                  /*is_zero_poison=*/false);
      })
      .Default([](Operation *) { return Value(); });
}
