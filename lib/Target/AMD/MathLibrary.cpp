//===- MathLibrary.cpp - math functions for AMD GPUs ----------------------===//
// See MathLibrary.h.
//===----------------------------------------------------------------------===//
#include "MathLibrary.h"
#include "DirectedRounding.h"
#include "tessera/LLIR/DeviceLibrary.h"
#include "tessera/LLIR/Sigmoids.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "TTGIRToLLIR/Intrinsics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// The functions of Math.def as LLVM bitcode, which EmbedMath.cmake writes. One byte if the build
/// had no libclc.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
static constexpr unsigned char kBitcode[] = {
#embed "math.bc" if_empty(0)
};
#pragma clang diagnostic pop

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The types of a function's arguments, as Math.def has them; empty if there is no such function.
static StringRef argumentsOf(StringRef function) {
  if (sizeof(kBitcode) <= 1)
    return "";
#define MATH(name, arguments) .Case(#name, arguments)
  return llvm::StringSwitch<StringRef>(function)
#include "Math.def"
      .Default("");
}

/// libclc's erf takes five times the instructions and three times the registers. The exponential
/// here is of numbers from -26 to -2.
static Value emitErf(LaneBuilder &b, Value x) {
  Type type = x.getType();
  Value small = emitErfNearZero(b, x);
  // Of NaN the minimum is 4, but `small` is NaN.
  Value size = LLVM::MinNumOp::create(b.builder, b.loc, b.absFloat(x), b.real(type, 4.0));
  Value rest = emitIntrinsic(b.builder, b.loc, "exp2", type, emitLogOfErfc(b, size));
  return joinAt(b, x, kErfCut, small, b.subFloat(b.real(type, 1.0), rest));
}

/// The exponential may be infinite, whose reciprocal is 0.
static Value emitTanh(LaneBuilder &b, Value x) {
  Type type = x.getType();
  constexpr double twiceLog2e = 2.8853900817779268;
  Value small = emitTanhNearZero(b, x);
  Value exponent = b.mulFloat(b.absFloat(x), twiceLog2e);
  Value power =
      b.addFloat(emitIntrinsic(b.builder, b.loc, "exp2", type, exponent), b.real(type, 1.0));
  Value inverse = emitIntrinsic(b.builder, b.loc, "rcp", type, power);
  return joinAt(b, x, kTanhCut, small, b.mulAdd(inverse, b.real(type, -2.0), 1.0));
}

/// Computes a function of f32 by few instructions, to an ulp or two; nothing for other functions.
static Value emitNative(LaneBuilder &b, StringRef function, Value x) {
  if (function == "exp")
    return LLVM::ExpOp::create(b.builder, b.loc, x);
  if (function == "exp2")
    return LLVM::Exp2Op::create(b.builder, b.loc, x);
  if (function == "log")
    return LLVM::LogOp::create(b.builder, b.loc, x);
  if (function == "log2")
    return LLVM::Log2Op::create(b.builder, b.loc, x);
  if (function == "log10")
    return LLVM::Log10Op::create(b.builder, b.loc, x);
  if (function == "erf")
    return emitErf(b, x);
  if (function == "tanh")
    return emitTanh(b, x);
  return {};
}

/// Limits the exponent of libclc's pow in f64, which is infinite or NaN where the product of the
/// exponent and the logarithm overflows. 2^66 is even, as all larger numbers are, and its power of
/// a number next to 1 is already infinite or zero.
static Value limitExponent(LaneBuilder &b, Value y) {
  Value limit = LLVM::CopySignOp::create(b.builder, b.loc, b.real(y.getType(), 0x1p66), y);
  Value size = LLVM::FAbsOp::create(b.builder, b.loc, y);
  return b.select(b.compare(LLVM::FCmpPredicate::ogt, size, 0x1p66), limit, y);
}

/// Corrects libclc's tgamma(x), `value`, in f64: it is infinite where it underflows, and at -0.0.
/// At small arguments it loses bits, and the sign.
static Value correctGamma(LaneBuilder &b, Value x, Value value) {
  using Float = LLVM::FCmpPredicate;
  Type type = x.getType();
  // Between negative integers its sign alternates; it is negative above odd ones.
  auto floor = [&](Value y) -> Value { return LLVM::FFloorOp::create(b.builder, b.loc, y); };
  Value below = floor(x), half = b.mulFloat(below, 0.5);
  Value isOdd = b.compare(Float::one, half, floor(half));
  Value tiny = b.select(isOdd, b.real(type, -0.0), b.real(type, 0.0));
  tiny = b.select(b.compare(Float::oeq, below, x), b.real(type, NAN), tiny);
  value = b.select(b.compare(Float::olt, x, -190.0), tiny, value);
  // There 1/x is exact: an infinity at zero.
  Value size = LLVM::FAbsOp::create(b.builder, b.loc, x);
  return b.select(b.compare(Float::olt, size, 0x1p-54), b.divFloat(b.real(type, 1.0), x), value);
}

/// Corrects an odd function of libclc, `value`, in f64: some lose the sign of -0.
static Value correctZero(LaneBuilder &b, StringRef function, Value x, Value value) {
  if (!llvm::is_contained({"sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf",
                           "cbrt", "expm1", "log1p"},
                          function))
    return value;
  return b.select(b.compare(LLVM::FCmpPredicate::oeq, x, 0.0), x, value);
}

/// Declares the function of this symbol, which has no effects, on first use.
static LLVM::LLVMFuncOp declare(LaneBuilder &b, StringRef symbol, Type result, TypeRange types) {
  auto module = b.builder.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  OpBuilder::InsertionGuard guard(b.builder);
  b.builder.setInsertionPointToStart(module.getBody());
  auto function =
      LLVM::LLVMFuncOp::create(b.builder, module.getLoc(), symbol,
                               LLVM::LLVMFunctionType::get(result, SmallVector<Type>(types)));
  function.setNoUnwind(true);
  function.setWillReturn(true);
  auto none = LLVM::ModRefInfo::NoModRef;
  function.setMemoryEffectsAttr(
      LLVM::MemoryEffectsAttr::get(b.builder.getContext(), {none, none, none, none, none, none}));
  return function;
}

Value amd::emitLibraryCall(LaneBuilder &b, StringRef symbol, Type result, ValueRange args) {
  LLVM::LLVMFuncOp callee = declare(b, symbol, result, args.getTypes());
  auto known = callee.getFunctionType();
  if (known.getReturnType() != result || TypeRange(known.getParams()) != args.getTypes())
    return {};
  return LLVM::CallOp::create(b.builder, b.loc, callee, args).getResult();
}

Value AmdMathLibrary::call(LaneBuilder &b, StringRef function, ArrayRef<Value> args, Type result) {
  Type type = args[0].getType();
  if (type.isF32() && args.size() == 1)
    if (Value native = emitNative(b, function, args[0]))
      return native;
  // One correction for both: tgamma of f32 is computed in f64.
  if (type.isF32() && function == "tgamma") {
    Value wide = call(b, function, b.resizeFloat(args[0], b.builder.getF64Type()));
    return wide ? b.resizeFloat(wide, type) : wide;
  }
  StringRef expected = argumentsOf(function);
  bool isKnown = expected.size() == args.size() && (type.isF32() || type.isF64());
  if (!isKnown)
    return {};
  std::string symbol = "_Z" + std::to_string(function.size()) + function.str();
  for (auto [code, arg] : llvm::zip(expected, args)) {
    if (arg.getType() != (code == 'i' ? Type(b.builder.getI32Type()) : type))
      return {};
    symbol += code == 'i' ? 'i' : type.isF32() ? 'f' : 'd';
  }
  Type returned = function == "ilogb" ? Type(b.builder.getI32Type()) : type;
  if (result && result != returned)
    return {};
  LLVM::LLVMFuncOp callee = declare(b, symbol, returned, ValueRange(args).getTypes());
  SmallVector<Value> passed(args);
  if (function == "pow" && type.isF64())
    passed[1] = limitExponent(b, passed[1]);
  Value value = LLVM::CallOp::create(b.builder, b.loc, callee, passed).getResult();
  if (function == "tgamma")
    return correctGamma(b, args[0], value);
  if (type.isF64())
    value = correctZero(b, function, args[0], value);
  if (function != "ilogb")
    return value;
  // OpenCL's result of NaN is INT_MAX, CUDA's INT_MIN.
  Value isNaN = b.compare(LLVM::FCmpPredicate::uno, args[0], args[0]);
  return b.select(isNaN, b.integer(returned, int64_t(INT32_MIN)), value);
}

Value AmdMathLibrary::integerPower(LaneBuilder &b, Value x, Value n) {
  return call(b, "pown", {x, n});
}

Value AmdMathLibrary::rounded(LaneBuilder &b, RoundedOp op, Direction direction,
                              ArrayRef<Value> args, Type result) {
  if (direction == Direction::Nearest)
    return emitRounded(b, op, args, result);
  return emitDirected(b, op, direction, args, result);
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

void amd::inlineLibraryFunctions(llvm::Module &module) {
  // A call would cost more than the function: the callee's registers count as the kernel's.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasInternalLinkage()) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  // The code object is no OpenCL program.
  for (llvm::StringRef name : {"opencl.ocl.version", "llvm.ident", "llvm.errno.tbaa"})
    if (llvm::NamedMDNode *node = module.getNamedMetadata(name))
      module.eraseNamedMetadata(node);
}

llvm::Error amd::linkMathLibrary(llvm::Module &module) {
  if (sizeof(kBitcode) <= 1)
    return llvm::Error::success();
  llvm::StringRef bytes(reinterpret_cast<const char *>(kBitcode), sizeof(kBitcode));
  if (llvm::Error error = linkDeviceLibrary(
          module, llvm::MemoryBuffer::getMemBuffer(bytes, "math", /*RequiresNullTerminator=*/false),
          "the embedded math functions"))
    return error;
  inlineLibraryFunctions(module);
  return llvm::Error::success();
}
