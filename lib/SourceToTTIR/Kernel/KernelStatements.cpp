//===- KernelStatements.cpp - statements in kernels -----------------------===//
// Branches and returns are in ControlFlow.cpp, loops in Loops.cpp.
//===----------------------------------------------------------------------===//
#include "KernelTranslator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "../Host/HostInterpreter.h"

using namespace tessera;
using llvm::dyn_cast;

LogicalResult KernelTranslator::execute(ast::Seq<ast::Stmt *> body) {
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
      if (emit.library.file || emit.hasManyErrors())
        return llvm::failure();
      llvm::SmallVector<llvm::StringRef> names;
      collectAssignedNames(statement, names);
      for (llvm::StringRef name : names)
        set(name, Value(ErrorObject{}));
      continue;
    }
    if (!hasReturned)
      continue;
    // Statements after a return in the same list are ignored; statements after an `if`
    // that returned are checked like any code.
    if (!llvm::isa<ast::Return>(statement) && failed(checkDeadCode(body.subspan(i + 1))))
      ok = false;
    break;
  }
  return llvm::success(ok);
}

LogicalResult KernelTranslator::executeStatement(const ast::Stmt *statement) {
  if (auto *assign = dyn_cast<ast::Assign>(statement); assign && assign->targets.size() != 1)
    return emit.error("a chained assignment is not part of the kernel language; write one a line");
  if (auto *expression = dyn_cast<ast::ExprStmt>(statement);
      expression && failed(checkResultIsUsed(expression)))
    return llvm::failure();
  return Evaluator::executeStatement(statement);
}

/// A kernel's `assert` is tl.device_assert: typed always, checked at run time in debug
/// mode only.
LogicalResult KernelTranslator::executeAssert(const ast::Assert *assertion, const Value &test,
                                              const Value &message) {
  std::optional<Value> check = lookupModuleAttribute("triton.language", "device_assert");
  if (!check)
    return llvm::success();
  return program.call(*check,
                      {{"", test, assertion->test->range}, {"", message, assertion->range}});
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

FailureOr<Value> KernelTranslator::decay(const Value &value, bool isReturned) {
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

bool KernelTranslator::declaresConstant(const ast::Expr *annotation) {
  // Inside a function an annotation is an expression; a string in its place means nothing.
  return !llvm::isa<ast::Constant>(annotation) && isConstexprAnnotation(globals, annotation);
}

LogicalResult KernelTranslator::assignParts(const ast::Expr *target, const Value &value) {
  auto *tuple = dyn_cast<ast::Tuple>(target);
  if (!tuple)
    return refuseTarget(target);
  const TupleObject *values = value.get<TupleObject>();
  if (!values)
    return emit.errorAt(target->range, "cannot unpack " + value.describe());
  for (const ast::Expr *element : tuple->elts)
    if (llvm::isa<ast::Starred>(element))
      return refuseTarget(element);
  if (values->elements->size() != tuple->elts.size())
    return emit.errorAt(target->range, "cannot unpack a tuple of " +
                                           llvm::Twine(values->elements->size()) + " into " +
                                           llvm::Twine(tuple->elts.size()) + " names");
  for (auto [element, item] : llvm::zip_equal(tuple->elts, *values->elements))
    if (failed(assign(element, item)))
      return llvm::failure();
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Results that must be used
//===----------------------------------------------------------------------===//

std::optional<Value> KernelTranslator::findCallee(const ast::Call *call) {
  auto find = [&](const ast::Name *name) {
    auto local = locals.find(ref(name->id));
    return local != locals.end() ? std::optional(local->second.value)
                                 : globals.lookup(ref(name->id));
  };
  if (auto *name = dyn_cast<ast::Name>(call->func))
    return find(name);
  auto *attribute = dyn_cast<ast::Attribute>(call->func);
  auto *owner = attribute ? dyn_cast<ast::Name>(attribute->value) : nullptr;
  std::optional<Value> object = owner ? find(owner) : std::nullopt;
  if (!object || object->is<ErrorObject>() || object->is<UndefinedObject>())
    return std::nullopt;
  DiagnosticEngine ignored;
  Emitter quiet(emit.context(), ignored);
  quiet.file = emit.file;
  quiet.range = emit.range;
  quiet.target = emit.target;
  quiet.modules = emit.modules;
  FailureOr<Value> found = readAttribute(quiet, *object, ref(attribute->attr));
  return succeeded(found) ? std::optional(*found) : std::nullopt;
}

/// `tl.advance(p, ...)` alone on a line does nothing; so says the function itself.
LogicalResult KernelTranslator::checkResultIsUsed(const ast::ExprStmt *statement) {
  auto *call = dyn_cast<ast::Call>(statement->value);
  // Looked up quietly: if the name is wrong, evaluating the call says so.
  std::optional<Value> callee = call ? findCallee(call) : std::nullopt;
  if (!callee)
    return llvm::success();
  const Builtin *builtin = nullptr;
  const JitFunction *function = nullptr;
  if (const BuiltinObject *object = callee->get<BuiltinObject>())
    builtin = object->builtin;
  if (const MethodObject *method = callee->get<MethodObject>())
    builtin = method->builtin, function = method->function;
  if (const JitObject *object = callee->get<JitObject>())
    function = object->function;
  if (builtin && builtin->mustUseResult)
    return emit.error("the result of " + builtin->name() +
                      " is not used; it changes nothing, so write x = " + builtin->name() +
                      "(...)");
  if (function && !function->mustUseResult.empty())
    return emit.error("the result of '" + function->name + "' is not used; " +
                      function->mustUseResult);
  return llvm::success();
}
