//===- Children.cpp - one visitor over the syntax tree --------------------===//
#include "tessera/Source/Children.h"
#include "llvm/Support/Casting.h"

namespace tessera::ast {

using llvm::cast;
using llvm::dyn_cast;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {
/// Visits the expressions inside an expression.
struct ExprChildren {
  llvm::function_ref<void(const Expr *)> visit;

  void one(const Expr *child) const {
    if (child)
      visit(child);
  }
  void all(Seq<Expr *> children) const {
    for (const Expr *child : children)
      one(child);
  }
  void keywords(Seq<Keyword *> children) const {
    for (const Keyword *keyword : children)
      one(keyword->value);
  }
  void defaults(const Arguments &arguments) const {
    all(arguments.defaults);
    all(arguments.kw_defaults);
  }
  void generators(Seq<Comprehension *> children) const {
    for (const Comprehension *generator : children) {
      one(generator->iter);
      one(generator->target);
      all(generator->ifs);
    }
  }
  template <typename T> void comprehension(const T *node) const {
    generators(node->generators);
    one(node->elt);
  }

  void operations(const Expr *node) const;
  void containers(const Expr *node) const;
};
} // namespace

void ExprChildren::operations(const Expr *node) const {
  switch (node->kind) {
  case ExprKind::BoolOp:
    return all(cast<BoolOp>(node)->values);
  case ExprKind::NamedExpr:
    one(cast<NamedExpr>(node)->value);
    return one(cast<NamedExpr>(node)->target);
  case ExprKind::BinOp:
    one(cast<BinOp>(node)->left);
    return one(cast<BinOp>(node)->right);
  case ExprKind::UnaryOp:
    return one(cast<UnaryOp>(node)->operand);
  case ExprKind::Lambda:
    defaults(*cast<Lambda>(node)->args);
    return one(cast<Lambda>(node)->body);
  case ExprKind::IfExp:
    one(cast<IfExp>(node)->test);
    one(cast<IfExp>(node)->body);
    return one(cast<IfExp>(node)->orelse);
  case ExprKind::Await:
    return one(cast<Await>(node)->value);
  case ExprKind::Yield:
    return one(cast<Yield>(node)->value);
  case ExprKind::YieldFrom:
    return one(cast<YieldFrom>(node)->value);
  case ExprKind::Compare:
    one(cast<Compare>(node)->left);
    return all(cast<Compare>(node)->comparators);
  case ExprKind::Call:
    one(cast<Call>(node)->func);
    all(cast<Call>(node)->args);
    return keywords(cast<Call>(node)->keywords);
  case ExprKind::FormattedValue:
    one(cast<FormattedValue>(node)->value);
    return one(cast<FormattedValue>(node)->format_spec);
  case ExprKind::JoinedStr:
    return all(cast<JoinedStr>(node)->values);
  case ExprKind::Constant:
  case ExprKind::Name:
    return;
  default:
    return containers(node);
  }
}

void ExprChildren::containers(const Expr *node) const {
  switch (node->kind) {
  case ExprKind::Dict:
    all(cast<Dict>(node)->keys);
    return all(cast<Dict>(node)->values);
  case ExprKind::Set:
    return all(cast<Set>(node)->elts);
  case ExprKind::List:
    return all(cast<List>(node)->elts);
  case ExprKind::Tuple:
    return all(cast<Tuple>(node)->elts);
  case ExprKind::ListComp:
    return comprehension(cast<ListComp>(node));
  case ExprKind::SetComp:
    return comprehension(cast<SetComp>(node));
  case ExprKind::GeneratorExp:
    return comprehension(cast<GeneratorExp>(node));
  case ExprKind::DictComp:
    generators(cast<DictComp>(node)->generators);
    one(cast<DictComp>(node)->key);
    return one(cast<DictComp>(node)->value);
  case ExprKind::Attribute:
    return one(cast<Attribute>(node)->value);
  case ExprKind::Subscript:
    one(cast<Subscript>(node)->value);
    return one(cast<Subscript>(node)->slice);
  case ExprKind::Starred:
    return one(cast<Starred>(node)->value);
  case ExprKind::Slice:
    one(cast<Slice>(node)->lower);
    one(cast<Slice>(node)->upper);
    return one(cast<Slice>(node)->step);
  default:
    return;
  }
}

void forEachChild(const Expr *expression, llvm::function_ref<void(const Expr *)> visit) {
  ExprChildren{visit}.operations(expression);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

namespace {
/// Visits what is inside a statement or a pattern.
struct StmtChildren {
  const ChildVisitor &visitor;

  void one(const Expr *child) const {
    if (child && visitor.expression)
      visitor.expression(child);
  }
  void one(const Pattern *child) const {
    if (child && visitor.pattern)
      visitor.pattern(child);
  }
  template <typename T> void all(Seq<T *> children) const {
    for (const T *child : children)
      one(child);
  }
  void body(Seq<Stmt *> statements) const {
    if (visitor.statement)
      for (const Stmt *statement : statements)
        visitor.statement(statement);
  }
  void one(const Keyword *keyword) const { one(keyword->value); }
  void one(const Arg *parameter) const {
    if (parameter)
      one(parameter->annotation);
  }
  void one(const TypeParam *parameter) const {
    if (auto *variable = dyn_cast<TypeVar>(parameter))
      one(variable->bound);
  }
  void one(const WithItem *item) const {
    one(item->context_expr);
    one(item->optional_vars);
  }
  void one(const ExceptHandler *handler) const {
    one(handler->type);
    body(handler->body);
  }
  void one(const MatchCase *choice) const {
    one(choice->pattern);
    one(choice->guard);
    body(choice->body);
  }

  void function(const FunctionLike *node) const;
  void type(const ClassDef *node) const;
  void simple(const Stmt *node) const;
  void compound(const Stmt *node) const;
};
} // namespace

void StmtChildren::function(const FunctionLike *node) const {
  all(node->decorator_list);
  all(node->type_params);
  const Arguments &parameters = *node->args;
  all(parameters.posonlyargs);
  all(parameters.args);
  one(parameters.vararg);
  all(parameters.kwonlyargs);
  one(parameters.kwarg);
  all(parameters.defaults);
  all(parameters.kw_defaults);
  one(node->returns);
  body(node->body);
}

void StmtChildren::type(const ClassDef *node) const {
  all(node->decorator_list);
  all(node->type_params);
  all(node->bases);
  all(node->keywords);
  body(node->body);
}

void StmtChildren::simple(const Stmt *node) const {
  switch (node->kind) {
  case StmtKind::Return:
    return one(cast<Return>(node)->value);
  case StmtKind::Delete:
    return all(cast<Delete>(node)->targets);
  case StmtKind::Assign:
    one(cast<Assign>(node)->value);
    return all(cast<Assign>(node)->targets);
  case StmtKind::TypeAlias:
    all(cast<TypeAlias>(node)->type_params);
    one(cast<TypeAlias>(node)->value);
    return one(cast<TypeAlias>(node)->name);
  case StmtKind::AugAssign: // the target is read first
    one(cast<AugAssign>(node)->target);
    return one(cast<AugAssign>(node)->value);
  case StmtKind::AnnAssign:
    one(cast<AnnAssign>(node)->annotation);
    one(cast<AnnAssign>(node)->value);
    return one(cast<AnnAssign>(node)->target);
  case StmtKind::Raise:
    one(cast<Raise>(node)->exc);
    return one(cast<Raise>(node)->cause);
  case StmtKind::Assert:
    one(cast<Assert>(node)->test);
    return one(cast<Assert>(node)->msg);
  case StmtKind::ExprStmt:
    return one(cast<ExprStmt>(node)->value);
  case StmtKind::Import:
  case StmtKind::ImportFrom:
  case StmtKind::Global:
  case StmtKind::Nonlocal:
  case StmtKind::Pass:
  case StmtKind::Break:
  case StmtKind::Continue:
    return;
  default:
    return compound(node);
  }
}

void StmtChildren::compound(const Stmt *node) const {
  switch (node->kind) {
  case StmtKind::FunctionDef:
  case StmtKind::AsyncFunctionDef:
    return function(cast<FunctionLike>(node));
  case StmtKind::ClassDef:
    return type(cast<ClassDef>(node));
  case StmtKind::For:
  case StmtKind::AsyncFor:
    one(cast<ForLike>(node)->iter);
    one(cast<ForLike>(node)->target);
    body(cast<ForLike>(node)->body);
    return body(cast<ForLike>(node)->orelse);
  case StmtKind::While:
    one(cast<While>(node)->test);
    body(cast<While>(node)->body);
    return body(cast<While>(node)->orelse);
  case StmtKind::If:
    one(cast<If>(node)->test);
    body(cast<If>(node)->body);
    return body(cast<If>(node)->orelse);
  case StmtKind::With:
  case StmtKind::AsyncWith:
    all(cast<WithLike>(node)->items);
    return body(cast<WithLike>(node)->body);
  case StmtKind::Match:
    one(cast<Match>(node)->subject);
    return all(cast<Match>(node)->cases);
  case StmtKind::Try:
  case StmtKind::TryStar:
    body(cast<TryLike>(node)->body);
    all(cast<TryLike>(node)->handlers);
    body(cast<TryLike>(node)->orelse);
    return body(cast<TryLike>(node)->finalbody);
  default:
    return;
  }
}

void forEachChild(const Stmt *statement, const ChildVisitor &visitor) {
  StmtChildren{visitor}.simple(statement);
}

void forEachChild(const Pattern *pattern, const ChildVisitor &visitor) {
  StmtChildren children{visitor};
  switch (pattern->kind) {
  case PatternKind::MatchValue:
    return children.one(cast<MatchValue>(pattern)->value);
  case PatternKind::MatchSequence:
    return children.all(cast<MatchSequence>(pattern)->patterns);
  case PatternKind::MatchMapping:
    children.all(cast<MatchMapping>(pattern)->keys);
    return children.all(cast<MatchMapping>(pattern)->patterns);
  case PatternKind::MatchClass:
    children.one(cast<MatchClass>(pattern)->cls);
    children.all(cast<MatchClass>(pattern)->patterns);
    return children.all(cast<MatchClass>(pattern)->kwd_patterns);
  case PatternKind::MatchAs:
    return children.one(cast<MatchAs>(pattern)->pattern);
  case PatternKind::MatchOr:
    return children.all(cast<MatchOr>(pattern)->patterns);
  case PatternKind::MatchSingleton:
  case PatternKind::MatchStar:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Bound names
//===----------------------------------------------------------------------===//

namespace {
struct BoundNames {
  llvm::function_ref<void(Identifier)> bind;

  void optional(Identifier name) const {
    if (!name.empty())
      bind(name);
  }
  void expression(const Expr *node) const;
  void pattern(const Pattern *node) const;
  void imports(Seq<Alias *> aliases) const;
  void statement(const Stmt *node) const;
};
} // namespace

void BoundNames::expression(const Expr *node) const {
  if (auto *name = dyn_cast<Name>(node)) {
    if (name->ctx != ExprContext::Load)
      bind(name->id);
    return;
  }
  auto recurse = [&](const Expr *child) { expression(child); };
  if (auto *lambda = dyn_cast<Lambda>(node))
    return ExprChildren{recurse}.defaults(*lambda->args);
  // The targets of a comprehension's clauses are its own: they are no part of what `:=` binds.
  Seq<Comprehension *> generators;
  if (auto *list = dyn_cast<ListComp>(node))
    generators = list->generators;
  else if (auto *set = dyn_cast<SetComp>(node))
    generators = set->generators;
  else if (auto *dict = dyn_cast<DictComp>(node))
    generators = dict->generators;
  else if (auto *generator = dyn_cast<GeneratorExp>(node))
    generators = generator->generators;
  forEachChild(node, [&](const Expr *child) {
    for (const Comprehension *generator : generators)
      if (generator->target == child)
        return;
    expression(child);
  });
}

void BoundNames::pattern(const Pattern *node) const {
  if (auto *capture = dyn_cast<MatchAs>(node))
    optional(capture->name);
  else if (auto *star = dyn_cast<MatchStar>(node))
    optional(star->name);
  else if (auto *mapping = dyn_cast<MatchMapping>(node))
    optional(mapping->rest);
  forEachChild(node, {.pattern = [&](const Pattern *child) { pattern(child); }});
}

/// `import a.b` binds a, `import a.b as c` binds c, and `from m import *` what m has.
void BoundNames::imports(Seq<Alias *> aliases) const {
  for (const Alias *alias : aliases)
    if (!alias->asname.empty())
      bind(alias->asname);
    else if (alias->name != "*")
      bind(alias->name.substr(0, alias->name.find('.')));
}

void BoundNames::statement(const Stmt *node) const {
  if (auto *function = dyn_cast<FunctionLike>(node))
    bind(function->name);
  else if (auto *type = dyn_cast<ClassDef>(node))
    bind(type->name);
  else if (auto *import = dyn_cast<Import>(node))
    imports(import->names);
  else if (auto *import = dyn_cast<ImportFrom>(node))
    imports(import->names);
  else if (auto *attempt = dyn_cast<TryLike>(node))
    for (const ExceptHandler *handler : attempt->handlers)
      optional(handler->name);
  forEachChild(node, {.expression = [&](const Expr *child) { expression(child); },
                      .pattern = [&](const Pattern *child) { pattern(child); }});
}

void forEachBoundName(const Stmt *statement, llvm::function_ref<void(Identifier)> bind) {
  BoundNames{bind}.statement(statement);
}

void forEachBoundName(const Expr *expression, llvm::function_ref<void(Identifier)> bind) {
  BoundNames{bind}.expression(expression);
}

bool opensScope(const Stmt *statement) { return llvm::isa<FunctionLike, ClassDef>(statement); }

} // namespace tessera::ast
