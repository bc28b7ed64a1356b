//===- AssignedNames.cpp - the names that statements may assign -----------===//
// One walk over the syntax, without evaluating anything: what a loop may carry,
// and what a failed statement leaves without a value.
//===----------------------------------------------------------------------===//
#include "Translator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;
using Names = llvm::SmallVectorImpl<llvm::StringRef>;

static void collectTarget(const ast::Expr *target, Names &names) {
  if (!target)
    return;
  if (auto *name = dyn_cast<ast::Name>(target)) {
    if (!llvm::is_contained(names, ref(name->id)))
      names.push_back(ref(name->id));
  } else if (auto *tuple = dyn_cast<ast::Tuple>(target)) {
    for (const ast::Expr *element : tuple->elts)
      collectTarget(element, names);
  } else if (auto *list = dyn_cast<ast::List>(target)) {
    for (const ast::Expr *element : list->elts)
      collectTarget(element, names);
  }
}

void tessera::collectAssignedNames(ast::Seq<ast::Stmt *> body, Names &names) {
  for (const ast::Stmt *statement : body)
    collectAssignedNames(statement, names);
}

void tessera::collectAssignedNames(const ast::Stmt *statement, Names &names) {
  if (auto *assign = dyn_cast<ast::Assign>(statement)) {
    for (const ast::Expr *target : assign->targets)
      collectTarget(target, names);
  } else if (auto *assign = dyn_cast<ast::AnnAssign>(statement)) {
    collectTarget(assign->target, names);
  } else if (auto *assign = dyn_cast<ast::AugAssign>(statement)) {
    collectTarget(assign->target, names);
  } else if (auto *conditional = dyn_cast<ast::If>(statement)) {
    collectAssignedNames(conditional->body, names);
    collectAssignedNames(conditional->orelse, names);
  } else if (auto *loop = dyn_cast<ast::ForLike>(statement)) {
    collectTarget(loop->target, names);
    collectAssignedNames(loop->body, names);
    collectAssignedNames(loop->orelse, names);
  } else if (auto *loop = dyn_cast<ast::While>(statement)) {
    collectAssignedNames(loop->body, names);
    collectAssignedNames(loop->orelse, names);
  } else if (auto *with = dyn_cast<ast::WithLike>(statement)) {
    for (const ast::WithItem *item : with->items)
      collectTarget(item->optional_vars, names);
    collectAssignedNames(with->body, names);
  }
}
