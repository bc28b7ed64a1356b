//===- MathFunctions.cpp - exp, tanh, erf and all of libm on lanes -------===//
// See MathFunctions.h. Cost: one call per vector register, or per lane.
//===----------------------------------------------------------------------===//
#include "MathFunctions.h"
#include "Polynomials.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

/// Returns whether libmvec has the function since glibc 2.35, the oldest version that objects
/// support.
static bool hasVectorVersion(StringRef name) {
  static constexpr StringLiteral names[] = {
      "acos",  "acosh", "asin", "asinh", "atan",  "atan2", "atanh", "cbrt",  "cos",
      "cosh",  "erf",   "erfc", "exp",   "exp10", "exp2",  "expm1", "hypot", "log",
      "log10", "log1p", "log2", "pow",   "sin",   "sinh",  "tan",   "tanh"};
  return llvm::is_contained(names, name);
}

/// Returns whether the function of libm is called lane by lane. LLVM itself calls those of the last
/// row for processors without an instruction.
static bool isScalarFunction(StringRef name) {
  static constexpr StringLiteral names[] = {
      "fmod", "remainder", "nextafter", "ldexp",     "logb", "ilogb", "lgamma", "tgamma",
      "j0",   "j1",        "jn",        "y0",        "y1",   "yn",    "fma",    "floor",
      "ceil", "trunc",     "round",     "roundeven", "fmax", "fmin"};
  return llvm::is_contained(names, name);
}

bool MathFunctions::isSymbol(StringRef symbol) {
  auto isOne = [](StringRef name) { return hasVectorVersion(name) || isScalarFunction(name); };
  return symbol.starts_with("_ZGV") || isOne(symbol) ||
         (symbol.ends_with("f") && isOne(symbol.drop_back()));
}

/// Marks a function as free of effects; otherwise no call could be moved or merged.
static void markPure(LLVM::LLVMFuncOp function) {
  auto none = LLVM::ModRefInfo::NoModRef;
  function.setMemoryEffectsAttr(
      LLVM::MemoryEffectsAttr::get(function.getContext(), {none, none, none, none, none, none}));
  function.setNoUnwind(true);
  function.setWillReturn(true);
}

Value MathFunctions::callOnce(LaneBuilder &b, StringRef symbol, ArrayRef<Value> args, Type result) {
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(module.getBody());
    SmallVector<Type> types = llvm::to_vector(ValueRange(args).getTypes());
    callee = LLVM::LLVMFuncOp::create(b.builder, module.getLoc(), symbol,
                                      LLVM::LLVMFunctionType::get(result, types));
    markPure(callee);
  }
  return LLVM::CallOp::create(b.builder, b.loc, callee, args).getResult();
}

Value MathFunctions::outline(LaneBuilder &b, StringRef name, ArrayRef<Value> args, Type result,
                             Body body) {
  unsigned lanes = lanesOf(args[0]);
  std::string symbol;
  llvm::raw_string_ostream(symbol) << "tessera." << name << "." << result << "x" << lanes;
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> types = llvm::to_vector(ValueRange(args).getTypes());
    Location loc = module.getLoc();
    callee = LLVM::LLVMFuncOp::create(b.builder, loc, symbol,
                                      LLVM::LLVMFunctionType::get(withLanes(result, lanes), types),
                                      LLVM::Linkage::Internal);
    callee.setNoInline(true);
    markPure(callee);
    b.builder.setInsertionPointToStart(callee.addEntryBlock(b.builder));
    LaneBuilder inner(b.builder, loc);
    SmallVector<Value> parameters(callee.getArguments());
    LLVM::ReturnOp::create(b.builder, loc, body(inner, parameters));
  }
  return LLVM::CallOp::create(b.builder, b.loc, callee, args).getResult();
}

Value MathFunctions::callLanes(LaneBuilder &b, StringRef symbol, ArrayRef<Value> args,
                               Type result) {
  unsigned lanes = lanesOf(args[0]);
  Value all = LLVM::PoisonOp::create(b.builder, b.loc, withLanes(result, lanes));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    SmallVector<Value, 3> one;
    for (Value arg : args)
      one.push_back(b.extract(arg, lane));
    all = b.insert(all, callOnce(b, symbol, one, result), lane);
  }
  return all;
}

/// Computes fmod of f32 vectors. In f64 the quotient of numbers whose ratio is below 2^52 is off by
/// at most one, and the remainder is exact; other pairs are computed lane by lane.
Value MathFunctions::floatModulo(LaneBuilder &b, Value x, Value y) {
  using Float = LLVM::FCmpPredicate;
  Type f32 = b.builder.getF32Type(), f64 = b.builder.getF64Type();
  Value dividend = b.resizeFloat(b.absFloat(x), f64), divisor = b.resizeFloat(b.absFloat(y), f64);
  Value ratio = b.divFloat(dividend, divisor);
  Value quotient = LLVM::FTruncOp::create(b.builder, b.loc, ratio);
  Value minus = LLVM::FNegOp::create(b.builder, b.loc, quotient);
  Value rest = LLVM::FMAOp::create(b.builder, b.loc, minus, divisor, dividend);
  Value tooFar = b.compare(Float::olt, rest, 0.0);
  rest = b.select(tooFar, b.addFloat(rest, divisor), rest);
  Value near = LLVM::CopySignOp::create(b.builder, b.loc, b.resizeFloat(rest, f32), x);

  Value isNear =
      b.bitAnd(b.compare(Float::olt, ratio, 0x1p52), b.compare(Float::olt, divisor, INFINITY));
  Value all = LLVM::vector_reduce_and::create(b.builder, b.loc, b.builder.getI1Type(), isNear);
  Region *region = b.builder.getBlock()->getParent();
  OpBuilder::InsertPoint here = b.builder.saveInsertionPoint();
  Block *far = b.builder.createBlock(region, region->end());
  Block *done = b.builder.createBlock(region, region->end(), {x.getType()}, {b.loc});
  b.builder.restoreInsertionPoint(here);
  LLVM::CondBrOp::create(b.builder, b.loc, all, done, near, far, ValueRange());
  b.builder.setInsertionPointToEnd(far);
  LLVM::BrOp::create(b.builder, b.loc, callLanes(b, "fmodf", {x, y}, f32), done);
  b.builder.setInsertionPointToEnd(done);
  return done->getArgument(0);
}

Value MathFunctions::call(LaneBuilder &b, StringRef function, ArrayRef<Value> args, Type result) {
  Value number = *llvm::find_if(args, [](Value v) { return isa<FloatType>(laneType(v)); });
  Type element = laneType(number);
  if (!result)
    result = element;
  if (element.isF32() && args.size() == 1)
    if (Value inLine = emitPolynomial(b, function, number, spec))
      return inLine;

  if (element.isF32() && function == "pow")
    return emitPower(b, args[0], args[1], spec);

  unsigned lanes = lanesOf(number), bits = element.getIntOrFloatBitWidth();
  std::string scalar = (function + (element.isF32() ? "f" : "")).str();
  if (lanes == 0)
    return callOnce(b, scalar, args, result);
  unsigned piece = std::min(lanes, spec.vectorBits / bits);
  bool hasVectors = spec.vectorMathLibrary && hasVectorVersion(function) && piece * bits >= 128;
  if (!hasVectors) {
    bool fastModulo =
        scalar == "fmodf" && spec.vectorBits >= 256; // such processors have fused multiply-add
    return outline(b, scalar, args, result, [&](LaneBuilder &inner, ArrayRef<Value> parameters) {
      return fastModulo ? floatModulo(inner, parameters[0], parameters[1])
                        : callLanes(inner, scalar, parameters, result);
    });
  }
  // Names of the vector ABI: b means 128 bits, d 256, e 512; N no mask; one v per argument.
  char isa = piece * bits == 512 ? 'e' : piece * bits == 256 ? 'd' : 'b';
  std::string symbol = "_ZGV" + std::string(1, isa) + "N" + std::to_string(piece) +
                       std::string(args.size(), 'v') + "_" + scalar;
  SmallVector<Value> results;
  for (unsigned begin = 0; begin < lanes; begin += piece) {
    SmallVector<Value, 2> part;
    for (Value arg : args)
      part.push_back(b.slice(arg, begin, piece));
    results.push_back(callOnce(b, symbol, part, withLanes(result, piece)));
  }
  return b.concat(results);
}

Value MathFunctions::integerPower(LaneBuilder &b, Value x, Value n) {
  if (laneType(x).isF32())
    return emitIntegerPower(b, x, n, spec);
  return call(b, "pow", {x, LLVM::SIToFPOp::create(b.builder, b.loc, x.getType(), n)});
}
