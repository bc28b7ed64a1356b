//===- Arithmetic.cpp - what the chip computes in its own way -------------===//
// The numeric contract: f32 division, square roots and exponentials use the
// approximate instructions, everything else that is not an instruction comes
// from libdevice. Half types compute in f32.
//
//   f32   x / y     div.full            exp(x)   ex2.approx(x * log2 e)
//         sqrt      sqrt.approx.ftz     exp2     ex2.approx.ftz
//         rsqrt     rsqrt.approx.ftz    log ...  libdevice
//   f64   all       libdevice           fp8      packed cvt, one of the pair
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

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
    // Without effects: unused results disappear, equal calls are merged.
    function.setNoUnwind(true);
    function.setWillReturn(true);
    auto none = LLVM::ModRefInfo::NoModRef;
    function.setMemoryEffectsAttr(
        LLVM::MemoryEffectsAttr::get(b.getContext(), none, none, none, none, none, none));
  }
  return LLVM::CallOp::create(b, loc, function, operands).getResult();
}

/// libdevice's name without its prefix and suffix: "log" of __nv_logf and __nv_log.
static StringRef libraryName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::Exp2Op>([](auto) { return "exp2"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::Log2Op>([](auto) { return "log2"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::SqrtOp>([](auto) { return "sqrt"; })
      .Case<math::RsqrtOp>([](auto) { return "rsqrt"; })
      .Case<math::ErfOp>([](auto) { return "erf"; })
      .Default([](auto) { return ""; });
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
  StringRef name = libraryName(op);
  if (name.empty() || !(type.isF32() || type.isF64()))
    return {};
  std::string symbol = ("__nv_" + name + (type.isF32() ? "f" : "")).str();
  return emitLibraryCall(b, op->getLoc(), symbol, type, in);
}

/// f16 and bf16 compute in f32: exact on the way in, rounded once on the way out.
static Value emitHalfMath(OpBuilder &b, Operation *op, ValueRange in) {
  if (libraryName(op).empty())
    return {}; // a division: LLVM's own is correctly rounded
  Location loc = op->getLoc();
  SmallVector<Value> wide;
  for (Value value : in)
    wide.push_back(LLVM::FPExtOp::create(b, loc, b.getF32Type(), value));
  return LLVM::FPTruncOp::create(b, loc, in[0].getType(), emitMath(b, op, wide));
}

//===----------------------------------------------------------------------===//
// Float formats
//===----------------------------------------------------------------------===//

/// "e4m3" or "e5m2"; empty for what the hardware does not convert.
static StringRef fp8Name(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  return isa<Float8E5M2Type>(type) ? "e5m2" : "";
}

static Value convertFloat(OpBuilder &b, Location loc, Value value, Type to) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (value.getType() == to)
    return value;
  if (from < to.getIntOrFloatBitWidth())
    return LLVM::FPExtOp::create(b, loc, to, value);
  return LLVM::FPTruncOp::create(b, loc, to, value);
}

/// The packed conversion on one byte: the other half of the pair is ignored.
static Value emitFromFP8(OpBuilder &b, Location loc, StringRef format, Value byte, Type to) {
  Value pair = LLVM::ZExtOp::create(b, loc, b.getI16Type(), byte);
  Value halves = emitIntrinsic(b, loc, ("llvm.nvvm." + format + "x2.to.f16x2.rn").str(),
                               VectorType::get(2, b.getF16Type()), pair);
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 0);
  Value half = LLVM::ExtractElementOp::create(b, loc, halves, zero);
  if (to.isBF16()) // every fp8 value is a bf16 value; f32 lies between
    half = convertFloat(b, loc, half, b.getF32Type());
  return convertFloat(b, loc, half, to);
}

static Value emitToFP8(OpBuilder &b, Location loc, StringRef format, Value value) {
  // Half types fit f32 exactly, so there is one rounding in all.
  Value wide = convertFloat(b, loc, value, b.getF32Type());
  Value zero = LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(0.0f));
  Value pair = emitIntrinsic(b, loc, ("llvm.nvvm.ff.to." + format + "x2.rn").str(), b.getI16Type(),
                             ValueRange{zero, wide});
  return LLVM::TruncOp::create(b, loc, b.getI8Type(), pair);
}

/// f32 to f16 or bf16 toward zero: LLVM's truncation only rounds to nearest.
static Value emitTowardZero(OpBuilder &b, Location loc, Value value, Type to) {
  if (to.isBF16())
    return emitIntrinsic(b, loc, "llvm.nvvm.f2bf16.rz", to, value);
  Value bits = LLVM::InlineAsmOp::create(b, loc, b.getI16Type(), value, "cvt.rz.f16.f32 $0, $1;",
                                         "=h,f", /*has_side_effects=*/false,
                                         /*is_align_stack=*/false,
                                         LLVM::tailcallkind::TailCallKind::None, {}, {})
                   .getResult(0);
  return LLVM::BitcastOp::create(b, loc, to, bits);
}

static Value emitFpToFp(OpBuilder &b, tt::FpToFpOp op, Value in, const NvidiaSpec &spec) {
  Type from = getElementTypeOrSelf(op.getSrc().getType()), to = getElementTypeOrSelf(op.getType());
  Location loc = op.getLoc();
  bool towardZero = op.getRounding() == tt::RoundingMode::TowardZero;
  if (towardZero)
    return from.isF32() && (to.isF16() || to.isBF16()) ? emitTowardZero(b, loc, in, to) : Value();
  if (!spec.hasPackedFP8Convert())
    return {};
  if (!fp8Name(from).empty() && isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(to))
    return emitFromFP8(b, loc, fp8Name(from), in, to);
  if (!fp8Name(to).empty() && isa<Float16Type, BFloat16Type, Float32Type>(from))
    return emitToFP8(b, loc, fp8Name(to), in);
  return {};
}

Value NvidiaTargetInfo::element(OpBuilder &b, Operation *op, ValueRange operands) const {
  if (auto convert = dyn_cast<tt::FpToFpOp>(op))
    return emitFpToFp(b, convert, operands[0], spec);
  if (isa<Float16Type, BFloat16Type>(operands[0].getType()))
    return emitHalfMath(b, op, operands);
  return emitMath(b, op, operands);
}

Value NvidiaTargetInfo::call(OpBuilder &b, tt::ExternElementwiseOp op, Type type,
                             ValueRange operands) const {
  // libdevice's names are all like this; anything else has no body to link.
  if (!op.getSymbol().starts_with("__nv_"))
    return {};
  return emitLibraryCall(b, op.getLoc(), op.getSymbol(), type, operands);
}
