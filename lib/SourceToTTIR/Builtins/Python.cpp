//===- Python.cpp - Python's own functions that kernels use ---------------===//
// len, int, float, list, isinstance, getattr, hasattr, min and max, and functions
// of the math module, on compile-time values; min and max also on tensors
// (docs/language.md#pythons-functions).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "llvm/ADT/StringExtras.h"
#include "../Operators/Semantics.h"
#include <cmath>

using namespace tessera;

static FailureOr<Value> length(Emitter &emit, BoundArguments args) {
  if (const TupleObject *tuple = args[0].get<TupleObject>())
    return Value(PythonInt(tuple->elements->size()));
  if (const std::string *text = args[0].get<std::string>())
    return Value(PythonInt(text->size()));
  if (const DictObject *dict = args[0].get<DictObject>())
    return Value(PythonInt(dict->items->size()));
  const Tensor *tensor = args[0].get<Tensor>();
  return emit.error("len takes a tuple or a string, not " + args[0].describe() +
                    (!tensor ? ""
                     : !tensor->type.shape.empty()
                         ? "; x.shape is a tuple of its extents"
                         : "; pass the number of elements as an argument"));
}

/// int("12"), int("ff", 16); nothing if the text is no such number.
static std::optional<PythonInt> parseInt(llvm::StringRef digits, unsigned base) {
  digits = digits.trim();
  bool isNegative = digits.consume_front("-");
  if (!isNegative)
    digits.consume_front("+");
  auto isDigit = [&](char c) {
    unsigned digit = llvm::isDigit(c)   ? c - '0'
                     : llvm::isAlpha(c) ? llvm::toLower(c) - 'a' + 10
                                        : 99;
    return digit < base;
  };
  bool fits = !digits.empty() && digits.size() <= PythonInt::kMaxBits / 8;
  if (!fits || !llvm::all_of(digits, isDigit))
    return std::nullopt;
  PythonInt value = PythonInt::parse(digits, base);
  return isNegative ? -value : value;
}

static FailureOr<Value> toInt(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> base = args[1].asInt();
  if (!args[1].isNone() && (!base || !base->fitsSigned(8) || base->toInt64() < 2 ||
                            base->toInt64() > 36 || !args[0].is<std::string>()))
    return emit.error("int takes a string and a base from 2 to 36, not " + args[0].describe() +
                      " and " + args[1].describe());
  if (std::optional<PythonInt> number = args[0].asInt())
    return Value(*number);
  if (const std::string *text = args[0].get<std::string>())
    if (std::optional<PythonInt> value = parseInt(*text, base ? base->toInt64() : 10))
      return Value(*value);
  if (const double *number = args[0].get<double>())
    if (std::optional<PythonInt> truncated = PythonInt::fromDouble(*number))
      return Value(*truncated);
  return emit.error("int takes a compile-time number, not " + args[0].describe() +
                    (args[0].isTensor() ? "; convert with .to(tl.int32)" : ""));
}

static FailureOr<Value> toFloat(Emitter &emit, BoundArguments args) {
  if (std::optional<double> number = args[0].asDouble())
    return Value(*number);
  if (const std::string *text = args[0].get<std::string>()) {
    llvm::StringRef trimmed = llvm::StringRef(*text).trim();
    double number = 0;
    std::string lower = trimmed.lower();
    llvm::StringRef magnitude = lower;
    bool isNegative = magnitude.consume_front("-");
    if (!isNegative)
      magnitude.consume_front("+");
    if (magnitude == "inf" || magnitude == "infinity")
      return Value(isNegative ? -HUGE_VAL : HUGE_VAL);
    if (magnitude == "nan")
      return Value(std::nan(""));
    if (!trimmed.getAsDouble(number))
      return Value(number);
  }
  return emit.error("float takes a compile-time number, not " + args[0].describe() +
                    (args[0].isTensor() ? "; convert with .to(tl.float32)" : ""));
}

/// Folds left to right; numbers by comparison, tensors through tl.minimum or tl.maximum.
static FailureOr<Value> foldExtremum(Emitter &emit, BoundArguments args, llvm::StringRef function,
                                     CompareOp better) {
  const std::vector<Value> &operands = *args[0].get<TupleObject>()->elements;
  bool hasTensor = llvm::any_of(operands, [](const Value &value) { return value.isTensor(); });
  if (operands.empty() || (operands.size() < 2 && !operands[0].isNumber()))
    return emit.error(llvm::Twine("min and max take two operands or more here") +
                      (hasTensor ? "; tl.min(x, axis) and tl.max(x, axis) reduce a tensor" : ""));
  if (!hasTensor && !args[1].isNone())
    return emit.error("propagate_nan is for run-time operands of min and max");
  for (const Value &operand : operands)
    if (!operand.isTensor() && !operand.isNumber())
      return emit.error("min and max take numbers and tensors, not " + operand.describe());
  std::optional<Value> tensorFunction = lookupModuleAttribute("triton.language", function);
  Value propagation = args[1].isNone() ? Value(EnumObject{"PropagateNan", "NONE"}) : args[1];
  Value best = operands[0];
  for (const Value &candidate : llvm::drop_begin(operands)) {
    if (hasTensor) {
      FailureOr<Value> result = tensorFunction->get<BuiltinObject>()->builtin->handler(
          emit, {best, candidate, propagation});
      if (failed(result))
        return llvm::failure();
      best = *result;
      continue;
    }
    // Python's answer would depend on the order of the operands.
    auto isUnordered = [](const Value &value) {
      double number = value.asDouble().value_or(1);
      return std::isnan(number) || (number == 0 && std::signbit(number));
    };
    if (isUnordered(best) || isUnordered(candidate))
      return emit.error("min and max of a compile-time NaN or -0.0; tl.minimum and tl.maximum "
                        "define it");
    FailureOr<Value> isBetter = foldCompare(emit, better, candidate, best);
    if (failed(isBetter))
      return llvm::failure();
    if (isTruthy(*isBetter))
      best = candidate;
  }
  return best;
}

static FailureOr<Value> toList(Emitter &emit, BoundArguments args) {
  if (const TupleObject *tuple = args[0].get<TupleObject>())
    return Value(TupleObject{tuple->elements, nullptr});
  if (args[0].isNone())
    return makeTuple({});
  return emit.error("list takes a tuple, not " + args[0].describe());
}

static FailureOr<Value> isInstanceOf(Emitter &emit, BoundArguments args) {
  FailureOr<bool> result = isInstance(emit, args[0], args[1]);
  if (failed(result))
    return llvm::failure();
  return Value(*result);
}

/// The attribute, if the value has one; its absence is no error.
static std::optional<Value> findAttribute(Emitter &emit, const Value &value, llvm::StringRef name) {
  DiagnosticEngine ignored;
  Emitter quiet(emit.context(), ignored);
  quiet.file = emit.file;
  quiet.range = emit.range;
  quiet.target = emit.target;
  quiet.modules = emit.modules;
  FailureOr<Value> attribute = readAttribute(quiet, value, name);
  return succeeded(attribute) ? std::optional<Value>(*attribute) : std::nullopt;
}

static FailureOr<std::string> attributeName(Emitter &emit, const Value &value) {
  if (const std::string *name = value.get<std::string>())
    return *name;
  return emit.error("getattr and hasattr take a string, not " + value.describe());
}

/// `x.T` is computed when it is read, so it cannot be looked for.
static bool isTransposition(const Value &value, llvm::StringRef name) {
  return name == "T" && value.isTensor() && value.get<Tensor>()->type.shape.size() == 2;
}

static FailureOr<Value> hasAttribute(Emitter &emit, BoundArguments args) {
  FailureOr<std::string> name = attributeName(emit, args[1]);
  if (failed(name))
    return llvm::failure();
  return Value(isTransposition(args[0], *name) || findAttribute(emit, args[0], *name).has_value());
}

static FailureOr<Value> getAttribute(Emitter &emit, BoundArguments args) {
  FailureOr<std::string> name = attributeName(emit, args[1]);
  if (failed(name))
    return llvm::failure();
  const std::vector<Value> &fallback = *args[2].get<TupleObject>()->elements;
  if (fallback.size() > 1)
    return emit.error("getattr takes an object, a name and a default");
  if (fallback.empty() || isTransposition(args[0], *name))
    return readAttribute(emit, args[0], *name);
  return findAttribute(emit, args[0], *name).value_or(fallback[0]);
}

static FailureOr<Value> smallest(Emitter &emit, BoundArguments args) {
  return foldExtremum(emit, args, "minimum", CompareOp::Lt);
}
static FailureOr<Value> largest(Emitter &emit, BoundArguments args) {
  return foldExtremum(emit, args, "maximum", CompareOp::Gt);
}

/// A function of Python's math module on a compile-time number.
template <auto Function> static FailureOr<Value> mathFunction(Emitter &emit, BoundArguments args) {
  std::optional<double> x = args[0].asDouble();
  if (!x)
    return emit.error(
        "math functions take compile-time numbers, not " + args[0].describe() +
        (args[0].isTensor() ? "; tl has functions of the same names for tensors" : ""));
  double result = Function(*x);
  bool isOutside =
      (std::isnan(result) && !std::isnan(*x)) || (std::isinf(result) && !std::isinf(*x));
  if (isOutside)
    return emit.error("this math function has no finite value for " + args[0].describe());
  return Value(result);
}

/// math.floor, math.ceil and math.trunc give ints.
template <auto Function> static FailureOr<Value> mathRounding(Emitter &emit, BoundArguments args) {
  if (std::optional<PythonInt> number = args[0].asInt())
    return Value(*number);
  FailureOr<Value> rounded = mathFunction<Function>(emit, args);
  if (failed(rounded))
    return llvm::failure();
  std::optional<PythonInt> number = PythonInt::fromDouble(*rounded->get<double>());
  if (!number)
    return emit.error(args[0].describe() + " has no nearest int");
  return Value(*number);
}

static constexpr Parameter kX[] = {{"x"}};
static constexpr Parameter kInt[] = {{"x"}, {"base", Default::None}};
static constexpr Parameter kOptional[] = {{"x", Default::None}};
static constexpr Parameter kInstance[] = {{"object"}, {"type"}};
static constexpr Parameter kHasAttribute[] = {{"object"}, {"name"}};
static constexpr Parameter kGetAttribute[] = {{"object"}, {"name"}, {"default", Default::Variadic}};
static constexpr Parameter kOperands[] = {{"operands", Default::Variadic},
                                          {"propagate_nan", Default::None}};

llvm::ArrayRef<Builtin> tessera::pythonBuiltins() {
  static constexpr Builtin rows[] = {
      {"builtins.len", kX, length, false, true},
      {"builtins.int", kInt, toInt, false, true},
      {"builtins.float", kX, toFloat, false, true},
      {"builtins.list", kOptional, toList, false, true},
      {"builtins.isinstance", kInstance, isInstanceOf, false, true},
      {"builtins.hasattr", kHasAttribute, hasAttribute, false, true},
      {"builtins.getattr", kGetAttribute, getAttribute, false, true},
      {"builtins.min", kOperands, smallest, false, true},
      {"builtins.max", kOperands, largest, false, true},
      {"math.sqrt", kX, mathFunction<[](double x) { return std::sqrt(x); }>, false, true},
      {"math.exp", kX, mathFunction<[](double x) { return std::exp(x); }>, false, true},
      {"math.exp2", kX, mathFunction<[](double x) { return std::exp2(x); }>, false, true},
      {"math.log", kX, mathFunction<[](double x) { return std::log(x); }>, false, true},
      {"math.log2", kX, mathFunction<[](double x) { return std::log2(x); }>, false, true},
      {"math.log10", kX, mathFunction<[](double x) { return std::log10(x); }>, false, true},
      {"math.sin", kX, mathFunction<[](double x) { return std::sin(x); }>, false, true},
      {"math.cos", kX, mathFunction<[](double x) { return std::cos(x); }>, false, true},
      {"math.tan", kX, mathFunction<[](double x) { return std::tan(x); }>, false, true},
      {"math.tanh", kX, mathFunction<[](double x) { return std::tanh(x); }>, false, true},
      {"math.fabs", kX, mathFunction<[](double x) { return std::fabs(x); }>, false, true},
      {"math.floor", kX, mathRounding<[](double x) { return std::floor(x); }>, false, true},
      {"math.ceil", kX, mathRounding<[](double x) { return std::ceil(x); }>, false, true},
      {"math.trunc", kX, mathRounding<[](double x) { return std::trunc(x); }>, false, true},
  };
  return rows;
}
