//===- Statements.cpp - the statements that all code has ------------------===//
// The dispatch over statements, and assignments. A form that only one kind of code
// has goes to executeOther(); formOf() has the advice for forms that are refused.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tessera;
using llvm::dyn_cast;

LogicalResult Evaluator::executeStatement(const ast::Stmt *statement) {
  switch (statement->kind) {
  case ast::StmtKind::Assign:
    return executeAssign(llvm::cast<ast::Assign>(statement));
  case ast::StmtKind::AnnAssign:
    return executeAnnotated(llvm::cast<ast::AnnAssign>(statement));
  case ast::StmtKind::AugAssign:
    return executeAugmented(llvm::cast<ast::AugAssign>(statement));
  case ast::StmtKind::ExprStmt:
    return evaluate(llvm::cast<ast::ExprStmt>(statement)->value);
  case ast::StmtKind::Pass:
    return llvm::success();
  case ast::StmtKind::If:
    return executeIf(llvm::cast<ast::If>(statement));
  case ast::StmtKind::For:
    return executeFor(llvm::cast<ast::For>(statement));
  case ast::StmtKind::While:
    return executeWhile(llvm::cast<ast::While>(statement));
  case ast::StmtKind::Assert: {
    auto *assertion = llvm::cast<ast::Assert>(statement);
    FailureOr<Value> test = evaluate(assertion->test);
    FailureOr<Value> message = failed(test) ? test : FailureOr<Value>(Value(std::string()));
    if (succeeded(test) && assertion->msg)
      message = evaluate(assertion->msg);
    if (failed(test) || failed(message))
      return llvm::failure();
    return executeAssert(assertion, *test, *message);
  }
  case ast::StmtKind::Return:
    return executeReturn(llvm::cast<ast::Return>(statement));
  default:
    return executeOther(statement);
  }
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

LogicalResult Evaluator::refuse(const ast::Stmt *statement) {
  if (statement->kind == ast::StmtKind::With)
    return emit.unsupportedAt(statement->range,
                              "'with' needs a context manager of the language, and none is "
                              "supported (profiler scopes, Gluon)");
  RefusedForm form = formOf(statement->kind);
  return emit.error(form.name + " is not part of the kernel language" + form.advice);
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

LogicalResult Evaluator::refuseTarget(const ast::Expr *target) {
  return emit.errorAt(target->range, whyNoTarget(target));
}

LogicalResult Evaluator::assign(const ast::Expr *target, const Value &value) {
  if (auto *name = dyn_cast<ast::Name>(target)) {
    RangeScope scope(emit, target->range);
    set(ref(name->id), value);
    return llvm::success();
  }
  if (auto *attribute = dyn_cast<ast::Attribute>(target); attribute && constructed)
    return constructed->assign(attribute, value, locals);
  return assignParts(target, value);
}

LogicalResult Evaluator::executeAssign(const ast::Assign *statement) {
  const ast::Expr *target = statement->targets[0];
  auto *name = dyn_cast<ast::Name>(target);
  // IR values that are emitted here print under the name that they are assigned to.
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

LogicalResult Evaluator::executeAnnotated(const ast::AnnAssign *statement) {
  auto *name = dyn_cast<ast::Name>(statement->target);
  if (!name)
    return emit.error("only a name can be declared with an annotation");
  bool isConstant = declaresConstant(statement->annotation);
  if (!isConstant && !statement->value)
    return llvm::success();
  llvm::SaveAndRestore<llvm::StringRef> named(emit.resultName, ref(name->id));
  FailureOr<Value> value = Value(NoneObject{});
  if (statement->value)
    value = evaluate(statement->value);
  if (failed(value))
    return llvm::failure();
  if (!isConstant) {
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

LogicalResult Evaluator::executeAugmented(const ast::AugAssign *statement) {
  auto *name = dyn_cast<ast::Name>(statement->target);
  if (!name && !constructed && !canChange(statement->target))
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
