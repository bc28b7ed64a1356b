//===- ModuleExecution.cpp - running a module's top level -----------------===//
// One statement at a time, as Python would, except where only Python could:
// a condition that is not known runs both branches, a `try` runs its handlers
// for the names that its body leaves without a value.
//===----------------------------------------------------------------------===//
#include "ModuleLoader.h"
#include "UnitScope.h"
#include "tessera/Source/Children.h"
#include "llvm/Support/Casting.h"
#include "../Builtins/Builtins.h"
#include "../Host/HostInterpreter.h"

using namespace tessera;
using llvm::dyn_cast;

std::optional<Value> ModuleScope::UnitScope::lookupHost(llvm::StringRef name) {
  if (unit >= module.units.size() || module.units[unit].state == Unit::Done)
    return module.lookupHost(name);
  auto own = module.units[unit].names.find(name);
  if (own != module.units[unit].names.end())
    return own->second;
  if (std::optional<Value> earlier = module.resolve(name, unit))
    return earlier;
  if (std::optional<Value> imported = module.lookupStarImport(name))
    return imported;
  if (name == "__name__")
    return Value(module.moduleName);
  if (name == "__file__")
    return Value(module.file.path());
  return std::nullopt;
}

static Value hostObject(llvm::StringRef name, const ast::Stmt *statement, const llvm::Twine &why) {
  return Value(HostObject{name.str(),
                          ("line " + llvm::Twine(statement->range.begin.line) + ": " + why).str()});
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void ModuleScope::executeAll(Unit &unit, ast::Seq<ast::Stmt *> body) {
  for (const ast::Stmt *statement : body)
    execute(unit, statement);
}

void ModuleScope::execute(Unit &unit, const ast::Stmt *statement) {
  if (llvm::isa<ast::Import, ast::ImportFrom>(statement)) {
    executeImport(unit, statement);
  } else if (auto *definition = dyn_cast<ast::FunctionDef>(statement)) {
    unit.names[ref(definition->name)] = defineFunction(unit, definition);
  } else if (auto *definition = dyn_cast<ast::AsyncFunctionDef>(statement)) {
    unit.names[ref(definition->name)] =
        hostObject(ref(definition->name), statement, "defined for Python only");
  } else if (auto *definition = dyn_cast<ast::ClassDef>(statement)) {
    unit.names[ref(definition->name)] = defineClass(unit, definition);
  } else if (auto *conditional = dyn_cast<ast::If>(statement)) {
    std::optional<bool> holds = decide(unit, conditional->test);
    if (!holds) // what `:=` in the condition would bind
      ast::forEachBoundName(conditional->test, [&](ast::Identifier name) {
        unit.names[ref(name)] =
            hostObject(ref(name), statement, "bound by a condition that only Python can evaluate");
      });
    if (holds)
      executeAll(unit, *holds ? conditional->body : conditional->orelse);
    else
      executeEither(unit, conditional->body, conditional->orelse, statement->range.begin.line);
  } else if (auto *attempt = dyn_cast<ast::TryLike>(statement)) {
    ast::Seq<ast::Stmt *> handler;
    if (!attempt->handlers.empty())
      handler = attempt->handlers[0]->body;
    executeEither(unit, attempt->body, handler, /*line=*/0);
    executeAll(unit, attempt->orelse);
    executeAll(unit, attempt->finalbody);
  } else if (auto *with = dyn_cast<ast::WithLike>(statement)) {
    for (const ast::WithItem *item : with->items)
      if (auto *name = item->optional_vars ? dyn_cast<ast::Name>(item->optional_vars) : nullptr)
        unit.names[ref(name->id)] =
            hostObject(ref(name->id), statement, "bound by a 'with' of the host");
    executeAll(unit, with->body);
  } else {
    executeAny(unit, statement);
  }
}

void ModuleScope::executeEither(Unit &unit, ast::Seq<ast::Stmt *> preferred,
                                ast::Seq<ast::Stmt *> fallback, unsigned line) {
  llvm::StringMap<Value> before = unit.names;
  executeAll(unit, fallback);
  llvm::StringMap<Value> other = std::move(unit.names);
  unit.names = before;
  executeAll(unit, preferred);
  for (const auto &entry : other) {
    auto chosen = unit.names.find(entry.first());
    if (chosen == unit.names.end() || chosen->second.is<HostObject>()) {
      if (chosen == unit.names.end() || !entry.second.is<HostObject>())
        unit.names[entry.first()] = entry.second;
    } else if (line && !entry.second.is<HostObject>() && !isEqual(chosen->second, entry.second)) {
      unit.guesses[entry.first()] = line;
    }
  }
}

std::optional<bool> ModuleScope::decide(Unit &unit, const ast::Expr *test) {
  std::optional<Value> value = evaluateQuietly(unit, test);
  if (!value || value->is<HostObject>())
    return std::nullopt;
  return isTruthy(*value);
}

std::optional<Value> ModuleScope::evaluateQuietly(Unit &unit, const ast::Expr *expression,
                                                  std::string *problem) {
  DiagnosticEngine quiet;
  Emitter emit(/*context=*/nullptr, quiet); // nothing is emitted at a module's top level
  emit.file = &file;
  emit.modules = &loader;
  emit.budget.share(loader.limits());
  HostInterpreter interpreter(emit, *unit.scope);
  FailureOr<Value> value = interpreter.evaluate(expression);
  for (const auto &[name, local] : interpreter.scope()) // what `:=` bound
    unit.names[name] = local.value;
  if (succeeded(value))
    return *value;
  if (problem && !quiet.diagnostics().empty())
    *problem = quiet.diagnostics().front().message;
  return std::nullopt;
}

/// A reason may quote another that quotes a third: the first and the last say enough.
static std::string shortened(const std::string &text) {
  constexpr size_t kMaxLength = 300;
  return text.size() <= kMaxLength
             ? text
             : text.substr(0, kMaxLength / 2) + " ... " + text.substr(text.size() - kMaxLength / 2);
}

/// Assignments, loops and calls, by the code that runs constexpr functions.
void ModuleScope::executeAny(Unit &unit, const ast::Stmt *statement) {
  const ast::Expr *value = nullptr;
  if (auto *assign = dyn_cast<ast::Assign>(statement); assign && assign->targets.size() == 1)
    value = llvm::isa<ast::Name>(assign->targets[0]) ? assign->value : nullptr;
  if (value && llvm::isa<ast::Call>(value))
    if (std::optional<Value> wrapped = evaluateWrapper(unit, value)) {
      unit.names[ref(llvm::cast<ast::Name>(llvm::cast<ast::Assign>(statement)->targets[0])->id)] =
          *wrapped;
      return;
    }
  DiagnosticEngine quiet;
  Emitter emit(/*context=*/nullptr, quiet);
  emit.file = &file;
  emit.modules = &loader;
  emit.range = statement->range;
  emit.budget.share(loader.limits());
  HostInterpreter interpreter(emit, *unit.scope);
  ast::Stmt *body[] = {const_cast<ast::Stmt *>(statement)};
  LogicalResult status = interpreter.execute(body);
  for (const auto &[name, local] : interpreter.scope())
    unit.names[name] = local.value;
  if (succeeded(status))
    return;
  std::string why = "assigned from an expression that only Python can evaluate";
  if (!quiet.diagnostics().empty())
    why += ": " + shortened(quiet.diagnostics().front().message);
  llvm::SmallVector<llvm::StringRef> names;
  collectAssignedNames(statement, names);
  for (llvm::StringRef name : names)
    unit.names[name] = hostObject(name, statement, why);
}

void ModuleScope::executeImport(Unit &unit, const ast::Stmt *statement) {
  if (auto *import = dyn_cast<ast::Import>(statement)) {
    for (const ast::Alias *alias : import->names) {
      bool isWhole = alias->asname.empty(); // `import a.b` binds a
      llvm::StringRef path = isWhole ? ref(alias->name).split('.').first : ref(alias->name);
      unit.names[isWhole ? path : ref(alias->asname)] = loader.import(*this, path, 0);
    }
    return;
  }
  auto *from = llvm::cast<ast::ImportFrom>(statement);
  Value source = loader.import(*this, ref(from->module), from->level);
  for (const ast::Alias *alias : from->names) {
    llvm::StringRef imported = ref(alias->name);
    if (imported == "*")
      continue;
    llvm::StringRef name = alias->asname.empty() ? imported : ref(alias->asname);
    std::string where = std::string(from->level, '.') + std::string(from->module);
    std::optional<Value> value;
    if (const ModuleObject *object = source.get<ModuleObject>()) {
      value = loader.member(*object, imported);
      // Projects wrap the import of Triton in modules of their own, which are not here:
      // `from vllm.triton_utils import tl, triton`.
      if (value && value->is<HostObject>() && !object->scope && imported == "triton")
        value = Value(ModuleObject{"triton"});
      if (value && value->is<HostObject>() && !object->scope && imported == "tl")
        value = Value(ModuleObject{"triton.language"});
      // `from . import x` in a folder without __init__.py.
      if (value && value->is<HostObject>() && !object->scope && from->module.empty()) {
        Value submodule = loader.import(*this, imported, from->level);
        if (!submodule.is<ModuleObject>() || submodule.get<ModuleObject>()->scope)
          value = submodule;
      }
    } else if (const HostObject *broken = source.get<HostObject>()) {
      value = Value(HostObject{imported.str(),
                               "line " + std::to_string(statement->range.begin.line) +
                                   ": imported from '" + where + "'",
                               broken->causes});
    }
    if (!value)
      value = hostObject(imported, statement, "'" + where + "' has no '" + imported + "'");
    else if (const HostObject *host = value->get<HostObject>(); host && !host->causes &&
                                                                source.is<ModuleObject>() &&
                                                                !source.get<ModuleObject>()->scope)
      value = hostObject(from->level ? imported : llvm::StringRef(host->name), statement,
                         "imported from '" + where + "', which the compiler does not know");
    unit.names[name] = *value;
  }
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

bool tessera::isJitPath(llvm::StringRef path) {
  return path == "triton.jit" || path == "triton.runtime.jit" || path == "triton.runtime.jit.jit";
}

/// Functions that run while kernels are compiled. An @extern function emits too, through
/// the calls that it hands `_semantic` on to.
static bool isConstexprFunctionPath(llvm::StringRef path) {
  return path == "triton.language.extern" || path == "triton.language.builtin" ||
         path == "triton.language.constexpr" || // @tl.constexpr above a def
         path == "triton.constexpr_function" || path == "triton.runtime.jit.constexpr_function" ||
         path == "triton.language.constexpr_function" ||
         path == "triton.runtime.constexpr_function";
}

static bool isMustUsePath(llvm::StringRef path) {
  return path == "triton.must_use_result" || path == "triton.language.core.must_use_result" ||
         path == "triton.language.must_use_result";
}

/// Decorators that return a kernel which compiles like the one they get.
static bool isTuningPath(llvm::StringRef path) {
  llvm::StringRef name = path.rsplit('.').second;
  return path.starts_with("triton.") && (name == "autotune" || name == "heuristics");
}

std::optional<Value> ModuleScope::valueOf(Unit &unit, const ast::Expr *expression) {
  if (auto *name = dyn_cast<ast::Name>(expression))
    return unit.scope->lookupHost(ref(name->id));
  auto *attribute = dyn_cast<ast::Attribute>(expression);
  std::optional<Value> base = attribute ? valueOf(unit, attribute->value) : std::nullopt;
  if (!base)
    return std::nullopt;
  if (const ModuleObject *object = base->get<ModuleObject>())
    return loader.member(*object, ref(attribute->attr));
  if (const HostObject *host = base->get<HostObject>())
    return Value(HostObject{host->name + "." + std::string(attribute->attr), host->why});
  if (const ClassObject *object = base->get<ClassObject>()) {
    auto found = object->type->members.find(ref(attribute->attr));
    if (found != object->type->members.end())
      return found->second;
  }
  return std::nullopt;
}

std::string ModuleScope::pathOf(Unit &unit, const ast::Expr *expression) {
  std::optional<Value> value = valueOf(unit, expression);
  if (!value) {
    auto *name = dyn_cast<ast::Name>(expression);
    return name && (name->id == "staticmethod" || name->id == "property" ||
                    name->id == "classmethod" || name->id == "object")
               ? std::string(name->id)
               : "";
  }
  if (const HostObject *host = value->get<HostObject>())
    return host->name;
  if (const BuiltinObject *object = value->get<BuiltinObject>())
    return object->builtin->path.str();
  const ModuleObject *module = value->get<ModuleObject>();
  return module ? module->path : "";
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

const JitFunction *ModuleScope::makeJitFunction(const void *key, const ast::FunctionDef *definition,
                                                Unit &unit,
                                                llvm::ArrayRef<const ast::Expr *> decorators) {
  std::unique_ptr<JitFunction> &function = functions[key];
  if (function)
    return function.get();
  function = std::make_unique<JitFunction>(
      JitFunction{std::string(definition->name), definition, &file, this, moduleName});
  for (const ast::Expr *decorator : decorators) {
    auto *call = dyn_cast<ast::Call>(decorator);
    std::string path = pathOf(unit, call ? call->func : decorator);
    if (isConstexprFunctionPath(path))
      function->isConstexprFunction = true;
    if (isMustUsePath(path)) {
      function->mustUseResult = "it is marked as a result that must be used";
      if (call && call->args.size() == 1)
        if (auto *text = dyn_cast<ast::Constant>(call->args[0]); text && text->isStr())
          function->mustUseResult = std::string(text->text);
    }
    if (!call || !isJitPath(path))
      continue;
    function->options = call;
    for (const ast::Keyword *keyword : call->keywords) {
      auto flag = [&] {
        std::optional<Value> value = evaluateQuietly(unit, keyword->value);
        return value && !value->is<HostObject>() && isTruthy(*value);
      };
      if (keyword->arg == "noinline")
        function->isNoInline = flag();
      else if (keyword->arg == "debug")
        function->isDebug = flag();
    }
  }
  return function.get();
}

Value ModuleScope::defineFunction(Unit &unit, const ast::FunctionDef *definition) {
  bool isCompiled = false, isPlain = true;
  for (const ast::Expr *decorator : definition->decorator_list) {
    auto *call = dyn_cast<ast::Call>(decorator);
    std::string path = pathOf(unit, call ? call->func : decorator);
    isCompiled = isCompiled || isJitPath(path) || isConstexprFunctionPath(path);
    // Functions here have no state, so caching changes nothing.
    isPlain = isPlain && (path == "functools.cache" || path == "functools.lru_cache" ||
                          path == "staticmethod" || isMustUsePath(path));
  }
  llvm::ArrayRef<ast::Expr *> decorators(definition->decorator_list.data(),
                                         definition->decorator_list.size());
  if (isCompiled)
    return Value(JitObject{makeJitFunction(
        definition, definition, unit,
        llvm::SmallVector<const ast::Expr *>(decorators.begin(), decorators.end()))});
  if (!isPlain)
    return hostObject(ref(definition->name), definition,
                      "a Python function with a decorator that only Python can call");
  return Value(FunctionObject{std::make_shared<const PythonFunction>(
      PythonFunction{std::string(definition->name), definition->args, definition->body, nullptr,
                     definition->range, &file, this, nullptr, definition})});
}

std::optional<Value> ModuleScope::evaluateWrapper(Unit &unit, const ast::Expr *expression) {
  auto *call = dyn_cast<ast::Call>(expression);
  if (!call)
    return valueOf(unit, expression);
  auto *factory = dyn_cast<ast::Call>(call->func); // triton.autotune(...)(kernel)
  std::string path = pathOf(unit, factory ? factory->func : call->func);
  if (!factory && (path == "collections.namedtuple" || path == "typing.NamedTuple"))
    return makeNamedTuple(unit, call);
  bool isCompiler = isJitPath(path) || isConstexprFunctionPath(path);
  bool isWrapper = isCompiler || (factory && (isTuningPath(path) || isMustUsePath(path)));
  if (!isWrapper || call->args.empty())
    return std::nullopt;
  std::optional<Value> inner = evaluateWrapper(unit, call->args[0]);
  if (!inner || !isCompiler)
    return inner;
  const FunctionObject *plain = inner->get<FunctionObject>();
  const JitObject *compiled = inner->get<JitObject>();
  if (compiled && path == "triton.language.constexpr")
    return inner; // a constant whose value is a jit function
  const ast::FunctionDef *definition = plain      ? plain->function->definition
                                       : compiled ? compiled->function->definition
                                                  : nullptr;
  // The definition's own module is where its globals are.
  bool isOurs = definition && (plain ? plain->function->file : compiled->function->file) == &file;
  if (!isOurs)
    return std::nullopt;
  const ast::Expr *decorator = factory ? static_cast<const ast::Expr *>(factory) : call;
  if (!factory && call->keywords.empty())
    decorator = call->func;
  return Value(JitObject{makeJitFunction(call, definition, unit, {decorator})});
}
