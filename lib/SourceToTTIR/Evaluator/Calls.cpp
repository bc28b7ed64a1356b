//===- Calls.cpp - what a call calls, and with which arguments ------------===//
#include "Evaluator.h"
#include "llvm/Support/Casting.h"

using namespace tessera;

FailureOr<llvm::SmallVector<CallArgument>> Evaluator::evaluateArguments(const ast::Call *call) {
  // The reference visits keywords first; the IR is in its order.
  llvm::SmallVector<CallArgument> keywords, arguments;
  for (const ast::Keyword *keyword : call->keywords) {
    if (keyword->arg.empty()) {
      if (failed(spreadKeywords(keyword, keywords)))
        return llvm::failure();
      continue;
    }
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
    FailureOr<std::vector<Value>> elements = spread(argument, *value);
    if (failed(elements))
      return llvm::failure();
    for (const Value &element : *elements)
      arguments.push_back({"", element, argument->range});
  }
  arguments.append(keywords);
  return arguments;
}

static bool isStaticAssert(const Value &callee) {
  const BuiltinObject *object = callee.get<BuiltinObject>();
  return object && llvm::StringRef(object->builtin->path) == "triton.language.static_assert";
}

FailureOr<Value> Evaluator::evaluateCall(const ast::Call *call) {
  FailureOr<Value> callee = evaluate(call->func);
  if (failed(callee))
    return llvm::failure();
  if (callee->is<HostObject>())
    return refuseCallee(*callee);
  if (isStaticAssert(*callee) && call->keywords.empty() && call->args.size() == 2) {
    // The message of an assertion that holds is not looked at.
    FailureOr<Value> test = evaluate(call->args[0]);
    const bool *holds = failed(test) ? nullptr : test->get<bool>();
    if (failed(test) || (holds && *holds))
      return failed(test) ? test : FailureOr<Value>(Value(NoneObject{}));
  }
  auto arguments = evaluateArguments(call);
  if (failed(arguments))
    return llvm::failure();
  return this->call(call, *callee, *arguments);
}
