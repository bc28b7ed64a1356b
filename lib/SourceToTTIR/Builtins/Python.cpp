//===- Python.cpp - Python's own functions that kernels use ---------------===//
// len, int, float, min and max, on compile-time values; min and max also on
// tensors (spec language.md 1.12).
//===----------------------------------------------------------------------===//
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

static constexpr Parameter kX[] = {{"x"}};
static constexpr Parameter kOperands[] = {{"operands", Default::Variadic}};

llvm::ArrayRef<Builtin> tessera::pythonBuiltins() {
  static constexpr Builtin rows[] = {
      {"builtins.len", kX, length, false, true},
      {"builtins.int", kX, toInt, false, true},
      {"builtins.float", kX, toFloat, false, true},
      {"builtins.min", kOperands, smallest, false, true},
      {"builtins.max", kOperands, largest, false, true},
  };
  return rows;
}
