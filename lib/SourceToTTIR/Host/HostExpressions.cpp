//===- HostExpressions.cpp - expressions that run at compile time ---------===//
// Dicts, sets, comprehensions, lambdas, chained comparisons, `in`: Python's, on
// compile-time values. A generator expression is a list here, made at once.
//===----------------------------------------------------------------------===//
#include "HostInterpreter.h"
#include "tessera/Source/Children.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "../Operators/PythonText.h"

using namespace tessera;
using llvm::dyn_cast;

//===----------------------------------------------------------------------===//
// Operands and sizes
//===----------------------------------------------------------------------===//

/// An upper bound of the cost of an operation on a value, in statements: a walk over a list,
/// a comparison of each element of a set with each of another.
static unsigned costOf(const Value &value) {
  auto linear = [](size_t size) { return unsigned(size / 64); };
  auto square = [](size_t size) { return unsigned(std::min<size_t>(size, 1 << 20) * size / 1024); };
  if (const TupleObject *tuple = value.get<TupleObject>())
    return linear(tuple->elements->size());
  if (const ListObject *list = value.get<ListObject>())
    return linear(list->elements->size());
  if (const SetObject *set = value.get<SetObject>())
    return square(set->elements->size());
  if (const DictObject *dict = value.get<DictObject>())
    return square(dict->items->size());
  const std::string *text = value.get<std::string>();
  return text ? linear(text->size()) : 0;
}

LogicalResult HostInterpreter::checkSize(const Value &value) {
  // Compile-time code may count to as many as it may execute.
  if (failed(checkSizeUpTo(Budget::kMaxStatements, value)))
    return llvm::failure();
  unsigned cost = costOf(value);
  return cost ? emit.budget.countStatement(cost) : llvm::success();
}

LogicalResult HostInterpreter::checkOperand(const Value &operand) {
  if (operand.isTensor() || operand.is<DescriptorObject>())
    return emit.error("code that runs at compile time cannot compute with " + operand.describe() +
                      "; only @triton.jit functions can");
  if (const HostObject *host = operand.get<HostObject>())
    return emit.error("'" + host->name + "' is not known at compile time (" + host->why + ")");
  return llvm::success();
}

FailureOr<bool> HostInterpreter::truthOf(const ast::Expr *where, const Value &value) {
  RangeScope scope(emit, where->range);
  if (failed(checkOperand(value)))
    return llvm::failure();
  return isTruthy(value);
}

FailureOr<bool> HostInterpreter::evaluateTruth(const ast::Expr *condition) {
  FailureOr<Value> test = evaluate(condition);
  return failed(test) ? FailureOr<bool>(llvm::failure()) : truthOf(condition, *test);
}

FailureOr<std::optional<Value>> HostInterpreter::readGlobal(llvm::StringRef name) {
  if (std::optional<Value> global = globals.lookupHost(name))
    return global;
  return lookupHostBuiltin(name);
}

//===----------------------------------------------------------------------===//
// Operators and calls
//===----------------------------------------------------------------------===//

FailureOr<Value> HostInterpreter::applyBinary(const ast::BinOp *, BinaryOp op, const Value &left,
                                              const Value &right) {
  if (failed(checkOperand(left)) || failed(checkOperand(right)))
    return llvm::failure();
  FailureOr<Value> folded = foldBinary(emit, op, left, right);
  if (failed(folded))
    return llvm::failure();
  return folded->asConstexpr(left.isConstexpr() || right.isConstexpr());
}

FailureOr<Value> HostInterpreter::applyUnary(UnaryOp op, const Value &operand) {
  if (failed(checkOperand(operand)))
    return llvm::failure();
  FailureOr<Value> folded = foldUnary(emit, op, operand);
  if (failed(folded))
    return llvm::failure();
  return folded->asConstexpr(operand.isConstexpr());
}

/// The operand that decides, or the last one.
FailureOr<Value> HostInterpreter::evaluateBool(const ast::BoolOp *operation) {
  bool isAnd = operation->op == ast::BoolOperator::And;
  Value last(isAnd);
  for (const ast::Expr *operand : operation->values) {
    FailureOr<Value> value = evaluate(operand);
    if (failed(value))
      return llvm::failure();
    FailureOr<bool> truth = truthOf(operand, *value);
    if (failed(truth))
      return llvm::failure();
    if (*truth != isAnd)
      return *value;
    last = *value;
  }
  return last;
}

FailureOr<Value> HostInterpreter::evaluateConditional(const ast::IfExp *conditional) {
  FailureOr<bool> truth = evaluateTruth(conditional->test);
  if (failed(truth))
    return llvm::failure();
  return evaluate(*truth ? conditional->body : conditional->orelse);
}

FailureOr<Value> HostInterpreter::call(const ast::Call *, const Value &callee,
                                       llvm::ArrayRef<CallArgument> arguments) {
  return callHost(emit, callee, arguments);
}

FailureOr<std::vector<Value>> HostInterpreter::spread(const ast::Expr *, const Value &value) {
  return itemsOf(emit, value);
}

LogicalResult HostInterpreter::spreadKeywords(const ast::Keyword *keyword,
                                              llvm::SmallVectorImpl<CallArgument> &arguments) {
  FailureOr<Value> value = evaluate(keyword->value);
  if (failed(value))
    return llvm::failure();
  const DictObject *dict = value->get<DictObject>();
  if (!dict)
    return emit.errorAt(keyword->range, "'**' spreads a dict, not " + value->describe());
  for (const auto &[key, item] : *dict->items) {
    keywordTexts.push_back(pythonStr(key));
    arguments.push_back({keywordTexts.back(), item, keyword->range});
  }
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Containers and comprehensions
//===----------------------------------------------------------------------===//

FailureOr<Value> HostInterpreter::evaluateForm(const ast::Expr *expression) {
  ast::Seq<ast::Expr *> elements;
  switch (expression->kind) {
  case ast::ExprKind::Dict:
    return evaluateDict(llvm::cast<ast::Dict>(expression));
  case ast::ExprKind::Lambda:
    return evaluateLambda(llvm::cast<ast::Lambda>(expression));
  case ast::ExprKind::NamedExpr:
    return evaluateNamed(llvm::cast<ast::NamedExpr>(expression));
  case ast::ExprKind::ListComp:
  case ast::ExprKind::SetComp:
  case ast::ExprKind::DictComp:
  case ast::ExprKind::GeneratorExp:
    return evaluateComprehension(expression);
  case ast::ExprKind::List:
    elements = llvm::cast<ast::List>(expression)->elts;
    break;
  case ast::ExprKind::Tuple:
    elements = llvm::cast<ast::Tuple>(expression)->elts;
    break;
  case ast::ExprKind::Set:
    elements = llvm::cast<ast::Set>(expression)->elts;
    break;
  default:
    return Evaluator::evaluateForm(expression);
  }
  FailureOr<std::vector<Value>> values = evaluateElements(elements);
  if (failed(values))
    return llvm::failure();
  if (expression->kind == ast::ExprKind::Set)
    return makeSet(*values);
  return expression->kind == ast::ExprKind::List ? makeList(std::move(*values))
                                                 : makeTuple(std::move(*values));
}

FailureOr<Value> HostInterpreter::evaluateNamed(const ast::NamedExpr *named) {
  FailureOr<Value> value = evaluate(named->value);
  if (failed(value) || failed(assign(named->target, *value)))
    return llvm::failure();
  return value;
}

/// The kinds of comprehensions differ in what they collect.
FailureOr<Value> HostInterpreter::evaluateComprehension(const ast::Expr *expression) {
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
FailureOr<std::vector<Value>> HostInterpreter::evaluateElements(ast::Seq<ast::Expr *> elements) {
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

FailureOr<Value> HostInterpreter::evaluateDict(const ast::Dict *dict) {
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

LogicalResult HostInterpreter::comprehend(const ast::Expr *comprehension,
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

LogicalResult HostInterpreter::comprehendFrom(ast::Seq<ast::Comprehension *> generators,
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
      FailureOr<bool> truth = evaluateTruth(condition);
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

Value HostInterpreter::makeFunction(llvm::StringRef name, const ast::Arguments *parameters,
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

FailureOr<Value> HostInterpreter::evaluateLambda(const ast::Lambda *lambda) {
  return makeFunction("<lambda>", lambda->args, {}, lambda->body, lambda->range);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// a < b < c is a < b and b < c, with b evaluated once.
FailureOr<Value> HostInterpreter::evaluateCompare(const ast::Compare *comparison) {
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

FailureOr<Value> tessera::evaluateConstantExpression(Emitter &emit, Environment &globals,
                                                     const ast::Expr *expression) {
  return HostInterpreter(emit, globals).evaluate(expression);
}

bool tessera::isConstexprAnnotation(Environment &globals, const ast::Expr *annotation) {
  if (auto *text = llvm::dyn_cast<ast::Constant>(annotation); text && text->isStr())
    return ref(text->text).contains("constexpr");
  DiagnosticEngine ignored;
  // Attribute chains need a file only for messages, which nobody reads here.
  std::unique_ptr<SourceFile> nowhere = SourceFile::fromBytes("<annotation>", "", ignored);
  Emitter emit(nullptr, ignored);
  emit.file = nowhere.get();
  FailureOr<Value> value = evaluateConstantExpression(emit, globals, annotation);
  const BuiltinObject *object = succeeded(value) ? value->get<BuiltinObject>() : nullptr;
  return object && object->builtin->path == "triton.language.constexpr";
}
