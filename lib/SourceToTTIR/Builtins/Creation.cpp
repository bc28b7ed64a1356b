//===- Creation.cpp - arange, full, zeros, cast, shapes -------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/Support/MathExtras.h"
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;

static FailureOr<Value> arange(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> start = args[0].asInt(), end = args[1].asInt();
  if (!start || !end) {
    const Value &wrong = start ? args[1] : args[0];
    return emit.error("arange takes compile-time ints, not " + wrong.describe() +
                      (wrong.isTensor() ? "; make it a tl.constexpr parameter" : ""));
  }
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
  if (!shapeValue.is<TupleObject>())
    return emit.error("a shape is a tuple such as (64,), not " + shapeValue.describe());
  auto shape = blockShape(emit, shapeValue);
  if (failed(shape))
    return llvm::failure();
  FailureOr<Tensor> scalar = llvm::failure();
  if (const Tensor *tensor = fill.get<Tensor>()) {
    if (tensor->type.isBlock())
      return emit.error("full takes a scalar value, not " + fill.describe());
    scalar = castTo(emit, *tensor, *type);
  } else if (fill.isNumber()) {
    scalar = fillConstant(emit, fill, *type);
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

/// `fp_downcast_rounding`: None, "rtne" (what happens anyway) or "rtz", for narrowing floats only.
static LogicalResult checkRounding(Emitter &emit, const Value &rounding, const KernelType &from,
                                   const KernelType &to) {
  if (rounding.isNone())
    return llvm::success();
  const std::string *mode = rounding.get<std::string>();
  if (!mode || (*mode != "rtne" && *mode != "rtz"))
    return emit.error("fp_downcast_rounding is \"rtne\" or \"rtz\", not " + rounding.describe());
  if (!from.isFloat() || !to.isFloat() || from.scalar.bits() <= to.scalar.bits())
    return emit.error("fp_downcast_rounding is for conversions to a narrower float, not for " +
                      from.str() + " to " + to.str());
  if (*mode == "rtz")
    return emit.unsupportedAt(emit.range, "fp_downcast_rounding=\"rtz\" is not supported yet; "
                                          "\"rtne\", the default, rounds to nearest even");
  return llvm::success();
}

static FailureOr<Value> cast(Emitter &emit, BoundArguments args) {
  const TypeObject *type = args[1].get<TypeObject>();
  if (!type)
    return emit.error("expected a dtype such as tl.float32, got " + args[1].describe());
  FailureOr<Tensor> value = toTensor(emit, args[0]);
  if (failed(value) || failed(checkRounding(emit, args[2], value->type, type->type)))
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
  const TupleObject *tuple = args[1].get<TupleObject>();
  std::vector<Value> axes = tuple ? *tuple->elements : std::vector<Value>{args[1]};
  int64_t rank = value->type.shape.size() + axes.size(); // axes count in the result
  llvm::SmallVector<int64_t> positions;
  for (const Value &each : axes) {
    std::optional<PythonInt> axis = each.asInt();
    if (!axis || !axis->fitsSigned(32) || axis->toInt64() < -rank || axis->toInt64() >= rank)
      return emit.error("expand_dims takes an axis from " + llvm::Twine(-rank) + " to " +
                        llvm::Twine(rank - 1) + ", not " + each.describe());
    positions.push_back(axis->toInt64() < 0 ? axis->toInt64() + rank : axis->toInt64());
  }
  llvm::sort(positions);
  if (std::adjacent_find(positions.begin(), positions.end()) != positions.end())
    return emit.error("expand_dims got the same axis twice");
  for (int64_t position : positions) {
    value = expandDims(emit, *value, position);
    if (failed(value))
      return llvm::failure();
  }
  return asValue(value);
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
