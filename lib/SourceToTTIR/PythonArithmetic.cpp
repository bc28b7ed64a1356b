//===- PythonArithmetic.cpp - compile-time values computed as Python does -===//
// -7 // 2 is -4 and 7 / 2 is 3.5 here, although the same operators on run-time
// integers truncate: a constant expression must mean what Python says it means.
//===----------------------------------------------------------------------===//
#include "Semantics.h"
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
    return b == 0 ? std::nullopt : std::optional<double>(std::floor(a / b));
  case BinaryOp::Mod: {
    if (b == 0)
      return std::nullopt;
    double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  case BinaryOp::Pow:
    return std::pow(a, b);
  default:
    return std::nullopt;
  }
}

static bool isDivision(BinaryOp op) {
  return op == BinaryOp::TrueDiv || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}

FailureOr<Value> tessera::foldBinary(Emitter &emit, BinaryOp op, const Value &lhs,
                                     const Value &rhs) {
  const TupleObject *leftTuple = lhs.get<TupleObject>(), *rightTuple = rhs.get<TupleObject>();
  if (op == BinaryOp::Add && leftTuple && rightTuple) {
    std::vector<Value> joined = *leftTuple->elements;
    joined.insert(joined.end(), rightTuple->elements->begin(), rightTuple->elements->end());
    return makeTuple(std::move(joined));
  }
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
  std::optional<double> result = foldFloats(op, *lhs.asDouble(), *rhs.asDouble());
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
