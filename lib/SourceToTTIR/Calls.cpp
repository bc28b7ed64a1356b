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

FailureOr<Value> Translator::evaluateCall(const ast::Call *call) {
  FailureOr<Value> callee = evaluate(call->func);
  if (failed(callee))
    return llvm::failure();
  if (const HostObject *host = callee->get<HostObject>())
    return emit.error("'" + host->name + "' cannot be called in a kernel (" + host->why + ")");
  if (const JitObject *jit = callee->get<JitObject>())
    return emit.unsupportedAt(call->range, "calling the jit function '" + jit->function->name +
                                               "' is not supported yet");
  if (const TypeObject *type = callee->get<TypeObject>())
    return emit.error("a dtype is not callable; write x.to(tl." + type->type.scalar.languageName() +
                      ")");

  const MethodObject *method = callee->get<MethodObject>();
  const BuiltinObject *object = callee->get<BuiltinObject>();
  if (!method && !object)
    return emit.error(callee->describe() + " is not callable");
  const Builtin &builtin = method ? *method->builtin : *object->builtin;
  if (!emit.context() && !builtin.isCompileTime)
    return emit.error(builtin.name() + " is for kernels, not for a module's top level");
  auto arguments = evaluateArguments(call);
  if (failed(arguments))
    return llvm::failure();
  if (method)
    arguments->insert(arguments->begin(), {"", *method->self, call->func->range});
  auto bound = bindArguments(emit, builtin, *arguments);
  if (failed(bound))
    return llvm::failure();
  return builtin.handler(emit, *bound);
}
