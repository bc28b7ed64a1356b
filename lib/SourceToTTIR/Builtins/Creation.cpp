//===- Creation.cpp - arange, full, zeros, cast, shapes -------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/Support/MathExtras.h"
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;

static FailureOr<Value> arange(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> start = args[0].asInt(), end = args[1].asInt();
  if (!start || !end)
    return emit.error("arange takes compile-time ints, not " + args[0].describe() + " and " +
                      args[1].describe() + "; make them tl.constexpr");
  if (start->isNegative() || !end->fitsSigned(32))
    return emit.error("arange counts from 0 to 2147483647, not from " + start->str() + " to " +
                      end->str());
  if (end->compare(*start) <= 0)
    return emit.error("arange needs end > start; got " + start->str() + " and " + end->str());
  int64_t first = start->toInt64(), last = end->toInt64(), length = last - first;
  if (!llvm::isPowerOf2_64(length))
    return emit.error("arange's length is a power of two, not " + llvm::Twine(length));
  if (failed(checkBlockShape(emit, {length})))
    return llvm::failure();
  KernelType type;
  type.scalar = DType::Int32;
  type.shape = {length};
  auto range = tt::MakeRangeOp::create(emit.builder, emit.location(), type.toIR(emit.context()),
                                       static_cast<uint32_t>(first), static_cast<uint32_t>(last));
  return Value(Tensor{range, type});
}

static FailureOr<DType> scalarTypeArgument(Emitter &emit, const Value &value) {
  const TypeObject *object = value.get<TypeObject>();
  if (!object || object->type.isPointer() || object->type.isBlock())
    return emit.error("expected a dtype such as tl.float32, got " + value.describe());
  return object->type.scalar;
}

static FailureOr<Value> fillBlock(Emitter &emit, const Value &shapeValue, const Value &fill,
                                  const Value &dtype) {
  FailureOr<DType> type = scalarTypeArgument(emit, dtype);
  if (failed(type))
    return llvm::failure();
  auto shape = blockShape(emit, shapeValue);
  if (failed(shape))
    return llvm::failure();
  FailureOr<Tensor> scalar = llvm::failure();
  if (const Tensor *tensor = fill.get<Tensor>()) {
    if (tensor->type.isBlock())
      return emit.error("full takes a scalar value, not " + fill.describe());
    scalar = castTo(emit, *tensor, *type);
  } else if (fill.isNumber()) {
    scalar = constantOfType(emit, fill, *type);
  } else {
    return emit.error("full takes a number, not " + fill.describe());
  }
  if (failed(scalar))
    return llvm::failure();
  FailureOr<Tensor> block = broadcastTo(emit, *scalar, *shape);
  return asValue(block);
}

static FailureOr<Value> full(Emitter &emit, BoundArguments args) {
  return fillBlock(emit, args[0], args[1], args[2]);
}

static FailureOr<Value> zeros(Emitter &emit, BoundArguments args) {
  return fillBlock(emit, args[0], Value(PythonInt(0)), args[1]);
}

static FailureOr<Value> cast(Emitter &emit, BoundArguments args) {
  const TypeObject *type = args[1].get<TypeObject>();
  if (!type)
    return emit.error("expected a dtype such as tl.float32, got " + args[1].describe());
  if (!args[2].isNone())
    return emit.unsupportedAt(emit.range, "fp_downcast_rounding is not supported yet; leave it out "
                                          "to round to nearest even");
  FailureOr<Tensor> value = toTensor(emit, args[0]);
  if (failed(value))
    return llvm::failure();
  KernelType target = type->type.withShape(value->type.shape);
  FailureOr<Tensor> result = isTruthy(args[3])    ? bitcastTo(emit, *value, target)
                             : target.isPointer() ? castPointer(emit, *value, target)
                                                  : castTo(emit, *value, target.scalar);
  return asValue(result);
}

/// `shape` as one tuple or as several ints.
static Value shapeArgument(const Value &variadic) {
  const TupleObject *tuple = variadic.get<TupleObject>();
  return tuple->elements->size() == 1 ? tuple->elements->front() : variadic;
}

static FailureOr<Value> broadcastToShape(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = toTensor(emit, args[0]);
  if (failed(value))
    return llvm::failure();
  auto shape = blockShape(emit, shapeArgument(args[1]));
  if (failed(shape))
    return llvm::failure();
  if (value->type.isBlock() && value->type.shape.size() != shape->size())
    return emit.error("broadcast_to keeps the rank: " + value->type.str() + " has " +
                      llvm::Twine(value->type.shape.size()) + " axes, the shape " +
                      llvm::Twine(shape->size()));
  FailureOr<Tensor> result = broadcastTo(emit, *value, *shape);
  return asValue(result);
}

static FailureOr<Value> expandAxis(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = toTensor(emit, args[0]);
  if (failed(value))
    return llvm::failure();
  std::optional<PythonInt> axis = args[1].asInt();
  int64_t rank = value->type.shape.size() + 1;
  if (!axis || !axis->fitsSigned(32) || axis->toInt64() < -rank || axis->toInt64() >= rank)
    return emit.error("expand_dims takes an axis from " + llvm::Twine(-rank) + " to " +
                      llvm::Twine(rank - 1) + ", not " + args[1].describe());
  int64_t position = axis->toInt64() < 0 ? axis->toInt64() + rank : axis->toInt64();
  FailureOr<Tensor> result = expandDims(emit, *value, position);
  return asValue(result);
}

static constexpr Parameter kRange[] = {{"start"}, {"end"}};
static constexpr Parameter kFull[] = {{"shape"}, {"value"}, {"dtype"}};
static constexpr Parameter kZeros[] = {{"shape"}, {"dtype"}};
static constexpr Parameter kCast[] = {
    {"input"}, {"dtype"}, {"fp_downcast_rounding", Default::None}, {"bitcast", Default::False}};
static constexpr Parameter kBroadcast[] = {{"input"}, {"shape", Default::Variadic}};
static constexpr Parameter kExpand[] = {{"input"}, {"axis"}};

llvm::ArrayRef<Builtin> tessera::creationBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.arange", kRange, arange},
      {"triton.language.full", kFull, full},
      {"triton.language.zeros", kZeros, zeros},
      {"triton.language.cast", kCast, cast, true},
      {"triton.language.broadcast_to", kBroadcast, broadcastToShape, true},
      {"triton.language.expand_dims", kExpand, expandAxis, true},
  };
  return rows;
}
