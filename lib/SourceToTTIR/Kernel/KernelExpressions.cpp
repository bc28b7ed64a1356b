//===- KernelExpressions.cpp - expressions in kernels ---------------------===//
// Compile-time operands are computed, run-time ones become IR. Names come from the
// function, then from the module, where kernels see constants, functions and types
// only.
//===----------------------------------------------------------------------===//
#include "KernelTranslator.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "../Host/HostValues.h"
#include "../Operators/PythonText.h"

using namespace tessera;
using llvm::dyn_cast;

LogicalResult KernelTranslator::checkSize(const Value &value) {
  return checkSizeUpTo(kMaxElements, value);
}

FailureOr<Value> KernelTranslator::evaluateForm(const ast::Expr *expression) {
  switch (expression->kind) {
  case ast::ExprKind::Tuple:
    return evaluateTuple(llvm::cast<ast::Tuple>(expression)->elts);
  case ast::ExprKind::List:
    return evaluateTuple(llvm::cast<ast::List>(expression)->elts);
  case ast::ExprKind::ListComp:
    return evaluateListComprehension(llvm::cast<ast::ListComp>(expression));
  default:
    return Evaluator::evaluateForm(expression);
  }
}

//===----------------------------------------------------------------------===//
// Names and attributes
//===----------------------------------------------------------------------===//

Value KernelTranslator::asTensor(const Value &value) {
  const UndefinedObject *undefined = value.get<UndefinedObject>();
  if (!undefined)
    return value;
  mlir::Type type = toIR(undefined->type, emit.context());
  return Value(
      Tensor{mlir::ub::PoisonOp::create(emit.builder, emit.location(), type), undefined->type});
}

Value KernelTranslator::readLocal(llvm::StringRef name, const Local &local) {
  if (local.isStale)
    staleReads.insert(name);
  return asTensor(local.value);
}

FailureOr<std::optional<Value>> KernelTranslator::readGlobal(llvm::StringRef name) {
  std::optional<Value> global = globals.lookup(name);
  if (!global)
    return global;
  const HostObject *host = global->get<HostObject>();
  // An object of the host that tl.constexpr(...) wraps has attributes.
  if (host && !(host->live && global->isConstexpr()))
    return refuseHostObject(emit, *host);
  if (unsigned line = globals.guessedAt(name))
    emit.warnAt(emit.range, "'" + name + "' depends on a condition (line " + llvm::Twine(line) +
                                ") that only Python can evaluate; its first branch was taken");
  return global;
}

FailureOr<Value> KernelTranslator::refuseName(const ast::Name *name) {
  llvm::StringRef id = ref(name->id);
  auto found = lost.find(id);
  if (found == lost.end())
    return Evaluator::refuseName(name);
  (void)emit.error("'" + id + "' is not defined here: " + found->second.why);
  emit.noteAt(found->second.where, "'" + id + "' is assigned here");
  return llvm::failure();
}

LogicalResult tessera::refuseHostObject(Emitter &emit, const HostObject &host) {
  if (!host.causes || host.causes->empty())
    return emit.error("'" + host.name + "' cannot be used in a kernel (" + host.why + ")");
  // The other file's own error, once; then the place that needs it.
  const Diagnostic &cause = host.causes->front();
  if (llvm::any_of(emit.diagnostics.diagnostics(), [&](const Diagnostic &reported) {
        return reported.path == cause.path && reported.range == cause.range &&
               reported.message == cause.message;
      }))
    return llvm::failure();
  emit.reportElsewhere(cause);
  emit.noteAt(emit.range, "'" + host.name + "' is used here (" + host.why + ")");
  return llvm::failure();
}

FailureOr<Value> KernelTranslator::evaluateAttribute(const ast::Attribute *attribute) {
  FailureOr<Value> value = Evaluator::evaluateAttribute(attribute);
  if (failed(value))
    return value;
  // Python calls what a live module has while the kernel is compiled: np.log2(BLOCK).
  const FunctionObject *plain = value->get<FunctionObject>();
  return plain && plain->function->live.answers ? value : kernelView(emit, *value);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Errors that are about an operation's operands get a note for each that has a
/// name: its type, and where it got it.
void KernelTranslator::noteOperands(llvm::ArrayRef<const ast::Expr *> operands,
                                    size_t errorsBefore) {
  if (emit.errorCount() != errorsBefore + 1)
    return;
  llvm::SmallVector<llvm::StringRef> noted;
  for (const ast::Expr *operand : operands) {
    auto *name = dyn_cast<ast::Name>(operand);
    auto found = name ? locals.find(ref(name->id)) : locals.end();
    llvm::SmallVector<mlir::Value> handles;
    if (found != locals.end())
      flatten(found->second.value, handles);
    if (handles.empty() || llvm::is_contained(noted, found->first) ||
        !found->second.where.begin.line)
      continue;
    noted.push_back(found->first);
    const Value &value = found->second.value;
    emit.noteAt(found->second.where, "'" + found->first + "' is " +
                                         (value.is<TupleObject>() && value.leafCount() <= 16
                                              ? "the tuple " + typeText(value)
                                              : value.describe()) +
                                         ", from here");
  }
}

FailureOr<Value> KernelTranslator::applyBinary(const ast::BinOp *operation, BinaryOp op,
                                               const Value &left, const Value &right) {
  size_t errors = emit.errorCount();
  FailureOr<Value> result = binary(emit, op, left, right);
  if (failed(result))
    noteOperands({operation->left, operation->right}, errors);
  return result;
}

FailureOr<Value> KernelTranslator::applyUnary(UnaryOp op, const Value &operand) {
  return unary(emit, op, operand);
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

FailureOr<Value> KernelTranslator::evaluateCompare(const ast::Compare *comparison) {
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
/// and are all evaluated (docs/language.md#expressions).
FailureOr<Value> KernelTranslator::evaluateBool(const ast::BoolOp *operation) {
  bool isAnd = operation->op == ast::BoolOperator::And;
  std::optional<Value> combined;
  Value last(isAnd);
  for (const ast::Expr *operand : operation->values) {
    FailureOr<Value> value = evaluate(operand);
    if (failed(value))
      return llvm::failure();
    last = *value;
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

FailureOr<Value> KernelTranslator::evaluateConditional(const ast::IfExp *conditional) {
  FailureOr<Value> test = evaluate(conditional->test);
  if (failed(test))
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

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

FailureOr<Value> KernelTranslator::evaluateTuple(ast::Seq<ast::Expr *> elements) {
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
FailureOr<Value> KernelTranslator::evaluateListComprehension(const ast::ListComp *comprehension) {
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

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult KernelTranslator::spreadKeywords(const ast::Keyword *keyword,
                                               llvm::SmallVectorImpl<CallArgument> &) {
  return emit.errorAt(keyword->range, "'**' in a call is not part of the kernel language");
}

FailureOr<std::vector<Value>> KernelTranslator::spread(const ast::Expr *argument,
                                                       const Value &value) {
  if (!value.is<TupleObject>())
    return emit.errorAt(argument->range, "'*' unpacks a tuple, not " + value.describe());
  return itemsOf(emit, value);
}

LogicalResult KernelTranslator::refuseCallee(const Value &callee) {
  return refuseHostObject(emit, *callee.get<HostObject>());
}

FailureOr<Value> KernelTranslator::call(const ast::Call *call, const Value &callee,
                                        llvm::ArrayRef<CallArgument> arguments) {
  size_t errors = emit.errorCount();
  FailureOr<Value> result = program.call(callee, arguments);
  const JitObject *jit = callee.get<JitObject>();
  if (succeeded(result) || (jit && !isLibrary(*jit->function)))
    return result;
  llvm::SmallVector<const ast::Expr *> operands;
  if (auto *attribute = dyn_cast<ast::Attribute>(call->func))
    operands.push_back(attribute->value);
  operands.append(call->args.begin(), call->args.end());
  for (const ast::Keyword *keyword : call->keywords)
    operands.push_back(keyword->value);
  noteOperands(operands, errors);
  return result;
}
