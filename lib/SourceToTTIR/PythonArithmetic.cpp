//===- PythonArithmetic.cpp - compile-time values computed as Python does -===//
// -7 // 2 is -4 and 7 / 2 is 3.5 here, although the same operators on run-time
// integers truncate: a constant expression must mean what Python says it means.
//===----------------------------------------------------------------------===//
#include "Semantics.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace tessera;

llvm::StringRef tessera::spelling(BinaryOp op) {
  static constexpr llvm::StringLiteral names[] = {"+",  "-",  "*", "/", "//", "%", "**",
                                                  "<<", ">>", "&", "|", "^",  "@"};
  return names[static_cast<int>(op)];
}

llvm::StringRef tessera::spelling(CompareOp op) {
  static constexpr llvm::StringLiteral names[] = {"<", "<=", ">", ">=", "==", "!="};
  return names[static_cast<int>(op)];
}

bool tessera::isTruthy(const Value &value) {
  if (value.isNone())
    return false;
  if (std::optional<PythonInt> number = value.asInt())
    return !number->isZero();
  if (const double *number = value.get<double>())
    return *number != 0;
  if (const std::string *text = value.get<std::string>())
    return !text->empty();
  if (const TupleObject *tuple = value.get<TupleObject>())
    return !tuple->elements->empty();
  return true;
}

static std::optional<PythonInt> foldInts(BinaryOp op, const PythonInt &a, const PythonInt &b) {
  switch (op) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Sub:
    return a - b;
  case BinaryOp::Mul:
    return a.mul(b);
  case BinaryOp::FloorDiv:
    return a.floorDiv(b);
  case BinaryOp::Mod:
    return a.mod(b);
  case BinaryOp::Pow:
    return a.pow(b);
  case BinaryOp::LShift:
    return a.shiftLeft(b);
  case BinaryOp::RShift:
    return a.shiftRight(b);
  case BinaryOp::And:
    return a & b;
  case BinaryOp::Or:
    return a | b;
  case BinaryOp::Xor:
    return a ^ b;
  default:
    return std::nullopt;
  }
}

namespace {
struct Division {
  double quotient, rest;
};
} // namespace

/// Python's // and % of floats: the remainder is exact and has the divisor's
/// sign, and the quotient goes with it, so that 1.0 // 0.1 is 9.0.
static Division floorDivide(double a, double b) {
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest == 0) {
    rest = std::copysign(0.0, b);
  } else if ((rest < 0) != (b < 0)) {
    rest += b;
    quotient -= 1;
  }
  if (quotient == 0)
    return {std::copysign(0.0, a / b), rest};
  double rounded = std::floor(quotient);
  return {quotient - rounded > 0.5 ? rounded + 1 : rounded, rest};
}

/// a / b of integers, rounded once: beyond 2^53 the operands are no doubles.
static std::optional<double> divideInts(const PythonInt &a, const PythonInt &b) {
  if (a.fitsSigned(54) && b.fitsSigned(54))
    return a.toDouble() / b.toDouble();
  // 113 bits on the way leave the double's rounding right but for ties no one meets.
  auto wide = [](const PythonInt &number) {
    llvm::APFloat value(llvm::APFloat::IEEEquad());
    value.convertFromAPInt(number.toAPInt(PythonInt::kMaxBits + 1), /*IsSigned=*/true,
                           llvm::APFloat::rmNearestTiesToEven);
    return value;
  };
  llvm::APFloat quotient = wide(a);
  quotient.divide(wide(b), llvm::APFloat::rmNearestTiesToEven);
  bool losesInfo = false;
  quotient.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  double result = quotient.convertToDouble();
  return std::isfinite(result) ? std::optional<double>(result) : std::nullopt;
}

static std::optional<double> foldFloats(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Sub:
    return a - b;
  case BinaryOp::Mul:
    return a * b;
  case BinaryOp::TrueDiv:
    return b == 0 ? std::nullopt : std::optional<double>(a / b);
  case BinaryOp::FloorDiv:
    return b == 0 ? std::nullopt : std::optional<double>(floorDivide(a, b).quotient);
  case BinaryOp::Mod:
    return b == 0 ? std::nullopt : std::optional<double>(floorDivide(a, b).rest);
  case BinaryOp::Pow: {
    // 0.0 ** -1 and (-8) ** 0.5 have no float; an overflow is an error in Python.
    double power = std::pow(a, b);
    bool fails = (std::isinf(power) && std::isfinite(a) && std::isfinite(b)) ||
                 (std::isnan(power) && !std::isnan(a) && !std::isnan(b));
    return fails ? std::nullopt : std::optional<double>(power);
  }
  default:
    return std::nullopt;
  }
}

static bool isDivision(BinaryOp op) {
  return op == BinaryOp::TrueDiv || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}

static FailureOr<Value> repeatTuple(Emitter &emit, const TupleObject &tuple,
                                    const PythonInt &count) {
  constexpr int64_t kMaxElements = 1 << 16;
  int64_t size = tuple.elements->size();
  if (count.isNegative() || size == 0)
    return makeTuple({});
  if (!count.fitsSigned(32) || count.toInt64() * size > kMaxElements)
    return emit.error("a tuple of more than " + llvm::Twine(kMaxElements) + " elements");
  std::vector<Value> elements;
  for (int64_t i = 0; i < count.toInt64(); ++i)
    elements.insert(elements.end(), tuple.elements->begin(), tuple.elements->end());
  return makeTuple(std::move(elements));
}

FailureOr<Value> tessera::foldBinary(Emitter &emit, BinaryOp op, const Value &lhs,
                                     const Value &rhs) {
  const TupleObject *leftTuple = lhs.get<TupleObject>(), *rightTuple = rhs.get<TupleObject>();
  if (op == BinaryOp::Add && leftTuple && rightTuple) {
    std::vector<Value> joined = *leftTuple->elements;
    joined.insert(joined.end(), rightTuple->elements->begin(), rightTuple->elements->end());
    return makeTuple(std::move(joined));
  }
  if (op == BinaryOp::Mul && (leftTuple || rightTuple) && (lhs.asInt() || rhs.asInt()))
    return repeatTuple(emit, leftTuple ? *leftTuple : *rightTuple,
                       leftTuple ? *rhs.asInt() : *lhs.asInt());
  const std::string *leftText = lhs.get<std::string>(), *rightText = rhs.get<std::string>();
  if (op == BinaryOp::Add && leftText && rightText)
    return Value(*leftText + *rightText);
  if (!lhs.isNumber() || !rhs.isNumber())
    return emit.error("operator '" + spelling(op) + "' does not take " + lhs.describe() + " and " +
                      rhs.describe());

  std::optional<PythonInt> leftInt = lhs.asInt(), rightInt = rhs.asInt();
  bool negativePower = op == BinaryOp::Pow && rightInt && rightInt->isNegative();
  if (isDivision(op) && *rhs.asDouble() == 0)
    return emit.error("division of a compile-time value by zero");
  if (leftInt && rightInt && op != BinaryOp::TrueDiv && !negativePower) {
    bool isLogic = op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
    std::optional<PythonInt> result = foldInts(op, *leftInt, *rightInt);
    if (!result)
      return emit.error("operator '" + spelling(op) + "' cannot be evaluated for " +
                        lhs.describe() + " and " + rhs.describe());
    if (isLogic && lhs.is<bool>() && rhs.is<bool>())
      return Value(!result->isZero());
    return Value(*result);
  }
  std::optional<double> result;
  if (leftInt && rightInt && op == BinaryOp::TrueDiv)
    result = divideInts(*leftInt, *rightInt);
  else
    result = foldFloats(op, *lhs.asDouble(), *rhs.asDouble());
  if (!result && op == BinaryOp::Pow)
    return emit.error("operator '**' has no real result for " + lhs.describe() + " and " +
                      rhs.describe());
  if (!result)
    return emit.error("operator '" + spelling(op) + "' does not take " + lhs.describe() + " and " +
                      rhs.describe());
  return Value(*result);
}

/// -1, 0, 1; nothing when unordered (a NaN).
static std::optional<int> order(const Value &lhs, const Value &rhs) {
  std::optional<PythonInt> a = lhs.asInt(), b = rhs.asInt();
  if (a && b)
    return a->compare(*b);
  double x = *lhs.asDouble(), y = *rhs.asDouble();
  // An int beyond 2^53 is compared exactly, not as the double next to it.
  if (a && std::isfinite(y) && !a->fitsSigned(54))
    return a->compare(*PythonInt::fromDouble(y));
  if (b && std::isfinite(x) && !b->fitsSigned(54))
    return PythonInt::fromDouble(x)->compare(*b);
  if (std::isnan(x) || std::isnan(y))
    return std::nullopt;
  return x < y ? -1 : x == y ? 0 : 1;
}

/// Python's == of compile-time values; different kinds are simply unequal.
static bool isEqual(const Value &lhs, const Value &rhs) {
  if (lhs.isNumber() && rhs.isNumber())
    return order(lhs, rhs) == 0;
  if (lhs.get().index() != rhs.get().index())
    return false;
  if (const std::string *text = lhs.get<std::string>())
    return *text == *rhs.get<std::string>();
  if (const TypeObject *type = lhs.get<TypeObject>())
    return type->type == rhs.get<TypeObject>()->type;
  if (const BuiltinObject *object = lhs.get<BuiltinObject>())
    return object->builtin == rhs.get<BuiltinObject>()->builtin;
  if (const JitObject *object = lhs.get<JitObject>())
    return object->function == rhs.get<JitObject>()->function;
  if (const EnumObject *member = lhs.get<EnumObject>())
    return member->type == rhs.get<EnumObject>()->type &&
           member->member == rhs.get<EnumObject>()->member;
  if (const ModuleObject *module = lhs.get<ModuleObject>())
    return module->path == rhs.get<ModuleObject>()->path;
  if (const ClassObject *object = lhs.get<ClassObject>())
    return object->type == rhs.get<ClassObject>()->type;
  if (const TupleObject *tuple = lhs.get<TupleObject>()) {
    const TupleObject *other = rhs.get<TupleObject>();
    return tuple->elements->size() == other->elements->size() &&
           std::equal(tuple->elements->begin(), tuple->elements->end(), other->elements->begin(),
                      isEqual);
  }
  return lhs.isNone() || lhs.is<EllipsisObject>();
}

FailureOr<Value> tessera::foldCompare(Emitter &emit, CompareOp op, const Value &lhs,
                                      const Value &rhs) {
  if (op == CompareOp::Eq)
    return Value(isEqual(lhs, rhs));
  if (op == CompareOp::Ne)
    return Value(!isEqual(lhs, rhs));
  if (!lhs.isNumber() || !rhs.isNumber())
    return emit.error("operator '" + spelling(op) + "' does not take " + lhs.describe() + " and " +
                      rhs.describe());
  std::optional<int> sign = order(lhs, rhs);
  if (!sign)
    return Value(false);
  switch (op) {
  case CompareOp::Lt:
    return Value(*sign < 0);
  case CompareOp::Le:
    return Value(*sign <= 0);
  case CompareOp::Gt:
    return Value(*sign > 0);
  default:
    return Value(*sign >= 0);
  }
}

FailureOr<Value> tessera::foldUnary(Emitter &emit, UnaryOp op, const Value &operand) {
  if (op == UnaryOp::Not)
    return Value(!isTruthy(operand));
  if (std::optional<PythonInt> number = operand.asInt()) {
    if (op == UnaryOp::Neg)
      return Value(-*number);
    return Value(op == UnaryOp::Invert ? ~*number : *number);
  }
  if (const double *number = operand.get<double>(); number && op != UnaryOp::Invert)
    return Value(op == UnaryOp::Neg ? -*number : *number);
  llvm::StringRef sign = op == UnaryOp::Neg ? "-" : op == UnaryOp::Pos ? "+" : "~";
  return emit.error("unary '" + sign + "' does not take " + operand.describe());
}
