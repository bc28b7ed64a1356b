//===- Creation.cpp - new blocks, and blocks of another type --------------===//
// arange, full and cast (docs/language.md#creation).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "../Operators/Semantics.h"

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
    return emit.error("arange's length must be a power of two, got " + llvm::Twine(length) +
                      "; next_power_of_2(" + llvm::Twine(length) + ") is " +
                      llvm::Twine(llvm::PowerOf2Ceil(length)) + ", with a mask for the rest");
  if (failed(checkBlockShape(emit, {length})))
    return llvm::failure();
  KernelType type;
  type.scalar = DType::Int32;
  type.shape = {length};
  auto range = tt::MakeRangeOp::create(emit.builder, emit.location(), toIR(type, emit.context()),
                                       static_cast<uint32_t>(first), static_cast<uint32_t>(last));
  return Value(Tensor{range, type});
}

/// Describes a value that is not a dtype, with the dtype that its name suggests: the string
/// 'float32', np.float32, float.
static std::string notADType(const Value &value) {
  std::string text = value.describe();
  llvm::StringRef word = llvm::StringRef(text).rtrim('\'');
  word = word.substr(word.find_last_of(" '.") + 1);
  word = llvm::StringSwitch<llvm::StringRef>(word)
             .Case("float", "float32")
             .Cases({"int", "integer"}, "int32")
             .Case("bool", "int1")
             .Case("half", "float16")
             .Case("double", "float64")
             .Default(word);
  std::optional<Value> meant = lookupModuleAttribute("triton.language", word);
  return "expected a dtype such as tl.float32, got " + text +
         (meant && meant->is<TypeObject>() ? "; write tl." + word.str() : "");
}

/// A dtype or a pointer type, with the target's leave.
static FailureOr<KernelType> elementArgument(Emitter &emit, const Value &value) {
  const TypeObject *object = value.get<TypeObject>();
  if (!object || object->type.isBlock() || object->type.isBlockPointer() ||
      object->type.scalar == DType::Void)
    return emit.error(notADType(value));
  if (failed(checkTypeExists(emit, object->type.scalar)))
    return llvm::failure();
  return object->type;
}

/// The scalar that a block is filled with.
static FailureOr<Tensor> fillValue(Emitter &emit, const Value &fill, const KernelType &element) {
  if (const Tensor *tensor = fill.get<Tensor>()) {
    if (tensor->type.isBlock())
      return emit.error("full takes a scalar value, not " + fill.describe());
    return castToElement(emit, *tensor, element);
  }
  if (!fill.isNumber())
    return emit.error("full takes a number, not " + fill.describe());
  if (!element.isPointer())
    return fillConstant(emit, fill, element.scalar);
  FailureOr<Tensor> address = constantOfType(emit, fill, DType::Int64);
  return failed(address) ? address : castPointer(emit, *address, element);
}

static FailureOr<Value> full(Emitter &emit, BoundArguments args) {
  FailureOr<KernelType> element = elementArgument(emit, args[2]);
  if (failed(element))
    return llvm::failure();
  if (!args[0].is<TupleObject>())
    return emit.error("a shape is a tuple such as (64,), not " + args[0].describe());
  auto shape = blockShape(emit, args[0]);
  if (failed(shape))
    return llvm::failure();
  FailureOr<Tensor> scalar = fillValue(emit, args[1], *element);
  if (failed(scalar))
    return llvm::failure();
  return asValue(broadcastTo(emit, *scalar, *shape));
}

/// `fp_downcast_rounding`: None, "rtne" (what happens anyway) or "rtz", for narrowing
/// floats only.
static FailureOr<FloatRounding> roundingArgument(Emitter &emit, const Value &rounding,
                                                 const KernelType &from, const KernelType &to) {
  if (rounding.isNone())
    return FloatRounding::NearestEven;
  const std::string *mode = rounding.get<std::string>();
  if (!mode || (*mode != "rtne" && *mode != "rtz"))
    return emit.error("fp_downcast_rounding is \"rtne\" or \"rtz\", not " + rounding.describe());
  if (!from.isFloat() || !to.isFloat() || from.scalar.bits() <= to.scalar.bits())
    return emit.error("fp_downcast_rounding is for conversions to a narrower float, not for " +
                      from.str() + " to " + to.str());
  return *mode == "rtz" ? FloatRounding::TowardZero : FloatRounding::NearestEven;
}

static FailureOr<Value> cast(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = toTensor(emit, args[0]);
  const TypeObject *object = args[1].get<TypeObject>();
  if (failed(value))
    return llvm::failure();
  if (!object || object->type.scalar == DType::Void)
    return emit.error(notADType(args[1]));
  // A block type stands for its element.
  KernelType element = object->type.isBlock() ? object->type.withShape({}) : object->type;
  if (isTruthy(args[3]))
    return asValue(bitcastTo(emit, *value, element.withShape(value->type.shape)));
  if (value->type.withShape({}) == element)
    return Value(*value);
  FailureOr<FloatRounding> rounding = roundingArgument(emit, args[2], value->type, element);
  if (failed(rounding))
    return llvm::failure();
  if (element.isPointer() || value->type.isPointer())
    return asValue(castToElement(emit, *value, element));
  return asValue(castTo(emit, *value, element.scalar, *rounding));
}

static FailureOr<Value> asTensor(Emitter &emit, BoundArguments args) {
  return asValue(toTensor(emit, args[0]));
}

static constexpr Parameter kRange[] = {{"start"}, {"end"}};
static constexpr Parameter kFull[] = {{"shape"}, {"value"}, {"dtype"}};
static constexpr Parameter kCast[] = {
    {"input"}, {"dtype"}, {"fp_downcast_rounding", Default::None}, {"bitcast", Default::False}};
static constexpr Parameter kX[] = {{"x"}};

llvm::ArrayRef<Builtin> tessera::creationBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.arange", kRange, arange},
      {"triton.language.full", kFull, full},
      {"triton.language.cast", kCast, cast, true},
      {"triton.language.to_tensor", kX, asTensor},
  };
  return rows;
}
