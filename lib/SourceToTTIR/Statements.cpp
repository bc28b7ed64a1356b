//===- Statements.cpp - what each form of statement does ------------------===//
#include "Promotion.h"
#include "Translator.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tessera;
using llvm::dyn_cast;

LogicalResult Translator::execute(ast::Seq<ast::Stmt *> body) {
  bool ok = true;
  for (size_t i = 0; i < body.size(); ++i) {
    const ast::Stmt *statement = body[i];
    RangeScope scope(emit, statement->range);
    if (failed(emit.budget.checkDepth()) || failed(emit.budget.countStatement()))
      return llvm::failure();
    if (failed(executeStatement(statement))) {
      // Look at the rest too, without a second message about these names.
      ok = false;
      // The library checks its arguments first; what follows from a bad one says nothing new.
      if (isHost() || emit.library.file || emit.hasManyErrors())
        return llvm::failure();
      llvm::SmallVector<llvm::StringRef> names;
      collectAssignedNames(statement, names);
      for (llvm::StringRef name : names)
        set(name, Value(ErrorObject{}));
      continue;
    }
    if (loopExit != LoopExit::None)
      break;
    if (!hasReturned)
      continue;
    // What follows a return in the same list is never looked at; what follows an
    // `if` that returned is checked like any code.
    if (isHost() || llvm::isa<ast::Return>(statement))
      break;
    if (failed(checkDeadCode(body.subspan(i + 1))))
      ok = false;
    break;
  }
  return llvm::success(ok);
}

LogicalResult Translator::executeStatement(const ast::Stmt *statement) {
  switch (statement->kind) {
  case ast::StmtKind::Assign:
    return executeAssign(llvm::cast<ast::Assign>(statement));
  case ast::StmtKind::AnnAssign:
    return executeAnnotated(llvm::cast<ast::AnnAssign>(statement));
  case ast::StmtKind::AugAssign:
    return executeAugmented(llvm::cast<ast::AugAssign>(statement));
  case ast::StmtKind::ExprStmt:
    if (failed(checkResultIsUsed(llvm::cast<ast::ExprStmt>(statement))))
      return llvm::failure();
    return evaluate(llvm::cast<ast::ExprStmt>(statement)->value);
  case ast::StmtKind::Pass:
    return llvm::success();
  case ast::StmtKind::If:
    return executeIf(llvm::cast<ast::If>(statement));
  case ast::StmtKind::For:
    return executeFor(llvm::cast<ast::For>(statement));
  case ast::StmtKind::While:
    return executeWhile(llvm::cast<ast::While>(statement));
  case ast::StmtKind::Assert:
    return executeAssert(llvm::cast<ast::Assert>(statement));
  case ast::StmtKind::Return:
    return executeReturn(llvm::cast<ast::Return>(statement));
  default:
    return isHost() ? executeHostStatement(statement) : refuse(statement);
  }
}

/// A kernel's `assert` is tl.device_assert: typed always, checked at run time in
/// debug mode only. Host code's is Python's.
LogicalResult Translator::executeAssert(const ast::Assert *assertion) {
  FailureOr<Value> test = evaluate(assertion->test);
  FailureOr<Value> message = failed(test) ? test : FailureOr<Value>(Value(std::string()));
  if (succeeded(test) && assertion->msg)
    message = evaluate(assertion->msg);
  if (failed(test) || failed(message))
    return llvm::failure();
  if (isHost()) {
    FailureOr<bool> truth = hostTruth(assertion->test, *test);
    if (failed(truth) || *truth)
      return truth;
    const std::string *text = message->get<std::string>();
    return emit.raise("AssertionError",
                      "assertion failed" + (text && !text->empty() ? ": " + *text : ""));
  }
  std::optional<Value> check = lookupModuleAttribute("triton.language", "device_assert");
  if (!check)
    return llvm::success();
  return program->call(*check,
                       {{"", *test, assertion->test->range}, {"", *message, assertion->range}});
}

static RefusedForm formOf(ast::StmtKind kind) {
  switch (kind) {
  case ast::StmtKind::FunctionDef:
    return {"a function inside a function", "; define it beside the kernel, with @triton.jit"};
  case ast::StmtKind::AsyncFunctionDef:
    return {"a function inside a function"};
  case ast::StmtKind::ClassDef:
    return {"a class", "; define it beside the kernel"};
  case ast::StmtKind::Delete:
    return {"'del'"};
  case ast::StmtKind::For:
    return {"a 'for' loop"};
  case ast::StmtKind::AsyncFor:
    return {"'async for'"};
  case ast::StmtKind::While:
    return {"a 'while' loop"};
  case ast::StmtKind::With:
    return {"'with'"};
  case ast::StmtKind::AsyncWith:
    return {"'async with'"};
  case ast::StmtKind::Match:
    return {"'match'", "; use 'if'"};
  case ast::StmtKind::Raise:
    return {"'raise'", "; use tl.static_assert or tl.device_assert"};
  case ast::StmtKind::Try:
  case ast::StmtKind::TryStar:
    return {"'try'"};
  case ast::StmtKind::Import:
  case ast::StmtKind::ImportFrom:
    return {"'import'", "; import at the top of the file"};
  case ast::StmtKind::Global:
    return {"'global'", "; kernels write through pointers"};
  case ast::StmtKind::Nonlocal:
    return {"'nonlocal'", "; kernels write through pointers"};
  case ast::StmtKind::Break:
    return {"'break'",
            "; mask the rest of the iteration, or loop with 'while' and a flag in its condition"};
  case ast::StmtKind::Continue:
    return {"'continue'",
            "; mask the rest of the iteration, or loop with 'while' and a flag in its condition"};
  case ast::StmtKind::TypeAlias:
    return {"'type'"};
  default:
    return {"this statement"};
  }
}

LogicalResult Translator::refuse(const ast::Stmt *statement) {
  if (statement->kind == ast::StmtKind::With)
    return emit.unsupportedAt(statement->range,
                              "'with' needs a context manager of the language, and none is "
                              "supported (profiler scopes, Gluon)");
  RefusedForm form = formOf(statement->kind);
  return emit.error(form.name + " is not part of the kernel language" + form.advice);
}

FailureOr<Value> Translator::decay(const Value &value, bool isReturned) {
  if (isHost())
    return value;
  if (value.isNumber()) {
    FailureOr<Tensor> tensor = toTensor(emit, value);
    return asValue(tensor);
  }
  if (const TupleObject *tuple = value.get<TupleObject>()) {
    std::vector<Value> elements;
    for (const Value &element : *tuple->elements) {
      FailureOr<Value> decayed = decay(element, isReturned);
      if (failed(decayed))
        return llvm::failure();
      elements.push_back(*decayed);
    }
    return makeTuple(std::move(elements), tuple->type);
  }
  if (value.isTensor() || value.isNone() || value.is<TypeObject>() || value.is<AggregateObject>() ||
      value.is<DescriptorObject>())
    return value;
  return emit.error(value.describe() +
                    (isReturned ? " cannot be returned; functions return tensors, tuples and dtypes"
                                : " cannot be assigned to a variable; declare a constant with "
                                  "'name: tl.constexpr = ...'"));
}

static llvm::StringRef whyNoTarget(const ast::Expr *target) {
  if (llvm::isa<ast::Attribute, ast::Subscript>(target))
    return "tensors and objects cannot be modified in place; assign to a name, or use tl.store";
  if (llvm::isa<ast::List>(target))
    return "targets in brackets are not part of the kernel language; write a, b = ...";
  if (llvm::isa<ast::Starred>(target))
    return "a starred target is not part of the kernel language; name each element";
  return "this cannot be assigned to in a kernel";
}

LogicalResult Translator::assign(const ast::Expr *target, const Value &value) {
  if (auto *name = dyn_cast<ast::Name>(target)) {
    RangeScope scope(emit, target->range);
    set(ref(name->id), value);
    return llvm::success();
  }
  if (auto *attribute = dyn_cast<ast::Attribute>(target); attribute && constructed)
    return assignField(attribute, value);
  if (isHost() && !llvm::isa<ast::Attribute>(target))
    return assignHost(target, value);
  auto *tuple = dyn_cast<ast::Tuple>(target);
  if (!tuple)
    return emit.errorAt(target->range, whyNoTarget(target));
  const TupleObject *values = value.get<TupleObject>();
  if (!values)
    return emit.errorAt(target->range, "cannot unpack " + value.describe());
  for (const ast::Expr *element : tuple->elts)
    if (llvm::isa<ast::Starred>(element))
      return emit.errorAt(element->range, whyNoTarget(element));
  if (values->elements->size() != tuple->elts.size())
    return emit.errorAt(target->range, "cannot unpack a tuple of " +
                                           llvm::Twine(values->elements->size()) + " into " +
                                           llvm::Twine(tuple->elts.size()) + " names");
  for (auto [element, item] : llvm::zip_equal(tuple->elts, *values->elements))
    if (failed(assign(element, item)))
      return llvm::failure();
  return llvm::success();
}

LogicalResult Translator::executeAssign(const ast::Assign *statement) {
  if (statement->targets.size() != 1 && !isHost())
    return emit.error("a chained assignment is not part of the kernel language; write one a line");
  const ast::Expr *target = statement->targets[0];
  auto *name = dyn_cast<ast::Name>(target);
  // What is computed here prints under the name it is assigned to.
  llvm::SaveAndRestore<llvm::StringRef> named(emit.resultName, name ? ref(name->id) : "");
  FailureOr<Value> value = evaluate(statement->value);
  if (failed(value))
    return llvm::failure();
  RangeScope scope(emit, statement->value->range);
  // A field of an object keeps its constant; the field's type says what it is.
  if (!constructed || !llvm::isa<ast::Attribute>(target))
    value = decay(*value);
  if (failed(value))
    return llvm::failure();
  for (const ast::Expr *each : statement->targets)
    if (failed(assign(each, *value)))
      return llvm::failure();
  return llvm::success();
}

LogicalResult Translator::executeAnnotated(const ast::AnnAssign *statement) {
  auto *name = dyn_cast<ast::Name>(statement->target);
  if (!name)
    return emit.error("only a name can be declared with an annotation");
  // Inside a function an annotation is an expression; a string in its place means nothing.
  auto *text = dyn_cast<ast::Constant>(statement->annotation);
  bool isConstexpr = !text && isConstexprAnnotation(globals, statement->annotation);
  if ((!isConstexpr || isHost()) && !statement->value)
    return llvm::success();
  llvm::SaveAndRestore<llvm::StringRef> named(emit.resultName, ref(name->id));
  FailureOr<Value> value = Value(NoneObject{});
  if (statement->value)
    value = evaluate(statement->value);
  if (failed(value))
    return llvm::failure();
  if (!isConstexpr || isHost()) {
    value = decay(*value);
    return failed(value) ? llvm::failure() : assign(statement->target, *value);
  }
  // A run-time value stays one, as in `N: tl.constexpr = tl.cdiv(V, B)`, which kernels do
  // write: it is an error only where a constant is needed.
  if (locals.contains(ref(name->id)))
    return emit.error("'" + ref(name->id) +
                      "' is already defined, and a tl.constexpr is defined once; choose another "
                      "name");
  set(ref(name->id), *value);
  return llvm::success();
}

LogicalResult Translator::executeAugmented(const ast::AugAssign *statement) {
  auto *name = dyn_cast<ast::Name>(statement->target);
  if (!name && !(isHost() && llvm::isa<ast::Subscript>(statement->target)) && !constructed)
    return emit.errorAt(statement->target->range,
                        "tensors and objects cannot be modified in place; "
                        "assign to a name, or use tl.store");
  llvm::SaveAndRestore<llvm::StringRef> named(emit.resultName, name ? ref(name->id) : "");
  ast::BinOp operation;
  operation.range = statement->range;
  operation.op = statement->op;
  operation.left = statement->target;
  operation.right = statement->value;
  FailureOr<Value> value = evaluate(&operation);
  if (failed(value))
    return llvm::failure();
  value = decay(*value);
  return failed(value) ? llvm::failure() : assign(statement->target, *value);
}
