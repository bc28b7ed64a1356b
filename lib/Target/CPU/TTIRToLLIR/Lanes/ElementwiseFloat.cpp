//===- ElementwiseFloat.cpp - float arithmetic on lanes -------------------===//
// See Elementwise.h. Cost: one or two LLVM ops each.
//===----------------------------------------------------------------------===//
#include "Elementwise.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

StringRef tessera::cpu::libraryName(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::ExpOp) { return "exp"; })
      .Case([](math::Exp2Op) { return "exp2"; })
      .Case([](math::ExpM1Op) { return "expm1"; })
      .Case([](math::LogOp) { return "log"; })
      .Case([](math::Log2Op) { return "log2"; })
      .Case([](math::Log10Op) { return "log10"; })
      .Case([](math::Log1pOp) { return "log1p"; })
      .Case([](math::SinOp) { return "sin"; })
      .Case([](math::CosOp) { return "cos"; })
      .Case([](math::TanOp) { return "tan"; })
      .Case([](math::AsinOp) { return "asin"; })
      .Case([](math::AcosOp) { return "acos"; })
      .Case([](math::AtanOp) { return "atan"; })
      .Case([](math::SinhOp) { return "sinh"; })
      .Case([](math::CoshOp) { return "cosh"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Case([](math::AsinhOp) { return "asinh"; })
      .Case([](math::AcoshOp) { return "acosh"; })
      .Case([](math::AtanhOp) { return "atanh"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case([](math::CbrtOp) { return "cbrt"; })
      .Case([](math::PowFOp) { return "pow"; })
      .Case([](math::Atan2Op) { return "atan2"; })
      .Case([](arith::RemFOp) { return "fmod"; })
      .Default([](Operation *) { return ""; });
}

bool tessera::cpu::isFloatOp(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp,
             arith::CmpFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, math::SqrtOp, math::RsqrtOp, math::FloorOp, math::CeilOp,
             math::TruncOp, math::RoundOp, math::RoundEvenOp, math::AbsFOp, math::FmaOp,
             math::CopySignOp, tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp>(op) ||
         !libraryName(op).empty();
}

/// Returns the maximum or minimum of two values; with `keepsNan` it is IEEE 754-2019's maximum,
/// otherwise 754-2008's maxNum.
static Value extremum(LaneBuilder &b, Value x, Value y, bool isMax, bool keepsNan) {
  if (keepsNan)
    return isMax ? b.make<LLVM::MaximumOp>(x, y) : b.make<LLVM::MinimumOp>(x, y);
  return isMax ? b.make<LLVM::MaxNumOp>(x, y) : b.make<LLVM::MinNumOp>(x, y);
}

Value tessera::cpu::lowerFloatOp(LaneBuilder &b, Operation *op, ArrayRef<Value> wide,
                                 bool contract) {
  OpBuilder &builder = b.builder;
  Location loc = b.loc;
  auto flags = contract ? LLVM::FastmathFlags::contract : LLVM::FastmathFlags::none;
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::AddFOp) {
        return LLVM::FAddOp::create(builder, loc, wide[0], wide[1], flags);
      })
      .Case([&](arith::SubFOp) {
        return LLVM::FSubOp::create(builder, loc, wide[0], wide[1], flags);
      })
      .Case([&](arith::MulFOp) {
        return LLVM::FMulOp::create(builder, loc, wide[0], wide[1], flags);
      })
      .Case<arith::DivFOp, tt::PreciseDivFOp>(
          [&](Operation *) { return b.divFloat(wide[0], wide[1]); })
      .Case(
          [&](math::FmaOp) { return LLVM::FMAOp::create(builder, loc, wide[0], wide[1], wide[2]); })
      .Case([&](arith::CmpFOp compare) {
        // arith's predicates have the same numbers as LLVM's.
        auto predicate = static_cast<LLVM::FCmpPredicate>(compare.getPredicate());
        return b.compare(predicate, wide[0], wide[1]);
      })
      .Case([&](tt::ClampFOp clamp) {
        bool keepsNan = clamp.getPropagateNan() == tt::PropagateNan::All;
        Value raised = extremum(b, wide[0], wide[1], /*isMax=*/true, keepsNan);
        return extremum(b, raised, wide[2], /*isMax=*/false, keepsNan);
      })
      .Case([&](arith::MaximumFOp) { return extremum(b, wide[0], wide[1], true, true); })
      .Case([&](arith::MinimumFOp) { return extremum(b, wide[0], wide[1], false, true); })
      .Case([&](arith::MaxNumFOp) { return extremum(b, wide[0], wide[1], true, false); })
      .Case([&](arith::MinNumFOp) { return extremum(b, wide[0], wide[1], false, false); })
      .Case<math::SqrtOp, tt::PreciseSqrtOp>([&](Operation *) { return b.squareRoot(wide[0]); })
      .Case([&](math::RsqrtOp) {
        return b.divFloat(b.real(wide[0].getType(), 1.0), b.squareRoot(wide[0]));
      })
      .Case([&](arith::NegFOp) { return LLVM::FNegOp::create(builder, loc, wide[0]); })
      .Case([&](math::FloorOp) { return LLVM::FFloorOp::create(builder, loc, wide[0]); })
      .Case([&](math::CeilOp) { return LLVM::FCeilOp::create(builder, loc, wide[0]); })
      .Case([&](math::TruncOp) { return LLVM::FTruncOp::create(builder, loc, wide[0]); })
      .Case([&](math::RoundOp) { return LLVM::RoundOp::create(builder, loc, wide[0]); })
      .Case([&](math::RoundEvenOp) { return LLVM::RoundEvenOp::create(builder, loc, wide[0]); })
      .Case([&](math::AbsFOp) { return b.absFloat(wide[0]); })
      .Case([&](math::CopySignOp) {
        return LLVM::CopySignOp::create(builder, loc, wide[0], wide[1]);
      })
      .Default([](Operation *) { return Value(); });
}
