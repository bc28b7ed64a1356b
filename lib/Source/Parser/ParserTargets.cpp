//===- ParserTargets.cpp - what may be assigned to, looped over, deleted --===//
// A target is read as the expression it looks like and then checked: every
// target of the grammar is an expression of a certain shape.
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using namespace ast;

bool Parser::isSingleTarget(const Expr *expr) {
  return isa<Name>(expr) || isa<Attribute>(expr) || isa<Subscript>(expr);
}

bool Parser::isStarTarget(const Expr *expr) {
  if (auto *starred = dyn_cast<Starred>(expr))
    return !isa<Starred>(starred->value) && isStarTarget(starred->value);
  auto all = [](Seq<Expr *> elements) {
    for (Expr *element : elements)
      if (!isStarTarget(element))
        return false;
    return true;
  };
  if (auto *tuple = dyn_cast<Tuple>(expr))
    return all(tuple->elts);
  if (auto *list = dyn_cast<List>(expr))
    return all(list->elts);
  return isSingleTarget(expr);
}

bool Parser::isDelTarget(const Expr *expr) {
  auto all = [](Seq<Expr *> elements) {
    for (Expr *element : elements)
      if (!isDelTarget(element))
        return false;
    return true;
  };
  if (auto *tuple = dyn_cast<Tuple>(expr))
    return all(tuple->elts);
  if (auto *list = dyn_cast<List>(expr))
    return all(list->elts);
  return isSingleTarget(expr);
}

/// `for`, `with ... as`: the `in` or ':' that follows must not be swallowed, so
/// only a primary is read.
Expr *Parser::starTarget() {
  if (!diagnosing)
    return starTargetOnce();
  return remember<Expr>(Rule::StarTarget, [&] { return starTargetOnce(); });
}

Expr *Parser::starTargetOnce() {
  SourceLoc start = begin();
  bool star = accept(Tok::Star);
  Expr *target = primary();
  if (!target || !isStarTarget(target))
    return nullptr;
  setContext(target, ExprContext::Store);
  if (!star)
    return target;
  auto *result = node<Starred>(start);
  result->value = target;
  result->ctx = ExprContext::Store;
  return seal(result, {target});
}

Expr *Parser::starTargets() {
  SourceLoc start = begin();
  Expr *first = starTarget();
  if (!first || !at(Tok::Comma))
    return first;
  Expr *result = tupleAfter(first, start, &Parser::starTarget);
  if (result)
    cast<Tuple>(result)->ctx = ExprContext::Store;
  return result;
}

Expr *Parser::delTarget() {
  Expr *target = primary();
  if (!target || !isDelTarget(target))
    return nullptr;
  setContext(target, ExprContext::Del);
  return target;
}

} // namespace tessera
