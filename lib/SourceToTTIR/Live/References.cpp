//===- References.cpp - the free names that a function's text reads -------===//
// Python's rules of scope over the syntax: a name that a function binds anywhere is
// its own everywhere; comprehensions, lambdas and functions inside have scopes of
// their own; what a class body binds is not seen by the functions in it.
//
//   def kernel(x, n: tl.constexpr = N):     {"tl.arange", "cfg.BLOCK", "helper"}
//       i = tl.arange(0, cfg.BLOCK)         not x, n, i; not N and tl.constexpr:
//       helper(x + i)                       the host knows defaults and annotations
//
// Cost: two walks over each scope: what it binds, then what it reads.
//===----------------------------------------------------------------------===//
#include "LiveText.h"
#include "tessera/Source/Children.h"
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;

static llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

namespace {
/// A comprehension of any kind: its parts, and its clauses.
struct ComprehensionParts {
  llvm::SmallVector<const ast::Expr *, 2> elements;
  ast::Seq<ast::Comprehension *> generators;

  explicit ComprehensionParts(const ast::Expr *expression) {
    if (auto *list = dyn_cast<ast::ListComp>(expression))
      elements = {list->elt}, generators = list->generators;
    else if (auto *set = dyn_cast<ast::SetComp>(expression))
      elements = {set->elt}, generators = set->generators;
    else if (auto *generator = dyn_cast<ast::GeneratorExp>(expression))
      elements = {generator->elt}, generators = generator->generators;
    else if (auto *dict = dyn_cast<ast::DictComp>(expression))
      elements = {dict->key, dict->value}, generators = dict->generators;
  }
  bool exists() const { return !elements.empty(); }
};

//===----------------------------------------------------------------------===//
// What a scope binds
//===----------------------------------------------------------------------===//

struct Bindings {
  llvm::StringSet<> names;
  llvm::StringSet<> outer; // of `global` and `nonlocal`
  llvm::StringSet<> globals;

  void bind(std::string_view name) {
    if (!name.empty())
      names.insert(ref(name));
  }
  void arguments(const ast::Arguments &parameters) {
    for (ast::Seq<ast::Arg *> list :
         {parameters.posonlyargs, parameters.args, parameters.kwonlyargs})
      for (const ast::Arg *parameter : list)
        bind(parameter->arg);
    for (const ast::Arg *rest : {parameters.vararg, parameters.kwarg})
      if (rest)
        bind(rest->arg);
  }
  void expression(const ast::Expr *node) {
    ast::forEachBoundName(node, [&](ast::Identifier name) { bind(name); });
  }
  void all(ast::Seq<ast::Stmt *> body) {
    for (const ast::Stmt *statement : body)
      collect(statement);
  }
  void collect(const ast::Stmt *statement);
  void finish() {
    for (const auto &name : outer)
      names.erase(name.first());
  }
};
} // namespace

void Bindings::collect(const ast::Stmt *statement) {
  if (auto *global = dyn_cast<ast::Global>(statement)) {
    for (std::string_view name : global->names) {
      outer.insert(ref(name));
      globals.insert(ref(name));
    }
  } else if (auto *nonlocal = dyn_cast<ast::Nonlocal>(statement)) {
    for (std::string_view name : nonlocal->names)
      outer.insert(ref(name));
  }
  ast::forEachBoundName(statement, [&](ast::Identifier name) { bind(name); });
  if (!ast::opensScope(statement))
    ast::forEachChild(statement, {.statement = [&](const ast::Stmt *inner) { collect(inner); }});
}

//===----------------------------------------------------------------------===//
// What it reads
//===----------------------------------------------------------------------===//

namespace {
struct Reader {
  struct Scope {
    Bindings bindings;
    bool isClass = false;
  };
  std::vector<Scope> scopes = {}; // from the outermost
  std::vector<std::string> paths = {};
  llvm::StringSet<> seen = {};

  bool isFree(llvm::StringRef name) const {
    for (size_t i = scopes.size(); i-- > 0;) {
      const Scope &scope = scopes[i];
      if (scope.bindings.globals.contains(name))
        return true;
      bool isVisible = !scope.isClass || i + 1 == scopes.size();
      if (isVisible && scope.bindings.names.contains(name))
        return false;
    }
    return true;
  }
  void add(const std::string &path) {
    if (seen.insert(path).second)
      paths.push_back(path);
  }

  /// "a.b.c" if the expression is such a path and `a` is free; empty otherwise.
  std::string pathOf(const ast::Expr *expression) const {
    llvm::SmallVector<std::string_view> parts;
    while (auto *attribute = dyn_cast<ast::Attribute>(expression)) {
      parts.push_back(attribute->attr);
      expression = attribute->value;
    }
    auto *root = dyn_cast<ast::Name>(expression);
    if (!root || !isFree(ref(root->id)))
      return "";
    std::string path(root->id);
    for (std::string_view part : llvm::reverse(parts))
      path += "." + std::string(part);
    return path;
  }

  void read(const ast::Expr *expression) {
    if (!expression)
      return;
    if (auto *name = dyn_cast<ast::Name>(expression)) {
      if (isFree(ref(name->id)))
        add(std::string(name->id));
      return;
    }
    if (auto *attribute = dyn_cast<ast::Attribute>(expression)) {
      if (attribute->ctx != ast::ExprContext::Load)
        return read(attribute->value);
      std::string path = pathOf(attribute);
      if (!path.empty())
        return add(path);
    }
    if (auto *lambda = dyn_cast<ast::Lambda>(expression))
      return readLambda(lambda);
    if (ComprehensionParts parts(expression); parts.exists())
      return readComprehension(parts);
    if (auto *call = dyn_cast<ast::Call>(expression))
      readAttributeCall(call);
    ast::forEachChild(expression, [&](const ast::Expr *child) { read(child); });
  }

  /// getattr(cfg, "BLOCK") reads cfg.BLOCK.
  void readAttributeCall(const ast::Call *call) {
    auto *callee = dyn_cast<ast::Name>(call->func);
    if (!callee || (callee->id != "getattr" && callee->id != "hasattr") || call->args.size() < 2)
      return;
    auto *name = dyn_cast<ast::Constant>(call->args[1]);
    std::string path = pathOf(call->args[0]);
    if (name && name->isStr() && !path.empty() && name->text.find('.') == std::string_view::npos)
      add(path + "." + std::string(name->text));
  }

  void readDefaults(const ast::Arguments &parameters) {
    for (ast::Seq<ast::Expr *> list : {parameters.defaults, parameters.kw_defaults})
      for (const ast::Expr *value : list)
        read(value);
  }
  void readLambda(const ast::Lambda *lambda) {
    readDefaults(*lambda->args);
    scopes.emplace_back();
    scopes.back().bindings.arguments(*lambda->args);
    scopes.back().bindings.expression(lambda->body);
    read(lambda->body);
    scopes.pop_back();
  }
  void readComprehension(const ComprehensionParts &parts) {
    // The first iterable belongs to the scope around.
    if (!parts.generators.empty())
      read(parts.generators[0]->iter);
    scopes.emplace_back();
    for (const ast::Comprehension *generator : parts.generators)
      scopes.back().bindings.expression(generator->target);
    for (const auto &[i, generator] : llvm::enumerate(parts.generators)) {
      if (i > 0)
        read(generator->iter);
      read(generator->target);
      for (const ast::Expr *condition : generator->ifs)
        read(condition);
    }
    for (const ast::Expr *element : parts.elements)
      read(element);
    scopes.pop_back();
  }

  void readFunction(const ast::FunctionLike *function) {
    scopes.emplace_back();
    Bindings &bindings = scopes.back().bindings;
    bindings.arguments(*function->args);
    for (const ast::TypeParam *parameter : function->type_params)
      bindings.bind(parameter->name);
    bindings.all(function->body);
    bindings.finish();
    readAll(function->body);
    scopes.pop_back();
  }
  void readClass(const ast::ClassDef *type) {
    scopes.emplace_back();
    scopes.back().isClass = true;
    scopes.back().bindings.all(type->body);
    scopes.back().bindings.finish();
    readAll(type->body);
    scopes.pop_back();
  }
  void readPattern(const ast::Pattern *pattern) {
    ast::forEachChild(pattern, {.expression = [&](const ast::Expr *child) { read(child); },
                                .pattern = [&](const ast::Pattern *child) { readPattern(child); }});
  }
  void readStatement(const ast::Stmt *statement) {
    if (auto *function = dyn_cast<ast::FunctionLike>(statement)) {
      readDefaults(*function->args);
      readFunction(function);
    } else if (auto *type = dyn_cast<ast::ClassDef>(statement)) {
      for (const ast::Expr *base : type->bases)
        read(base);
      readClass(type);
    } else {
      ast::forEachChild(statement,
                        {.statement = [&](const ast::Stmt *inner) { readStatement(inner); },
                         .expression = [&](const ast::Expr *child) { read(child); },
                         .pattern = [&](const ast::Pattern *child) { readPattern(child); }});
    }
  }
  void readAll(ast::Seq<ast::Stmt *> body) {
    for (const ast::Stmt *statement : body)
      readStatement(statement);
  }
};
} // namespace

llvm::Expected<std::vector<std::string>>
tessera::findReferences(llvm::StringRef text, const std::string &path, unsigned line) {
  if (line > LiveText::kMaxLine)
    return makeError("'" + path + "' has no line " + llvm::Twine(line));
  DiagnosticEngine diagnostics;
  std::unique_ptr<LiveText> parsed = LiveText::parse(text, path, line, diagnostics);
  if (!parsed)
    return makeError(llvm::StringRef(diagnostics.render()).rtrim());
  Reader reader;
  if (parsed->function)
    reader.readFunction(parsed->function);
  else if (parsed->type)
    reader.readClass(parsed->type);
  else if (parsed->lambda)
    reader.readLambda(parsed->lambda);
  else
    return makeError(path + ":" + llvm::Twine(line) + ": the text has no function and no class");
  return reader.paths;
}
