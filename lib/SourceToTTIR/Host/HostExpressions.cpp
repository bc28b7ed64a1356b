//===- HostExpressions.cpp - the expressions that only host code has ------===//
// Dicts, sets, comprehensions, lambdas, chained comparisons, `in`: Python's, on
// compile-time values. A generator expression is a list here, made at once.
//===----------------------------------------------------------------------===//
#include "HostValues.h"
#include "PythonText.h"
#include "tessera/Source/Children.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "../Translator.h"

using namespace tessera;
using llvm::dyn_cast;

LogicalResult Translator::checkHostOperand(const Value &operand) {
  if (operand.isTensor() || operand.is<DescriptorObject>())
    return emit.error("code that runs at compile time cannot compute with " + operand.describe() +
                      "; only @triton.jit functions can");
  if (const HostObject *host = operand.get<HostObject>())
    return emit.error("'" + host->name + "' is not known at compile time (" + host->why + ")");
  return llvm::success();
}

FailureOr<bool> Translator::hostTruth(const ast::Expr *where, const Value &value) {
  RangeScope scope(emit, where->range);
  if (failed(checkHostOperand(value)))
    return llvm::failure();
  return isTruthy(value);
}

FailureOr<Value> Translator::evaluateHostForm(const ast::Expr *expression) {
  switch (expression->kind) {
  case ast::ExprKind::Dict:
    return evaluateDict(llvm::cast<ast::Dict>(expression));
  case ast::ExprKind::Lambda:
    return evaluateLambda(llvm::cast<ast::Lambda>(expression));
  case ast::ExprKind::List: {
    FailureOr<std::vector<Value>> elements =
        evaluateElements(llvm::cast<ast::List>(expression)->elts);
    if (failed(elements))
      return llvm::failure();
    return makeList(std::move(*elements));
  }
  case ast::ExprKind::Tuple: {
    FailureOr<std::vector<Value>> elements =
        evaluateElements(llvm::cast<ast::Tuple>(expression)->elts);
    if (failed(elements))
      return llvm::failure();
    return makeTuple(std::move(*elements));
  }
  case ast::ExprKind::Set: {
    FailureOr<std::vector<Value>> elements =
        evaluateElements(llvm::cast<ast::Set>(expression)->elts);
    if (failed(elements))
      return llvm::failure();
    return makeSet(*elements);
  }
  case ast::ExprKind::NamedExpr: {
    auto *named = llvm::cast<ast::NamedExpr>(expression);
    FailureOr<Value> value = evaluate(named->value);
    if (failed(value) || failed(assign(named->target, *value)))
      return llvm::failure();
    return value;
  }
  default:
    break;
  }
  // Comprehensions differ in what they collect.
  std::vector<Value> items;
  DictObject dict{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  ast::Seq<ast::Comprehension *> generators;
  const ast::Expr *element = nullptr, *key = nullptr;
  if (auto *list = dyn_cast<ast::ListComp>(expression))
    generators = list->generators, element = list->elt;
  else if (auto *set = dyn_cast<ast::SetComp>(expression))
    generators = set->generators, element = set->elt;
  else if (auto *generator = dyn_cast<ast::GeneratorExp>(expression))
    generators = generator->generators, element = generator->elt;
  else if (auto *mapping = dyn_cast<ast::DictComp>(expression))
    generators = mapping->generators, element = mapping->value, key = mapping->key;
  else
    return refuse(expression);
  LogicalResult status = comprehend(expression, generators, [&]() -> LogicalResult {
    FailureOr<Value> keyValue = key ? evaluate(key) : FailureOr<Value>(Value());
    FailureOr<Value> value = failed(keyValue) ? keyValue : evaluate(element);
    if (failed(value))
      return llvm::failure();
    if (items.size() + dict.items->size() >= kMaxElements)
      return emit.budget.error("more than " + llvm::Twine(kMaxElements) + " elements");
    // Each is compared with those before.
    bool isDistinct = key || expression->kind == ast::ExprKind::SetComp;
    if (isDistinct && failed(emit.budget.countStatement((items.size() + dict.items->size()) / 32)))
      return llvm::failure();
    if (key)
      setItem(dict, *keyValue, *value);
    else
      items.push_back(*value);
    return llvm::success();
  });
  if (failed(status))
    return llvm::failure();
  if (key)
    return Value(dict);
  return expression->kind == ast::ExprKind::SetComp ? makeSet(items) : makeList(std::move(items));
}

/// The elements of a display, with what `*` spreads.
FailureOr<std::vector<Value>> Translator::evaluateElements(ast::Seq<ast::Expr *> elements) {
  std::vector<Value> values;
  for (const ast::Expr *element : elements) {
    auto *starred = dyn_cast<ast::Starred>(element);
    FailureOr<Value> value = evaluate(starred ? starred->value : element);
    if (failed(value))
      return llvm::failure();
    if (!starred) {
      values.push_back(*value);
      continue;
    }
    FailureOr<std::vector<Value>> items = itemsOf(emit, *value);
    if (failed(items))
      return llvm::failure();
    values.insert(values.end(), items->begin(), items->end());
  }
  return values;
}

FailureOr<Value> Translator::evaluateDict(const ast::Dict *dict) {
  DictObject result{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  for (auto [keyNode, valueNode] : llvm::zip_equal(dict->keys, dict->values)) {
    FailureOr<Value> key = keyNode ? evaluate(keyNode) : FailureOr<Value>(Value());
    FailureOr<Value> value = failed(key) ? key : evaluate(valueNode);
    if (failed(value))
      return llvm::failure();
    if (keyNode) {
      setItem(result, *key, *value);
      continue;
    }
    const DictObject *spread = value->get<DictObject>();
    if (!spread)
      return emit.errorAt(valueNode->range, "'**' spreads a dict, not " + value->describe());
    for (const auto &[innerKey, innerValue] : *spread->items)
      setItem(result, innerKey, innerValue);
  }
  return Value(result);
}

LogicalResult Translator::comprehend(const ast::Expr *comprehension,
                                     ast::Seq<ast::Comprehension *> generators,
                                     llvm::function_ref<LogicalResult()> each) {
  Scope outer = locals;
  LogicalResult status = comprehendFrom(generators, each);
  // The names of a comprehension are its own, except those that `:=` binds.
  ast::forEachBoundName(comprehension, [&](ast::Identifier name) {
    if (auto found = locals.find(ref(name)); found != locals.end())
      outer[ref(name)] = found->second;
  });
  locals = std::move(outer);
  return status;
}

LogicalResult Translator::comprehendFrom(ast::Seq<ast::Comprehension *> generators,
                                         llvm::function_ref<LogicalResult()> each) {
  if (generators.empty())
    return each();
  const ast::Comprehension &generator = *generators[0];
  FailureOr<Value> iterable = evaluate(generator.iter);
  FailureOr<std::vector<Value>> items = llvm::failure();
  if (succeeded(iterable))
    items = itemsOf(emit, *iterable);
  if (failed(items))
    return llvm::failure();
  for (const Value &item : *items) {
    if (failed(emit.budget.countStatement()) || failed(assign(generator.target, item)))
      return llvm::failure();
    bool isKept = true;
    for (const ast::Expr *condition : generator.ifs) {
      FailureOr<Value> test = evaluate(condition);
      FailureOr<bool> truth = failed(test) ? FailureOr<bool>(test) : hostTruth(condition, *test);
      if (failed(truth))
        return llvm::failure();
      if (!*truth) {
        isKept = false;
        break;
      }
    }
    if (isKept && failed(comprehendFrom(generators.subspan(1), each)))
      return llvm::failure();
  }
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Value Translator::makeFunction(llvm::StringRef name, const ast::Arguments *parameters,
                               ast::Seq<ast::Stmt *> body, const ast::Expr *result,
                               SourceRange range) {
  auto captured = std::make_shared<std::vector<std::pair<std::string, Value>>>();
  llvm::SmallVector<llvm::StringRef> reads;
  collectReadNames(body, reads);
  collectReadNames(result, reads);
  for (ast::Seq<ast::Expr *> defaults : {parameters->defaults, parameters->kw_defaults})
    for (const ast::Expr *each : defaults)
      collectReadNames(each, reads);
  llvm::sort(reads);
  for (const auto &[local, value] : locals)
    if (local != name && std::binary_search(reads.begin(), reads.end(), local))
      captured->emplace_back(local.str(), value.value);
  return Value(FunctionObject{std::make_shared<const PythonFunction>(PythonFunction{
      name.str(), parameters, body, result, range, emit.file, &globals, std::move(captured)})});
}

FailureOr<Value> Translator::evaluateLambda(const ast::Lambda *lambda) {
  return makeFunction("<lambda>", lambda->args, {}, lambda->body, lambda->range);
}

//===----------------------------------------------------------------------===//
// Comparisons and subscripts
//===----------------------------------------------------------------------===//

/// a < b < c is a < b and b < c, with b evaluated once.
FailureOr<Value> Translator::evaluateHostCompare(const ast::Compare *comparison) {
  FailureOr<Value> left = evaluate(comparison->left);
  FailureOr<Value> result = left;
  for (auto [op, node] : llvm::zip_equal(comparison->ops, comparison->comparators)) {
    FailureOr<Value> right = failed(left) ? left : evaluate(node);
    if (failed(right))
      return llvm::failure();
    result = compareHost(emit, op, *left, *right);
    if (failed(result) || !isTruthy(*result))
      return result;
    left = right;
  }
  return result;
}

/// One element, or a slice, of a text or a list; dicts and tuples are the caller's.
FailureOr<Value> Translator::evaluateHostSubscript(const Value &base, const Value &index) {
  const std::string *text = base.get<std::string>();
  const ListObject *list = base.get<ListObject>();
  if (!text && !list)
    return emit.error(base.describe() + " cannot be indexed");
  std::vector<Value> elements;
  if (text)
    for (llvm::StringRef character : characters(*text))
      elements.push_back(Value(character.str()));
  Value sequence = text ? makeTuple(std::move(elements)) : makeTuple(*list->elements);
  const TupleObject &tuple = *sequence.get<TupleObject>();
  if (const SliceObject *slice = index.get<SliceObject>()) {
    FailureOr<Value> part = sliceTuple(tuple, *slice);
    if (failed(part))
      return llvm::failure();
    const std::vector<Value> &parts = *part->get<TupleObject>()->elements;
    if (list)
      return makeList(parts);
    std::string joined;
    for (const Value &character : parts)
      joined += *character.get<std::string>();
    return Value(joined);
  }
  std::optional<PythonInt> position = index.asInt();
  int64_t size = tuple.elements->size();
  if (!position)
    return emit.error("expected a compile-time int as index, not " + index.describe());
  if (!position->fitsSigned(32) || position->toInt64() < -size || position->toInt64() >= size)
    return emit.error("index " + position->str() + " is outside " + base.describe());
  int64_t at = position->toInt64();
  return (*tuple.elements)[at < 0 ? at + size : at];
}

FailureOr<Value> tessera::compareHost(Emitter &emit, ast::CmpOp op, const Value &lhs,
                                      const Value &rhs) {
  bool isIdentity = op == ast::CmpOp::Is || op == ast::CmpOp::IsNot;
  bool isEquality = op == ast::CmpOp::Eq || op == ast::CmpOp::NotEq;
  for (const Value *operand : {&lhs, &rhs}) {
    const HostObject *host = operand->get<HostObject>();
    bool isTold = host && host->live && (isIdentity || (isEquality && !host->identity.empty()));
    if (host && !isTold)
      return emit.error("'" + host->name + "' is not known at compile time (" + host->why + ")");
    if (operand->isTensor() && !isIdentity)
      return emit.error("code that runs at compile time cannot compute with " +
                        operand->describe());
  }
  auto flagged = [&](bool result) {
    return Value(result).asConstexpr(lhs.isConstexpr() || rhs.isConstexpr());
  };
  switch (op) {
  case ast::CmpOp::Is:
    return Value(isIdentical(lhs, rhs));
  case ast::CmpOp::IsNot:
    return Value(!isIdentical(lhs, rhs));
  case ast::CmpOp::In:
  case ast::CmpOp::NotIn: {
    FailureOr<bool> contained = contains(emit, rhs, lhs);
    if (failed(contained))
      return llvm::failure();
    return Value(*contained == (op == ast::CmpOp::In));
  }
  default:
    break;
  }
  CompareOp ordered = op == ast::CmpOp::Eq      ? CompareOp::Eq
                      : op == ast::CmpOp::NotEq ? CompareOp::Ne
                      : op == ast::CmpOp::Lt    ? CompareOp::Lt
                      : op == ast::CmpOp::LtE   ? CompareOp::Le
                      : op == ast::CmpOp::Gt    ? CompareOp::Gt
                                                : CompareOp::Ge;
  FailureOr<Value> result = foldCompare(emit, ordered, lhs, rhs);
  if (failed(result))
    return llvm::failure();
  return flagged(isTruthy(*result));
}

/// Python's `is`, as far as it is defined: values of one kind that are equal.
bool tessera::isIdentical(const Value &lhs, const Value &rhs) {
  if (lhs.get().index() != rhs.get().index())
    return false;
  if (const Tensor *tensor = lhs.get<Tensor>())
    return tensor->handle == rhs.get<Tensor>()->handle;
  if (const ListObject *list = lhs.get<ListObject>())
    return list->elements == rhs.get<ListObject>()->elements;
  if (const DictObject *dict = lhs.get<DictObject>())
    return dict->items == rhs.get<DictObject>()->items;
  return isEqual(lhs, rhs);
}

FailureOr<bool> tessera::contains(Emitter &emit, const Value &container, const Value &value) {
  if (const std::string *text = container.get<std::string>()) {
    const std::string *part = value.get<std::string>();
    if (!part)
      return emit.error("'in' a text takes a text, not " + value.describe());
    return text->find(*part) != std::string::npos;
  }
  if (const DictObject *dict = container.get<DictObject>())
    return findItem(*dict, value) != nullptr;
  if (const SetObject *set = container.get<SetObject>())
    return containsValue(*set->elements, value);
  if (const ListObject *list = container.get<ListObject>())
    return containsValue(*list->elements, value);
  if (const TupleObject *tuple = container.get<TupleObject>())
    return containsValue(*tuple->elements, value);
  return emit.error("'in' takes a text, a tuple, a list, a set or a dict, not " +
                    container.describe());
}

Value tessera::makeSet(const std::vector<Value> &elements) {
  auto distinct = std::make_shared<std::vector<Value>>();
  for (const Value &element : elements)
    if (!containsValue(*distinct, element))
      distinct->push_back(element);
  return Value(SetObject{std::move(distinct)});
}
