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
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;

static llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

using ExprVisitor = llvm::function_ref<void(const ast::Expr *)>;

static void visitAll(ast::Seq<ast::Expr *> expressions, ExprVisitor visit) {
  for (const ast::Expr *expression : expressions)
    if (expression)
      visit(expression);
}

/// The expressions right inside one, except those in a scope of their own.
static void visitChildren(const ast::Expr *expression, ExprVisitor visit) {
  auto one = [&](const ast::Expr *child) {
    if (child)
      visit(child);
  };
  if (auto *attribute = dyn_cast<ast::Attribute>(expression))
    return one(attribute->value);
  if (auto *call = dyn_cast<ast::Call>(expression)) {
    one(call->func);
    visitAll(call->args, visit);
    for (const ast::Keyword *keyword : call->keywords)
      one(keyword->value);
  } else if (auto *operation = dyn_cast<ast::BinOp>(expression)) {
    one(operation->left);
    one(operation->right);
  } else if (auto *operation = dyn_cast<ast::UnaryOp>(expression)) {
    one(operation->operand);
  } else if (auto *operation = dyn_cast<ast::BoolOp>(expression)) {
    visitAll(operation->values, visit);
  } else if (auto *comparison = dyn_cast<ast::Compare>(expression)) {
    one(comparison->left);
    visitAll(comparison->comparators, visit);
  } else if (auto *conditional = dyn_cast<ast::IfExp>(expression)) {
    one(conditional->test);
    one(conditional->body);
    one(conditional->orelse);
  } else if (auto *subscript = dyn_cast<ast::Subscript>(expression)) {
    one(subscript->value);
    one(subscript->slice);
  } else if (auto *slice = dyn_cast<ast::Slice>(expression)) {
    one(slice->lower);
    one(slice->upper);
    one(slice->step);
  } else if (auto *tuple = dyn_cast<ast::Tuple>(expression)) {
    visitAll(tuple->elts, visit);
  } else if (auto *list = dyn_cast<ast::List>(expression)) {
    visitAll(list->elts, visit);
  } else if (auto *set = dyn_cast<ast::Set>(expression)) {
    visitAll(set->elts, visit);
  } else if (auto *dict = dyn_cast<ast::Dict>(expression)) {
    visitAll(dict->keys, visit);
    visitAll(dict->values, visit);
  } else if (auto *starred = dyn_cast<ast::Starred>(expression)) {
    one(starred->value);
  } else if (auto *text = dyn_cast<ast::JoinedStr>(expression)) {
    visitAll(text->values, visit);
  } else if (auto *hole = dyn_cast<ast::FormattedValue>(expression)) {
    one(hole->value);
    one(hole->format_spec);
  } else if (auto *named = dyn_cast<ast::NamedExpr>(expression)) {
    one(named->target);
    one(named->value);
  } else if (auto *wait = dyn_cast<ast::Await>(expression)) {
    one(wait->value);
  } else if (auto *yield = dyn_cast<ast::Yield>(expression)) {
    one(yield->value);
  } else if (auto *yield = dyn_cast<ast::YieldFrom>(expression)) {
    one(yield->value);
  }
}

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
  /// Targets, and the walrus anywhere.
  void expression(const ast::Expr *node) {
    if (!node || llvm::isa<ast::Lambda>(node))
      return;
    if (auto *name = dyn_cast<ast::Name>(node)) {
      if (name->ctx != ast::ExprContext::Load)
        bind(name->id);
      return;
    }
    if (ComprehensionParts parts(node); parts.exists()) { // a walrus in it binds out here
      for (const ast::Expr *element : parts.elements)
        expression(element);
      for (const ast::Comprehension *generator : parts.generators) {
        expression(generator->iter);
        for (const ast::Expr *condition : generator->ifs)
          expression(condition);
      }
      return;
    }
    visitChildren(node, [&](const ast::Expr *child) { expression(child); });
  }
  void pattern(const ast::Pattern *node) {
    auto all = [&](ast::Seq<ast::Pattern *> patterns) {
      for (const ast::Pattern *each : patterns)
        pattern(each);
    };
    if (!node)
      return;
    if (auto *capture = dyn_cast<ast::MatchAs>(node)) {
      bind(capture->name);
      pattern(capture->pattern);
    } else if (auto *star = dyn_cast<ast::MatchStar>(node)) {
      bind(star->name);
    } else if (auto *mapping = dyn_cast<ast::MatchMapping>(node)) {
      bind(mapping->rest);
      all(mapping->patterns);
    } else if (auto *sequence = dyn_cast<ast::MatchSequence>(node)) {
      all(sequence->patterns);
    } else if (auto *either = dyn_cast<ast::MatchOr>(node)) {
      all(either->patterns);
    } else if (auto *type = dyn_cast<ast::MatchClass>(node)) {
      all(type->patterns);
      all(type->kwd_patterns);
    }
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
  void imports(ast::Seq<ast::Alias *> aliases) {
    for (const ast::Alias *alias : aliases)
      bind(alias->asname.empty() ? alias->name.substr(0, alias->name.find('.')) : alias->asname);
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

/// The statements and expressions right inside a statement; those of functions and
/// classes inside it are left out.
template <typename Body, typename Expression>
static void visitStatement(const ast::Stmt *statement, Body body, Expression expression) {
  auto all = [&](ast::Seq<ast::Expr *> expressions) {
    for (const ast::Expr *each : expressions)
      expression(each);
  };
  if (auto *assign = dyn_cast<ast::Assign>(statement)) {
    expression(assign->value);
    all(assign->targets);
  } else if (auto *assign = dyn_cast<ast::AnnAssign>(statement)) {
    expression(assign->annotation);
    expression(assign->value);
    expression(assign->target);
  } else if (auto *assign = dyn_cast<ast::AugAssign>(statement)) {
    expression(assign->target);
    expression(assign->value);
  } else if (auto *each = dyn_cast<ast::ExprStmt>(statement)) {
    expression(each->value);
  } else if (auto *result = dyn_cast<ast::Return>(statement)) {
    expression(result->value);
  } else if (auto *conditional = dyn_cast<ast::If>(statement)) {
    expression(conditional->test);
    body(conditional->body);
    body(conditional->orelse);
  } else if (auto *loop = dyn_cast<ast::ForLike>(statement)) {
    expression(loop->iter);
    expression(loop->target);
    body(loop->body);
    body(loop->orelse);
  } else if (auto *loop = dyn_cast<ast::While>(statement)) {
    expression(loop->test);
    body(loop->body);
    body(loop->orelse);
  } else if (auto *with = dyn_cast<ast::WithLike>(statement)) {
    for (const ast::WithItem *item : with->items) {
      expression(item->context_expr);
      expression(item->optional_vars);
    }
    body(with->body);
  } else if (auto *raise = dyn_cast<ast::Raise>(statement)) {
    expression(raise->exc);
    expression(raise->cause);
  } else if (auto *attempt = dyn_cast<ast::TryLike>(statement)) {
    body(attempt->body);
    for (const ast::ExceptHandler *handler : attempt->handlers) {
      expression(handler->type);
      body(handler->body);
    }
    body(attempt->orelse);
    body(attempt->finalbody);
  } else if (auto *assertion = dyn_cast<ast::Assert>(statement)) {
    expression(assertion->test);
    expression(assertion->msg);
  } else if (auto *remove = dyn_cast<ast::Delete>(statement)) {
    all(remove->targets);
  } else if (auto *match = dyn_cast<ast::Match>(statement)) {
    expression(match->subject);
    for (const ast::MatchCase *each : match->cases) {
      expression(each->guard);
      body(each->body);
    }
  } else if (auto *alias = dyn_cast<ast::TypeAlias>(statement)) {
    expression(alias->value);
    expression(alias->name);
  }
}

void Bindings::collect(const ast::Stmt *statement) {
  if (auto *import = dyn_cast<ast::Import>(statement))
    return imports(import->names);
  if (auto *import = dyn_cast<ast::ImportFrom>(statement))
    return imports(import->names);
  if (auto *function = dyn_cast<ast::FunctionLike>(statement))
    return bind(function->name);
  if (auto *type = dyn_cast<ast::ClassDef>(statement))
    return bind(type->name);
  if (auto *global = dyn_cast<ast::Global>(statement)) {
    for (std::string_view name : global->names) {
      outer.insert(ref(name));
      globals.insert(ref(name));
    }
    return;
  }
  if (auto *nonlocal = dyn_cast<ast::Nonlocal>(statement)) {
    for (std::string_view name : nonlocal->names)
      outer.insert(ref(name));
    return;
  }
  if (auto *attempt = dyn_cast<ast::TryLike>(statement))
    for (const ast::ExceptHandler *handler : attempt->handlers)
      bind(handler->name);
  if (auto *match = dyn_cast<ast::Match>(statement))
    for (const ast::MatchCase *each : match->cases)
      pattern(each->pattern);
  visitStatement(
      statement, [&](ast::Seq<ast::Stmt *> body) { all(body); },
      [&](const ast::Expr *node) { expression(node); });
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
    visitChildren(expression, [&](const ast::Expr *child) { read(child); });
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
    auto all = [&](ast::Seq<ast::Pattern *> patterns) {
      for (const ast::Pattern *each : patterns)
        readPattern(each);
    };
    if (!pattern)
      return;
    if (auto *value = dyn_cast<ast::MatchValue>(pattern)) {
      read(value->value);
    } else if (auto *type = dyn_cast<ast::MatchClass>(pattern)) {
      read(type->cls);
      all(type->patterns);
      all(type->kwd_patterns);
    } else if (auto *mapping = dyn_cast<ast::MatchMapping>(pattern)) {
      for (const ast::Expr *key : mapping->keys)
        read(key);
      all(mapping->patterns);
    } else if (auto *capture = dyn_cast<ast::MatchAs>(pattern)) {
      readPattern(capture->pattern);
    } else if (auto *sequence = dyn_cast<ast::MatchSequence>(pattern)) {
      all(sequence->patterns);
    } else if (auto *either = dyn_cast<ast::MatchOr>(pattern)) {
      all(either->patterns);
    }
  }
  void readAll(ast::Seq<ast::Stmt *> body) {
    for (const ast::Stmt *statement : body) {
      if (auto *function = dyn_cast<ast::FunctionLike>(statement)) {
        readDefaults(*function->args);
        readFunction(function);
      } else if (auto *type = dyn_cast<ast::ClassDef>(statement)) {
        visitAll(type->bases, [&](const ast::Expr *base) { read(base); });
        readClass(type);
      } else {
        if (auto *match = dyn_cast<ast::Match>(statement))
          for (const ast::MatchCase *each : match->cases)
            readPattern(each->pattern);
        visitStatement(
            statement, [&](ast::Seq<ast::Stmt *> inner) { readAll(inner); },
            [&](const ast::Expr *expression) { read(expression); });
      }
    }
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
