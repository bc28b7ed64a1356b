//===- MathFunctions.cpp - the rest of Python's math module ---------------===//
// On compile-time numbers. Functions of floats are the C library's, as CPython's
// are; functions of ints are exact.
//===----------------------------------------------------------------------===//
#include "HostValues.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace tessera;

static const std::vector<Value> &variadic(const Value &value) {
  return *value.get<TupleObject>()->elements;
}

static FailureOr<double> number(Emitter &emit, const Value &value) {
  if (std::optional<double> result = value.asDouble())
    return *result;
  return emit.error("math functions take compile-time numbers, not " + value.describe() +
                    (value.isTensor() ? "; tl has functions of the same names for tensors" : ""));
}

static FailureOr<PythonInt> integer(Emitter &emit, const Value &value) {
  if (std::optional<PythonInt> result = value.asInt())
    return *result;
  return emit.error("expected a compile-time int, got " + value.describe());
}

template <auto Function> static FailureOr<Value> ofOne(Emitter &emit, BoundArguments args) {
  FailureOr<double> x = number(emit, args[0]);
  if (failed(x))
    return llvm::failure();
  double result = Function(*x);
  if ((std::isnan(result) && !std::isnan(*x)) || (std::isinf(result) && !std::isinf(*x)))
    return emit.error("this math function has no finite value for " + args[0].describe());
  return Value(result);
}

template <auto Function> static FailureOr<Value> ofTwo(Emitter &emit, BoundArguments args) {
  FailureOr<double> x = number(emit, args[0]), y = failed(x) ? x : number(emit, args[1]);
  if (failed(x) || failed(y))
    return llvm::failure();
  double result = Function(*x, *y);
  bool isFinite = std::isfinite(*x) && std::isfinite(*y);
  if (isFinite && !std::isfinite(result))
    return emit.error("this math function has no finite value for " + args[0].describe() + " and " +
                      args[1].describe());
  return Value(result);
}

template <auto Predicate> static FailureOr<Value> ask(Emitter &emit, BoundArguments args) {
  FailureOr<double> x = number(emit, args[0]);
  if (failed(x))
    return llvm::failure();
  return Value(bool(Predicate(*x)));
}

/// log(x) or log(x, base).
static FailureOr<Value> logarithm(Emitter &emit, BoundArguments args) {
  FailureOr<Value> result = ofOne<[](double x) { return std::log(x); }>(emit, args);
  if (failed(result) || args[1].isNone())
    return result;
  FailureOr<Value> base = ofOne<[](double x) { return std::log(x); }>(emit, {args[1]});
  if (failed(base))
    return base;
  return foldBinary(emit, BinaryOp::TrueDiv, *result, *base);
}

static PythonInt magnitude(const PythonInt &x) { return x.isNegative() ? -x : x; }

static PythonInt gcdOf(PythonInt a, PythonInt b) {
  while (!b.isZero())
    a = std::exchange(b, *a.mod(b));
  return magnitude(a);
}

static FailureOr<Value> gcd(Emitter &emit, BoundArguments args) {
  PythonInt result(0);
  for (const Value &value : variadic(args[0])) {
    FailureOr<PythonInt> x = integer(emit, value);
    if (failed(x))
      return llvm::failure();
    result = gcdOf(result, *x);
  }
  return Value(result);
}

static FailureOr<Value> lcm(Emitter &emit, BoundArguments args) {
  PythonInt result(1);
  for (const Value &value : variadic(args[0])) {
    FailureOr<PythonInt> x = integer(emit, value);
    if (failed(x))
      return llvm::failure();
    if (x->isZero())
      return Value(PythonInt(0));
    std::optional<PythonInt> product = result.floorDiv(gcdOf(result, *x))->mul(magnitude(*x));
    if (!product)
      return emit.budget.error("this integer is too large to compute with");
    result = *product;
  }
  return Value(result);
}

/// The integer square root, by Newton's method from above.
static FailureOr<Value> isqrt(Emitter &emit, BoundArguments args) {
  FailureOr<PythonInt> n = integer(emit, args[0]);
  if (failed(n))
    return llvm::failure();
  if (n->isNegative())
    return emit.error("isqrt takes an int that is not negative");
  PythonInt guess = *PythonInt(1).shiftLeft(PythonInt(n->bitLength() / 2 + 1));
  while (!n->isZero()) {
    PythonInt next = *(guess + *n->floorDiv(guess)).shiftRight(PythonInt(1));
    if (next.compare(guess) >= 0)
      return Value(guess);
    guess = next;
  }
  return Value(PythonInt(0));
}

static FailureOr<Value> factorial(Emitter &emit, BoundArguments args) {
  FailureOr<PythonInt> n = integer(emit, args[0]);
  if (failed(n))
    return llvm::failure();
  if (n->isNegative() || !n->fitsSigned(16))
    return emit.error("factorial of " + n->str());
  std::optional<PythonInt> result = PythonInt(1);
  for (int64_t i = 2; result && i <= n->toInt64(); ++i)
    result = result->mul(PythonInt(i));
  if (!result)
    return emit.budget.error("this integer is too large to compute with");
  return Value(*result);
}

static FailureOr<Value> combinations(Emitter &emit, BoundArguments args) {
  FailureOr<PythonInt> n = integer(emit, args[0]), k = failed(n) ? n : integer(emit, args[1]);
  if (failed(n) || failed(k))
    return llvm::failure();
  if (n->isNegative() || k->isNegative() || !n->fitsSigned(16))
    return emit.error("comb takes ints that are small and not negative");
  if (k->compare(*n) > 0)
    return Value(PythonInt(0));
  std::optional<PythonInt> result = PythonInt(1);
  for (int64_t i = 1; result && i <= k->toInt64(); ++i) {
    result = result->mul(*n - PythonInt(i - 1));
    result = result ? result->floorDiv(PythonInt(i)) : result;
  }
  if (!result)
    return emit.budget.error("this integer is too large to compute with");
  return Value(*result);
}

static FailureOr<Value> product(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  FailureOr<Value> result = args[1];
  if (failed(items))
    return llvm::failure();
  for (const Value &item : *items) {
    if (!item.isNumber())
      return emit.error("math.prod takes compile-time numbers, not " + item.describe());
    result = foldBinary(emit, BinaryOp::Mul, *result, item);
    if (failed(result))
      return llvm::failure();
  }
  return result;
}

static constexpr Parameter kX[] = {{"x"}};
static constexpr Parameter kXY[] = {{"x"}, {"y"}};
static constexpr Parameter kLog[] = {{"x"}, {"base", Default::None}};
static constexpr Parameter kInts[] = {{"integers", Default::Variadic}};
static constexpr Parameter kProduct[] = {{"iterable"}, {"start", Default::One}};

#define ONE(name, function)                                                                        \
  {"math." name, kX, ofOne<[](double x) { return std::function(x); }>, false, true}
#define TWO(name, function)                                                                        \
  {"math." name, kXY, ofTwo<[](double x, double y) { return std::function(x, y); }>, false, true}
#define ASK(name, function)                                                                        \
  {"math." name, kX, ask<[](double x) { return std::function(x); }>, false, true}

llvm::ArrayRef<Builtin> tessera::mathFunctions() {
  static constexpr Builtin rows[] = {
      {"math.log", kLog, logarithm, false, true},
      ONE("log1p", log1p),
      ONE("expm1", expm1),
      ONE("asin", asin),
      ONE("acos", acos),
      ONE("atan", atan),
      ONE("sinh", sinh),
      ONE("cosh", cosh),
      ONE("asinh", asinh),
      ONE("acosh", acosh),
      ONE("atanh", atanh),
      ONE("erf", erf),
      ONE("erfc", erfc),
      ONE("cbrt", cbrt),
      {"math.degrees", kX, ofOne<[](double x) { return x * (180.0 / M_PI); }>, false, true},
      {"math.radians", kX, ofOne<[](double x) { return x * (M_PI / 180.0); }>, false, true},
      TWO("pow", pow),
      TWO("atan2", atan2),
      TWO("fmod", fmod),
      TWO("hypot", hypot),
      TWO("copysign", copysign),
      TWO("remainder", remainder),
      ASK("isnan", isnan),
      ASK("isinf", isinf),
      ASK("isfinite", isfinite),
      {"math.gcd", kInts, gcd, false, true},
      {"math.lcm", kInts, lcm, false, true},
      {"math.isqrt", kX, isqrt, false, true},
      {"math.factorial", kX, factorial, false, true},
      {"math.comb", kXY, combinations, false, true},
      {"math.prod", kProduct, product, false, true},
  };
  return rows;
}
