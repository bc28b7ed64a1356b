//===- Children.h - one visitor over the syntax tree ----------------------===//
// forEachChild() visits the nodes right inside a node. A walk handles the kinds
// of nodes that it is about and passes every other node on, so that it forgets no
// kind of statement:
//
//   void walk(const ast::Expr *node) {             // collects the names in an expression
//     if (auto *name = llvm::dyn_cast<ast::Name>(node))
//       names.push_back(name->id);
//     ast::forEachChild(node, [&](const ast::Expr *child) { walk(child); });
//   }
//
// Children come in the order of CPython's fields, with three exceptions that follow
// the order of evaluation: a value comes before the targets that it is assigned to,
// the clauses of a comprehension come before its element, and decorators, bases,
// defaults and annotations come before a body. Helper nodes (Arguments, Keyword,
// WithItem, ...) are not visited; what they contain is. Missing children are skipped.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::ast {

/// One function for each kind of child; children of a kind without a function are skipped.
struct ChildVisitor {
  llvm::function_ref<void(const Stmt *)> statement = nullptr;
  llvm::function_ref<void(const Expr *)> expression = nullptr;
  llvm::function_ref<void(const Pattern *)> pattern = nullptr;
};

/// The children of functions, classes, lambdas and comprehensions are visited like all
/// others; a walk that cares about scopes handles these nodes itself.
void forEachChild(const Stmt *statement, const ChildVisitor &visitor);
void forEachChild(const Pattern *pattern, const ChildVisitor &visitor);
void forEachChild(const Expr *expression, llvm::function_ref<void(const Expr *)> visit);

/// Calls `bind` for each name that a statement binds itself: its targets and those of
/// `del`, imports, the name of a function or a class, `except ... as`, captures of
/// patterns, and `:=` in its expressions. A statement inside it binds its own names.
void forEachBoundName(const Stmt *statement, llvm::function_ref<void(Identifier)> bind);
/// The names in a target, and those that `:=` binds in an expression, also from inside a
/// comprehension. What a lambda's body binds is the lambda's own.
void forEachBoundName(const Expr *expression, llvm::function_ref<void(Identifier)> bind);

/// Returns true for functions and classes, whose bodies have scopes of their own.
bool opensScope(const Stmt *statement);

} // namespace tessera::ast
