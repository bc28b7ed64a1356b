//===- PythonArithmetic.cpp - compile-time values computed as Python does -===//
// -7 // 2 is -4 and 7 / 2 is 3.5 here, although the same operators on run-time
// integers truncate: a constant expression must mean what Python says it means.
//===----------------------------------------------------------------------===//
#include "PythonText.h"
#include "Semantics.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
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
  if (const ListObject *list = value.get<ListObject>())
    return !list->elements->empty();
  if (const SetObject *set = value.get<SetObject>())
    return !set->elements->empty();
  if (const DictObject *dict = value.get<DictObject>())
    return !dict->items->empty();
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

/// The elements of a tuple or a list; null for anything else.
static const std::vector<Value> *sequenceOf(const Value &value) {
  if (const TupleObject *tuple = value.get<TupleObject>())
    return tuple->elements.get();
  const ListObject *list = value.get<ListObject>();
  return list ? list->elements.get() : nullptr;
}

/// A sequence of the same kind as `model`.
static Value sequenceLike(const Value &model, std::vector<Value> elements) {
  return model.is<ListObject>() ? makeList(std::move(elements)) : makeTuple(std::move(elements));
}

/// `count` copies of a sequence or a text.
static FailureOr<Value> repeat(Emitter &emit, const Value &value, const PythonInt &count) {
  const std::vector<Value> *sequence = sequenceOf(value);
  const std::string *text = value.get<std::string>();
  int64_t size = sequence ? sequence->size() : text->size();
  int64_t limit = sequence ? kMaxElements : kMaxTextBytes;
  if (count.isNegative() || size == 0)
    return sequence ? sequenceLike(value, {}) : Value(std::string());
  if (!count.fitsSigned(32) || count.toInt64() * size > limit)
    return emit.budget.error(sequence ? "a tuple of more than " + llvm::Twine(limit) + " elements"
                                      : "a text of more than " + llvm::Twine(limit) + " bytes");
  if (!sequence) {
    std::string result;
    for (int64_t i = 0; i < count.toInt64(); ++i)
      result += *text;
    return Value(result);
  }
  std::vector<Value> elements;
  for (int64_t i = 0; i < count.toInt64(); ++i)
    elements.insert(elements.end(), sequence->begin(), sequence->end());
  return sequenceLike(value, std::move(elements));
}

static FailureOr<Value> concatenate(Emitter &emit, const Value &lhs, const Value &rhs) {
  std::vector<Value> joined = *sequenceOf(lhs);
  const std::vector<Value> &more = *sequenceOf(rhs);
  if (joined.size() + more.size() > kMaxElements)
    return emit.budget.error("a tuple of more than " + llvm::Twine(kMaxElements) + " elements");
  joined.insert(joined.end(), more.begin(), more.end());
  return sequenceLike(lhs, std::move(joined));
}

static FailureOr<Value> foldSets(BinaryOp op, const SetObject &lhs, const SetObject &rhs) {
  std::vector<Value> result;
  for (const Value &element : *lhs.elements) {
    bool isInBoth = containsValue(*rhs.elements, element);
    if (op == BinaryOp::Or || (op == BinaryOp::And) == isInBoth)
      result.push_back(element);
  }
  if (op == BinaryOp::Or || op == BinaryOp::Xor)
    for (const Value &element : *rhs.elements)
      if (!containsValue(*lhs.elements, element))
        result.push_back(element);
  return Value(SetObject{std::make_shared<std::vector<Value>>(std::move(result))});
}

/// Operators of texts, sequences, sets and dicts; nothing if there is none for these.
static std::optional<FailureOr<Value>> foldContainers(Emitter &emit, BinaryOp op, const Value &lhs,
                                                      const Value &rhs) {
  const std::string *leftText = lhs.get<std::string>(), *rightText = rhs.get<std::string>();
  if (op == BinaryOp::Add && leftText && rightText) {
    if (leftText->size() + rightText->size() > kMaxTextBytes)
      return emit.budget.error("this text is too long to compute with");
    return Value(*leftText + *rightText);
  }
  if (op == BinaryOp::Mod && leftText) {
    FailureOr<std::string> text = formatPercent(emit, *leftText, rhs);
    return failed(text) ? FailureOr<Value>(llvm::failure()) : FailureOr<Value>(Value(*text));
  }
  if (op == BinaryOp::Add && sequenceOf(lhs) && sequenceOf(rhs) &&
      lhs.get().index() == rhs.get().index())
    return concatenate(emit, lhs, rhs);
  if (op == BinaryOp::Mul) {
    bool isLeft = leftText || sequenceOf(lhs), isRight = rightText || sequenceOf(rhs);
    if (isLeft && rhs.asInt())
      return repeat(emit, lhs, *rhs.asInt());
    if (isRight && lhs.asInt())
      return repeat(emit, rhs, *lhs.asInt());
  }
  const SetObject *leftSet = lhs.get<SetObject>(), *rightSet = rhs.get<SetObject>();
  if (leftSet && rightSet &&
      (op == BinaryOp::Or || op == BinaryOp::And || op == BinaryOp::Xor || op == BinaryOp::Sub))
    return foldSets(op, *leftSet, *rightSet);
  const DictObject *leftDict = lhs.get<DictObject>(), *rightDict = rhs.get<DictObject>();
  if (op == BinaryOp::Or && leftDict && rightDict) {
    DictObject merged{std::make_shared<std::vector<std::pair<Value, Value>>>(*leftDict->items)};
    for (const auto &[key, value] : *rightDict->items)
      setItem(merged, key, value);
    return Value(merged);
  }
  return std::nullopt;
}

FailureOr<Value> tessera::foldBinary(Emitter &emit, BinaryOp op, const Value &lhs,
                                     const Value &rhs) {
  if (std::optional<FailureOr<Value>> result = foldContainers(emit, op, lhs, rhs))
    return *result;
  if (!lhs.isNumber() || !rhs.isNumber())
    return emit.error("operator '" + spelling(op) + "' does not take " + lhs.describe() + " and " +
                      rhs.describe());

  std::optional<PythonInt> leftInt = lhs.asInt(), rightInt = rhs.asInt();
  bool negativePower = op == BinaryOp::Pow && rightInt && rightInt->isNegative();
  if (isDivision(op) && *rhs.asDouble() == 0)
    return emit.raise("ZeroDivisionError", "division of a compile-time value by zero");
  if (leftInt && rightInt && op != BinaryOp::TrueDiv && !negativePower) {
    bool isLogic = op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
    std::optional<PythonInt> result = foldInts(op, *leftInt, *rightInt);
    if (!result || result->bitWidth() > PythonInt::kMaxBits)
      return emit.budget.error("operator '" + spelling(op) + "' cannot be evaluated for " +
                               lhs.describe() + " and " + rhs.describe());
    if (isLogic && lhs.is<bool>() && rhs.is<bool>())
      return Value(!result->isZero());
    return Value(*result);
  }
  for (const Value *operand : {&lhs, &rhs})
    if (operand->asInt() && std::isinf(*operand->asDouble()) &&
        !(leftInt && rightInt && op == BinaryOp::TrueDiv))
      return emit.error("an int this large is no float");
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

namespace {
/// Python's == of compile-time values; different kinds are simply unequal. Values
/// that share parts could be compared for ever: beyond a limit they count as unequal.
struct Equality {
  size_t steps = 1 << 20;
  unsigned depth = 0;

  bool lists(const std::vector<Value> &lhs, const std::vector<Value> &rhs) {
    if (&lhs == &rhs)
      return true;
    return lhs.size() == rhs.size() &&
           std::equal(lhs.begin(), lhs.end(), rhs.begin(),
                      [&](const Value &a, const Value &b) { return equal(a, b); });
  }

  bool dicts(const DictObject &lhs, const DictObject &rhs) {
    if (lhs.items->size() != rhs.items->size())
      return false;
    return llvm::all_of(*lhs.items, [&](const auto &item) {
      return llvm::any_of(*rhs.items, [&](const auto &other) {
        return equal(item.first, other.first) && equal(item.second, other.second);
      });
    });
  }

  bool sets(const std::vector<Value> &lhs, const std::vector<Value> &rhs) {
    return lhs.size() == rhs.size() && llvm::all_of(lhs, [&](const Value &element) {
             return llvm::any_of(rhs, [&](const Value &other) { return equal(element, other); });
           });
  }

  bool equal(const Value &lhs, const Value &rhs) {
    if (steps == 0 || depth > 200)
      return false;
    --steps;
    ++depth;
    bool result = compareKinds(lhs, rhs);
    --depth;
    return result;
  }

  bool compareKinds(const Value &lhs, const Value &rhs) {
    if (lhs.isNumber() && rhs.isNumber())
      return order(lhs, rhs) == 0;
    if (lhs.get().index() != rhs.get().index())
      return false;
    if (const std::string *text = lhs.get<std::string>())
      return *text == *rhs.get<std::string>();
    if (const TypeObject *type = lhs.get<TypeObject>())
      return type->type == rhs.get<TypeObject>()->type;
    if (const ConstexprTypeObject *type = lhs.get<ConstexprTypeObject>())
      return equal(*type->value, *rhs.get<ConstexprTypeObject>()->value);
    if (const BuiltinObject *object = lhs.get<BuiltinObject>())
      return object->builtin == rhs.get<BuiltinObject>()->builtin;
    if (const HostObject *object = lhs.get<HostObject>()) {
      const HostObject *other = rhs.get<HostObject>();
      return (object->live && object->live == other->live) ||
             (!object->identity.empty() && object->identity == other->identity);
    }
    if (const JitObject *object = lhs.get<JitObject>())
      return object->function == rhs.get<JitObject>()->function;
    if (const FunctionObject *object = lhs.get<FunctionObject>())
      return object->function == rhs.get<FunctionObject>()->function;
    if (const EnumObject *member = lhs.get<EnumObject>())
      return member->type == rhs.get<EnumObject>()->type &&
             member->member == rhs.get<EnumObject>()->member;
    if (const ModuleObject *module = lhs.get<ModuleObject>())
      return module->path == rhs.get<ModuleObject>()->path;
    if (const ClassObject *object = lhs.get<ClassObject>())
      return object->type == rhs.get<ClassObject>()->type;
    if (const TupleObject *tuple = lhs.get<TupleObject>())
      return lists(*tuple->elements, *rhs.get<TupleObject>()->elements);
    if (const ListObject *list = lhs.get<ListObject>())
      return lists(*list->elements, *rhs.get<ListObject>()->elements);
    if (const SetObject *set = lhs.get<SetObject>())
      return sets(*set->elements, *rhs.get<SetObject>()->elements);
    if (const DictObject *dict = lhs.get<DictObject>())
      return dicts(*dict, *rhs.get<DictObject>());
    return lhs.isNone() || lhs.is<EllipsisObject>();
  }
};
} // namespace

bool tessera::isEqual(const Value &lhs, const Value &rhs) { return Equality().equal(lhs, rhs); }

bool tessera::containsValue(const std::vector<Value> &elements, const Value &value) {
  return llvm::any_of(elements, [&](const Value &element) { return isEqual(element, value); });
}

const Value *tessera::findItem(const DictObject &dict, const Value &key) {
  for (const auto &[candidate, value] : *dict.items)
    if (isEqual(candidate, key))
      return &value;
  return nullptr;
}

void tessera::setItem(DictObject &dict, const Value &key, const Value &value) {
  for (auto &[candidate, slot] : *dict.items)
    if (isEqual(candidate, key)) {
      slot = value;
      return;
    }
  dict.items->emplace_back(key, value);
}

/// The order of texts, and of sequences by their first difference.
static FailureOr<Value> compareInOrder(Emitter &emit, CompareOp op, const Value &lhs,
                                       const Value &rhs) {
  auto decide = [&](int sign) {
    return Value(op == CompareOp::Lt   ? sign < 0
                 : op == CompareOp::Le ? sign <= 0
                 : op == CompareOp::Gt ? sign > 0
                                       : sign >= 0);
  };
  const std::string *leftText = lhs.get<std::string>(), *rightText = rhs.get<std::string>();
  if (leftText && rightText)
    return decide(leftText->compare(*rightText)); // UTF-8 keeps the order of code points
  const std::vector<Value> *left = sequenceOf(lhs), *right = sequenceOf(rhs);
  if (!left || !right || lhs.get().index() != rhs.get().index() || failed(emit.budget.checkDepth()))
    return emit.error("operator '" + spelling(op) + "' does not take " + lhs.describe() + " and " +
                      rhs.describe());
  for (auto [a, b] : llvm::zip(*left, *right))
    if (!isEqual(a, b))
      return foldCompare(emit, op, a, b);
  return decide(left->size() < right->size() ? -1 : left->size() > right->size() ? 1 : 0);
}

FailureOr<Value> tessera::foldCompare(Emitter &emit, CompareOp op, const Value &lhs,
                                      const Value &rhs) {
  if (op == CompareOp::Eq)
    return Value(isEqual(lhs, rhs));
  if (op == CompareOp::Ne)
    return Value(!isEqual(lhs, rhs));
  if (!lhs.isNumber() || !rhs.isNumber())
    return compareInOrder(emit, op, lhs, rhs);
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
