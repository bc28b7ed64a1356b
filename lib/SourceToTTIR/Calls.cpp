//===- Calls.cpp - calling a function of the language ---------------------===//
#include "Translator.h"
#include "llvm/Support/Casting.h"

using namespace tessera;

FailureOr<llvm::SmallVector<CallArgument>> Translator::evaluateArguments(const ast::Call *call) {
  // The reference visits keywords first; the IR is in its order.
  llvm::SmallVector<CallArgument> keywords, arguments;
  for (const ast::Keyword *keyword : call->keywords) {
    if (keyword->arg.empty())
      return emit.errorAt(keyword->range, "'**' in a call is not part of the kernel language");
    FailureOr<Value> value = evaluate(keyword->value);
    if (failed(value))
      return llvm::failure();
    keywords.push_back({ref(keyword->arg), *value, keyword->range});
  }
  for (const ast::Expr *argument : call->args) {
    auto *starred = llvm::dyn_cast<ast::Starred>(argument);
    FailureOr<Value> value = evaluate(starred ? starred->value : argument);
    if (failed(value))
      return llvm::failure();
    if (!starred) {
      arguments.push_back({"", *value, argument->range});
      continue;
    }
    const TupleObject *tuple = value->get<TupleObject>();
    if (!tuple)
      return emit.errorAt(argument->range, "'*' unpacks a tuple, not " + value->describe());
    for (const Value &element : *tuple->elements)
      arguments.push_back({"", element, argument->range});
  }
  arguments.append(keywords);
  return arguments;
}

/// A call in host code; no function of the language emits anything there.
static FailureOr<Value> callOnHost(Emitter &emit, const Value &callee,
                                   llvm::ArrayRef<CallArgument> arguments) {
  if (const JitObject *jit = callee.get<JitObject>(); jit && jit->function->isConstexprFunction)
    return callHostFunction(emit, *jit->function, arguments);
  if (const ClassObject *type = callee.get<ClassObject>())
    return construct(emit, *type->type, arguments);
  llvm::SmallVector<CallArgument> all;
  const Builtin *builtin = nullptr;
  if (const BuiltinObject *object = callee.get<BuiltinObject>())
    builtin = object->builtin;
  if (const MethodObject *method = callee.get<MethodObject>(); method && method->builtin) {
    builtin = method->builtin;
    all.push_back({"", *method->self, emit.range});
  }
  if (!builtin)
    return emit.error(callee.describe() + " cannot be called at compile time");
  if (!builtin->isCompileTime)
    return emit.error(builtin->name() +
                      " is for kernels, not for a module's top level or a constexpr function");
  all.append(arguments.begin(), arguments.end());
  auto bound = bindArguments(emit, *builtin, all);
  return failed(bound) ? FailureOr<Value>(llvm::failure()) : builtin->handler(emit, *bound);
}

FailureOr<Value> Translator::evaluateCall(const ast::Call *call) {
  FailureOr<Value> callee = evaluate(call->func);
  if (failed(callee))
    return llvm::failure();
  if (const HostObject *host = callee->get<HostObject>())
    return emit.error("'" + host->name + "' cannot be called in a kernel (" + host->why + ")");
  auto arguments = evaluateArguments(call);
  if (failed(arguments))
    return llvm::failure();
  if (isHost())
    return callOnHost(emit, *callee, *arguments);
  size_t errors = emit.errorCount();
  FailureOr<Value> result = program->call(*callee, *arguments);
  if (succeeded(result) || callee->is<JitObject>())
    return result;
  llvm::SmallVector<const ast::Expr *> operands;
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(call->func))
    operands.push_back(attribute->value);
  operands.append(call->args.begin(), call->args.end());
  for (const ast::Keyword *keyword : call->keywords)
    operands.push_back(keyword->value);
  noteOperands(operands, errors);
  return result;
}

/// `tl.advance(p, ...)` alone on a line does nothing; so says the function itself.
LogicalResult Translator::checkResultIsUsed(const ast::ExprStmt *statement) {
  auto *call = llvm::dyn_cast<ast::Call>(statement->value);
  if (isHost() || !call || !llvm::isa<ast::Name, ast::Attribute>(call->func))
    return llvm::success();
  // Looked up quietly: if the name is wrong, evaluating the call says so.
  DiagnosticEngine ignored;
  Emitter quiet(emit.context(), ignored);
  quiet.file = emit.file;
  quiet.range = emit.range;
  quiet.target = emit.target;
  quiet.modules = emit.modules;
  const ast::Expr *base = call->func;
  std::optional<Value> callee;
  if (auto *name = llvm::dyn_cast<ast::Name>(base)) {
    auto local = locals.find(ref(name->id));
    callee =
        local != locals.end() ? std::optional(local->second.value) : globals.lookup(ref(name->id));
  } else if (auto *attribute = llvm::dyn_cast<ast::Attribute>(base)) {
    if (auto *owner = llvm::dyn_cast<ast::Name>(attribute->value)) {
      auto local = locals.find(ref(owner->id));
      std::optional<Value> object = local != locals.end() ? std::optional(local->second.value)
                                                          : globals.lookup(ref(owner->id));
      if (object && !object->is<ErrorObject>() && !object->is<UndefinedObject>()) {
        FailureOr<Value> found = readAttribute(quiet, *object, ref(attribute->attr));
        if (succeeded(found))
          callee = *found;
      }
    }
  }
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
