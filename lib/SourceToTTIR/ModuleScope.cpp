//===- ModuleScope.cpp - the global names of a Python file ----------------===//
// Indexing is one walk over the top level, also into `if`, `try` and `with`
// bodies; `if __name__ == "__main__":` is read past. Evaluation is lazy and
// never reports: what cannot be evaluated becomes a HostObject that says why,
// and the error appears where a kernel uses it. Cost: each name once.
//===----------------------------------------------------------------------===//
#include "ModuleScope.h"
#include "Builtins.h"
#include "ModuleLoader.h"
#include "Translator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;

ModuleScope::ModuleScope(const SourceFile &file, const ast::Module &module, ModuleLoader &loader)
    : file(file), module(module), loader(loader) {
  index(module.body);
}

/// `if __name__ == "__main__":`
static bool isMainGuard(const ast::If *statement) {
  auto *test = dyn_cast<ast::Compare>(statement->test);
  auto *name = test ? dyn_cast<ast::Name>(test->left) : nullptr;
  return name && name->id == "__name__";
}

void ModuleScope::index(ast::Seq<ast::Stmt *> body) {
  for (const ast::Stmt *statement : body) {
    if (auto *import = dyn_cast<ast::Import>(statement)) {
      indexImport(statement, import->names);
    } else if (auto *from = dyn_cast<ast::ImportFrom>(statement)) {
      indexImport(statement, from->names);
    } else if (auto *function = dyn_cast<ast::FunctionLike>(statement)) {
      bind(ref(function->name), {statement});
    } else if (auto *type = dyn_cast<ast::ClassDef>(statement)) {
      bind(ref(type->name), {statement});
    } else if (auto *assign = dyn_cast<ast::Assign>(statement)) {
      for (const ast::Expr *target : assign->targets)
        indexAssignment(statement, target, assign->value);
    } else if (auto *assign = dyn_cast<ast::AnnAssign>(statement)) {
      indexAssignment(statement, assign->target, assign->value);
    } else if (auto *conditional = dyn_cast<ast::If>(statement)) {
      if (isMainGuard(conditional))
        continue;
      index(conditional->orelse);
      index(conditional->body);
    } else if (auto *attempt = dyn_cast<ast::TryLike>(statement)) {
      // What the body binds counts; a handler only binds fallbacks.
      for (const ast::ExceptHandler *handler : attempt->handlers)
        index(handler->body);
      index(attempt->body);
      index(attempt->orelse);
      index(attempt->finalbody);
    } else if (auto *with = dyn_cast<ast::WithLike>(statement)) {
      index(with->body);
    }
  }
}

void ModuleScope::bind(llvm::StringRef name, Binding binding) {
  Binding &slot = bindings[name];
  if (binding.value && slot.statement)
    binding.earlier = slot.earlier ? slot.earlier : dyn_cast<ast::FunctionDef>(slot.statement);
  slot = binding;
}

void ModuleScope::indexImport(const ast::Stmt *statement, ast::Seq<ast::Alias *> names) {
  for (const ast::Alias *alias : names) {
    auto *from = dyn_cast<ast::ImportFrom>(statement);
    if (from && alias->name == "*") {
      starImports.insert(starImports.begin(), std::string(from->module));
      continue;
    }
    llvm::StringRef name = alias->asname.empty() ? ref(alias->name) : ref(alias->asname);
    if (llvm::isa<ast::Import>(statement) && alias->asname.empty())
      name = name.split('.').first; // `import a.b` binds a
    bind(name, {statement, alias});
  }
}

void ModuleScope::indexAssignment(const ast::Stmt *statement, const ast::Expr *target,
                                  const ast::Expr *value) {
  if (auto *name = dyn_cast<ast::Name>(target))
    return bind(ref(name->id), {statement, nullptr, value});
  ast::Seq<ast::Expr *> elements;
  if (auto *tuple = dyn_cast<ast::Tuple>(target))
    elements = tuple->elts;
  else if (auto *list = dyn_cast<ast::List>(target))
    elements = list->elts;
  for (const ast::Expr *element : elements)
    indexAssignment(statement, element, nullptr);
}

/// The global names that an expression reads. Only forms that can be evaluated
/// at a module's top level matter.
static void collectNames(const ast::Expr *expression,
                         llvm::SmallVectorImpl<llvm::StringRef> &names) {
  auto each = [&](ast::Seq<ast::Expr *> parts) {
    for (const ast::Expr *part : parts)
      collectNames(part, names);
  };
  if (!expression)
    return;
  if (auto *name = dyn_cast<ast::Name>(expression)) {
    names.push_back(ref(name->id));
  } else if (auto *attribute = dyn_cast<ast::Attribute>(expression)) {
    collectNames(attribute->value, names);
  } else if (auto *operation = dyn_cast<ast::BinOp>(expression)) {
    collectNames(operation->left, names);
    collectNames(operation->right, names);
  } else if (auto *operation = dyn_cast<ast::UnaryOp>(expression)) {
    collectNames(operation->operand, names);
  } else if (auto *comparison = dyn_cast<ast::Compare>(expression)) {
    collectNames(comparison->left, names);
    each(comparison->comparators);
  } else if (auto *operation = dyn_cast<ast::BoolOp>(expression)) {
    each(operation->values);
  } else if (auto *conditional = dyn_cast<ast::IfExp>(expression)) {
    collectNames(conditional->test, names);
    collectNames(conditional->body, names);
    collectNames(conditional->orelse, names);
  } else if (auto *tuple = dyn_cast<ast::Tuple>(expression)) {
    each(tuple->elts);
  } else if (auto *list = dyn_cast<ast::List>(expression)) {
    each(list->elts);
  } else if (auto *subscript = dyn_cast<ast::Subscript>(expression)) {
    collectNames(subscript->value, names);
    collectNames(subscript->slice, names);
  } else if (auto *slice = dyn_cast<ast::Slice>(expression)) {
    collectNames(slice->lower, names);
    collectNames(slice->upper, names);
    collectNames(slice->step, names);
  } else if (auto *starred = dyn_cast<ast::Starred>(expression)) {
    collectNames(starred->value, names);
  } else if (auto *call = dyn_cast<ast::Call>(expression)) {
    collectNames(call->func, names);
    each(call->args);
    for (const ast::Keyword *keyword : call->keywords)
      collectNames(keyword->value, names);
  }
}

void ModuleScope::evaluateInOrder(llvm::StringRef root) {
  llvm::SmallVector<llvm::StringRef> pending = {root};
  while (!pending.empty()) {
    llvm::StringRef name = pending.back();
    const Binding binding = bindings.find(name)->second;
    size_t before = pending.size();
    if (started.insert(name).second) {
      llvm::SmallVector<llvm::StringRef> parts;
      collectNames(binding.value, parts);
      for (llvm::StringRef part : parts)
        if (bindings.contains(part) && !started.contains(part))
          pending.push_back(part);
    }
    if (pending.size() > before)
      continue;
    if (!values.contains(name))
      values[name] = evaluate(name, binding);
    pending.pop_back();
  }
}

std::optional<Value> ModuleScope::lookup(llvm::StringRef name) {
  auto found = bindings.find(name);
  if (found == bindings.end())
    return lookupStarImport(name);
  if (!values.contains(name) && started.contains(name))
    return Value(HostObject{name.str(), "it is defined by itself"});
  evaluateInOrder(name);
  return values.find(name)->second.value;
}

std::optional<Value> ModuleScope::lookupStarImport(llvm::StringRef name) {
  for (const std::string &path : starImports) {
    if (!isLanguageModule(path))
      continue;
    if (std::optional<Value> attribute = lookupModuleAttribute(path, name))
      return attribute;
    if (std::optional<Value> function = loader.languageFunction(name))
      return function;
  }
  return std::nullopt;
}

static HostObject hostObject(llvm::StringRef name, const ast::Stmt *statement,
                             llvm::StringRef why) {
  return HostObject{name.str(),
                    ("line " + llvm::Twine(statement->range.begin.line) + ": " + why).str()};
}

ModuleScope::Evaluated ModuleScope::evaluate(llvm::StringRef name, const Binding &binding) {
  if (binding.alias)
    return {evaluateImport(name, binding)};
  if (auto *definition = dyn_cast<ast::FunctionDef>(binding.statement))
    return {evaluateFunction(name, definition)};
  if (llvm::isa<ast::FunctionLike, ast::ClassDef>(binding.statement))
    return {Value(hostObject(name, binding.statement, "defined for Python only"))};
  return evaluateAssignment(name, binding);
}

Value ModuleScope::evaluateImport(llvm::StringRef name, const Binding &binding) {
  llvm::StringRef imported = ref(binding.alias->name);
  auto *from = dyn_cast<ast::ImportFrom>(binding.statement);
  if (!from) {
    bool isWhole = binding.alias->asname.empty();
    return Value(ModuleObject{isWhole ? imported.split('.').first.str() : imported.str()});
  }
  std::string module(ref(from->module));
  if (from->level == 0 && isLanguageModule(module)) {
    if (std::optional<Value> attribute = lookupModuleAttribute(module, imported))
      return *attribute;
    if (llvm::StringRef(module).starts_with("triton.language"))
      if (std::optional<Value> function = loader.languageFunction(imported))
        return *function;
  }
  return Value(hostObject(name, binding.statement,
                          "imported from '" + std::string(from->level, '.') + module +
                              "', which the compiler does not know"));
}

std::string ModuleScope::dottedPath(const ast::Expr *expression, unsigned aliases) {
  if (auto *attribute = dyn_cast<ast::Attribute>(expression)) {
    std::string base = dottedPath(attribute->value, aliases);
    return base.empty() ? base : base + "." + std::string(attribute->attr);
  }
  auto *name = dyn_cast<ast::Name>(expression);
  auto found = name ? bindings.find(ref(name->id)) : bindings.end();
  if (found == bindings.end())
    return "";
  const Binding &binding = found->second;
  if (!binding.alias) // `jit = triton.jit`
    return binding.value && aliases ? dottedPath(binding.value, aliases - 1) : "";
  std::string imported(binding.alias->name);
  if (auto *from = dyn_cast<ast::ImportFrom>(binding.statement))
    return std::string(from->module) + "." + imported;
  return binding.alias->asname.empty() ? llvm::StringRef(imported).split('.').first.str()
                                       : imported;
}

bool ModuleScope::isJitDecorator(const ast::Expr *decorator) {
  if (auto *call = dyn_cast<ast::Call>(decorator)) // @triton.jit(noinline=True)
    decorator = call->func;
  std::string path = dottedPath(decorator);
  return path == "triton.jit" || path == "triton.runtime.jit" || path == "triton.runtime.jit.jit";
}

bool ModuleScope::isConstexprFunctionDecorator(const ast::Expr *decorator) {
  std::string path = dottedPath(decorator);
  return path == "triton.constexpr_function" || path == "triton.runtime.jit.constexpr_function";
}

Value ModuleScope::evaluateFunction(llvm::StringRef name, const ast::FunctionDef *definition) {
  if (llvm::none_of(definition->decorator_list, [&](const ast::Expr *decorator) {
        return isJitDecorator(decorator) || isConstexprFunctionDecorator(decorator);
      }))
    return Value(hostObject(name, definition, "a plain Python function, without @triton.jit"));
  return Value(JitObject{jitFunction(definition)});
}

const JitFunction *ModuleScope::jitFunction(const ast::FunctionDef *definition) {
  std::unique_ptr<JitFunction> &function = functions[definition];
  if (!function)
    function = std::make_unique<JitFunction>(
        JitFunction{std::string(definition->name), definition, &file, this});
  function->module = llvm::StringRef(file.path()).rsplit('/').second.str();
  if (function->module.empty())
    function->module = file.path();
  function->module = llvm::StringRef(function->module).split('.').first.str();
  for (const ast::Expr *decorator : definition->decorator_list) {
    if (isConstexprFunctionDecorator(decorator))
      function->isConstexprFunction = true;
    auto *call = dyn_cast<ast::Call>(decorator);
    if (!call || !isJitDecorator(decorator))
      continue;
    for (const ast::Keyword *keyword : call->keywords)
      if (auto *flag = dyn_cast<ast::Constant>(keyword->value);
          flag && keyword->arg == "noinline" && flag->type == ast::ConstantKind::True)
        function->isNoInline = true;
  }
  return function.get();
}

const JitFunction *ModuleScope::evaluateJitCall(const Binding &binding) {
  auto *call = binding.value ? dyn_cast<ast::Call>(binding.value) : nullptr;
  auto *argument = call && call->args.size() == 1 ? dyn_cast<ast::Name>(call->args[0]) : nullptr;
  if (!argument)
    return nullptr;
  auto found = bindings.find(ref(argument->id));
  if (found == bindings.end())
    return nullptr;
  const ast::FunctionDef *definition = found->second.earlier;
  if (!definition)
    definition = dyn_cast<ast::FunctionDef>(found->second.statement);
  auto *factory = dyn_cast<ast::Call>(call->func); // triton.autotune(...)(kernel)
  std::string path = dottedPath(factory ? factory->func : call->func);
  bool isJit = path == "triton.jit" || path == "triton.runtime.jit.jit";
  if (definition && isJit)
    return jitFunction(definition);
  bool isWrapper = factory && (path == "triton.autotune" || path == "triton.heuristics");
  if (!definition || !isWrapper)
    return nullptr;
  Value kernel = evaluateFunction(ref(definition->name), definition);
  return kernel.is<JitObject>() ? kernel.get<JitObject>()->function : nullptr;
}

/// A global is readable only if it can never change under a compiled kernel:
/// constexpr objects, dtypes, None, functions, modules.
static bool isReadableGlobal(const Value &value, bool isConstexprCall) {
  return isConstexprCall || value.isNone() || value.is<TypeObject>() || value.is<BuiltinObject>() ||
         value.is<JitObject>() || value.is<ModuleObject>();
}

bool ModuleScope::isConstexpr(const ast::Expr *expression) {
  if (auto *call = dyn_cast<ast::Call>(expression))
    return dottedPath(call->func) == "triton.language.constexpr";
  if (auto *operation = dyn_cast<ast::BinOp>(expression))
    return isConstexpr(operation->left) || isConstexpr(operation->right);
  if (auto *operation = dyn_cast<ast::UnaryOp>(expression))
    return isConstexpr(operation->operand);
  auto *name = dyn_cast<ast::Name>(expression);
  auto found = name ? values.find(ref(name->id)) : values.end();
  return found != values.end() && found->second.isConstexpr;
}

ModuleScope::Evaluated ModuleScope::evaluateAssignment(llvm::StringRef name,
                                                       const Binding &binding) {
  if (const JitFunction *function = evaluateJitCall(binding))
    return {Value(JitObject{function})};
  HostObject host = hostObject(name, binding.statement,
                               "assigned from an expression that only Python can evaluate");
  if (!binding.value)
    return {Value(host)};
  // Errors inside are not the kernel's; the HostObject stands for them.
  DiagnosticEngine ignored;
  Emitter emit(/*context=*/nullptr, ignored); // nothing is emitted at a module's top level
  emit.file = &file;
  emit.modules = &loader;
  FailureOr<Value> value = evaluateConstantExpression(emit, *this, binding.value);
  if (failed(value))
    return {Value(host)};
  bool isMadeConstant = isConstexpr(binding.value);
  if (isReadableGlobal(*value, isMadeConstant))
    return {*value, isMadeConstant};
  host.why = "line " + std::to_string(binding.statement->range.begin.line) +
             ": a plain global; kernels read globals only as constants, so write " + name.str() +
             " = tl.constexpr(...)";
  return {Value(host)};
}

llvm::SmallVector<const JitFunction *> ModuleScope::jitFunctions() {
  llvm::SmallVector<const JitFunction *> result;
  for (const auto &[name, binding] : bindings)
    if (const JitFunction *function = findJitFunction(name))
      if (!llvm::is_contained(result, function))
        result.push_back(function);
  return result;
}

const JitFunction *ModuleScope::findJitFunction(llvm::StringRef name) {
  auto found = bindings.find(name);
  if (found == bindings.end() || found->second.alias)
    return nullptr;
  if (!llvm::isa<ast::FunctionDef>(found->second.statement))
    return evaluateJitCall(found->second);
  Value value = evaluate(name, found->second).value;
  const JitObject *object = value.get<JitObject>();
  return object && !object->function->isConstexprFunction ? object->function : nullptr;
}

const ast::Stmt *ModuleScope::findHostDefinition(llvm::StringRef name) const {
  auto found = bindings.find(name);
  return found == bindings.end() ? nullptr : found->second.statement;
}

/// The decorator as it is written, without its arguments: "triton.jit".
static std::string decoratorText(const ast::Expr *decorator) {
  if (auto *call = dyn_cast<ast::Call>(decorator))
    decorator = call->func;
  if (auto *attribute = dyn_cast<ast::Attribute>(decorator))
    return decoratorText(attribute->value) + "." + std::string(attribute->attr);
  auto *name = dyn_cast<ast::Name>(decorator);
  return name ? std::string(name->id) : "";
}

std::string ModuleScope::explainNoKernels() {
  std::string plain = "the file has no function decorated with @triton.jit";
  // Breadth first through classes and functions; one find is enough to explain.
  std::vector<std::pair<const ast::Stmt *, std::string>> pending;
  for (const ast::Stmt *statement : module.body)
    pending.emplace_back(statement, "");
  for (size_t i = 0; i < pending.size(); ++i) {
    auto [statement, inside] = pending[i];
    auto enter = [&](ast::Seq<ast::Stmt *> body, const std::string &where) {
      for (const ast::Stmt *each : body)
        pending.emplace_back(each, where);
    };
    auto *function = dyn_cast<ast::FunctionLike>(statement);
    for (const ast::Expr *decorator :
         function ? function->decorator_list : ast::Seq<ast::Expr *>()) {
      std::string written = decoratorText(decorator);
      std::string found = "'" + std::string(function->name) + "' (line " +
                          std::to_string(function->range.begin.line) + ")";
      if (isJitDecorator(decorator) && !inside.empty())
        return plain + " at its top level; " + found + " is inside " + inside +
               ", where only Python can reach it";
      if (llvm::StringRef(written).ends_with("gluon.jit"))
        return plain + "; " + found + " is a Gluon kernel, which is not supported yet";
      if ((written == "triton.jit" || written == "jit") && dottedPath(decorator).empty() &&
          !isJitDecorator(decorator))
        return plain + " as far as the compiler can tell: " + found + " has @" + written +
               ", and nothing imports it from triton";
    }
    if (function)
      enter(function->body, "the function '" + std::string(function->name) + "'");
    else if (auto *type = dyn_cast<ast::ClassDef>(statement))
      enter(type->body, "the class '" + std::string(type->name) + "'");
    else if (auto *conditional = dyn_cast<ast::If>(statement))
      enter(conditional->body, inside);
  }
  return plain;
}
