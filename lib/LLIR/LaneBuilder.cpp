//===- LaneBuilder.cpp - LLVM ops on scalars or vectors of lanes ---------===//
// See LaneBuilder.h.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/LaneBuilder.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;
using namespace tessera;

unsigned tessera::lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 0;
}

Type tessera::withLanes(Type scalar, unsigned lanes) {
  return lanes ? VectorType::get({static_cast<int64_t>(lanes)}, scalar) : scalar;
}

Type tessera::laneType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getElementType() : type;
}

static Value makeConstant(LaneBuilder &b, Type type, Attribute lane) {
  Attribute value = lane;
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, lane);
  return LLVM::ConstantOp::create(b.builder, b.loc, type, value);
}

Value LaneBuilder::integer(Type type, const APInt &value) {
  return makeConstant(*this, type, IntegerAttr::get(laneType(type), value));
}

Value LaneBuilder::integer(Type type, int64_t value) {
  APInt bits(64, static_cast<uint64_t>(value));
  return integer(type, bits.sextOrTrunc(laneType(type).getIntOrFloatBitWidth()));
}

Value LaneBuilder::real(Type type, double value) {
  return makeConstant(*this, type, FloatAttr::get(laneType(type), value));
}

Value LaneBuilder::zero(Type type) { return LLVM::ZeroOp::create(builder, loc, type); }

Value LaneBuilder::iota(Type element, unsigned lanes) {
  SmallVector<Attribute> values;
  for (unsigned lane = 0; lane < lanes; ++lane)
    values.push_back(IntegerAttr::get(element, lane));
  auto type = VectorType::get({static_cast<int64_t>(lanes)}, element);
  return LLVM::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, values));
}

Value LaneBuilder::splat(Value scalar, unsigned lanes) {
  if (lanes == 0 || lanesOf(scalar))
    return scalar;
  if (auto op = scalar.getDefiningOp<LLVM::ConstantOp>())
    return makeConstant(*this, withLanes(scalar.getType(), lanes), op.getValue());
  Type type = withLanes(scalar.getType(), lanes);
  Value empty = LLVM::PoisonOp::create(builder, loc, type);
  Value first = insert(empty, scalar, 0);
  SmallVector<int32_t> mask(lanes, 0);
  return LLVM::ShuffleVectorOp::create(builder, loc, first, empty, mask);
}

void LaneBuilder::unify(MutableArrayRef<Value> values) {
  unsigned lanes = 0;
  for (Value value : values)
    lanes = std::max(lanes, lanesOf(value));
  for (Value &value : values)
    value = splat(value, lanes);
}

Value LaneBuilder::extract(Value vector, unsigned lane) {
  return LLVM::ExtractElementOp::create(builder, loc, vector,
                                        integer(builder.getI32Type(), int64_t(lane)));
}

Value LaneBuilder::insert(Value vector, Value scalar, unsigned lane) {
  return LLVM::InsertElementOp::create(builder, loc, vector, scalar,
                                       integer(builder.getI32Type(), int64_t(lane)));
}

Value LaneBuilder::slice(Value vector, unsigned begin, unsigned count) {
  if (begin == 0 && count == lanesOf(vector))
    return vector;
  SmallVector<int32_t> mask;
  for (unsigned lane = 0; lane < count; ++lane)
    mask.push_back(begin + lane);
  return LLVM::ShuffleVectorOp::create(builder, loc, vector, vector, mask);
}

Value LaneBuilder::concat(ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return vectors.front();
  // Vectors are joined pairwise, because a shuffle takes two; their number is a power of two.
  SmallVector<Value> pairs;
  for (size_t i = 0; i + 1 < vectors.size(); i += 2) {
    SmallVector<int32_t> mask;
    for (unsigned lane = 0; lane < 2 * lanesOf(vectors[i]); ++lane)
      mask.push_back(lane);
    pairs.push_back(LLVM::ShuffleVectorOp::create(builder, loc, vectors[i], vectors[i + 1], mask));
  }
  return concat(pairs);
}

Value LaneBuilder::highProduct(Value a, Value b, bool isSigned) {
  Type element = laneType(a);
  unsigned bits = element.getIntOrFloatBitWidth();
  Type twice = builder.getIntegerType(2 * bits);
  auto widen = [&](Value value) {
    return isSigned ? resizeSigned(value, twice) : resizeUnsigned(value, twice);
  };
  return resizeSigned(shiftRight(mul(widen(a), widen(b)), bits), element);
}

Value LaneBuilder::compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
  Value both[] = {a, b};
  unify(both);
  return LLVM::ICmpOp::create(builder, loc, predicate, both[0], both[1]);
}

Value LaneBuilder::compare(LLVM::ICmpPredicate predicate, Value a, int64_t b) {
  return compare(predicate, a, integer(a.getType(), b));
}

Value LaneBuilder::compare(LLVM::FCmpPredicate predicate, Value a, Value b) {
  Value both[] = {a, b};
  unify(both);
  return LLVM::FCmpOp::create(builder, loc, predicate, both[0], both[1]);
}

Value LaneBuilder::select(Value condition, Value a, Value b) {
  unsigned lanes = std::max({lanesOf(condition), lanesOf(a), lanesOf(b)});
  // A scalar condition selects whole vectors.
  return LLVM::SelectOp::create(builder, loc, condition, splat(a, lanes), splat(b, lanes));
}

Value LaneBuilder::logicalNot(Value value) { return bitXor(value, -1); }

Value LaneBuilder::resizeSigned(Value value, Type element) {
  unsigned from = laneType(value).getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  Type type = withLanes(element, lanesOf(value));
  if (from == to)
    return value;
  if (from > to)
    return LLVM::TruncOp::create(builder, loc, type, value);
  return LLVM::SExtOp::create(builder, loc, type, value);
}

Value LaneBuilder::resizeUnsigned(Value value, Type element) {
  unsigned from = laneType(value).getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  if (from >= to)
    return resizeSigned(value, element);
  return LLVM::ZExtOp::create(builder, loc, withLanes(element, lanesOf(value)), value);
}

Value LaneBuilder::bitcast(Value value, Type element) {
  Type type = withLanes(element, lanesOf(value));
  return type == value.getType() ? value : LLVM::BitcastOp::create(builder, loc, type, value);
}

Value LaneBuilder::resizeFloat(Value value, Type element) {
  unsigned from = laneType(value).getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  Type type = withLanes(element, lanesOf(value));
  if (from == to)
    return value;
  if (from > to)
    return LLVM::FPTruncOp::create(builder, loc, type, value);
  return LLVM::FPExtOp::create(builder, loc, type, value);
}

Value LaneBuilder::toInteger(Value value, Type element, bool isSigned) {
  using Float = LLVM::FCmpPredicate;
  unsigned bits = element.getIntOrFloatBitWidth(), lanes = lanesOf(value);
  unsigned digits = laneType(value).isF32() ? 24 : 53, kept = bits - isSigned;
  double low = isSigned ? -std::ldexp(1.0, kept) : 0.0, end = std::ldexp(1.0, kept);
  auto convert = [&](Value number, Type to) -> Value {
    Type type = withLanes(to, lanes);
    if (isSigned || bits < 32)
      return LLVM::FPToSIOp::create(builder, loc, type, number);
    return LLVM::FPToUIOp::create(builder, loc, type, number);
  };
  Value number = select(compare(Float::uno, value, value), zero(value.getType()), value);
  Value least = real(value.getType(), low);
  number = select(compare(Float::olt, number, least), least, number);
  if (kept <= digits) { // the largest integer is exactly representable
    Value most = real(value.getType(), end - 1);
    number = select(compare(Float::ogt, number, most), most, number);
    return resizeSigned(convert(number, bits < 32 ? builder.getI32Type() : element), element);
  }
  Value tooLarge = compare(Float::oge, number, end);
  Value result = convert(select(tooLarge, least, number), element);
  APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  return select(tooLarge, integer(result.getType(), most), result);
}

Value LaneBuilder::intrinsic(StringRef name, Type result, ValueRange args) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(name), args)
      .getResults();
}

Value LaneBuilder::offset(Value pointer, Value bytes) {
  unsigned lanes = std::max(lanesOf(pointer), lanesOf(bytes));
  Type type = withLanes(laneType(pointer), lanes);
  return LLVM::GEPOp::create(builder, loc, type, builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value LaneBuilder::addressOf(Value pointer) {
  return LLVM::PtrToIntOp::create(builder, loc, withLanes(builder.getI64Type(), lanesOf(pointer)),
                                  pointer);
}
