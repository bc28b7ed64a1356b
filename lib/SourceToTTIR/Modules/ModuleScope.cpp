//===- ModuleScope.cpp - the global names of a Python file ----------------===//
// Indexing is one walk over the top level that notes which statement binds or
// changes which names; nothing is evaluated. Running a unit never reports: what
// cannot be evaluated becomes a HostObject that says why, and the error appears
// where a kernel uses it. Cost: each unit once, if it is needed at all.
//===----------------------------------------------------------------------===//
#include "ModuleScope.h"
#include "ModuleLoader.h"
#include "UnitScope.h"
#include "tessera/Source/Children.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Path.h"
#include "../Builtins/Builtins.h"
#include "../Host/HostInterpreter.h"

using namespace tessera;
using llvm::dyn_cast;

ModuleScope::ModuleScope(const SourceFile &file, const ast::Module &module, ModuleLoader &loader,
                         std::string name)
    : file(file), module(module), loader(loader), moduleName(std::move(name)) {
  index();
}

ModuleScope::~ModuleScope() = default;

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

/// The name at the start of `name.attr[...]`, which a statement may change in place.
static llvm::StringRef rootName(const ast::Expr *expression) {
  while (true) {
    if (auto *attribute = dyn_cast<ast::Attribute>(expression))
      expression = attribute->value;
    else if (auto *subscript = dyn_cast<ast::Subscript>(expression))
      expression = subscript->value;
    else
      break;
  }
  auto *name = dyn_cast<ast::Name>(expression);
  return name ? ref(name->id) : "";
}

namespace {
/// The names that one statement of the top level binds or changes.
struct BoundNames {
  llvm::SmallVector<llvm::StringRef> names;
  bool hasStarImport = false;

  void add(llvm::StringRef name) {
    if (!name.empty() && !llvm::is_contained(names, name))
      names.push_back(name);
  }

  /// x[0] = ..., x.a += ... and `del x[0]` change x.
  void changes(const ast::Expr *target) {
    auto *subscript = dyn_cast<ast::Subscript>(target);
    auto *attribute = dyn_cast<ast::Attribute>(target);
    if (subscript ? subscript->ctx != ast::ExprContext::Load
                  : attribute && attribute->ctx != ast::ExprContext::Load)
      return add(rootName(target));
    if (llvm::isa<ast::Tuple, ast::List, ast::Starred>(target))
      ast::forEachChild(target, [&](const ast::Expr *element) { changes(element); });
  }

  void collect(const ast::Stmt *statement) {
    if (auto *declaration = dyn_cast<ast::AnnAssign>(statement); declaration && !declaration->value)
      return; // `x: int` alone gives x no value
    if (auto *from = dyn_cast<ast::ImportFrom>(statement))
      hasStarImport |= llvm::any_of(from->names, [](auto *alias) { return alias->name == "*"; });
    if (auto *expression = dyn_cast<ast::ExprStmt>(statement)) {
      // LIST.append(x) changes LIST; print(x) changes nothing.
      if (auto *call = dyn_cast<ast::Call>(expression->value);
          call && llvm::isa<ast::Attribute>(call->func))
        add(rootName(call->func));
    }
    ast::forEachBoundName(statement, [&](ast::Identifier name) { add(ref(name)); });
    if (!ast::opensScope(statement))
      ast::forEachChild(statement, {.statement = [&](const ast::Stmt *inner) { collect(inner); },
                                    .expression = [&](const ast::Expr *each) { changes(each); }});
  }
};
} // namespace

void ModuleScope::index() {
  for (const ast::Stmt *statement : module.body) {
    BoundNames bound;
    bound.collect(statement);
    if (bound.names.empty() && !bound.hasStarImport)
      continue;
    size_t position = units.size();
    units.push_back({statement});
    for (llvm::StringRef name : bound.names)
      binders[name].push_back(position);
    if (bound.hasStarImport)
      starImports.insert(starImports.begin(), position);
  }
}

//===----------------------------------------------------------------------===//
// Resolving names
//===----------------------------------------------------------------------===//

/// Returns true if executing the statement always binds the name.
static bool isDefinitive(const ast::Stmt *statement, llvm::StringRef name) {
  if (llvm::isa<ast::Import, ast::ImportFrom, ast::FunctionLike, ast::ClassDef>(statement))
    return true;
  if (auto *assign = dyn_cast<ast::AnnAssign>(statement))
    return llvm::isa<ast::Name>(assign->target);
  auto *assign = dyn_cast<ast::Assign>(statement);
  return assign && llvm::any_of(assign->targets, [&](const ast::Expr *target) {
           auto *direct = dyn_cast<ast::Name>(target);
           return direct && ref(direct->id) == name;
         });
}

llvm::SmallVector<size_t, 4> ModuleScope::bindersBefore(llvm::StringRef name, size_t end) const {
  llvm::SmallVector<size_t, 4> result;
  auto found = binders.find(name);
  if (found == binders.end())
    return result;
  for (unsigned position : llvm::reverse(found->second)) {
    if (position >= end)
      continue;
    result.push_back(position);
    if (isDefinitive(units[position].statement, name))
      break;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

void ModuleScope::runInOrder(llvm::ArrayRef<size_t> roots) {
  llvm::SmallVector<size_t> pending(roots.rbegin(), roots.rend());
  llvm::SmallDenseMap<size_t, bool> expanded;
  while (!pending.empty()) {
    size_t position = pending.back();
    if (units[position].state != Unit::Waiting) {
      pending.pop_back();
      continue;
    }
    if (!expanded[position]) {
      expanded[position] = true;
      llvm::SmallVector<llvm::StringRef> reads;
      // Evaluated first: long chains of assignments must not become deep recursion.
      collectNeededNames(units[position].statement, reads);
      for (llvm::StringRef read : reads) {
        llvm::SmallVector<size_t, 4> binders = bindersBefore(read, position); // outlives reverse
        for (size_t binder : llvm::reverse(binders))
          if (units[binder].state == Unit::Waiting && !expanded.contains(binder))
            pending.push_back(binder);
      }
      if (pending.back() != position)
        continue;
    }
    run(position);
    pending.pop_back();
  }
}

void ModuleScope::run(size_t position) {
  ModuleLoader::Activity activity(loader);
  Unit &unit = units[position];
  unit.state = Unit::Running;
  unit.scope = std::make_unique<UnitScope>(*this, position);
  execute(unit, unit.statement);
  unit.state = Unit::Done;
}

std::optional<Value> ModuleScope::resolve(llvm::StringRef name, size_t end, bool countsRunning) {
  llvm::SmallVector<size_t, 4> deciding = bindersBefore(name, end);
  runInOrder(deciding);
  for (size_t position : llvm::reverse(deciding)) {
    const Unit &unit = units[position];
    if (unit.state == Unit::Running && !countsRunning)
      continue;
    auto found = unit.names.find(name);
    if (found != unit.names.end())
      return found->second;
  }
  for (size_t position : deciding)
    if (units[position].state == Unit::Running)
      return Value(HostObject{name.str(), "it is defined by itself"});
  return std::nullopt;
}

std::optional<Value> ModuleScope::lookupStarImport(llvm::StringRef name) {
  // Modules may import each other with a star: each is asked once.
  if (isInStarImport || name.starts_with("_"))
    return std::nullopt;
  isInStarImport = true;
  std::optional<Value> result;
  for (size_t position : starImports) {
    auto *from = dyn_cast<ast::ImportFrom>(units[position].statement);
    if (!from)
      continue; // inside an `if` or a `try`: only what the file names is known
    Value source = loader.import(*this, ref(from->module), from->level);
    const ModuleObject *object = source.get<ModuleObject>();
    if (!object || (!object->scope && !isLanguageModule(object->path)))
      continue;
    result = object->scope ? object->scope->lookupHost(name) : loader.member(*object, name);
    if (result && result->is<HostObject>() && !object->scope)
      result = std::nullopt; // not a name of the language
    if (result)
      break;
  }
  isInStarImport = false;
  return result;
}

std::optional<Value> ModuleScope::lookupHost(llvm::StringRef name) {
  // While a unit runs, what it has bound so far counts.
  if (std::optional<Value> value = resolve(name, units.size(), /*countsRunning=*/true))
    return value;
  if (std::optional<Value> value = lookupStarImport(name))
    return value;
  if (name == "__name__")
    return Value(moduleName);
  if (name == "__file__")
    return Value(file.path());
  return std::nullopt;
}

unsigned ModuleScope::guessedAt(llvm::StringRef name) {
  for (size_t position : bindersBefore(name, units.size()))
    if (auto found = units[position].guesses.find(name); found != units[position].guesses.end())
      return found->second;
  return 0;
}

/// A global is readable only if it can never change under a compiled kernel:
/// constexpr objects, dtypes, None, functions, modules.
static bool isReadableGlobal(const Value &value) {
  if (const ClassObject *object = value.get<ClassObject>())
    return object->type->kind != ClassDefinition::Plain;
  return value.isConstexpr() || value.isNone() || value.is<TypeObject>() ||
         value.is<BuiltinObject>() || value.is<JitObject>() || value.is<ModuleObject>() ||
         value.is<EnumObject>() || value.is<HostObject>();
}

Value tessera::globalForKernels(llvm::StringRef name, const Value &value, const SourceFile &file,
                                llvm::StringRef where, bool allowsPlainGlobals) {
  // tl.constexpr(f), of a host that can be asked: a function that runs at compile time.
  const FunctionObject *function = value.get<FunctionObject>();
  if (function && function->function->live.answers && value.isConstexpr())
    return value;
  bool isData = !value.is<FunctionObject>() && !value.is<ClassObject>();
  if (isReadableGlobal(value) || (allowsPlainGlobals && isData)) {
    DiagnosticEngine ignored;
    Emitter emit(nullptr, ignored);
    emit.file = &file;
    FailureOr<Value> seen = kernelView(emit, value);
    return failed(seen) ? Value(HostObject{name.str(), "it is too large"}) : *seen;
  }
  if (const FunctionObject *object = value.get<FunctionObject>()) {
    const SourceFile &home = *object->function->file;
    std::string place =
        &home == &file ? "line " : llvm::sys::path::filename(home.path()).str() + ":";
    return Value(HostObject{name.str(), place + std::to_string(object->function->range.begin.line) +
                                            ": a plain Python function, without @triton.jit"});
  }
  std::string why = "a plain global; kernels read globals only as constants, so write " +
                    name.str() + " = tl.constexpr(...)";
  if (value.is<ClassObject>())
    why = "a plain class; kernels know NamedTuple classes and those made by @tl.core._aggregate";
  return Value(HostObject{name.str(), where.str() + why});
}

std::optional<Value> ModuleScope::lookup(llvm::StringRef name) {
  std::optional<Value> value = lookupHost(name);
  if (!value)
    return std::nullopt;
  auto found = binders.find(name);
  std::string line =
      found == binders.end()
          ? ""
          : "line " + std::to_string(units[found->second.back()].statement->range.begin.line) +
                ": ";
  return globalForKernels(name, *value, file, line);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Returns true if the statement may define a kernel; others need not be executed.
static bool mayDefineKernel(const ast::Stmt *statement) {
  if (auto *assign = dyn_cast<ast::Assign>(statement))
    return llvm::isa<ast::Call>(assign->value);
  return llvm::isa<ast::FunctionDef, ast::If, ast::TryLike, ast::WithLike>(statement);
}

std::vector<std::string> ModuleScope::kernelNames() {
  std::vector<std::string> names;
  llvm::SmallVector<const JitFunction *> seen;
  for (const auto &[name, positions] : binders) {
    if (!mayDefineKernel(units[positions.back()].statement))
      continue;
    const JitFunction *function = findJitFunction(name);
    if (!function || function->file != &file || llvm::is_contained(seen, function))
      continue;
    seen.push_back(function);
    names.push_back(name.str());
  }
  return names;
}

/// Returns whether a text has the name as a word that is neither an attribute nor a keyword
/// argument: `name(x)` or `reduce(x, 0, name)`.
static bool mentions(llvm::StringRef text, llvm::StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = 0; (at = text.find(name, at)) != llvm::StringRef::npos; at += name.size()) {
    llvm::StringRef before = text.take_front(at), after = text.drop_front(at + name.size());
    bool isWord = (before.empty() || (!isPart(before.back()) && before.back() != '.')) &&
                  (after.empty() || !isPart(after.front()));
    bool isInComment = before.substr(before.rfind('\n') + 1).contains('#');
    after = after.ltrim(" ");
    bool isKeyword = after.starts_with("=") && !after.starts_with("==");
    if (isWord && !isInComment && !isKeyword)
      return true;
  }
  return false;
}

std::vector<std::string> ModuleScope::entryNames() {
  std::vector<std::string> names = kernelNames(), entries;
  auto textOf = [&](llvm::StringRef name) {
    SourceRange range = findJitFunction(name)->definition->range;
    uint32_t begin = file.lineStart(range.begin.line), end = file.lineStart(range.end.line);
    return llvm::StringRef(file.text()).substr(begin, end + range.end.column - begin);
  };
  for (const std::string &name : names)
    if (llvm::none_of(names, [&](const std::string &other) {
          return other != name && mentions(textOf(other), name);
        }))
      entries.push_back(name);
  return entries.empty() ? names : entries;
}

const JitFunction *ModuleScope::findJitFunction(llvm::StringRef name) {
  std::optional<Value> value = lookupHost(name);
  const JitObject *object = value ? value->get<JitObject>() : nullptr;
  return object && !object->function->isConstexprFunction ? object->function : nullptr;
}

const ast::Stmt *ModuleScope::findHostDefinition(llvm::StringRef name) const {
  auto found = binders.find(name);
  return found == binders.end() ? nullptr : units[found->second.back()].statement;
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
  Unit probe{nullptr};
  probe.scope = std::make_unique<UnitScope>(*this, units.size());
  auto isJit = [&](const ast::Expr *decorator) {
    if (auto *call = dyn_cast<ast::Call>(decorator))
      decorator = call->func;
    return isJitPath(pathOf(probe, decorator));
  };
  // Breadth first through classes and functions; one find is enough to explain.
  std::vector<std::pair<const ast::Stmt *, std::string>> pending;
  for (const ast::Stmt *statement : module.body)
    pending.emplace_back(statement, "");
  for (size_t i = 0; i < pending.size(); ++i) {
    auto [statement, inside] = pending[i];
    auto *function = dyn_cast<ast::FunctionLike>(statement);
    for (const ast::Expr *decorator :
         function ? function->decorator_list : ast::Seq<ast::Expr *>()) {
      std::string written = decoratorText(decorator);
      std::string found = "'" + std::string(function->name) + "' (line " +
                          std::to_string(function->range.begin.line) + ")";
      if (isJit(decorator) && llvm::isa<ast::AsyncFunctionDef>(statement))
        return plain + "; " + found + " is made by 'async def', and a kernel by 'def'";
      if (isJit(decorator) && !inside.empty())
        return plain + " at its top level; " + found + " is inside " + inside +
               ", where only Python can reach it";
      if (llvm::StringRef(written).ends_with("gluon.jit"))
        return plain + "; " + found + " is a Gluon kernel, which is not supported yet";
      if ((isJitPath(canonicalModulePath(written)) || written == "jit") &&
          pathOf(probe, decorator).empty() && !isJit(decorator))
        return plain + " as far as the compiler can tell: " + found + " has @" + written +
               ", and nothing imports it from triton";
    }
    std::string where = inside;
    if (function)
      where = "the function '" + std::string(function->name) + "'";
    else if (auto *type = dyn_cast<ast::ClassDef>(statement))
      where = "the class '" + std::string(type->name) + "'";
    else if (inside.empty() && llvm::isa<ast::Match>(statement))
      where = "a 'match'";
    else if (inside.empty() && llvm::isa<ast::ForLike, ast::While>(statement))
      where = "a loop";
    ast::forEachChild(statement, {.statement = [&](const ast::Stmt *inner) {
                        pending.emplace_back(inner, where);
                      }});
  }
  return plain;
}
