//===- ParserAtoms.cpp - names, literals, displays, comprehensions --------===//
// What stands between brackets is decided by what follows its first element:
// `(a`, then ',' is a tuple, `for` a generator, ')' a group. Diagnose mode
// tries the alternatives one after the other instead (the *InOrder methods),
// because each of them has mistakes of its own.
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::isa;
using namespace ast;

Expr *Parser::atom() {
  SourceRange range = tokenAt(pos).range;
  switch (kind()) {
  case Tok::Name:
    return name(pos++);
  case Tok::KwTrue:
    ++pos;
    return constant(ConstantKind::True, range);
  case Tok::KwFalse:
    ++pos;
    return constant(ConstantKind::False, range);
  case Tok::KwNone:
    ++pos;
    return constant(ConstantKind::None, range);
  case Tok::Ellipsis:
    ++pos;
    return constant(ConstantKind::Ellipsis, range);
  case Tok::Number:
    return number();
  case Tok::String:
  case Tok::FStringStart:
    return strings();
  case Tok::LPar:
    return diagnosing ? parenthesizedInOrder() : parenthesized();
  case Tok::LSqb:
    return diagnosing ? listInOrder() : bracketed();
  case Tok::LBrace:
    return diagnosing ? bracedInOrder() : braced();
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Accept mode: one look at each token
//===----------------------------------------------------------------------===//

Expr *Parser::parenthesized() {
  SourceLoc start = begin();
  ++pos;
  if (accept(Tok::RPar))
    return node<Tuple>(start);
  if (at(Tok::KwYield)) {
    Expr *value = yieldExpr();
    return value && accept(Tok::RPar) ? value : nullptr;
  }
  Expr *first = starNamedExpression();
  if (!first)
    return nullptr;
  if (at(Tok::Comma)) {
    ++pos;
    Vec<Expr *> elements{first};
    if (!at(Tok::RPar) && !starNamedExpressions(elements))
      return nullptr;
    if (!accept(Tok::RPar))
      return nullptr;
    auto *result = node<Tuple>(start);
    result->elts = seq(elements);
    return seal(result, {}, result->elts);
  }
  if (isa<Starred>(first))
    return nullptr;
  if (at(Tok::KwFor) || at(Tok::KwAsync))
    return comprehension(start, Tok::LPar, first, nullptr);
  return accept(Tok::RPar) ? first : nullptr;
}

Expr *Parser::bracketed() {
  SourceLoc start = begin();
  ++pos;
  Vec<Expr *> elements;
  if (!at(Tok::RSqb)) {
    Expr *first = starNamedExpression();
    if (!first)
      return nullptr;
    if ((at(Tok::KwFor) || at(Tok::KwAsync)) && !isa<Starred>(first))
      return comprehension(start, Tok::LSqb, first, nullptr);
    elements.push_back(first);
    if (accept(Tok::Comma) && !at(Tok::RSqb) && !starNamedExpressions(elements))
      return nullptr;
  }
  if (!accept(Tok::RSqb))
    return nullptr;
  auto *result = node<List>(start);
  result->elts = seq(elements);
  return seal(result, {}, result->elts);
}

Expr *Parser::braced() {
  SourceLoc start = begin();
  if (kindAt(pos + 1) == Tok::RBrace || kindAt(pos + 1) == Tok::DoubleStar)
    return dict();
  ++pos;
  bool named = at(Tok::Name) && kindAt(pos + 1) == Tok::ColonEqual;
  Expr *first = starNamedExpression();
  if (!first)
    return nullptr;
  if (at(Tok::Colon) && !isa<Starred>(first) && !named)
    return dictAfterFirst(start, first);
  if ((at(Tok::KwFor) || at(Tok::KwAsync)) && !isa<Starred>(first))
    return comprehension(start, Tok::LBrace, first, nullptr);
  Vec<Expr *> elements{first};
  if (accept(Tok::Comma) && !at(Tok::RBrace) && !starNamedExpressions(elements))
    return nullptr;
  if (!accept(Tok::RBrace))
    return nullptr;
  auto *result = node<Set>(start);
  result->elts = seq(elements);
  return seal(result, {}, result->elts);
}

/// `{` and the first key are read; ':' is next.
Expr *Parser::dictAfterFirst(SourceLoc start, Expr *key) {
  Vec<Expr *> keys, values;
  for (;;) {
    if (!accept(Tok::Colon))
      return nullptr;
    Expr *value = expression();
    if (!value)
      return nullptr;
    if (keys.empty() && (at(Tok::KwFor) || at(Tok::KwAsync)))
      return comprehension(start, Tok::LBrace, key, value);
    keys.push_back(key);
    values.push_back(value);
    // `**mapping` entries, until the next key.
    for (;;) {
      bool comma = accept(Tok::Comma);
      if (accept(Tok::RBrace)) {
        auto *result = node<Dict>(start);
        result->keys = seq(keys);
        result->values = seq(values);
        Expr *sealed = seal(result, {}, result->values);
        unsigned depth = result->depth;
        if (!sealed || !seal(result, {}, result->keys))
          return nullptr;
        result->depth = static_cast<uint16_t>(std::max<unsigned>(depth, result->depth));
        return result;
      }
      if (!comma)
        return nullptr;
      if (!accept(Tok::DoubleStar))
        break;
      Expr *mapping = bitwiseOr();
      if (!mapping)
        return nullptr;
      keys.push_back(nullptr);
      values.push_back(mapping);
    }
    key = expression();
    if (!key)
      return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Both modes: comprehensions, dictionaries
//===----------------------------------------------------------------------===//

template <typename T>
Expr *Parser::finishComprehension(SourceLoc start, Expr *element, Seq<Comprehension *> clauses) {
  auto *result = node<T>(start);
  result->elt = element;
  result->generators = clauses;
  return result;
}

/// The clauses and the closing bracket; `value` is a dictionary's.
Expr *Parser::comprehension(SourceLoc start, Tok open, Expr *element, Expr *value) {
  Vec<Comprehension *> clauses;
  Tok close = open == Tok::LPar ? Tok::RPar : open == Tok::LSqb ? Tok::RSqb : Tok::RBrace;
  if (!forIfClauses(clauses) || !accept(close))
    return nullptr;
  Seq<Comprehension *> generators = seq(clauses);
  Expr *result;
  if (value) {
    auto *made = node<DictComp>(start);
    made->key = element;
    made->value = value;
    made->generators = generators;
    result = made;
  } else if (open == Tok::LPar) {
    result = finishComprehension<GeneratorExp>(start, element, generators);
  } else if (open == Tok::LSqb) {
    result = finishComprehension<ListComp>(start, element, generators);
  } else {
    result = finishComprehension<SetComp>(start, element, generators);
  }
  Vec<Expr *> children;
  for (Comprehension *clause : generators) {
    children.push_back(clause->target);
    children.push_back(clause->iter);
    children.append(clause->ifs.begin(), clause->ifs.end());
  }
  return seal(result, {element, value}, Seq<Expr *>(children.data(), children.size()));
}

bool Parser::forIfClauses(Vec<Comprehension *> &clauses) {
  while (at(Tok::KwFor) || at(Tok::KwAsync)) {
    Pos mark = pos;
    Comprehension *clause = forIfClause();
    if (!clause) {
      pos = mark;
      break;
    }
    clauses.push_back(clause);
  }
  return !raised() && !clauses.empty();
}

Comprehension *Parser::forIfClause() {
  Pos mark = pos;
  bool isAsync = accept(Tok::KwAsync);
  if (!accept(Tok::KwFor))
    return nullptr;
  Expr *target = starTargets();
  if (!target || !accept(Tok::KwIn)) {
    if (diagnosing && tryMistakes && !raised()) {
      pos = mark;
      invalidForTarget();
    }
    return nullptr;
  }
  Expr *iter = disjunction();
  if (!iter)
    return nullptr;
  Vec<Expr *> ifs;
  while (at(Tok::KwIf)) {
    Pos before = pos++;
    Expr *test = disjunction();
    if (!test) {
      if (raised())
        return nullptr;
      pos = before;
      break;
    }
    ifs.push_back(test);
  }
  auto *result = arena.make<Comprehension>();
  result->target = target;
  result->iter = iter;
  result->ifs = seq(ifs);
  result->is_async = isAsync;
  return result;
}

/// `{}` and `{key: value, **mapping, ...}`.
Expr *Parser::dict() {
  SourceLoc start = begin();
  ++pos;
  Vec<Expr *> keys, values;
  while (!at(Tok::RBrace)) {
    Expr *key = nullptr, *value = nullptr;
    if (accept(Tok::DoubleStar)) {
      value = bitwiseOr();
    } else {
      key = expression();
      if (!key || !accept(Tok::Colon))
        return nullptr;
      value = expression();
    }
    if (!value)
      return nullptr;
    keys.push_back(key);
    values.push_back(value);
    if (!accept(Tok::Comma))
      break;
  }
  if (!accept(Tok::RBrace))
    return nullptr;
  auto *result = node<Dict>(start);
  result->keys = seq(keys);
  result->values = seq(values);
  Vec<Expr *> children(keys.begin(), keys.end());
  children.append(values.begin(), values.end());
  return seal(result, {}, Seq<Expr *>(children.data(), children.size()));
}

//===----------------------------------------------------------------------===//
// Diagnose mode: alternatives in the grammar's order
//===----------------------------------------------------------------------===//

Expr *Parser::tuple() {
  SourceLoc start = begin();
  ++pos;
  Vec<Expr *> elements;
  if (!at(Tok::RPar)) {
    Expr *first = starNamedExpression();
    if (!first || !accept(Tok::Comma))
      return nullptr;
    elements.push_back(first);
    Pos mark = pos;
    if (!starNamedExpressions(elements)) {
      if (raised())
        return nullptr;
      pos = mark;
    }
  }
  if (!accept(Tok::RPar))
    return nullptr;
  auto *result = node<Tuple>(start);
  result->elts = seq(elements);
  return seal(result, {}, result->elts);
}

Expr *Parser::group() {
  Pos mark = pos++;
  Expr *value = at(Tok::KwYield) ? yieldExpr() : namedExpression();
  if (value && accept(Tok::RPar))
    return value;
  if (!raised() && tryMistakes) {
    pos = mark;
    invalidGroup();
  }
  return nullptr;
}

Expr *Parser::genexp() {
  Pos mark = pos;
  SourceLoc start = begin();
  ++pos;
  Expr *element =
      at(Tok::Name) && kindAt(pos + 1) == Tok::ColonEqual ? assignmentExpression() : expression();
  if (element && !at(Tok::ColonEqual)) {
    if (Expr *result = comprehension(start, Tok::LPar, element, nullptr))
      return result;
  }
  if (!raised() && tryMistakes) {
    pos = mark;
    invalidComprehension();
  }
  return nullptr;
}

Expr *Parser::parenthesizedInOrder() {
  Pos mark = pos;
  for (auto alternative : {&Parser::tuple, &Parser::group, &Parser::genexp}) {
    pos = mark;
    Expr *result = (this->*alternative)();
    if (result || raised())
      return result;
  }
  return nullptr;
}

Expr *Parser::listInOrder() {
  Pos mark = pos;
  SourceLoc start = begin();
  ++pos;
  Vec<Expr *> elements;
  bool matched = at(Tok::RSqb) || starNamedExpressions(elements);
  if (matched && accept(Tok::RSqb)) {
    auto *result = node<List>(start);
    result->elts = seq(elements);
    return seal(result, {}, result->elts);
  }
  if (raised())
    return nullptr;
  pos = mark + 1;
  Expr *element = namedExpression();
  if (Expr *result = element ? comprehension(start, Tok::LSqb, element, nullptr) : nullptr)
    return result;
  if (!raised() && tryMistakes) {
    pos = mark;
    invalidComprehension();
  }
  return nullptr;
}

Expr *Parser::bracedInOrder() {
  Pos mark = pos;
  SourceLoc start = begin();
  if (Expr *result = dict())
    return result;
  auto retry = [&](void (Parser::*mistake)()) {
    pos = mark;
    if (!raised() && tryMistakes && mistake)
      (this->*mistake)();
    pos = mark + 1;
    return !raised();
  };
  // CPython looks for this mistake even where it looks for no other.
  pos = mark;
  if (!raised())
    invalidDoubleStarredPairs();
  if (!retry(nullptr))
    return nullptr;
  Vec<Expr *> elements;
  if (starNamedExpressions(elements) && accept(Tok::RBrace)) {
    auto *result = node<Set>(start);
    result->elts = seq(elements);
    return seal(result, {}, result->elts);
  }
  if (!retry(nullptr))
    return nullptr;
  if (Expr *key = expression(); key && accept(Tok::Colon)) {
    Expr *value = expression();
    if (Expr *result = value ? comprehension(start, Tok::LBrace, key, value) : nullptr)
      return result;
  }
  if (!retry(&Parser::invalidDictComprehension))
    return nullptr;
  Expr *element = namedExpression();
  if (Expr *result = element ? comprehension(start, Tok::LBrace, element, nullptr) : nullptr)
    return result;
  retry(&Parser::invalidComprehension);
  return nullptr;
}

} // namespace tessera
