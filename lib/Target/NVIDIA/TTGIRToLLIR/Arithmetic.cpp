//===- Arithmetic.cpp - what the chip computes in its own way -------------===//
// The numeric contract: f32 division, square roots and exponentials use the
// approximate instructions, everything else that is not an instruction comes
// from libdevice. Half types compute in f32.
//
//   f32   x / y     div.full            exp(x)   ex2.approx(x * log2 e)
//         sqrt      sqrt.approx.ftz     exp2     ex2.approx.ftz
//         rsqrt     rsqrt.approx.ftz    log ...  libdevice
//   f64   all       libdevice
//===----------------------------------------------------------------------===//
#include "NativeFunctions.h"
#include "tessera/LLIR/DeviceFunctions.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

static Value emitIntrinsic(OpBuilder &b, Location loc, StringRef name, Type result,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name), operands)
      .getResult(0);
}

/// A call of libdevice's `name`, declared on first use. Null if it is already
/// declared with other types.
static Value emitLibraryCall(OpBuilder &b, Location loc, StringRef name, Type type,
                             ValueRange operands) {
  auto module = b.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>();
  auto signature = LLVM::LLVMFunctionType::get(type, SmallVector<Type>(operands.getTypes()));
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (function && function.getFunctionType() != signature)
    return {};
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(b, loc, name, signature);
    // The function has no effects, so LLVM removes unused calls and merges equal ones.
    function.setNoUnwind(true);
    function.setWillReturn(true);
    auto none = LLVM::ModRefInfo::NoModRef;
    function.setMemoryEffectsAttr(
        LLVM::MemoryEffectsAttr::get(b.getContext(), none, none, none, none, none, none));
  }
  return LLVM::CallOp::create(b, loc, function, operands).getResult();
}

/// The f32 instruction of `op`, or null.
static Value emitFastF32(OpBuilder &b, Operation *op, ValueRange in) {
  Location loc = op->getLoc();
  Type f32 = b.getF32Type();
  if (isa<arith::DivFOp>(op))
    return emitIntrinsic(b, loc, "llvm.nvvm.div.full", f32, in);
  if (isa<math::Exp2Op>(op))
    return emitIntrinsic(b, loc, "llvm.nvvm.ex2.approx.ftz", f32, in);
  if (isa<math::SqrtOp>(op))
    return emitIntrinsic(b, loc, "llvm.nvvm.sqrt.approx.ftz.f", f32, in);
  if (isa<math::RsqrtOp>(op))
    return emitIntrinsic(b, loc, "llvm.nvvm.rsqrt.approx.ftz.f", f32, in);
  if (!isa<math::ExpOp>(op))
    return {};
  Value log2e = LLVM::ConstantOp::create(b, loc, f32, b.getF32FloatAttr(1.44269504f));
  Value scaled = LLVM::FMulOp::create(b, loc, in[0], log2e);
  return emitIntrinsic(b, loc, "llvm.nvvm.ex2.approx", f32, scaled);
}

static Value emitMath(OpBuilder &b, Operation *op, ValueRange in) {
  Type type = in[0].getType();
  if (type.isF32())
    if (Value fast = emitFastF32(b, op, in))
      return fast;
  StringRef name = mathFunctionName(op);
  if (name.empty() || !(type.isF32() || type.isF64()))
    return {};
  std::string symbol = ("__nv_" + name + (type.isF32() ? "f" : "")).str();
  return emitLibraryCall(b, op->getLoc(), symbol, type, in);
}

/// f16 and bf16 compute in f32: exact on the way in, rounded once on the way out.
static Value emitHalfMath(OpBuilder &b, Operation *op, ValueRange in) {
  if (mathFunctionName(op).empty())
    return {}; // a division: LLVM's own is correctly rounded
  Location loc = op->getLoc();
  SmallVector<Value> wide;
  for (Value value : in)
    wide.push_back(LLVM::FPExtOp::create(b, loc, b.getF32Type(), value));
  return LLVM::FPTruncOp::create(b, loc, in[0].getType(), emitMath(b, op, wide));
}

Value NvidiaTargetInfo::element(OpBuilder &b, Operation *op, ValueRange operands) const {
  if (isa<Float16Type, BFloat16Type>(operands[0].getType()))
    return emitHalfMath(b, op, operands);
  return emitMath(b, op, operands);
}

Value NvidiaTargetInfo::call(OpBuilder &b, tt::ExternElementwiseOp op, Type type,
                             ValueRange operands) const {
  LaneBuilder lanes(b, op.getLoc());
  if (Value native = emitNativeFunction(lanes, op.getSymbol(), SmallVector<Value>(operands), type))
    return native;
  // libdevice's names are all like this; anything else has no body to link.
  if (!op.getSymbol().starts_with("__nv_"))
    return {};
  return emitLibraryCall(b, op.getLoc(), op.getSymbol(), type, operands);
}
