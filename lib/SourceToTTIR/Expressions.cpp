//===- Expressions.cpp - what each form of expression evaluates to --------===//
#include "Translator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "Host/PythonText.h"

using namespace tessera;
using llvm::dyn_cast;

/// What it may cost to do something with a value, in statements: a walk over a list, a
/// comparison of each element of a set with each of another.
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

FailureOr<Value> Translator::evaluate(const ast::Expr *expression) {
  RangeScope scope(emit, expression->range);
  if (failed(emit.budget.checkDepth()))
    return llvm::failure();
  FailureOr<Value> value = evaluateForm(expression);
  if (failed(value))
    return llvm::failure();
  // Host code may count to as many as it may execute; in a kernel each is an IR value.
  size_t most = isHost() ? Budget::kMaxStatements : kMaxElements;
  if (value->leafCount() > most)
    return emit.budget.error("a value of more than " + llvm::Twine(most) + " elements");
  if (value->nesting() > Value::kMaxNesting)
    return emit.budget.error("a value that nests more than " + llvm::Twine(Value::kMaxNesting) +
                             " deep");
  unsigned cost = isHost() ? costOf(*value) : 0;
  if (cost && failed(emit.budget.countStatement(cost)))
    return llvm::failure();
  return value;
}

FailureOr<Value> Translator::evaluateForm(const ast::Expr *expression) {
  switch (expression->kind) {
  case ast::ExprKind::Constant:
    return evaluateConstant(llvm::cast<ast::Constant>(expression));
  case ast::ExprKind::Name:
    return evaluateName(llvm::cast<ast::Name>(expression));
  case ast::ExprKind::Attribute:
    return evaluateAttribute(llvm::cast<ast::Attribute>(expression));
  case ast::ExprKind::BinOp:
    return evaluateBinary(llvm::cast<ast::BinOp>(expression));
  case ast::ExprKind::UnaryOp:
    return evaluateUnary(llvm::cast<ast::UnaryOp>(expression));
  case ast::ExprKind::Compare:
    return evaluateCompare(llvm::cast<ast::Compare>(expression));
  case ast::ExprKind::BoolOp:
    return evaluateBool(llvm::cast<ast::BoolOp>(expression));
  case ast::ExprKind::IfExp:
    return evaluateConditional(llvm::cast<ast::IfExp>(expression));
  case ast::ExprKind::Tuple:
    return isHost() ? evaluateHostForm(expression)
                    : evaluateTuple(llvm::cast<ast::Tuple>(expression)->elts);
  case ast::ExprKind::List:
    return isHost() ? evaluateHostForm(expression)
                    : evaluateTuple(llvm::cast<ast::List>(expression)->elts);
  case ast::ExprKind::Subscript:
    return evaluateSubscript(llvm::cast<ast::Subscript>(expression));
  case ast::ExprKind::Slice:
    return evaluateSlice(llvm::cast<ast::Slice>(expression));
  case ast::ExprKind::ListComp:
    return isHost() ? evaluateHostForm(expression)
                    : evaluateListComprehension(llvm::cast<ast::ListComp>(expression));
  case ast::ExprKind::JoinedStr:
    return evaluateFormatted(llvm::cast<ast::JoinedStr>(expression));
  case ast::ExprKind::Call:
    return evaluateCall(llvm::cast<ast::Call>(expression));
  default:
    return isHost() ? evaluateHostForm(expression) : refuse(expression);
  }
}

static RefusedForm formOf(ast::ExprKind kind) {
  switch (kind) {
  case ast::ExprKind::NamedExpr:
    return {"an assignment expression (:=)", "; assign in a statement of its own"};
  case ast::ExprKind::Lambda:
    return {"a lambda", "; define a function with @triton.jit beside the kernel"};
  case ast::ExprKind::Dict:
    return {"a dict", "; use a tuple"};
  case ast::ExprKind::Set:
    return {"a set", "; use a tuple"};
  case ast::ExprKind::ListComp:
    return {"a list comprehension"};
  case ast::ExprKind::SetComp:
    return {"a set comprehension", "; use a tuple"};
  case ast::ExprKind::DictComp:
    return {"a dict comprehension", "; use a tuple"};
  case ast::ExprKind::GeneratorExp:
    return {"a generator expression", "; use a tuple"};
  case ast::ExprKind::Await:
    return {"await"};
  case ast::ExprKind::Yield:
  case ast::ExprKind::YieldFrom:
    return {"yield"};
  case ast::ExprKind::JoinedStr:
  case ast::ExprKind::FormattedValue:
    return {"an f-string"};
  case ast::ExprKind::Starred:
    return {"a starred expression"};
  default:
    return {"this expression"};
  }
}

FailureOr<Value> Translator::refuse(const ast::Expr *expression) {
  RefusedForm form = formOf(expression->kind);
  return emit.error(form.name + " is not part of the kernel language" + form.advice);
}

FailureOr<Value> Translator::evaluateConstant(const ast::Constant *constant) {
  switch (constant->type) {
  case ast::ConstantKind::None:
    return Value(NoneObject{});
  case ast::ConstantKind::True:
    return Value(true);
  case ast::ConstantKind::False:
    return Value(false);
  case ast::ConstantKind::Ellipsis:
    return Value(EllipsisObject{});
  case ast::ConstantKind::Int:
    if (constant->intOverflows) {
      if (constant->text.size() > PythonInt::kMaxBits / 4)
        return emit.budget.error("this integer is too large to compute with");
      return Value(PythonInt::parse(ref(constant->text), constant->base));
    }
    return Value(PythonInt(constant->intValue));
  case ast::ConstantKind::Float:
    return Value(constant->floatValue);
  case ast::ConstantKind::Str:
    return Value(std::string(constant->text));
  case ast::ConstantKind::Complex:
    return emit.error("complex numbers are not part of the kernel language");
  case ast::ConstantKind::Bytes:
    return emit.error("bytes are not part of the kernel language");
  }
  return emit.error("unknown literal");
}

FailureOr<Value> Translator::evaluateAttribute(const ast::Attribute *attribute) {
  FailureOr<Value> base = evaluate(attribute->value);
  if (failed(base))
    return llvm::failure();
  FailureOr<Value> value = readAttribute(emit, *base, ref(attribute->attr));
  if (failed(value) || isHost())
    return value;
  // Python calls what a live module has while the kernel is compiled: np.log2(BLOCK).
  const FunctionObject *plain = value->get<FunctionObject>();
  return plain && plain->function->live.answers ? value : kernelView(emit, *value);
}

static BinaryOp binaryOperator(ast::Operator op) {
  switch (op) {
  case ast::Operator::Add:
    return BinaryOp::Add;
  case ast::Operator::Sub:
    return BinaryOp::Sub;
  case ast::Operator::Mult:
    return BinaryOp::Mul;
  case ast::Operator::MatMult:
    return BinaryOp::MatMul;
  case ast::Operator::Div:
    return BinaryOp::TrueDiv;
  case ast::Operator::Mod:
    return BinaryOp::Mod;
  case ast::Operator::Pow:
    return BinaryOp::Pow;
  case ast::Operator::LShift:
    return BinaryOp::LShift;
  case ast::Operator::RShift:
    return BinaryOp::RShift;
  case ast::Operator::BitOr:
    return BinaryOp::Or;
  case ast::Operator::BitXor:
    return BinaryOp::Xor;
  case ast::Operator::BitAnd:
    return BinaryOp::And;
  case ast::Operator::FloorDiv:
    return BinaryOp::FloorDiv;
  }
  return BinaryOp::Add;
}

FailureOr<Value> Translator::evaluateBinary(const ast::BinOp *operation) {
  FailureOr<Value> left = evaluate(operation->left);
  FailureOr<Value> right = failed(left) ? left : evaluate(operation->right);
  if (failed(left) || failed(right))
    return llvm::failure();
  if (isHost()) {
    if (failed(checkHostOperand(*left)) || failed(checkHostOperand(*right)))
      return llvm::failure();
    FailureOr<Value> folded = foldBinary(emit, binaryOperator(operation->op), *left, *right);
    bool isConstexpr = left->isConstexpr() || right->isConstexpr();
    if (failed(folded))
      return llvm::failure();
    return folded->asConstexpr(isConstexpr);
  }
  size_t errors = emit.errorCount();
  FailureOr<Value> result = binary(emit, binaryOperator(operation->op), *left, *right);
  if (failed(result))
    noteOperands({operation->left, operation->right}, errors);
  return result;
}

FailureOr<Value> Translator::evaluateUnary(const ast::UnaryOp *operation) {
  FailureOr<Value> operand = evaluate(operation->operand);
  if (failed(operand) || (isHost() && failed(checkHostOperand(*operand))))
    return llvm::failure();
  if (isHost()) {
    UnaryOp op = operation->op == ast::UnaryOperator::Invert ? UnaryOp::Invert
                 : operation->op == ast::UnaryOperator::Not  ? UnaryOp::Not
                 : operation->op == ast::UnaryOperator::UAdd ? UnaryOp::Pos
                                                             : UnaryOp::Neg;
    FailureOr<Value> folded = foldUnary(emit, op, *operand);
    if (failed(folded))
      return llvm::failure();
    return folded->asConstexpr(operand->isConstexpr());
  }
  switch (operation->op) {
  case ast::UnaryOperator::Invert:
    return unary(emit, UnaryOp::Invert, *operand);
  case ast::UnaryOperator::Not:
    return unary(emit, UnaryOp::Not, *operand);
  case ast::UnaryOperator::UAdd:
    return unary(emit, UnaryOp::Pos, *operand);
  case ast::UnaryOperator::USub:
    return unary(emit, UnaryOp::Neg, *operand);
  }
  return operand;
}

static FailureOr<Value> compareOnce(Emitter &emit, ast::CmpOp op, const Value &left,
                                    const Value &right) {
  // Objects of the host that are what they are: members of an enumeration.
  for (const Value *operand : {&left, &right})
    if (const HostObject *host = operand->get<HostObject>(); host && !host->identity.empty())
      if (op == ast::CmpOp::Eq || op == ast::CmpOp::NotEq)
        return Value(isEqual(left, right) == (op == ast::CmpOp::Eq));
  switch (op) {
  case ast::CmpOp::Eq:
    return compare(emit, CompareOp::Eq, left, right);
  case ast::CmpOp::NotEq:
    return compare(emit, CompareOp::Ne, left, right);
  case ast::CmpOp::Lt:
    return compare(emit, CompareOp::Lt, left, right);
  case ast::CmpOp::LtE:
    return compare(emit, CompareOp::Le, left, right);
  case ast::CmpOp::Gt:
    return compare(emit, CompareOp::Gt, left, right);
  case ast::CmpOp::GtE:
    return compare(emit, CompareOp::Ge, left, right);
  case ast::CmpOp::Is:
    return Value(isIdentical(left, right));
  case ast::CmpOp::IsNot:
    return Value(!isIdentical(left, right));
  case ast::CmpOp::In:
  case ast::CmpOp::NotIn:
    break;
  }
  return emit.error("'in' is not part of the kernel language; compare with each element");
}

FailureOr<Value> Translator::evaluateCompare(const ast::Compare *comparison) {
  if (isHost())
    return evaluateHostCompare(comparison);
  if (comparison->ops.size() != 1)
    return emit.error(
        "a chained comparison is not part of the kernel language; write (a < b) & (b < c)");
  FailureOr<Value> left = evaluate(comparison->left);
  FailureOr<Value> right = failed(left) ? left : evaluate(comparison->comparators[0]);
  if (failed(left) || failed(right))
    return llvm::failure();
  size_t errors = emit.errorCount();
  FailureOr<Value> result = compareOnce(emit, comparison->ops[0], *left, *right);
  if (failed(result))
    noteOperands({comparison->left, comparison->comparators[0]}, errors);
  return result;
}

/// A compile-time operand decides or drops out; run-time operands must be bools
/// and are all evaluated (spec language.md 1.4).
FailureOr<Value> Translator::evaluateBool(const ast::BoolOp *operation) {
  bool isAnd = operation->op == ast::BoolOperator::And;
  std::optional<Value> combined;
  Value last(isAnd);
  for (const ast::Expr *operand : operation->values) {
    FailureOr<Value> value = evaluate(operand);
    if (failed(value))
      return llvm::failure();
    last = *value;
    if (isHost() && failed(hostTruth(operand, *value)))
      return llvm::failure();
    const Tensor *tensor = value->get<Tensor>();
    if (!tensor) {
      if (isTruthy(*value) != isAnd)
        return *value;
      continue;
    }
    if (!tensor->type.isBool())
      return emit.errorAt(operand->range, llvm::Twine("'") + (isAnd ? "and" : "or") +
                                              "' takes bools, not " + value->describe() +
                                              "; compare with 0");
    FailureOr<Value> next =
        combined ? binary(emit, isAnd ? BinaryOp::And : BinaryOp::Or, *combined, *value) : value;
    if (failed(next))
      return llvm::failure();
    combined = *next;
  }
  if (combined && combined->get<Tensor>()->type.isBlock())
    emit.warnAt(operation->range, llvm::Twine("'") + (isAnd ? "and" : "or") +
                                      "' of blocks is computed for every element; write '" +
                                      (isAnd ? "&" : "|") + "', which says so");
  return combined ? *combined : last;
}

FailureOr<Value> Translator::evaluateConditional(const ast::IfExp *conditional) {
  FailureOr<Value> test = evaluate(conditional->test);
  if (failed(test) || (isHost() && failed(hostTruth(conditional->test, *test))))
    return llvm::failure();
  if (const Tensor *tensor = test->get<Tensor>()) {
    FailureOr<Tensor> condition = conditionOf(conditional->test, *tensor);
    return failed(condition) ? FailureOr<Value>(llvm::failure())
                             : evaluateRuntimeConditional(conditional, *condition);
  }
  if (failed(checkCondition(conditional->test, *test)))
    return llvm::failure();
  return evaluate(isTruthy(*test) ? conditional->body : conditional->orelse);
}

FailureOr<Value> Translator::evaluateTuple(ast::Seq<ast::Expr *> elements) {
  std::vector<Value> values;
  for (const ast::Expr *element : elements) {
    FailureOr<Value> value = evaluate(element);
    if (failed(value))
      return llvm::failure();
    values.push_back(*value);
  }
  return makeTuple(std::move(values));
}

/// One generator over a tuple; conditions are compile-time. The index is the
/// comprehension's own.
FailureOr<Value> Translator::evaluateListComprehension(const ast::ListComp *comprehension) {
  if (comprehension->generators.size() != 1)
    return emit.error("a list comprehension has one 'for' in the kernel language");
  const ast::Comprehension &generator = *comprehension->generators[0];
  FailureOr<Value> iterable = evaluate(generator.iter);
  FailureOr<std::vector<Value>> items = llvm::failure();
  if (succeeded(iterable))
    items = itemsOf(emit, *iterable);
  if (failed(items))
    return llvm::failure();
  std::vector<Value> results;
  Scope outer = locals;
  for (const Value &item : *items) {
    bool isKept = true;
    if (failed(emit.budget.countStatement()) || failed(assign(generator.target, item)))
      return llvm::failure();
    for (const ast::Expr *condition : generator.ifs) {
      FailureOr<Value> test = evaluate(condition);
      if (failed(test))
        return llvm::failure();
      if (test->isTensor())
        return emit.errorAt(condition->range,
                            "the 'if' of a list comprehension is known at compile time");
      isKept = isKept && isTruthy(*test);
    }
    if (!isKept)
      continue;
    FailureOr<Value> value = evaluate(comprehension->elt);
    if (failed(value))
      return llvm::failure();
    results.push_back(*value);
  }
  locals = std::move(outer);
  return makeTuple(std::move(results));
}

FailureOr<Value> Translator::evaluateFormatted(const ast::JoinedStr *text) {
  std::string result;
  for (const ast::Expr *part : text->values) {
    auto *hole = dyn_cast<ast::FormattedValue>(part);
    FailureOr<Value> value = evaluate(hole ? hole->value : part);
    if (failed(value))
      return llvm::failure();
    if (value->isTensor())
      return emit.errorAt(part->range, "an f-string is made at compile time, and this is " +
                                           value->describe() + "; tl.device_print prints it");
    std::string spec;
    if (hole && hole->format_spec) {
      FailureOr<Value> text = evaluate(hole->format_spec);
      if (failed(text))
        return llvm::failure();
      spec = *text->get<std::string>();
    }
    if (hole && (hole->conversion == 'r' || hole->conversion == 'a'))
      value = Value(pythonRepr(*value));
    else if (hole && hole->conversion == 's')
      value = Value(pythonStr(*value));
    FailureOr<std::string> formatted = formatValue(emit, *value, spec);
    if (failed(formatted))
      return llvm::failure();
    result += *formatted;
    if (result.size() > kMaxTextBytes)
      return emit.budget.error("this text is too long to compute with");
  }
  return Value(result);
}

/// x[None, :]: each None inserts a size-1 axis, `:` keeps one.
FailureOr<Value> Translator::indexTensor(const Tensor &tensor, const Value &index) {
  std::vector<Value> single = {index};
  const TupleObject *tuple = index.get<TupleObject>();
  Tensor result = tensor;
  int64_t axis = 0;
  for (const Value &item : tuple ? *tuple->elements : single) {
    const SliceObject *slice = item.get<SliceObject>();
    if (slice && slice->isBare()) {
      ++axis;
      continue;
    }
    if (!item.isNone() && tensor.type.isPointer())
      return emit.error("a pointer is not indexed; tl.load(p + i) reads an element and "
                        "tl.store(p + i, value) writes it");
    if (!item.isNone())
      return emit.error("a tensor is indexed with None and ':' only, not with " + item.describe() +
                        (item.is<EllipsisObject>() ? "; write one ':' for each axis"
                                                   : "; tl.gather picks elements"));
    // On a scalar a ':' has nothing to keep, and is passed over.
    int64_t rank = result.type.shape.size();
    if (axis > rank && tensor.type.isBlock())
      return emit.error("too many ':' for " + tensor.type.str());
    FailureOr<Tensor> expanded = expandDims(emit, result, std::min(axis++, rank));
    if (failed(expanded))
      return llvm::failure();
    result = *expanded;
  }
  return Value(result);
}

FailureOr<Value> Translator::evaluateSlice(const ast::Slice *slice) {
  SliceObject result;
  for (auto [expression, bound] :
       {std::pair{slice->lower, &result.start}, std::pair{slice->upper, &result.stop},
        std::pair{slice->step, &result.step}}) {
    if (!expression)
      continue;
    FailureOr<Value> value = evaluate(expression);
    if (failed(value))
      return llvm::failure();
    *bound = value->asInt();
    if (!*bound && !value->isNone())
      return emit.errorAt(expression->range,
                          "a slice is made of compile-time ints, not of " + value->describe());
  }
  return Value(result);
}

/// Python's rule: bounds beyond the ends are the ends, negative ones count from the back.
FailureOr<Value> Translator::sliceTuple(const TupleObject &tuple, const SliceObject &slice) {
  int64_t size = tuple.elements->size();
  auto clamp = [&](const PythonInt &number, int64_t low, int64_t high) {
    PythonInt at = number.isNegative() ? number + PythonInt(size) : number;
    if (at.compare(PythonInt(low)) < 0)
      return low;
    return at.compare(PythonInt(high)) > 0 ? high : at.toInt64();
  };
  // A step beyond the size takes one element, like any other that large.
  int64_t step = 1;
  if (slice.step) {
    bool isSmall = slice.step->fitsSigned(32);
    step = isSmall ? slice.step->toInt64() : slice.step->isNegative() ? -size - 1 : size + 1;
  }
  if (step == 0)
    return emit.error("the step of a slice cannot be 0");
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  int64_t begin = slice.start ? clamp(*slice.start, low, high) : step > 0 ? low : high;
  int64_t end = slice.stop ? clamp(*slice.stop, low, high) : step > 0 ? high : low;
  std::vector<Value> elements;
  for (int64_t at = begin; step > 0 ? at < end : at > end; at += step)
    elements.push_back((*tuple.elements)[at]);
  return makeTuple(std::move(elements));
}

FailureOr<Value> Translator::evaluateSubscript(const ast::Subscript *subscript) {
  FailureOr<Value> base = evaluate(subscript->value);
  FailureOr<Value> index = failed(base) ? base : evaluate(subscript->slice);
  if (failed(base) || failed(index))
    return llvm::failure();
  if (const Tensor *tensor = base->get<Tensor>())
    return indexTensor(*tensor, *index);
  if (const DictObject *dict = base->get<DictObject>()) {
    if (const Value *found = findItem(*dict, *index))
      return *found;
    return emit.raise("KeyError", "the dict has no key " + index->describe());
  }
  const TupleObject *tuple = base->get<TupleObject>();
  if (!tuple)
    return evaluateHostSubscript(*base, *index);
  if (const SliceObject *slice = index->get<SliceObject>())
    return sliceTuple(*tuple, *slice);
  std::optional<PythonInt> position = index->asInt();
  int64_t size = tuple->elements->size();
  if (!position)
    return emit.error("a tuple is indexed with a compile-time int, not with " + index->describe());
  if (!position->fitsSigned(32) || position->toInt64() < -size || position->toInt64() >= size)
    return emit.error("index " + position->str() + " is outside a tuple of " + llvm::Twine(size));
  int64_t at = position->toInt64();
  return (*tuple->elements)[at < 0 ? at + size : at];
}

FailureOr<Value> tessera::evaluateConstantExpression(Emitter &emit, Environment &globals,
                                                     const ast::Expr *expression) {
  Translator translator(emit, globals, CodeKind::Host);
  return translator.evaluate(expression);
}
