//===- SyntaxErrorsCalls.cpp - mistakes in calls and displays -------------===//
// As SyntaxErrors.cpp, for what stands between brackets.
//===----------------------------------------------------------------------===//
#include "Parser.h"

namespace tessera {

using namespace ast;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

SourceRange Parser::lastComprehensionItem(const Comprehension *clause) {
  return clause->ifs.empty() ? clause->iter->range : clause->ifs.back()->range;
}

static constexpr const char *kBareGenerator = "Generator expression must be parenthesized";
static constexpr const char *kMaybeEqual =
    "invalid syntax. Maybe you meant '==' or ':=' instead of '='?";

/// The arguments up to `)` did not match; pos is behind `(`.
void Parser::invalidArguments() {
  Pos mark = pos;
  ArgumentList list;
  bool hasArgs = args(list);
  Pos afterArgs = pos;
  auto restart = [&](Pos where) {
    pos = where;
    return !raised();
  };
  if (hasArgs && !raised())
    invalidUnpackingOrder(list);
  if (!restart(mark))
    return;
  invalidFirstGenerator();
  if (!restart(mark))
    return;
  if (at(Tok::Name) && kindAt(pos + 1) == Tok::Equal)
    invalidKeywordGenerator();
  if (!restart(mark))
    return;
  invalidMissingValue(hasArgs ? afterArgs : mark, mark);
  if (!restart(hasArgs ? afterArgs : mark) || !hasArgs)
    return;
  invalidLaterArgument(list);
  pos = mark;
}

/// `f(**a, *b)`
void Parser::invalidUnpackingOrder(const ArgumentList &list) {
  if (!list.keywords.empty() && accept(Tok::Comma) && at(Tok::Star))
    raiseAtToken(pos, "iterable argument unpacking follows keyword argument unpacking");
}

bool Parser::hasUnpacking(const ArgumentList &list) {
  for (Keyword *keyword : list.keywords)
    if (keyword->arg.empty())
      return true;
  return false;
}

/// `f(x for x in y, ...)`
void Parser::invalidFirstGenerator() {
  Vec<Comprehension *> clauses, others;
  Expr *element = expression();
  if (!element || !forIfClauses(clauses) || !accept(Tok::Comma))
    return;
  Pos before = pos;
  ArgumentList more;
  if (!args(more) && !raised()) {
    pos = before;
    if (expression())
      forIfClauses(others);
  }
  if (!raised())
    raise(span(element->range, lastComprehensionItem(clauses.back())), kBareGenerator);
}

/// `f(a=x for x in y)`
void Parser::invalidKeywordGenerator() {
  SourceRange range = span(tokenAt(pos).range, tokenAt(pos + 1).range);
  pos += 2;
  Vec<Comprehension *> clauses;
  if (expression() && forIfClauses(clauses))
    raise(range, kMaybeEqual);
}

/// `f(a=)` and `f(..., a=)`
void Parser::invalidMissingValue(Pos afterArgs, Pos mark) {
  pos = afterArgs;
  if (pos != mark && !accept(Tok::Comma))
    pos = mark;
  if (!at(Tok::Name) || kindAt(pos + 1) != Tok::Equal)
    return;
  Tok next = kindAt(pos + 2);
  if (next == Tok::Comma || next == Tok::RPar)
    raise(span(tokenAt(pos).range, tokenAt(pos + 1).range), "expected argument value expression");
}

/// `f(a, x for x in y)`, `f(a=1, b)`; pos is behind the arguments that match.
void Parser::invalidLaterArgument(const ArgumentList &list) {
  Pos afterArgs = pos;
  Vec<Comprehension *> clauses;
  if (forIfClauses(clauses)) {
    if (list.args.size() > 1)
      raise(span(list.args.back()->range, lastComprehensionItem(clauses.back())), kBareGenerator);
    return;
  }
  pos = afterArgs;
  if (raised() || !accept(Tok::Comma))
    return;
  Pos afterComma = pos;
  Expr *element = expression();
  if (element && forIfClauses(clauses))
    raise(span(element->range, lastComprehensionItem(clauses.back())), kBareGenerator);
  if (raised())
    return;
  pos = afterComma;
  ArgumentList more;
  if (args(more))
    raiseAtLast(hasUnpacking(list) ? "positional argument follows keyword argument unpacking"
                                   : "positional argument follows keyword argument");
}

/// `*a = b` among arguments.
void Parser::invalidStarredExpression() {
  Pos mark = pos;
  SourceRange star = tokenAt(pos++).range;
  if (expression() && accept(Tok::Equal))
    if (Expr *value = expression())
      raise(span(star, value->range), "cannot assign to iterable argument unpacking");
  pos = mark;
}

void Parser::invalidKeywordArgument() {
  Pos mark = pos;
  if ((at(Tok::KwTrue) || at(Tok::KwFalse) || at(Tok::KwNone)) && kindAt(pos + 1) == Tok::Equal) {
    raise(span(tokenAt(pos).range, tokenAt(pos + 1).range),
          "cannot assign to " + std::string(textAt(pos)));
    return;
  }
  bool named = at(Tok::Name) && kindAt(pos + 1) == Tok::Equal;
  if (at(Tok::DoubleStar)) {
    SourceRange stars = tokenAt(pos++).range;
    if (expression() && accept(Tok::Equal))
      if (Expr *value = expression())
        raise(span(stars, value->range), "cannot assign to keyword argument unpacking");
  } else if (named) {
    invalidKeywordGenerator();
  } else if (startsExpression(kind())) {
    Expr *target = expression();
    if (target && at(Tok::Equal))
      raise(span(target->range, tokenAt(pos).range),
            "expression cannot contain assignment, perhaps you meant \"==\"?");
  }
  pos = mark;
}

//===----------------------------------------------------------------------===//
// Displays and comprehensions
//===----------------------------------------------------------------------===//

void Parser::invalidComprehension() {
  Pos mark = pos;
  bool round = at(Tok::LPar);
  Vec<Comprehension *> clauses;
  ++pos;
  Expr *starred = starredExpression();
  if (starred && forIfClauses(clauses)) {
    raise(starred, "iterable unpacking cannot be used in comprehension");
    return;
  }
  if (raised())
    return;
  pos = mark;
  if (round)
    return;
  const char *forgot = "did you forget parentheses around the comprehension target?";
  ++pos;
  Expr *first = starNamedExpression();
  if (first && at(Tok::Comma)) {
    Pos comma = pos++;
    Vec<Expr *> others;
    bool matched = starNamedExpressions(others);
    if (matched && forIfClauses(clauses)) {
      raise(span(first->range, others.back()->range), forgot);
      return;
    }
    if (raised())
      return;
    pos = comma + 1;
    if (forIfClauses(clauses)) {
      raise(span(first->range, tokenAt(comma).range), forgot);
      return;
    }
  }
  pos = mark;
}

void Parser::invalidDictComprehension() {
  Pos mark = pos;
  Vec<Comprehension *> clauses;
  if (kindAt(pos + 1) == Tok::DoubleStar) {
    pos += 2;
    if (bitwiseOr() && forIfClauses(clauses) && accept(Tok::RBrace))
      raiseAtToken(mark + 1, "dict unpacking cannot be used in dict comprehension");
  }
  pos = mark;
}

void Parser::invalidGroup() {
  Pos mark = pos++;
  if (at(Tok::Star)) {
    Expr *starred = starredExpression();
    if (starred && at(Tok::RPar))
      raise(starred, "cannot use starred expression here");
  } else if (accept(Tok::DoubleStar)) {
    if (expression() && at(Tok::RPar))
      raiseAtToken(mark + 1, "cannot use double starred expression here");
  }
  pos = mark;
}

/// A key without a value, or a value without a colon; pos is behind '{'.
void Parser::invalidDoubleStarredPairs() {
  Pos mark = pos++;
  Pos inside = pos;
  // Good pairs first; the mistake is behind the last comma.
  bool any = false;
  for (;;) {
    Pos before = pos;
    bool matched;
    if (accept(Tok::DoubleStar)) {
      matched = bitwiseOr();
    } else {
      matched = startsExpression(kind()) && expression() && accept(Tok::Colon);
      matched = matched && expression();
    }
    if (raised())
      return;
    if (!matched) {
      pos = before;
      break;
    }
    any = true;
    if (!accept(Tok::Comma)) {
      pos = inside; // no comma: no pair can be missing behind it
      any = false;
      break;
    }
  }
  if (any) {
    Pos pair = pos;
    if (Expr *key = startsExpression(kind()) ? expression() : nullptr; key && !at(Tok::Colon)) {
      SourceLoc where = {key->range.begin.line,
                         key->range.end.column - (key->range.end.column > 0)};
      raise(SourceRange{where, {where.line, where.column + 1}},
            "':' expected after dictionary key");
    }
    if (raised())
      return;
    pos = pair;
    invalidKeyValuePair();
    if (raised())
      return;
  }
  pos = inside;
  invalidKeyValuePair();
  pos = mark;
}

void Parser::invalidKeyValuePair() {
  if (!startsExpression(kind()))
    return;
  Expr *key = expression();
  if (!key || !at(Tok::Colon))
    return;
  Pos colon = pos++;
  if (at(Tok::Star)) {
    SourceRange star = tokenAt(pos).range;
    ++pos;
    if (bitwiseOr())
      raise(star, "cannot use a starred expression in a dictionary value");
  } else if (at(Tok::RBrace) || at(Tok::Comma)) {
    raiseAtToken(colon, "expression expected after dictionary key and ':'");
  }
}

} // namespace tessera
