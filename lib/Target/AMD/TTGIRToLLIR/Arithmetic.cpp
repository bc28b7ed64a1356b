//===- Arithmetic.cpp - math functions of the language --------------------===//
// The numeric contract: f32 exponentials are the chip's instruction, for which subnormal numbers
// are 0; square roots have LLVM's corrections for them (none with --allow-flush-denorm); divisions
// are correctly rounded; everything else comes from MathLibrary. Half types compute in f32.
//
//   f32   exp(x)    v_exp_f32(x * log2 e)     rsqrt    v_rsq_f32
//         exp2      v_exp_f32                 sqrt     v_sqrt_f32, correctly rounded by LLVM
//===----------------------------------------------------------------------===//
#include "Intrinsics.h"
#include "tessera/LLIR/DeviceFunctions.h"
#include "tessera/LLIR/DeviceMath.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/AMD/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "../MathLibrary.h"
#include "../OcmlLibrary.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// The f32 instruction of `op`, or null.
static Value emitFastF32(LaneBuilder &b, Operation *op, Value x, bool flushes) {
  auto exp2 = [&](Value value) {
    return emitIntrinsic(b.builder, b.loc, "exp2", x.getType(), value);
  };
  if (isa<math::ExpOp>(op))
    return exp2(b.mulFloat(x, 1.44269504088896341));
  if (isa<math::Exp2Op>(op))
    return exp2(x);
  if (isa<math::SqrtOp>(op) && flushes)
    return emitIntrinsic(b.builder, b.loc, "sqrt", x.getType(), x);
  if (!isa<math::RsqrtOp>(op))
    return {};
  auto root = [&](Value value) {
    return emitIntrinsic(b.builder, b.loc, "rsq", x.getType(), value);
  };
  if (flushes)
    return root(x);
  // The instruction takes subnormal numbers for zero.
  Value isSmall = b.compare(LLVM::FCmpPredicate::olt, x, 0x1p-126);
  Value result = root(b.select(isSmall, b.mulFloat(x, 0x1p24), x));
  return b.select(isSmall, b.mulFloat(result, 0x1p12), result);
}

/// A function of f32 or f64; null if there is none.
static Value emitMath(LaneBuilder &b, Operation *op, ArrayRef<Value> in, bool flushes) {
  Value x = in[0];
  if (x.getType().isF32())
    if (Value fast = emitFastF32(b, op, x, flushes))
      return fast;
  if (isa<math::SqrtOp>(op))
    return b.squareRoot(x);
  if (isa<math::RsqrtOp>(op))
    return b.divFloat(b.real(x.getType(), 1.0), b.squareRoot(x));
  AmdMathLibrary library;
  StringRef name = mathFunctionName(op);
  return name.empty() ? Value() : library.call(b, name, in);
}

Value AmdTargetInfo::element(OpBuilder &builder, Operation *op, ValueRange operands) const {
  if (isa<arith::DivFOp>(op))
    return {}; // LLVM's own, correctly rounded
  LaneBuilder b(builder, op->getLoc());
  Type type = operands[0].getType();
  SmallVector<Value> in(operands);
  bool isHalf = type.isF16() || type.isBF16();
  if (isHalf)
    for (Value &value : in)
      value = b.resizeFloat(value, builder.getF32Type());
  Value result = emitMath(b, op, in, flushesDenormals);
  return result && isHalf ? b.resizeFloat(result, type) : result;
}

/// Triton's names on AMD, __ocml_sin_f32, as those of libdevice; others stay as they are.
static std::string commonSymbol(StringRef symbol) {
  if (!symbol.consume_front("__ocml_"))
    return symbol.str();
  bool isSingle = symbol.consume_back("_f32");
  if (!isSingle && !symbol.consume_back("_f64"))
    return symbol.str();
  return ("__nv_" + symbol + (isSingle ? "f" : "")).str();
}

Value AmdTargetInfo::call(OpBuilder &builder, tt::ExternElementwiseOp op, Type type,
                          ValueRange operands) const {
  std::string symbol = commonSymbol(op.getSymbol());
  LaneBuilder b(builder, op.getLoc());
  // The chip's sine of a small argument, which is all that these promise.
  bool isSingle = type.isF32() && operands.size() == 1 && operands[0].getType().isF32();
  if (isSingle && symbol == "__nv_fast_sinf")
    return LLVM::SinOp::create(builder, op.getLoc(), operands[0]);
  if (isSingle && symbol == "__nv_fast_cosf")
    return LLVM::CosOp::create(builder, op.getLoc(), operands[0]);
  AmdMathLibrary library;
  if (DeviceMath::has(symbol, SmallVector<Type>(operands.getTypes()), type))
    if (Value result = DeviceMath(library).lower(b, symbol, SmallVector<Value>(operands)))
      return result;
  // Found in ocml.bc, or reported, when the libraries are linked.
  std::string ocml = ocmlSymbol(op.getSymbol());
  return ocml.empty() ? Value() : emitLibraryCall(b, ocml, type, operands);
}
