//===- Calls.cpp - what a call calls, and with which arguments ------------===//
// Evaluates the callee and the arguments. The subclass makes the call and decides
// what `*` and `**` may spread.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/TTIR/IR/Breakpoint.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/JSON.h"

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

/// breakpoint(), unless the program has given the name another meaning.
static bool isBreakpoint(const ast::Call *call, const Scope &locals, const Emitter &emit) {
  auto *name = llvm::dyn_cast<ast::Name>(call->func);
  return name && name->id == "breakpoint" && call->args.empty() && call->keywords.empty() &&
         !locals.contains("breakpoint") && emit.target && emit.target->hasBreakpoints;
}

/// Emits a tt.print that the CPU target turns into a call of the host's debugger: its prefix lists
/// the variables (tessera.h, tessera_handle_breakpoints), its operands are their values.
static FailureOr<Value> emitBreakpoint(Emitter &emit, const Scope &locals) {
  llvm::json::Array variables;
  llvm::SmallVector<mlir::Value> handles;
  llvm::SmallVector<int32_t> signs;
  for (const auto &[name, local] : locals) {
    const Tensor *tensor = local.value.get<Tensor>();
    if (!tensor) {
      if (local.value.isNumber())
        variables.push_back(
            llvm::json::Object{{"name", name}, {"constant", pythonStr(local.value)}});
      continue;
    }
    if (tensor->type.isBlockPointer())
      continue;
    llvm::json::Array shape(tensor->type.shape);
    llvm::StringRef type = tensor->type.isPointer() ? "ptr" : tensor->type.scalar.name();
    variables.push_back(
        llvm::json::Object{{"name", name}, {"type", type}, {"shape", std::move(shape)}});
    handles.push_back(tensor->handle);
    signs.push_back(tensor->type.isInt() && tensor->type.scalar.isSigned());
  }
  std::string text;
  llvm::raw_string_ostream(text) << tt::kBreakpointPrefix
                                 << llvm::json::Value(std::move(variables));
  tt::PrintOp::create(emit.builder, emit.location(), text, /*hex=*/false, handles, signs);
  return Value(NoneObject{});
}

FailureOr<Value> Evaluator::evaluateCall(const ast::Call *call) {
  if (isBreakpoint(call, locals, emit))
    return emitBreakpoint(emit, locals);
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
