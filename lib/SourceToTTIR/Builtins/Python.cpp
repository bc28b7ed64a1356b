//===- Python.cpp - Python's own functions that kernels use ---------------===//
// len, int, float, min and max, and functions of the math module, on
// compile-time values; min and max also on tensors (spec language.md 1.12).
//===----------------------------------------------------------------------===//
#include "llvm/ADT/StringExtras.h"
#include "../Builtins.h"
#include "../Semantics.h"
#include <cmath>

using namespace tessera;

static FailureOr<Value> length(Emitter &emit, BoundArguments args) {
  if (const TupleObject *tuple = args[0].get<TupleObject>())
    return Value(PythonInt(tuple->elements->size()));
  if (const std::string *text = args[0].get<std::string>())
    return Value(PythonInt(text->size()));
  return emit.error("len takes a tuple or a string, not " + args[0].describe());
}

static FailureOr<Value> toInt(Emitter &emit, BoundArguments args) {
  if (std::optional<PythonInt> number = args[0].asInt())
    return Value(*number);
  if (const std::string *text = args[0].get<std::string>()) {
    llvm::StringRef digits = llvm::StringRef(*text).trim();
    bool isNegative = digits.consume_front("-");
    if (!isNegative)
      digits.consume_front("+");
    if (!digits.empty() && digits.size() <= PythonInt::kMaxBits / 4 &&
        llvm::all_of(digits, llvm::isDigit)) {
      PythonInt value = PythonInt::parse(digits, 10);
      return Value(isNegative ? -value : value);
    }
  }
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
  if (operands.size() < 2)
    return emit.error("min and max take two operands or more here");
  std::optional<Value> tensorFunction = lookupModuleAttribute("triton.language", function);
  Value best = operands[0];
  for (const Value &candidate : llvm::drop_begin(operands)) {
    if (best.isTensor() || candidate.isTensor()) {
      FailureOr<Value> result =
          tensorFunction->get<BuiltinObject>()->builtin->handler(emit, {best, candidate});
      if (failed(result))
        return llvm::failure();
      best = *result;
      continue;
    }
    // Python's answer would depend on the order of the operands.
    if (std::isnan(best.asDouble().value_or(0)) || std::isnan(candidate.asDouble().value_or(0)))
      return emit.error("min and max of a compile-time NaN; tl.minimum and tl.maximum define it");
    FailureOr<Value> isBetter = foldCompare(emit, better, candidate, best);
    if (failed(isBetter))
      return llvm::failure();
    if (isTruthy(*isBetter))
      best = candidate;
  }
  return best;
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
static constexpr Parameter kOperands[] = {{"operands", Default::Variadic}};

llvm::ArrayRef<Builtin> tessera::pythonBuiltins() {
  static constexpr Builtin rows[] = {
      {"builtins.len", kX, length, false, true},
      {"builtins.int", kX, toInt, false, true},
      {"builtins.float", kX, toFloat, false, true},
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
