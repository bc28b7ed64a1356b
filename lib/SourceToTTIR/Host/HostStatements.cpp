//===- HostStatements.cpp - statements that run at compile time -----------===//
// Branches, loops, raise, try, del, nested functions, and assignments to items.
//===----------------------------------------------------------------------===//
#include "HostInterpreter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Casting.h"
#include "../Operators/PythonText.h"

using namespace tessera;
using llvm::dyn_cast;

LogicalResult HostInterpreter::execute(ast::Seq<ast::Stmt *> body) {
  for (const ast::Stmt *statement : body) {
    RangeScope scope(emit, statement->range);
    if (failed(emit.budget.checkDepth()) || failed(emit.budget.countStatement()) ||
        failed(executeStatement(statement)))
      return llvm::failure();
    if (loopExit != LoopExit::None || hasReturned)
      break;
  }
  return llvm::success();
}

FailureOr<Value> HostInterpreter::executeFunction(ast::Seq<ast::Stmt *> body) {
  functionBody = body;
  if (failed(execute(body)))
    return llvm::failure();
  return hasReturned ? returnValue : Value(NoneObject{});
}

LogicalResult HostInterpreter::executeOther(const ast::Stmt *statement) {
  switch (statement->kind) {
  case ast::StmtKind::Raise:
    return executeRaise(llvm::cast<ast::Raise>(statement));
  case ast::StmtKind::Try:
    return executeTry(llvm::cast<ast::Try>(statement));
  case ast::StmtKind::Delete:
    return executeDelete(llvm::cast<ast::Delete>(statement));
  case ast::StmtKind::FunctionDef:
    return executeFunctionDef(llvm::cast<ast::FunctionDef>(statement));
  case ast::StmtKind::Break:
    loopExit = LoopExit::Break;
    return llvm::success();
  case ast::StmtKind::Continue:
    loopExit = LoopExit::Continue;
    return llvm::success();
  default:
    return emit.error("code that runs at compile time has no '" +
                      llvm::StringRef(nameOf(statement->kind)) + "' statement here");
  }
}

LogicalResult HostInterpreter::executeFunctionDef(const ast::FunctionDef *function) {
  if (!function->decorator_list.empty())
    return refuse(function);
  Value made =
      makeFunction(ref(function->name), function->args, function->body, nullptr, function->range);
  if (made.nesting() > Value::kMaxNesting)
    return emit.budget.error("functions within functions, more than " +
                             llvm::Twine(Value::kMaxNesting) + " deep");
  set(ref(function->name), std::move(made));
  return llvm::success();
}

LogicalResult HostInterpreter::executeAssert(const ast::Assert *assertion, const Value &test,
                                             const Value &message) {
  FailureOr<bool> truth = truthOf(assertion->test, test);
  if (failed(truth) || *truth)
    return truth;
  const std::string *text = message.get<std::string>();
  return emit.raise("AssertionError",
                    "assertion failed" + (text && !text->empty() ? ": " + *text : ""));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult HostInterpreter::executeIf(const ast::If *conditional) {
  FailureOr<bool> truth = evaluateTruth(conditional->test);
  if (failed(truth))
    return llvm::failure();
  return execute(*truth ? conditional->body : conditional->orelse);
}

LogicalResult HostInterpreter::executeReturn(const ast::Return *statement) {
  FailureOr<Value> value = Value(NoneObject{});
  if (statement->value)
    value = evaluate(statement->value);
  if (failed(value))
    return llvm::failure();
  returnValue = *value;
  hasReturned = true;
  return llvm::success();
}

LogicalResult HostInterpreter::executeFor(const ast::For *loop) {
  FailureOr<Value> iterable = evaluate(loop->iter);
  if (failed(iterable))
    return llvm::failure();
  FailureOr<std::vector<Value>> items = itemsOf(emit, *iterable);
  if (failed(items))
    return llvm::failure();
  bool wasBroken = false;
  for (const Value &item : *items) {
    if (failed(emit.budget.countStatement()) || failed(assign(loop->target, item)))
      return llvm::failure();
    loopExit = LoopExit::None;
    if (failed(execute(loop->body)))
      return llvm::failure();
    wasBroken = loopExit == LoopExit::Break;
    loopExit = LoopExit::None;
    if (wasBroken || hasReturned)
      break;
  }
  return wasBroken || hasReturned ? llvm::success() : execute(loop->orelse);
}

LogicalResult HostInterpreter::executeWhile(const ast::While *loop) {
  while (true) {
    FailureOr<Value> test = evaluate(loop->test);
    if (failed(test) || failed(emit.budget.countStatement()) || failed(truthOf(loop->test, *test)))
      return llvm::failure();
    if (!isTruthy(*test))
      return execute(loop->orelse);
    loopExit = LoopExit::None;
    if (failed(execute(loop->body)))
      return llvm::failure();
    bool wasBroken = loopExit == LoopExit::Break;
    loopExit = LoopExit::None;
    if (wasBroken || hasReturned)
      return llvm::success();
  }
}

//===----------------------------------------------------------------------===//
// Exceptions
//===----------------------------------------------------------------------===//

/// "ValueError" of `ValueError`, `ValueError(...)` and `errors.ValueError(...)`.
static llvm::StringRef exceptionClass(const ast::Expr *expression) {
  if (auto *call = dyn_cast<ast::Call>(expression))
    expression = call->func;
  if (auto *attribute = dyn_cast<ast::Attribute>(expression))
    return ref(attribute->attr);
  auto *name = dyn_cast<ast::Name>(expression);
  return name ? ref(name->id) : "";
}

LogicalResult HostInterpreter::executeRaise(const ast::Raise *statement) {
  if (!statement->exc)
    return emit.error("raised again");
  std::string name = exceptionClass(statement->exc).str(), message;
  if (auto *call = dyn_cast<ast::Call>(statement->exc))
    for (const ast::Expr *argument : call->args) {
      FailureOr<Value> value = evaluate(argument);
      if (failed(value))
        return llvm::failure();
      message += (message.empty() ? "" : ", ") + pythonStr(*value);
    }
  LogicalResult status = emit.error(message.empty() ? name : name + ": " + message);
  emit.raised = name;
  return status;
}

/// Returns true if `except handler:` catches an exception of that class. The compiler's own
/// errors have no class, and any handler catches them.
static bool catches(llvm::StringRef handler, llvm::StringRef raised) {
  if (raised.empty() || handler == raised || handler == "Exception" || handler == "BaseException")
    return true;
  llvm::StringRef parent = llvm::StringSwitch<llvm::StringRef>(raised)
                               .Cases({"KeyError", "IndexError"}, "LookupError")
                               .Cases({"ZeroDivisionError", "OverflowError"}, "ArithmeticError")
                               .Case("ModuleNotFoundError", "ImportError")
                               .Cases({"NotImplementedError", "RecursionError"}, "RuntimeError")
                               .Default("");
  return !parent.empty() && handler == parent;
}

static bool catches(const ast::ExceptHandler &handler, llvm::StringRef raised) {
  if (!handler.type)
    return true;
  if (auto *tuple = dyn_cast<ast::Tuple>(handler.type))
    return llvm::any_of(
        tuple->elts, [&](const ast::Expr *each) { return catches(exceptionClass(each), raised); });
  return catches(exceptionClass(handler.type), raised);
}

LogicalResult HostInterpreter::executeTry(const ast::Try *statement) {
  Reporter::Mark mark = emit.mark();
  emit.raised.clear();
  LogicalResult status = execute(statement->body);
  if (failed(status) && !emit.budget.hasRunOut()) {
    // If Python's live objects are available, Python can run code that this interpreter cannot, so
    // its own errors are not exceptions of the program.
    if (emit.raised.empty() && emit.modules && emit.modules->isLive())
      return llvm::failure();
    std::string raised = std::exchange(emit.raised, "");
    for (const ast::ExceptHandler *handler : statement->handlers) {
      if (!catches(*handler, raised))
        continue;
      std::string message = emit.diagnostics.diagnostics().size() > mark.diagnostics
                                ? emit.diagnostics.diagnostics()[mark.diagnostics].message
                                : "";
      emit.rollBack(mark);
      if (!handler->name.empty())
        set(ref(handler->name), Value(message));
      status = execute(handler->body);
      break;
    }
  } else if (succeeded(status) && !hasReturned && loopExit == LoopExit::None) {
    status = execute(statement->orelse);
  }
  if (statement->finalbody.empty() || emit.budget.hasRunOut())
    return status;
  // `finally` runs whatever happened; a return of its own would win.
  bool returned = std::exchange(hasReturned, false);
  LogicalResult cleanup = execute(statement->finalbody);
  hasReturned = hasReturned || returned;
  return failed(status) ? status : cleanup;
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

LogicalResult HostInterpreter::executeDelete(const ast::Delete *statement) {
  for (const ast::Expr *target : statement->targets) {
    if (auto *name = dyn_cast<ast::Name>(target)) {
      locals.erase(ref(name->id));
      continue;
    }
    auto *subscript = dyn_cast<ast::Subscript>(target);
    FailureOr<Value> base = subscript ? evaluate(subscript->value) : FailureOr<Value>(Value());
    FailureOr<Value> key = subscript && succeeded(base) ? evaluate(subscript->slice) : base;
    if (failed(base) || failed(key))
      return llvm::failure();
    const DictObject *dict = base->get<DictObject>();
    if (!dict || !findItem(*dict, *key))
      return emit.errorAt(target->range, "there is no such item to delete");
    llvm::erase_if(*dict->items, [&](const auto &item) { return isEqual(item.first, *key); });
  }
  return llvm::success();
}

namespace {
/// Searches a value for `container`, because a list must not contain itself. A value that is
/// too deep or too large to search counts as containing it.
struct Search {
  const void *container;
  unsigned steps = 1 << 20;

  bool any(const std::vector<Value> &parts, unsigned depth) {
    return llvm::any_of(parts, [&](const Value &part) { return holds(part, depth + 1); });
  }
  bool holds(const Value &value, unsigned depth = 0) {
    if (value.nesting() == 0)
      return false;
    if (depth > Value::kMaxNesting || steps == 0)
      return true;
    --steps;
    auto second = [&](const auto &item) { return holds(item.second, depth + 1); };
    if (const TupleObject *tuple = value.get<TupleObject>())
      return any(*tuple->elements, depth);
    if (const ListObject *list = value.get<ListObject>())
      return list->elements.get() == container || any(*list->elements, depth);
    if (const DictObject *dict = value.get<DictObject>())
      return dict->items.get() == container || llvm::any_of(*dict->items, second);
    const FunctionObject *object = value.get<FunctionObject>();
    return object && object->function->captured &&
           llvm::any_of(*object->function->captured, second);
  }
};
} // namespace

LogicalResult tessera::checkInsertion(Emitter &emit, const void *container, size_t size,
                                      const Value &value) {
  if (size >= kMaxElements)
    return emit.budget.error("more than " + llvm::Twine(kMaxElements) + " elements");
  if (Search{container}.holds(value))
    return emit.error("a container cannot hold itself at compile time");
  return value.nesting() ? emit.budget.countInsertion() : llvm::success();
}

LogicalResult HostInterpreter::assignItem(const ast::Subscript *target, const Value &value) {
  FailureOr<Value> base = evaluate(target->value);
  FailureOr<Value> index = failed(base) ? base : evaluate(target->slice);
  if (failed(base) || failed(index))
    return llvm::failure();
  if (const DictObject *dict = base->get<DictObject>()) {
    if (failed(checkInsertion(emit, dict->items.get(), dict->items->size(), value)))
      return llvm::failure();
    DictObject same = *dict;
    setItem(same, *index, value);
    return llvm::success();
  }
  const ListObject *list = base->get<ListObject>();
  std::optional<PythonInt> position = index->asInt();
  if (!list || !position)
    return emit.errorAt(target->range, base->describe() + " has no items to assign");
  int64_t size = list->elements->size();
  if (!position->fitsSigned(32) || position->toInt64() < -size || position->toInt64() >= size)
    return emit.errorAt(target->range,
                        "index " + position->str() + " is outside " + base->describe());
  if (failed(checkInsertion(emit, list->elements.get(), 0, value)))
    return llvm::failure();
  int64_t at = position->toInt64();
  (*list->elements)[at < 0 ? at + size : at] = value;
  return llvm::success();
}

LogicalResult HostInterpreter::assignParts(const ast::Expr *target, const Value &value) {
  if (llvm::isa<ast::Attribute>(target))
    return refuseTarget(target);
  if (auto *subscript = dyn_cast<ast::Subscript>(target))
    return assignItem(subscript, value);
  ast::Seq<ast::Expr *> targets;
  if (auto *tuple = dyn_cast<ast::Tuple>(target))
    targets = tuple->elts;
  else if (auto *list = dyn_cast<ast::List>(target))
    targets = list->elts;
  else
    return emit.errorAt(target->range, "this cannot be assigned to");
  FailureOr<std::vector<Value>> items = itemsOf(emit, value);
  if (failed(items))
    return llvm::failure();
  auto isStarred = [](const ast::Expr *each) { return llvm::isa<ast::Starred>(each); };
  size_t star = llvm::find_if(targets, isStarred) - targets.begin();
  bool hasStar = star < targets.size();
  if (hasStar ? items->size() + 1 < targets.size() : items->size() != targets.size())
    return emit.errorAt(target->range, "cannot unpack " + llvm::Twine(items->size()) +
                                           " values into " + llvm::Twine(targets.size()) +
                                           " names");
  size_t spread = hasStar ? items->size() + 1 - targets.size() : 0, next = 0;
  for (auto [i, each] : llvm::enumerate(targets)) {
    if (hasStar && i == star) {
      std::vector<Value> rest(items->begin() + next, items->begin() + next + spread);
      next += spread;
      if (failed(assign(llvm::cast<ast::Starred>(each)->value, makeList(std::move(rest)))))
        return llvm::failure();
      continue;
    }
    if (failed(assign(each, (*items)[next++])))
      return llvm::failure();
  }
  return llvm::success();
}
