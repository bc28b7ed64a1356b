//===- Casts.cpp - conversions that the chip has instructions for ---------===//
//   f32 -> f16, bf16 toward zero    cvt.rz.f16x2.f32        two at a time
//   f32, f16 -> e4m3, e5m2          cvt.rn.satfinite.e4m3x2.f32        "
//   e4m3, e5m2 -> f16               cvt.rn.f16x2.e4m3x2                "
//   f32 -> integers of 8 bits       cvt.rzi and cvt.pack.sat, which ptxas fuses: two at a time
//   float -> integer                cvt.rzi, which limits to the integer's range
//   f64, integer -> bf16            an f32 whose last bit says that something was lost:
//                                   no instruction before Hopper's, which nobody promises
//                                   to round once
//
// Everything else is LLVM's or integer arithmetic (TTGIRToLLIR/Casts.h). The fp8
// instructions came with sm_89.
//===----------------------------------------------------------------------===//
#include "InlinePTX.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// Converts two at a time; the last of an odd number is paired with itself.
/// `convert(high, low)` gives a vector of two, or two bytes in an i16.
static SmallVector<Value> inPairs(LaneBuilder &b, ValueRange values,
                                  function_ref<Value(Value, Value)> convert) {
  SmallVector<Value> results;
  for (size_t i = 0; i < values.size(); i += 2) {
    bool isLast = i + 1 == values.size();
    Value pair = convert(isLast ? values[i] : values[i + 1], values[i]);
    if (pair.getType().isInteger(16))
      pair = LLVM::BitcastOp::create(b.builder, b.loc, VectorType::get(2, b.builder.getI8Type()),
                                     pair);
    results.push_back(b.extract(pair, 0));
    if (!isLast)
      results.push_back(b.extract(pair, 1));
  }
  return results;
}

static Value makePair(LaneBuilder &b, Value high, Value low) {
  Value pair =
      LLVM::PoisonOp::create(b.builder, b.loc, VectorType::get(2, low.getType())).getResult();
  return b.insert(b.insert(pair, low, 0), high, 1);
}

static SmallVector<Value> extendAll(LaneBuilder &b, ValueRange values, Type to) {
  return llvm::map_to_vector(values, [&](Value value) { return b.resizeFloat(value, to); });
}

//===----------------------------------------------------------------------===//
// Toward zero
//===----------------------------------------------------------------------===//

/// f64 toward zero; with `marksLoss` the last bit is set if anything was lost, and a
/// later rounding to fewer bits comes out as if done in one step.
static Value cutToF32(LaneBuilder &b, Value value, bool marksLoss) {
  Type f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  Value single = b.intrinsic("llvm.nvvm.d2f.rz", f32, value);
  if (!marksLoss)
    return single;
  Value back = b.resizeFloat(single, b.builder.getF64Type());
  Value isInexact = b.compare(LLVM::FCmpPredicate::one, back, value);
  Value bits = b.bitOr(b.bitcast(single, i32), b.resizeUnsigned(isInexact, i32));
  return b.bitcast(bits, f32);
}

static SmallVector<Value> cut(LaneBuilder &b, ValueRange values, Type from, Type to) {
  SmallVector<Value> singles(values);
  if (from.isF64()) {
    for (Value &value : singles)
      value = cutToF32(b, value, /*marksLoss=*/false);
    if (to.isF32())
      return singles;
  } else if (!from.isF32()) {
    return {};
  }
  if (!to.isF16() && !to.isBF16())
    return {};
  StringRef name = to.isF16() ? "llvm.nvvm.ff2f16x2.rz" : "llvm.nvvm.ff2bf16x2.rz";
  return inPairs(b, singles, [&](Value high, Value low) {
    return b.intrinsic(name, VectorType::get(2, to), ValueRange{high, low});
  });
}

//===----------------------------------------------------------------------===//
// Eight bits
//===----------------------------------------------------------------------===//

/// "e4m3x2" or "e5m2x2"; empty for what the hardware does not convert.
static StringRef pairName(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "e4m3x2";
  return isa<Float8E5M2Type>(type) ? "e5m2x2" : "";
}

static SmallVector<Value> fromBytes(LaneBuilder &b, ValueRange values, Type from, Type to) {
  Type f16 = b.builder.getF16Type(), f32 = b.builder.getF32Type();
  std::string name = ("llvm.nvvm." + pairName(from) + ".to.f16x2.rn").str();
  SmallVector<Value> halves = inPairs(b, values, [&](Value high, Value low) -> Value {
    Value bytes =
        LLVM::BitcastOp::create(b.builder, b.loc, b.builder.getI16Type(), makePair(b, high, low));
    return b.intrinsic(name, VectorType::get(2, f16), bytes);
  });
  if (to.isF16())
    return halves;
  // Every such number is a bf16 number; f32 lies between.
  return to.isBF16() ? extendAll(b, extendAll(b, halves, f32), to) : extendAll(b, halves, to);
}

static SmallVector<Value> toBytes(LaneBuilder &b, ValueRange values, Type from, Type to) {
  Type i16 = b.builder.getI16Type();
  std::string suffix = ("to." + pairName(to) + ".rn").str();
  if (from.isF16())
    return inPairs(b, values, [&](Value high, Value low) {
      return b.intrinsic("llvm.nvvm.f16x2." + suffix, i16, makePair(b, high, low));
    });
  SmallVector<Value> singles;
  for (Value value : values)
    singles.push_back(from.isF64() ? cutToF32(b, value, /*marksLoss=*/true)
                                   : b.resizeFloat(value, b.builder.getF32Type()));
  return inPairs(b, singles, [&](Value high, Value low) {
    return b.intrinsic("llvm.nvvm.ff." + suffix, i16, ValueRange{high, low});
  });
}

/// An e5m2 is the upper byte of an f16: no conversion is needed.
static SmallVector<Value> fromUpperBytes(LaneBuilder &b, ValueRange values) {
  auto bytes = VectorType::get(4, b.builder.getI8Type());
  auto halves = VectorType::get(2, b.builder.getF16Type());
  return inPairs(b, values, [&](Value high, Value low) -> Value {
    Value word = b.zero(bytes);
    word = b.insert(b.insert(word, low, 1), high, 3);
    return LLVM::BitcastOp::create(b.builder, b.loc, halves, word);
  });
}

SmallVector<Value> NvidiaTargetInfo::convertFloats(OpBuilder &builder, Location loc,
                                                   ValueRange values, Type from, Type to,
                                                   Rounding rounding) const {
  LaneBuilder b(builder, loc);
  if (rounding == Rounding::TowardZero)
    return cut(b, values, from, to);
  if (isa<Float8E5M2Type>(from) && to.isF16())
    return fromUpperBytes(b, values);
  if (from.isF64() && to.isBF16())
    return llvm::map_to_vector(values, [&](Value value) {
      return b.resizeFloat(cutToF32(b, value, /*marksLoss=*/true), to);
    });
  if (!spec.hasPackedFP8Convert())
    return {};
  bool isPair = !pairName(from).empty() && !pairName(to).empty();
  if (!isPair && !pairName(from).empty() && to.getIntOrFloatBitWidth() > 8)
    return fromBytes(b, values, from, to);
  if (!isPair && !pairName(to).empty() && from.getIntOrFloatBitWidth() > 8)
    return toBytes(b, values, from, to);
  return {};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// An f32 toward zero, the last bit set if anything was lost: rounding it to bf16 then
/// comes out as if done in one step.
static Value toMarkedF32(LaneBuilder &b, Value value, bool isSigned) {
  Type f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  std::string sign = isSigned ? "" : "u";
  std::string integer = value.getType().isInteger(64) ? "ll" : "i";
  Value single = b.intrinsic("llvm.nvvm." + sign + integer + "2f.rz", f32, value);
  Value back = b.intrinsic("llvm.nvvm.f2" + sign + integer + ".rz", value.getType(), single);
  Value isInexact = b.compare(LLVM::ICmpPredicate::ne, back, value);
  return b.bitcast(b.bitOr(b.bitcast(single, i32), b.resizeUnsigned(isInexact, i32)), f32);
}

Value NvidiaTargetInfo::convertIntToFloat(OpBuilder &builder, Location loc, Value value, Type to,
                                          bool isSigned) const {
  LaneBuilder b(builder, loc);
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (to.isBF16() && (bits == 32 || bits == 64))
    return b.resizeFloat(toMarkedF32(b, value, isSigned), to);
  // PTX ISA, cvt: one instruction each, correctly rounded.
  if (isSigned)
    return LLVM::SIToFPOp::create(builder, loc, to, value);
  return LLVM::UIToFPOp::create(builder, loc, to, value);
}

Value NvidiaTargetInfo::convertFloatToInt(OpBuilder &builder, Location loc, Value value, Type to,
                                          bool isSigned) const {
  LaneBuilder b(builder, loc);
  unsigned bits = to.getIntOrFloatBitWidth();
  bool isDouble = value.getType().isF64();
  if (bits < 8)
    return {};
  if (bits <= 16) {
    std::string text = llvm::formatv("cvt.rzi.{0}{1}.{2} $0, $1;", isSigned ? "s" : "u", bits,
                                     isDouble ? "f64" : "f32");
    Value word =
        emitPureAsm(builder, loc, text, isDouble ? "=h,d" : "=h,f", builder.getI16Type(), value);
    word = b.resizeUnsigned(word, to);
    if (!isDouble)
      return word;
    return b.select(b.compare(LLVM::FCmpPredicate::uno, value, value), b.zero(to), word);
  }
  std::string name = std::string(isDouble ? "d2" : "f2") + (isSigned ? "" : "u") +
                     (bits == 64 ? "ll" : "i") + ".rz";
  Value result = b.intrinsic("llvm.nvvm." + name, to, value);
  // PTX ISA, cvt: NaN is zero only from f32 to 32 bits and less.
  if (bits == 32 && !isDouble)
    return result;
  return b.select(b.compare(LLVM::FCmpPredicate::uno, value, value), b.zero(to), result);
}

SmallVector<Value> NvidiaTargetInfo::convertFloatsToBytes(OpBuilder &builder, Location loc,
                                                          ValueRange values, bool isSigned) const {
  constexpr unsigned perWord = 4;
  if (values.size() % perWord != 0)
    return {};
  // PTX ISA, cvt.pack: the results of a and b are the lower half, b lowest, and c's lower half
  // is the upper one.
  std::string type = isSigned ? "s8" : "u8", text = "{\n.reg .s32 a, b, c, d;\n";
  for (auto [index, name] : llvm::enumerate(StringRef("abcd")))
    text += llvm::formatv("cvt.rzi.s32.f32 {0}, ${1};\n", name, index + 1);
  text += llvm::formatv("cvt.pack.sat.{0}.s32.b32 $0, d, c, 0;\n"
                        "cvt.pack.sat.{0}.s32.b32 $0, b, a, $0;\n}",
                        type);
  LaneBuilder b(builder, loc);
  SmallVector<Value> bytes;
  for (unsigned first = 0; first < values.size(); first += perWord) {
    Value word = emitPureAsm(builder, loc, text, "=&r,f,f,f,f", builder.getI32Type(),
                             values.slice(first, perWord));
    Value vector =
        LLVM::BitcastOp::create(builder, loc, VectorType::get(perWord, builder.getI8Type()), word);
    for (unsigned i = 0; i < perWord; ++i)
      bytes.push_back(b.extract(vector, i));
  }
  return bytes;
}
