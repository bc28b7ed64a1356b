//===- HostCalls.cpp - calls of Python functions at compile time ----------===//
// Functions decorated with @triton.constexpr_function, the plain functions they
// call, and lambdas are run here by the HostInterpreter: how their arguments are
// bound, when Python is asked instead, and what kernels see of the results.
//===----------------------------------------------------------------------===//
#include "HostInterpreter.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"
#include "../Operators/PythonText.h"

using namespace tessera;

FailureOr<std::vector<Value>> tessera::itemsOf(Emitter &emit, const Value &iterable) {
  if (const TupleObject *tuple = iterable.get<TupleObject>())
    return *tuple->elements;
  if (const ListObject *list = iterable.get<ListObject>())
    return *list->elements;
  if (const SetObject *set = iterable.get<SetObject>())
    return *set->elements;
  std::vector<Value> items;
  if (const DictObject *dict = iterable.get<DictObject>()) {
    for (const auto &[key, value] : *dict->items)
      items.push_back(key);
    return items;
  }
  if (const std::string *text = iterable.get<std::string>()) {
    for (llvm::StringRef character : characters(*text))
      items.push_back(Value(character.str()));
    return items;
  }
  return emit.error("cannot loop over " + iterable.describe());
}

//===----------------------------------------------------------------------===//
// What kernels see
//===----------------------------------------------------------------------===//

namespace {
struct KernelView {
  size_t left = kMaxElements;
  bool isTooLarge = false;

  std::vector<Value> all(const std::vector<Value> &parts, unsigned depth) {
    std::vector<Value> result;
    for (const Value &part : parts)
      result.push_back(view(part, depth + 1));
    return result;
  }

  Value view(const Value &value, unsigned depth = 0) {
    if (left == 0 || depth > 200) {
      isTooLarge = true;
      return Value();
    }
    --left;
    if (const ListObject *list = value.get<ListObject>())
      return makeTuple(all(*list->elements, depth));
    if (const TupleObject *tuple = value.get<TupleObject>())
      return makeTuple(all(*tuple->elements, depth), tuple->type);
    if (const DictObject *dict = value.get<DictObject>()) {
      auto items = std::make_shared<std::vector<std::pair<Value, Value>>>();
      for (const auto &[key, item] : *dict->items)
        items->emplace_back(key, view(item, depth + 1));
      return Value(DictObject{std::move(items)});
    }
    if (const FunctionObject *object = value.get<FunctionObject>())
      return Value(HostObject{object->function->name,
                              llvm::sys::path::filename(object->function->file->path()).str() +
                                  ":" + std::to_string(object->function->range.begin.line) +
                                  ": a plain Python function, without @triton.jit"});
    return value;
  }
};
} // namespace

FailureOr<Value> tessera::kernelView(Emitter &emit, const Value &value) {
  if (!value.is<ListObject>() && !value.is<TupleObject>() && !value.is<DictObject>() &&
      !value.is<FunctionObject>())
    return value;
  KernelView walk;
  Value result = walk.view(value);
  if (walk.isTooLarge)
    return emit.budget.error("a compile-time value of more than " + llvm::Twine(kMaxElements) +
                             " parts");
  return result;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of a call, by parameter.
struct MatchedArguments {
  std::vector<const ast::Arg *> positional; // the parameters
  std::vector<std::optional<Value>> values; // of them
  std::vector<std::optional<Value>> keywordOnly;
  std::vector<Value> extra;                                                        // *args
  DictObject extraNamed{std::make_shared<std::vector<std::pair<Value, Value>>>()}; // **kwargs

  explicit MatchedArguments(const ast::Arguments &formal)
      : positional(formal.posonlyargs.begin(), formal.posonlyargs.end()),
        keywordOnly(formal.kwonlyargs.size()) {
    positional.insert(positional.end(), formal.args.begin(), formal.args.end());
    values.resize(positional.size());
  }
  /// The slot for the value of a keyword; null if no parameter has that name.
  std::optional<Value> *slotOf(const ast::Arguments &formal, llvm::StringRef keyword);
};
} // namespace

std::optional<Value> *MatchedArguments::slotOf(const ast::Arguments &formal,
                                               llvm::StringRef keyword) {
  for (size_t i = 0; i < keywordOnly.size(); ++i)
    if (ref(formal.kwonlyargs[i]->arg) == keyword)
      return &keywordOnly[i];
  for (size_t i = positional.size(); i-- > formal.posonlyargs.size();)
    if (ref(positional[i]->arg) == keyword)
      return &values[i];
  return nullptr;
}

/// Matches arguments to parameters by Python's rules.
static LogicalResult match(Emitter &emit, const PythonFunction &function,
                           llvm::ArrayRef<CallArgument> arguments, MatchedArguments &matched) {
  const ast::Arguments &formal = *function.parameters;
  size_t next = 0;
  for (const CallArgument &argument : arguments) {
    std::optional<Value> *slot = nullptr;
    if (argument.keyword.empty()) {
      if (next < matched.values.size())
        slot = &matched.values[next++];
      else if (formal.vararg)
        matched.extra.push_back(argument.value);
      else
        return emit.errorAt(argument.range, "'" + function.name + "' takes " +
                                                llvm::Twine(matched.values.size()) + " arguments");
    } else {
      slot = matched.slotOf(formal, argument.keyword);
      if (!slot && !formal.kwarg)
        return emit.errorAt(argument.range,
                            "'" + function.name + "' has no parameter '" + argument.keyword + "'");
      if (!slot)
        setItem(matched.extraNamed, Value(argument.keyword.str()), argument.value);
    }
    if (slot && *slot)
      return emit.errorAt(argument.range,
                          "'" + function.name + "' got two values for one parameter");
    if (slot)
      *slot = argument.value;
  }
  return llvm::success();
}

/// The value of a parameter that a call leaves out; `written` is null without a default.
static FailureOr<Value> defaultOf(Emitter &emit, const PythonFunction &function,
                                  const ast::Arg *parameter, const ast::Expr *written) {
  std::optional<Value> known;
  if (HostAnswers *host = function.live.answers; host && host->knowsDefaults(function.live.index)) {
    known = host->defaultOf(function.live.index, ref(parameter->arg));
    written = nullptr;
  }
  if (known)
    return *known;
  if (!written)
    return emit.error("'" + function.name + "' needs '" + ref(parameter->arg) + "'");
  llvm::SaveAndRestore<const SourceFile *> file(emit.file, function.file);
  HostInterpreter outer(emit, *function.globals);
  if (function.captured)
    for (const auto &[name, captured] : *function.captured)
      outer.define(name, captured);
  return outer.evaluate(written);
}

/// Matches arguments to parameters and defines those.
static LogicalResult bind(Emitter &emit, const PythonFunction &function,
                          llvm::ArrayRef<CallArgument> arguments, Evaluator &evaluator) {
  const ast::Arguments &formal = *function.parameters;
  MatchedArguments matched(formal);
  if (failed(match(emit, function, arguments, matched)))
    return llvm::failure();
  auto define = [&](const ast::Arg *parameter, const std::optional<Value> &given,
                    const ast::Expr *written) -> LogicalResult {
    FailureOr<Value> value =
        given ? FailureOr<Value>(*given) : defaultOf(emit, function, parameter, written);
    if (failed(value))
      return llvm::failure();
    evaluator.define(ref(parameter->arg), *value, parameter->range);
    return llvm::success();
  };
  size_t firstDefault = matched.positional.size() - formal.defaults.size();
  for (auto [i, parameter] : llvm::enumerate(matched.positional))
    if (failed(define(parameter, matched.values[i],
                      i < firstDefault ? nullptr : formal.defaults[i - firstDefault])))
      return llvm::failure();
  for (auto [i, parameter] : llvm::enumerate(formal.kwonlyargs))
    if (failed(define(parameter, matched.keywordOnly[i], formal.kw_defaults[i])))
      return llvm::failure();
  if (formal.vararg)
    evaluator.define(ref(formal.vararg->arg), makeTuple(std::move(matched.extra)));
  if (formal.kwarg)
    evaluator.define(ref(formal.kwarg->arg), Value(matched.extraNamed));
  return llvm::success();
}

/// Wraps constants in tl.constexpr, as functions that extend the language expect them.
static llvm::SmallVector<CallArgument> wrapConstants(llvm::ArrayRef<CallArgument> arguments) {
  llvm::SmallVector<CallArgument> wrapped(arguments);
  for (CallArgument &argument : wrapped)
    if (argument.value.isPlainConstant())
      argument.value = argument.value.asConstexpr();
  return wrapped;
}

/// `self` is the function as a value: one inside a function may call itself.
static FailureOr<Value> callPython(Emitter &emit, const PythonFunction &function,
                                   llvm::ArrayRef<CallArgument> arguments,
                                   const Value *self = nullptr) {
  if (failed(emit.budget.checkDepth()) || failed(emit.budget.countStatement()) ||
      failed(emit.budget.enterCall()))
    return llvm::failure();
  llvm::scope_exit leave([&] { emit.budget.leaveCall(); });
  HostInterpreter interpreter(emit, *function.globals);
  if (function.captured)
    for (const auto &[name, value] : *function.captured)
      interpreter.define(name, value);
  if (function.captured && self)
    interpreter.define(function.name, *self);
  FailureOr<Value> result = llvm::failure();
  llvm::SmallVector<CallArgument> wrapped;
  if (function.takesConstexprs)
    arguments = wrapped = wrapConstants(arguments);
  if (succeeded(bind(emit, function, arguments, interpreter))) {
    llvm::SaveAndRestore<const SourceFile *> file(emit.file, function.file);
    RangeScope scope(emit, function.range);
    result = function.result ? interpreter.evaluate(function.result)
                             : interpreter.executeFunction(function.body);
  }
  if (failed(result))
    emit.noteCall(function.name);
  return result;
}

/// np.sin(x): what Python alone can run, it runs at compile time.
static std::string whyOpaque(const PythonFunction &function, bool isAskable) {
  std::string why = "only Python can run '" + function.name + "'";
  if (isAskable)
    return why;
  why += ", at compile time, and an argument is known only at run time";
  if (lookupModuleAttribute("triton.language", function.name))
    why += "; use tl." + function.name;
  return why;
}

/// A function of a program with live objects: what the host said, else what it does here,
/// else a question. Of calls within calls the outermost is asked about.
static FailureOr<Value> callLive(Emitter &emit, const PythonFunction &function,
                                 llvm::ArrayRef<CallArgument> arguments, const Value *self) {
  HostAnswers &host = *function.live.answers;
  std::string question = host.describeCall(function.live.index, arguments);
  if (const HostAnswers::Answer *answer = question.empty() ? nullptr : host.answer(question)) {
    if (answer->result)
      return *answer->result;
    emit.raised = llvm::StringRef(answer->raises).split(':').first;
    return emit.error("'" + function.name + "' raised " + answer->raises);
  }
  bool isAskable = !question.empty();
  host.askableCalls += isAskable;
  llvm::scope_exit leave([&] { host.askableCalls -= isAskable; });
  size_t askedBefore = host.questionCount();
  emit.raised.clear();
  emit.budget.forget();
  FailureOr<Value> result = function.live.isOpaque
                                ? FailureOr<Value>(emit.error(whyOpaque(function, isAskable)))
                                : callPython(emit, function, arguments, self);
  bool isForPython = failed(result) && emit.raised.empty() && !emit.budget.isExceeded();
  if (isForPython && isAskable && host.askableCalls == 1 && host.questionCount() == askedBefore)
    host.ask(question);
  return result;
}

static PythonFunction asPython(const JitFunction &function) {
  const ast::FunctionDef *definition = function.definition;
  PythonFunction plain{function.name,     definition->args, definition->body, nullptr,
                       definition->range, function.file,    function.globals};
  plain.live = function.live;
  plain.takesConstexprs = function.takesConstexprs;
  return plain;
}

LogicalResult tessera::bindHostParameters(Emitter &emit, const JitFunction &function,
                                          llvm::ArrayRef<CallArgument> arguments,
                                          Evaluator &evaluator) {
  return bind(emit, asPython(function), arguments, evaluator);
}

FailureOr<Value> tessera::callHostFunction(Emitter &emit, const JitFunction &function,
                                           llvm::ArrayRef<CallArgument> arguments) {
  // The language's own keywords: a function that asks for them gets nothing else.
  llvm::SmallVector<CallArgument> plain;
  for (const CallArgument &argument : arguments)
    if (argument.keyword != "_semantic" && argument.keyword != "_generator")
      plain.push_back({argument.keyword, argument.value.asConstexpr(false), argument.range});
  if (function.live.answers)
    return callLive(emit, asPython(function), plain, nullptr);
  return callPython(emit, asPython(function), plain);
}

/// `dict(a=1)` and `"{x}".format(x=1)` take any keywords.
static std::optional<FailureOr<Value>> callWithAnyKeywords(Emitter &emit, const Builtin &builtin,
                                                           llvm::ArrayRef<CallArgument> all) {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
  for (const CallArgument &argument : all) {
    if (argument.keyword.empty())
      positional.push_back(argument.value);
    else
      named.emplace_back(argument.keyword.str(), argument.value);
  }
  if (named.empty())
    return std::nullopt;
  if (builtin.path == "str.format") {
    FailureOr<std::string> text = formatFields(emit, *positional[0].get<std::string>(),
                                               llvm::ArrayRef(positional).drop_front(), named);
    return failed(text) ? FailureOr<Value>(llvm::failure()) : FailureOr<Value>(Value(*text));
  }
  if (builtin.path != "host.dict" || positional.size() > 1)
    return std::nullopt;
  FailureOr<Value> base = builtin.handler(emit, {makeTuple(positional)});
  if (failed(base))
    return base;
  DictObject dict = *base->get<DictObject>();
  for (const auto &[name, value] : named)
    setItem(dict, Value(name), value);
  return FailureOr<Value>(Value(dict));
}

static FailureOr<Value> callBuiltin(Emitter &emit, const Builtin &builtin,
                                    llvm::ArrayRef<CallArgument> arguments) {
  llvm::StringRef path = builtin.path;
  bool mayEmit =
      emit.builder.getInsertionBlock() && llvm::any_of(arguments, [](const CallArgument &argument) {
        return argument.keyword == "_semantic"; // in an @extern function
      });
  if (!builtin.isCompileTime && !mayEmit)
    return emit.error(builtin.spelling() +
                      " is for kernels, not for code that runs at compile time");
  if (!emit.target && (path.starts_with("triton.language.target_info") ||
                       path.starts_with("triton.language.extra")))
    return emit.error("the target is known inside kernels only");
  if (std::optional<FailureOr<Value>> result = callWithAnyKeywords(emit, builtin, arguments))
    return *result;
  auto bound = bindArguments(emit, builtin, arguments);
  if (failed(bound))
    return llvm::failure();
  for (Value &value : *bound) {
    FailureOr<Value> seen =
        builtin.isCompileTime ? FailureOr<Value>(value) : kernelView(emit, value);
    if (failed(seen))
      return llvm::failure();
    value = *seen;
  }
  FailureOr<Value> result = builtin.handler(emit, *bound);
  if (succeeded(result) && path == "triton.language.constexpr")
    return result->asConstexpr();
  return result;
}

FailureOr<Value> tessera::callHost(Emitter &emit, const Value &callee,
                                   llvm::ArrayRef<CallArgument> arguments) {
  if (const FunctionObject *object = callee.get<FunctionObject>())
    return object->function->live.answers ? callLive(emit, *object->function, arguments, &callee)
                                          : callPython(emit, *object->function, arguments, &callee);
  if (const ClassObject *type = callee.get<ClassObject>())
    return construct(emit, *type->type, arguments);
  if (const BuiltinObject *object = callee.get<BuiltinObject>())
    return callBuiltin(emit, *object->builtin, arguments);
  if (const JitObject *jit = callee.get<JitObject>()) {
    if (jit->function->isConstexprFunction)
      return callHostFunction(emit, *jit->function, arguments);
    return emit.error("the jit function '" + jit->function->name +
                      "' cannot be called at compile time; only other jit functions can");
  }
  if (const MethodObject *method = callee.get<MethodObject>()) {
    llvm::SmallVector<CallArgument> all = {{"", *method->self, emit.range}};
    all.append(arguments.begin(), arguments.end());
    return method->builtin ? callBuiltin(emit, *method->builtin, all)
                           : callHost(emit, Value(JitObject{method->function}), all);
  }
  return emit.error(callee.describe() + " cannot be called at compile time");
}
