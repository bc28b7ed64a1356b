//===- LowerCasts.cpp - conversions between element types -----------------===//
// See Casts.h. The elements of a thread are converted together, so that targets
// can use instructions that convert two at a time.
//
//   before: %b = tt.fp_to_fp %a, rounding = rtne : tensor<128xf32, #l> -> tensor<128xf8E4M3FN, #l>
//   after:  cvt.rn.satfinite.e4m3x2.f32 for each pair of registers
//
// Floats become integers toward zero; what does not fit becomes the nearest that
// does, and NaN zero.
//===----------------------------------------------------------------------===//
#include "Casts.h"
#include "ElementwiseLowering.h"
#include "tessera/LLIR/SmallFloat.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;

bool tessera::isByteFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// LLVM's own instructions, for formats that LLVM has, rounding to nearest.
static Value convertPlain(OpBuilder &b, Location loc, Value value, Type to) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (from == to.getIntOrFloatBitWidth()) { // f16 and bf16 meet in f32, which holds both exactly
    value = LLVM::FPExtOp::create(b, loc, b.getF32Type(), value);
    from = 32;
  }
  if (from < to.getIntOrFloatBitWidth())
    return LLVM::FPExtOp::create(b, loc, to, value);
  return LLVM::FPTruncOp::create(b, loc, to, value);
}

/// From any format to any other, by integer arithmetic where one of them has 8 bits or
/// the rounding is not LLVM's.
static Value convertByBits(OpBuilder &b, Location loc, Value value, Type from, Type to,
                           Rounding rounding) {
  LaneBuilder lanes(b, loc);
  auto asBits = [&](Value number) {
    return isSmallFloat(from) && isa<FloatType>(number.getType())
               ? lanes.bitcast(number, b.getIntegerType(from.getIntOrFloatBitWidth()))
               : number;
  };
  Value wide = widenFloat(lanes, asBits(value), from, /*hasHalfConversions=*/true);
  Value result = narrowFloat(lanes, wide, to, rounding, /*hasHalfConversions=*/true);
  return isByteFloat(to) ? result : lanes.bitcast(result, to);
}

SmallVector<Value> tessera::convertFloats(OpBuilder &b, Location loc, const TargetInfo &target,
                                          ValueRange values, Type from, Type to,
                                          Rounding rounding) {
  if (from == to)
    return SmallVector<Value>(values);
  // Nothing is lost on the way up.
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    rounding = Rounding::NearestEven;
  SmallVector<Value> results = target.convertFloats(b, loc, values, from, to, rounding);
  if (!results.empty())
    return results;
  bool isPlain = !isByteFloat(from) && !isByteFloat(to) && rounding == Rounding::NearestEven;
  for (Value value : values)
    results.push_back(isPlain ? convertPlain(b, loc, value, to)
                              : convertByBits(b, loc, value, from, to, rounding));
  return results;
}

namespace {
template <typename SourceOp> struct FloatCastLowering : Lowering<SourceOp> {
  using Lowering<SourceOp>::Lowering;
  using Operands = typename Lowering<SourceOp>::Operands;

  LogicalResult matchAndRewrite(SourceOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    Type to = getElementTypeOrSelf(op.getType());
    auto isKnown = [&](Type type) { return isSmallFloat(type) || type.isF32() || type.isF64(); };
    if (!isKnown(from) || !isKnown(to))
      return emitUnsupported(op) << "conversion from " << from << " to " << to << " on "
                                 << this->target.name();
    Rounding rounding = Rounding::NearestEven;
    if constexpr (std::is_same_v<SourceOp, tt::FpToFpOp>)
      if (op.getRounding() == tt::RoundingMode::TowardZero)
        rounding = Rounding::TowardZero;

    // Equal elements are converted once.
    ValueRange in = operands.getOperands().front();
    llvm::SetVector<Value> distinct(in.begin(), in.end());
    SmallVector<Value> converted =
        convertFloats(b, op.getLoc(), this->target, distinct.getArrayRef(), from, to, rounding);
    DenseMap<Value, Value> known;
    for (auto [value, result] : llvm::zip_equal(distinct, converted))
      known[value] = result;
    return replaceWith(b, op, llvm::map_to_vector(in, [&](Value v) { return known.lookup(v); }));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

template <typename SourceOp, typename ResultOp>
static Value emitResize(SourceOp op, const Element &e) {
  auto result = ResultOp::create(e.b, e.loc, e.type, e.in[0]);
  if constexpr (requires { op.getOverflowFlags(); })
    result.setOverflowFlags(arith::convertArithOverflowFlagsToLLVM(op.getOverflowFlags()));
  return result;
}

template <typename SourceOp> static Value emitIntToFloat(SourceOp op, const Element &e) {
  constexpr bool isSigned = std::is_same_v<SourceOp, arith::SIToFPOp>;
  Type to = getElementTypeOrSelf(op.getType());
  if (isa<FloatType>(e.type))
    if (Value value = e.target.convertIntToFloat(e.b, e.loc, e.in[0], to, isSigned))
      return value;
  LaneBuilder lanes(e.b, e.loc);
  return lanes.bitcast(convertInteger(lanes, e.in[0], to, isSigned, /*hasHalfConversions=*/true),
                       e.type);
}

template <typename SourceOp> static Value emitFloatToInt(SourceOp op, const Element &e) {
  constexpr bool isSigned = std::is_same_v<SourceOp, arith::FPToSIOp>;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Value value = e.in[0];
  if (!from.isF32() && !from.isF64())
    value = convertFloat(e.b, e.loc, e.target, value, from, e.b.getF32Type());
  if (Value result = e.target.convertFloatToInt(e.b, e.loc, value, e.type, isSigned))
    return result;
  return LaneBuilder(e.b, e.loc).toInteger(value, e.type, isSigned);
}

namespace {
/// Floats to bytes, several at a time. Declines what the target has no instruction for.
template <typename SourceOp> struct ByteCastLowering : Lowering<SourceOp> {
  ByteCastLowering(const TTGIRTypeConverter &types, const TargetInfo &target)
      : Lowering<SourceOp>(types, target, /*benefit=*/2) {}
  using Operands = typename Lowering<SourceOp>::Operands;

  LogicalResult matchAndRewrite(SourceOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    if (!getElementTypeOrSelf(op.getType()).isInteger(8) || from.isF64())
      return failure();
    ValueRange in = operands.getOperands().front();
    llvm::SetVector<Value> distinct(in.begin(), in.end());
    if (distinct.size() != in.size()) // registers that hold the same element
      return failure();
    SmallVector<Value> floats(in);
    if (!from.isF32())
      floats = convertFloats(b, op.getLoc(), this->target, in, from, b.getF32Type(),
                             Rounding::NearestEven);
    SmallVector<Value> bytes = this->target.convertFloatsToBytes(
        b, op.getLoc(), floats, std::is_same_v<SourceOp, arith::FPToSIOp>);
    return bytes.empty() ? failure() : replaceWith(b, op, bytes);
  }
};
} // namespace

template <typename SourceOp> static Value emitBitcast(SourceOp, const Element &e) {
  Value in = e.in[0];
  if (in.getType() == e.type)
    return in;
  if (isa<LLVM::LLVMPointerType>(in.getType()))
    return LLVM::PtrToIntOp::create(e.b, e.loc, e.type, in);
  if (isa<LLVM::LLVMPointerType>(e.type))
    return LLVM::IntToPtrOp::create(e.b, e.loc, e.type, in);
  return LLVM::BitcastOp::create(e.b, e.loc, e.type, in);
}

/// index is as wide as a pointer; the cast to and from i32 keeps the sign.
static Value emitIndexCast(arith::IndexCastOp, const Element &e) {
  return LaneBuilder(e.b, e.loc).resizeSigned(e.in[0], e.type);
}

void tessera::addCasts(ElementwiseTable table) {
  table.add<arith::ExtSIOp>(emitResize<arith::ExtSIOp, LLVM::SExtOp>);
  table.add<arith::ExtUIOp>(emitResize<arith::ExtUIOp, LLVM::ZExtOp>);
  table.add<arith::TruncIOp>(emitResize<arith::TruncIOp, LLVM::TruncOp>);
  table.add<arith::SIToFPOp>(emitIntToFloat<arith::SIToFPOp>);
  table.add<arith::UIToFPOp>(emitIntToFloat<arith::UIToFPOp>);
  table.add<arith::FPToSIOp>(emitFloatToInt<arith::FPToSIOp>);
  table.add<arith::FPToUIOp>(emitFloatToInt<arith::FPToUIOp>);
  table.add<arith::BitcastOp>(emitBitcast<arith::BitcastOp>);
  table.add<tt::BitcastOp>(emitBitcast<tt::BitcastOp>);
  table.add<arith::IndexCastOp>(emitIndexCast);
  table.add<tt::IntToPtrOp>(emitResize<tt::IntToPtrOp, LLVM::IntToPtrOp>);
  table.add<tt::PtrToIntOp>(emitResize<tt::PtrToIntOp, LLVM::PtrToIntOp>);
  table.patterns.add<ByteCastLowering<arith::FPToSIOp>, ByteCastLowering<arith::FPToUIOp>>(
      table.types, table.target);
  table.patterns.add<FloatCastLowering<arith::ExtFOp>, FloatCastLowering<arith::TruncFOp>,
                     FloatCastLowering<tt::FpToFpOp>>(table.types, table.target);
}
