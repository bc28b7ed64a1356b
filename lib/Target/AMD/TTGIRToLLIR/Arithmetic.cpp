//===- Arithmetic.cpp - math that LLVM's back end does not have alone -----===//
// f32: LLVM expands exp, exp2, log, log2, log10, sqrt and division to the chip's
// instructions with a range correction.
//===----------------------------------------------------------------------===//
#include "Intrinsics.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/AMD/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// The f32 function `op`, or null.
static Value emitF32(OpBuilder &b, Operation *op, Value in, bool flushes) {
  Location loc = op->getLoc();
  Type f32 = b.getF32Type();
  auto exp2 = [&](Value value, bool isFast) -> Value {
    if (isFast)
      return emitIntrinsic(b, loc, "exp2", f32, value);
    return LLVM::Exp2Op::create(b, loc, value);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) -> Value {
        Value log2e = LLVM::ConstantOp::create(b, loc, f32, b.getF32FloatAttr(1.44269504f));
        return exp2(LLVM::FMulOp::create(b, loc, in, log2e), flushes);
      })
      .Case([&](math::Exp2Op) { return exp2(in, flushes); })
      .Case([&](math::LogOp) -> Value { return LLVM::LogOp::create(b, loc, in); })
      .Case([&](math::Log2Op) -> Value { return LLVM::Log2Op::create(b, loc, in); })
      .Case([&](math::Log10Op) -> Value { return LLVM::Log10Op::create(b, loc, in); })
      .Case([&](math::SqrtOp) -> Value { return LLVM::SqrtOp::create(b, loc, in); })
      .Case([&](math::RsqrtOp) -> Value { return emitIntrinsic(b, loc, "rsq", f32, in); })
      .Default([](auto) { return Value(); });
}

Value AmdTargetInfo::element(OpBuilder &b, Operation *op, ValueRange operands) const {
  if (isa<arith::DivFOp>(op))
    return {}; // LLVM's own, correctly rounded
  Type type = operands[0].getType();
  Location loc = op->getLoc();
  if (type.isF32())
    return emitF32(b, op, operands[0], flushesDenormals);
  if (!type.isF16() && !type.isBF16())
    return {};
  Value wide = LLVM::FPExtOp::create(b, loc, b.getF32Type(), operands[0]);
  Value result = emitF32(b, op, wide, flushesDenormals);
  return result ? LLVM::FPTruncOp::create(b, loc, type, result).getResult() : Value();
}

Value AmdTargetInfo::call(OpBuilder &, tt::ExternElementwiseOp, Type, ValueRange) const {
  return {};
}
