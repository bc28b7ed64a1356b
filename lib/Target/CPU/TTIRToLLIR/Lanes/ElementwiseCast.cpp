//===- ElementwiseCast.cpp - conversions between element types ------------===//
// See Elementwise.h. Between any two types, a conversion rounds only once.
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

bool tessera::cpu::isCastOp(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp,
             tt::FpToFpOp>(op);
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
      .Case(
          [&](arith::SIToFPOp) { return convertInteger(b, value, to, true, spec.halfConversions); })
      .Case([&](arith::UIToFPOp) {
        return convertInteger(b, value, to, false, spec.halfConversions);
      })
      .Case([&](arith::FPToSIOp) { return b.toInteger(widened(), to, true); })
      .Case([&](arith::FPToUIOp) { return b.toInteger(widened(), to, false); })
      .Case([&](arith::BitcastOp) { return b.bitcast(value, convertElement(to)); })
      .Default([](Operation *) { return Value(); });
}
