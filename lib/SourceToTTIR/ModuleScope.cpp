//===- ModuleScope.cpp - the global names of a Python file ----------------===//
// Indexing is one walk over the top level, also into `if`, `try` and `with`
// bodies; `if __name__ == "__main__":` is read past. Evaluation is lazy and
// never reports: what cannot be evaluated becomes a HostObject that says why,
// and the error appears where a kernel uses it.
//===----------------------------------------------------------------------===//
#include "ModuleScope.h"
#include "Builtins.h"
#include "Translator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;

ModuleScope::ModuleScope(const SourceFile &file, const ast::Module &module) : file(file) {
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

void ModuleScope::indexImport(const ast::Stmt *statement, ast::Seq<ast::Alias *> names) {
  for (const ast::Alias *alias : names) {
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

std::optional<Value> ModuleScope::lookup(llvm::StringRef name) {
  auto found = bindings.find(name);
  if (found == bindings.end())
    return std::nullopt;
  return evaluate(name, found->second);
}

static HostObject hostObject(llvm::StringRef name, const ast::Stmt *statement,
                             llvm::StringRef why) {
  return HostObject{name.str(),
                    ("line " + llvm::Twine(statement->range.begin.line) + ": " + why).str()};
}

Value ModuleScope::evaluate(llvm::StringRef name, const Binding &binding) {
  if (binding.alias)
    return evaluateImport(name, binding);
  if (auto *definition = dyn_cast<ast::FunctionDef>(binding.statement))
    return evaluateFunction(name, definition);
  if (llvm::isa<ast::FunctionLike, ast::ClassDef>(binding.statement))
    return Value(hostObject(name, binding.statement, "defined for Python only"));
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
  if (from->level == 0 && isLanguageModule(module))
    if (std::optional<Value> attribute = lookupModuleAttribute(module, imported))
      return *attribute;
  return Value(hostObject(name, binding.statement,
                          "imported from '" + std::string(from->level, '.') + module +
                              "', which the compiler does not know"));
}

std::string ModuleScope::dottedPath(const ast::Expr *expression) {
  if (auto *attribute = dyn_cast<ast::Attribute>(expression)) {
    std::string base = dottedPath(attribute->value);
    return base.empty() ? base : base + "." + std::string(attribute->attr);
  }
  auto *name = dyn_cast<ast::Name>(expression);
  auto found = name ? bindings.find(ref(name->id)) : bindings.end();
  if (found == bindings.end() || !found->second.alias)
    return "";
  const Binding &binding = found->second;
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

Value ModuleScope::evaluateFunction(llvm::StringRef name, const ast::FunctionDef *definition) {
  if (llvm::none_of(definition->decorator_list,
                    [&](const ast::Expr *decorator) { return isJitDecorator(decorator); }))
    return Value(hostObject(name, definition, "a plain Python function, without @triton.jit"));
  std::unique_ptr<JitFunction> &function = functions[name];
  if (!function)
    function = std::make_unique<JitFunction>(JitFunction{name.str(), definition, &file, this});
  return Value(JitObject{function.get()});
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
  std::optional<Value> value = name ? lookup(ref(name->id)) : std::nullopt;
  return value && value->isNumber();
}

Value ModuleScope::evaluateAssignment(llvm::StringRef name, const Binding &binding) {
  HostObject host = hostObject(name, binding.statement,
                               "assigned from an expression that only Python can evaluate");
  if (!binding.value || !evaluating.insert(name).second)
    return Value(host);
  // Errors inside are not the kernel's; the HostObject stands for them.
  DiagnosticEngine ignored;
  Emitter emit(/*context=*/nullptr, ignored); // nothing is emitted at a module's top level
  emit.file = &file;
  FailureOr<Value> value = evaluateConstantExpression(emit, *this, binding.value);
  evaluating.erase(name);
  if (failed(value))
    return Value(host);
  if (isReadableGlobal(*value, isConstexpr(binding.value)))
    return *value;
  host.why = "line " + std::to_string(binding.statement->range.begin.line) +
             ": a plain global; kernels read globals only as constants, so write " + name.str() +
             " = tl.constexpr(...)";
  return Value(host);
}

llvm::SmallVector<const JitFunction *> ModuleScope::jitFunctions() {
  llvm::SmallVector<const JitFunction *> result;
  for (const auto &[name, binding] : bindings)
    if (const JitFunction *function = findJitFunction(name))
      result.push_back(function);
  return result;
}

const JitFunction *ModuleScope::findJitFunction(llvm::StringRef name) {
  auto found = bindings.find(name);
  if (found == bindings.end() || !llvm::isa<ast::FunctionDef>(found->second.statement))
    return nullptr;
  Value value = evaluate(name, found->second);
  const JitObject *object = value.get<JitObject>();
  return object ? object->function : nullptr;
}

const ast::Stmt *ModuleScope::findHostDefinition(llvm::StringRef name) const {
  auto found = bindings.find(name);
  return found == bindings.end() ? nullptr : found->second.statement;
}
