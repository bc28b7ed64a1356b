//===- Expressions.cpp - the expressions that all code has ----------------===//
// Constants, operators, f-strings and subscripts. Operands are evaluated here; the
// subclass decides what an operator does with them (applyBinary, applyUnary).
//===----------------------------------------------------------------------===//
#include "Evaluator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "../Operators/PythonText.h"

using namespace tessera;
using llvm::dyn_cast;

FailureOr<Value> Evaluator::evaluate(const ast::Expr *expression) {
  RangeScope scope(emit, expression->range);
  if (failed(emit.budget.checkDepth()))
    return llvm::failure();
  FailureOr<Value> value = evaluateForm(expression);
  if (failed(value) || failed(checkSize(*value)))
    return llvm::failure();
  return value;
}

LogicalResult Evaluator::checkSizeUpTo(size_t most, const Value &value) {
  if (value.leafCount() > most)
    return emit.budget.error("a value of more than " + llvm::Twine(most) + " elements");
  if (value.nesting() > Value::kMaxNesting)
    return emit.budget.error("a value that nests more than " + llvm::Twine(Value::kMaxNesting) +
                             " deep");
  return llvm::success();
}

FailureOr<Value> Evaluator::evaluateForm(const ast::Expr *expression) {
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
  case ast::ExprKind::Subscript:
    return evaluateSubscript(llvm::cast<ast::Subscript>(expression));
  case ast::ExprKind::Slice:
    return evaluateSlice(llvm::cast<ast::Slice>(expression));
  case ast::ExprKind::JoinedStr:
    return evaluateFormatted(llvm::cast<ast::JoinedStr>(expression));
  case ast::ExprKind::Call:
    return evaluateCall(llvm::cast<ast::Call>(expression));
  default:
    return refuse(expression);
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

FailureOr<Value> Evaluator::refuse(const ast::Expr *expression) {
  RefusedForm form = formOf(expression->kind);
  return emit.error(form.name + " is not part of the kernel language" + form.advice);
}

FailureOr<Value> Evaluator::evaluateConstant(const ast::Constant *constant) {
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

FailureOr<Value> Evaluator::evaluateAttribute(const ast::Attribute *attribute) {
  FailureOr<Value> base = evaluate(attribute->value);
  return failed(base) ? base : readAttribute(emit, *base, ref(attribute->attr));
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

FailureOr<Value> Evaluator::evaluateBinary(const ast::BinOp *operation) {
  FailureOr<Value> left = evaluate(operation->left);
  FailureOr<Value> right = failed(left) ? left : evaluate(operation->right);
  if (failed(left) || failed(right))
    return llvm::failure();
  return applyBinary(operation, binaryOperator(operation->op), *left, *right);
}

FailureOr<Value> Evaluator::evaluateUnary(const ast::UnaryOp *operation) {
  FailureOr<Value> operand = evaluate(operation->operand);
  if (failed(operand))
    return llvm::failure();
  switch (operation->op) {
  case ast::UnaryOperator::Invert:
    return applyUnary(UnaryOp::Invert, *operand);
  case ast::UnaryOperator::Not:
    return applyUnary(UnaryOp::Not, *operand);
  case ast::UnaryOperator::UAdd:
    return applyUnary(UnaryOp::Pos, *operand);
  case ast::UnaryOperator::USub:
    return applyUnary(UnaryOp::Neg, *operand);
  }
  return operand;
}

FailureOr<Value> Evaluator::evaluateFormatted(const ast::JoinedStr *text) {
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

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

/// x[None, :]: each None inserts a size-1 axis, `:` keeps one.
FailureOr<Value> Evaluator::indexTensor(const Tensor &tensor, const Value &index) {
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

FailureOr<Value> Evaluator::evaluateSlice(const ast::Slice *slice) {
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
FailureOr<Value> Evaluator::sliceTuple(const TupleObject &tuple, const SliceObject &slice) {
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

FailureOr<Value> Evaluator::indexTuple(const TupleObject &tuple, const Value &index) {
  if (const SliceObject *slice = index.get<SliceObject>())
    return sliceTuple(tuple, *slice);
  std::optional<PythonInt> position = index.asInt();
  int64_t size = tuple.elements->size();
  if (!position)
    return emit.error("a tuple is indexed with a compile-time int, not with " + index.describe());
  if (!position->fitsSigned(32) || position->toInt64() < -size || position->toInt64() >= size)
    return emit.error("index " + position->str() + " is outside a tuple of " + llvm::Twine(size));
  int64_t at = position->toInt64();
  return (*tuple.elements)[at < 0 ? at + size : at];
}

FailureOr<Value> Evaluator::indexSequence(const Value &base, const Value &index) {
  const std::string *text = base.get<std::string>();
  const ListObject *list = base.get<ListObject>();
  if (!text && !list)
    return emit.error(
        base.describe() + " cannot be indexed" +
        (base.is<JitObject>() ? "; a kernel calls other jit functions without a grid" : ""));
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

FailureOr<Value> Evaluator::evaluateSubscript(const ast::Subscript *subscript) {
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
  if (const TupleObject *tuple = base->get<TupleObject>())
    return indexTuple(*tuple, *index);
  return indexSequence(*base, *index);
}
