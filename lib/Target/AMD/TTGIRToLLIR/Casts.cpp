//===- Casts.cpp - conversions that the chip has instructions for ---------===//
//   integer -> f16, f32, f64    LLVM's own. An i32 is exact in f32 wherever f16 is finite
//   float -> integer            v_cvt_i32_f32 limits to the integer's range, and NaN is 0
//   fp8 -> wider                v_cvt_pk_f32_fp8 and its like, of the kind that the chip has
//
// Everything else is LLVM's or integer arithmetic (TTGIRToLLIR/Casts.h).
//===----------------------------------------------------------------------===//
#include "Intrinsics.h"
#include "tessera/LLIR/LaneBuilder.h"
#include "tessera/Target/AMD/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

//===----------------------------------------------------------------------===//
// Eight bits
//===----------------------------------------------------------------------===//

/// "fp8" or "bf8", as instructions call them; empty for what the chip does not convert.
static StringRef byteName(const AmdSpec &spec, Type type) {
  if (spec.hasFP8Fnuz() ? isa<Float8E4M3FNUZType>(type)
                        : spec.hasFP8Ocp() && isa<Float8E4M3FNType>(type))
    return "fp8";
  if (spec.hasFP8Fnuz() ? isa<Float8E5M2FNUZType>(type)
                        : spec.hasFP8Ocp() && isa<Float8E5M2Type>(type))
    return "bf8";
  return "";
}

/// Converts bytes to f32, two at a time; the result is exact.
static SmallVector<Value> fromBytes(LaneBuilder &b, ValueRange values, StringRef name) {
  Type f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  std::string intrinsic = ("cvt.pk.f32." + name).str();
  SmallVector<Value> results;
  for (size_t i = 0; i < values.size(); i += 2) {
    bool isLast = i + 1 == values.size();
    Value word = b.resizeUnsigned(values[i], i32);
    if (!isLast)
      word = b.bitOr(word, b.shiftLeft(b.resizeUnsigned(values[i + 1], i32), 8));
    Value pair = emitIntrinsic(b.builder, b.loc, intrinsic, VectorType::get(2, f32),
                               {word, constantI1(b.builder, b.loc, false)});
    results.push_back(b.extract(pair, 0));
    if (!isLast)
      results.push_back(b.extract(pair, 1));
  }
  return results;
}

SmallVector<Value> AmdTargetInfo::convertFloats(OpBuilder &builder, Location loc, ValueRange values,
                                                Type from, Type to, Rounding) const {
  LaneBuilder b(builder, loc);
  StringRef name = byteName(spec, from);
  if (name.empty() || to.getIntOrFloatBitWidth() <= 8)
    return {};
  SmallVector<Value> results = fromBytes(b, values, name);
  for (Value &result : results)
    result = b.resizeFloat(result, to);
  return results;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value AmdTargetInfo::convertIntToFloat(OpBuilder &b, Location loc, Value value, Type to,
                                       bool isSigned) const {
  if (to.isBF16())
    return {}; // through f32 would round twice
  if (isSigned)
    return LLVM::SIToFPOp::create(b, loc, to, value);
  return LLVM::UIToFPOp::create(b, loc, to, value);
}

Value AmdTargetInfo::convertFloatToInt(OpBuilder &builder, Location loc, Value value, Type to,
                                       bool isSigned) const {
  LaneBuilder b(builder, loc);
  unsigned bits = to.getIntOrFloatBitWidth();
  if (bits != 32)
    return {};
  return b.intrinsic(isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat", to, value);
}
