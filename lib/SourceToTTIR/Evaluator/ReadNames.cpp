//===- ReadNames.cpp - the names that code may read -----------------------===//
// One walk over the syntax, without evaluating anything: what a statement of a
// module's top level needs first, and what a function inside a function captures.
// Names that inner functions and comprehensions bind for themselves are included
// where they read them; a name too many does no harm.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"
#include "tessera/Source/Children.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;
using Names = llvm::SmallVectorImpl<llvm::StringRef>;

void tessera::collectReadNames(const ast::Expr *expression, Names &names) {
  if (!expression)
    return;
  if (auto *name = dyn_cast<ast::Name>(expression); name && name->ctx == ast::ExprContext::Load)
    names.push_back(ref(name->id));
  ast::forEachChild(expression, [&](const ast::Expr *child) { collectReadNames(child, names); });
}

static void collectReadNames(const ast::Pattern *pattern, Names &names) {
  ast::forEachChild(
      pattern,
      {.expression = [&](const ast::Expr *child) { tessera::collectReadNames(child, names); },
       .pattern = [&](const ast::Pattern *child) { ::collectReadNames(child, names); }});
}

/// The names that a statement reads; `enter` decides about the statements inside it.
static void collectReads(const ast::Stmt *statement, Names &names,
                         llvm::function_ref<void(const ast::Stmt *)> enter) {
  if (auto *assign = dyn_cast<ast::AugAssign>(statement)) // x += 1 reads x
    if (auto *name = dyn_cast<ast::Name>(assign->target))
      names.push_back(ref(name->id));
  ast::forEachChild(
      statement,
      {.statement = enter,
       .expression = [&](const ast::Expr *child) { tessera::collectReadNames(child, names); },
       .pattern = [&](const ast::Pattern *child) { ::collectReadNames(child, names); }});
}

void tessera::collectReadNames(ast::Seq<ast::Stmt *> body, Names &names) {
  for (const ast::Stmt *statement : body)
    collectReads(statement, names, [&](const ast::Stmt *inner) {
      ast::Stmt *one[] = {const_cast<ast::Stmt *>(inner)};
      collectReadNames(one, names);
    });
}

void tessera::collectNeededNames(const ast::Stmt *statement, Names &names) {
  if (ast::opensScope(statement))
    return;
  if (auto *conditional = dyn_cast<ast::If>(statement))
    return collectReadNames(conditional->test, names);
  collectReads(statement, names, [&](const ast::Stmt *inner) { collectNeededNames(inner, names); });
}
