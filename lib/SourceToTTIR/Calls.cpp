//===- Calls.cpp - calling a function of the language ---------------------===//
#include "Translator.h"
#include "llvm/Support/Casting.h"

using namespace tessera;

FailureOr<llvm::SmallVector<CallArgument>> Translator::evaluateArguments(const ast::Call *call) {
  // The reference visits keywords first; the IR is in its order.
  llvm::SmallVector<CallArgument> keywords, arguments;
  for (const ast::Keyword *keyword : call->keywords) {
    if (keyword->arg.empty() && !isHost())
      return emit.errorAt(keyword->range, "'**' in a call is not part of the kernel language");
    FailureOr<Value> value = evaluate(keyword->value);
    if (failed(value))
      return llvm::failure();
    if (keyword->arg.empty()) {
      const DictObject *dict = value->get<DictObject>();
      for (const auto &[key, item] : dict ? *dict->items : decltype(dict->items)::element_type()) {
        keywordTexts.push_back(pythonStr(key));
        keywords.push_back({keywordTexts.back(), item, keyword->range});
      }
      if (!dict)
        return emit.errorAt(keyword->range, "'**' spreads a dict, not " + value->describe());
      continue;
    }
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
    if (!value->is<TupleObject>() && !isHost())
      return emit.errorAt(argument->range, "'*' unpacks a tuple, not " + value->describe());
    FailureOr<std::vector<Value>> elements = itemsOf(emit, *value);
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

FailureOr<Value> Translator::evaluateCall(const ast::Call *call) {
  FailureOr<Value> callee = evaluate(call->func);
  if (failed(callee))
    return llvm::failure();
  if (const HostObject *host = callee->get<HostObject>())
    return isHost() ? checkHostOperand(*callee) : refuseHostObject(emit, *host);
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
  if (isHost())
    return callHost(emit, *callee, *arguments);
  size_t errors = emit.errorCount();
  FailureOr<Value> result = program->call(*callee, *arguments);
  const JitObject *jit = callee->get<JitObject>();
  if (succeeded(result) || (jit && !isLibrary(*jit->function)))
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
