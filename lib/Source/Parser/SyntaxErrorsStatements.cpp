//===- SyntaxErrorsStatements.cpp - mistakes in headers and parameters ----===//
// As SyntaxErrors.cpp, for parameter lists and compound statements.
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::isa;
using namespace ast;

//===----------------------------------------------------------------------===//
// Parameter lists
//===----------------------------------------------------------------------===//

/// One parameter with its comma, if it matches; hasDefault says what was seen.
bool Parser::skipParameter(bool isLambda, bool &hasDefault) {
  hasDefault = false;
  if (!at(Tok::Name) || !parameter(isLambda))
    return false;
  if (at(Tok::Equal)) {
    Pos equal = pos++;
    if (at(Tok::RPar) || at(Tok::Comma)) {
      raiseAtToken(equal, "expected default value expression");
      return false;
    }
    if (!expression())
      return false;
    hasDefault = true;
  }
  return parameterEnds(isLambda);
}

/// Skips as many parameters as match, and returns their number.
unsigned Parser::skipParameters(bool isLambda, DefaultValue wanted) {
  for (unsigned count = 0;; ++count) {
    Pos before = pos;
    bool hasDefault;
    bool ok =
        skipParameter(isLambda, hasDefault) &&
        (wanted == DefaultValue::Optional || hasDefault == (wanted == DefaultValue::Required));
    if (ok)
      continue;
    pos = before;
    return count;
  }
}

/// Parameters and the `/` behind them, with or without default values.
bool Parser::skipPositionalOnly(bool isLambda, DefaultValue wanted) {
  Pos before = pos;
  unsigned count = skipParameters(isLambda, DefaultValue::None);
  if (!raised() && wanted == DefaultValue::Required)
    count = skipParameters(isLambda, DefaultValue::Required);
  if (!raised() && count && accept(Tok::Slash) && parameterEnds(isLambda))
    return true;
  pos = before;
  return false;
}

bool Parser::skipPositionalOnly(bool isLambda) {
  return skipPositionalOnly(isLambda, DefaultValue::None) ||
         (!raised() && skipPositionalOnly(isLambda, DefaultValue::Required));
}

/// A parameter without default value, or nothing, behind a `*`.
bool Parser::skipStarred(bool isLambda) {
  bool hasDefault;
  return accept(Tok::Comma) || (skipParameter(isLambda, hasDefault) && !hasDefault);
}

void Parser::invalidParameters(bool isLambda) {
  Pos mark = pos;
  for (auto mistake :
       {&Parser::invalidSlash, &Parser::invalidDefaultOrder, &Parser::invalidParenthesizedParameter,
        &Parser::invalidSlashAndStar, &Parser::invalidStarParameters}) {
    (this->*mistake)(isLambda);
    if (raised())
      return;
    pos = mark;
  }
}

/// `/` first, or twice.
void Parser::invalidSlash(bool isLambda) {
  if (at(Tok::Slash) && kindAt(pos + 1) == Tok::Comma) {
    raiseAtToken(pos, "at least one argument must precede /");
    return;
  }
  if (!skipPositionalOnly(isLambda))
    return;
  skipParameters(isLambda, DefaultValue::Optional);
  if (!raised() && at(Tok::Slash))
    raiseAtToken(pos, "/ may appear only once");
}

/// `a=1, b`
void Parser::invalidDefaultOrder(bool isLambda) {
  skipPositionalOnly(isLambda, DefaultValue::None);
  if (!raised())
    skipParameters(isLambda, DefaultValue::None);
  bool defaults = !raised() && (skipPositionalOnly(isLambda, DefaultValue::Required) ||
                                (!raised() && skipParameters(isLambda, DefaultValue::Required)));
  if (!defaults || raised())
    return;
  SourceRange range = tokenAt(pos).range;
  bool hasDefault;
  if (skipParameter(isLambda, hasDefault) && !hasDefault)
    raise(range, "parameter without a default follows parameter with a default");
}

/// `a, (b, c)`
void Parser::invalidParenthesizedParameter(bool isLambda) {
  skipParameters(isLambda, DefaultValue::None);
  if (raised() || !at(Tok::LPar))
    return;
  SourceRange open = tokenAt(pos).range;
  ++pos;
  bool matched = false;
  if (isLambda) {
    while (accept(Tok::Name)) {
      matched = true;
      if (!accept(Tok::Comma))
        break;
    }
  } else {
    matched = skipParameters(isLambda, DefaultValue::None);
    accept(Tok::Comma);
  }
  if (!raised() && matched && at(Tok::RPar))
    raise(span(open, tokenAt(pos).range),
          isLambda ? "Lambda expression parameters cannot be parenthesized"
                   : "Function parameters cannot be parenthesized");
}

/// `*a, /` and `a, /*`
void Parser::invalidSlashAndStar(bool isLambda) {
  Pos mark = pos;
  skipPositionalOnly(isLambda);
  if (!raised())
    skipParameters(isLambda, DefaultValue::Optional);
  if (!raised() && accept(Tok::Star) && skipStarred(isLambda) && !raised()) {
    skipParameters(isLambda, DefaultValue::Optional);
    if (!raised() && at(Tok::Slash))
      raiseAtToken(pos, "/ must be ahead of *");
  }
  if (raised())
    return;
  pos = mark;
  bool any = skipParameters(isLambda, DefaultValue::Optional);
  if (!raised() && any && at(Tok::Slash) && kindAt(pos + 1) == Tok::Star)
    raiseAtToken(pos + 1, "expected comma between / and *");
}

/// Checks what follows `*` and `**` in a parameter list.
void Parser::invalidStarParameters(bool isLambda) {
  skipPositionalOnly(isLambda);
  if (!raised())
    skipParameters(isLambda, DefaultValue::None);
  if (!raised())
    skipParameters(isLambda, DefaultValue::Required);
  if (!raised() && at(Tok::Star))
    invalidStarEtc(isLambda);
  if (!raised() && at(Tok::DoubleStar))
    invalidKwds(isLambda);
}

void Parser::invalidStarEtc(bool isLambda) {
  Tok close = isLambda ? Tok::Colon : Tok::RPar;
  Pos star = pos++;
  bool bare = at(close);
  if (at(Tok::Comma)) {
    Tok next = kindAt(pos + 1);
    bare = next == close || next == Tok::DoubleStar;
  }
  if (bare) {
    const char *message = "named arguments must follow bare *";
    if (isLambda)
      raiseAtLast(message);
    else
      raiseAtToken(star, message);
    return;
  }
  if (at(Tok::Name) && parameter(isLambda) && at(Tok::Equal)) {
    raiseAtToken(pos, "var-positional argument cannot have default value");
    return;
  }
  if (raised())
    return;
  pos = star + 1;
  if (skipStarred(isLambda) && !raised()) {
    skipParameters(isLambda, DefaultValue::Optional);
    if (!raised() && at(Tok::Star)) {
      Pos second = pos++;
      if (skipStarred(isLambda) && !raised())
        raiseAtToken(second, "* argument may appear only once");
    } else if (!raised() && at(Tok::DoubleStar)) {
      invalidKwds(isLambda);
    }
  }
  pos = star;
}

void Parser::invalidKwds(bool isLambda) {
  Pos star = pos++;
  if (at(Tok::Name) && parameter(isLambda)) {
    if (at(Tok::Equal)) {
      raiseAtToken(pos, "var-keyword argument cannot have default value");
      return;
    }
    if (accept(Tok::Comma) && !at(Tok::RPar)) {
      const char *message = "arguments cannot follow var-keyword argument";
      SourceRange range = tokenAt(pos).range;
      if (at(Tok::Name) && parameter(isLambda)) {
        raise(range, message);
        return;
      }
      if (!raised() && (at(Tok::Star) || at(Tok::DoubleStar) || at(Tok::Slash))) {
        raise(range, message);
        return;
      }
    }
  }
  if (!raised())
    pos = star;
}

/// A bound on `*Ts` or `**P`.
void Parser::invalidTypeParam(Pos start) {
  const char *what = kindAt(start) == Tok::Star ? "TypeVarTuple" : "ParamSpec";
  pos = start + 2;
  SourceRange colon = tokenAt(pos).range;
  ++pos;
  if (Expr *bound = expression())
    raise(colon, std::string("cannot use ") + (isa<Tuple>(bound) ? "constraints" : "bound") +
                     " with " + what);
}

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

/// A mixture of `except` and `except*`; `start` is the first odd one.
void Parser::invalidTry(Pos start) {
  pos = start + 1;
  SourceRange word = tokenAt(start).range;
  bool star = accept(Tok::Star);
  SourceRange last = tokenAt(pos - 1).range;
  bool matched = startsExpression(kind()) ? expression() != nullptr : !star;
  if (matched && at(Tok::KwAs) && kindAt(pos + 1) == Tok::Name)
    pos += 2;
  if (!raised() && matched && at(Tok::Colon))
    raise(span(word, last), "cannot have both 'except' and 'except*' on the same 'try'");
}

void Parser::invalidExcept(Pos start) {
  pos = start + 1;
  bool star = accept(Tok::Star);
  Pos afterStar = pos;
  auto skipAs = [&] {
    if (at(Tok::KwAs) && kindAt(pos + 1) == Tok::Name)
      pos += 2;
  };
  Expr *first = startsExpression(kind()) ? expression() : nullptr;
  if (raised())
    return;
  if (first && accept(Tok::Comma)) {
    bool any = false;
    while (startsExpression(kind()) && expression()) {
      any = true;
      if (!accept(Tok::Comma))
        break;
    }
    if (raised())
      return;
    skipAs();
    if (any && at(Tok::Colon)) {
      raise(first, "multiple exception types must be parenthesized");
      return;
    }
  }
  pos = afterStar;
  if (first && expression()) {
    skipAs();
    if (at(Tok::Newline))
      raiseAtLast("expected ':'");
    return;
  }
  if (!star && at(Tok::Newline))
    raiseAtLast("expected ':'");
  if (star && (at(Tok::Newline) || at(Tok::Colon)))
    raiseAtLast("expected one or more exception types");
}

void Parser::invalidWithStmt(Pos with) {
  auto skipItems = [&](bool tuples) {
    bool any = false;
    for (;;) {
      Pos before = pos;
      if (!startsExpression(kind()) || !expression()) {
        if (any && !raised())
          pos = before - 1;
        return any;
      }
      any = true;
      while (tuples && at(Tok::Comma) && startsExpression(kindAt(pos + 1))) {
        Pos comma = pos++;
        if (!expression()) {
          pos = comma;
          break;
        }
      }
      if (at(Tok::KwAs)) {
        Pos as = pos++;
        if (!starTarget())
          pos = as;
      }
      if (raised() || !accept(Tok::Comma))
        return any;
    }
  };
  pos = with + 1;
  if (skipItems(false) && !raised() && at(Tok::Newline)) {
    raiseAtLast("expected ':'");
    return;
  }
  if (raised())
    return;
  pos = with + 1;
  if (accept(Tok::LPar) && skipItems(true) && !raised()) {
    accept(Tok::Comma);
    if (accept(Tok::RPar) && at(Tok::Newline))
      raiseAtLast("expected ':'");
  }
}

void Parser::invalidImport(Pos start) {
  pos = start + 1;
  bool any = false;
  while (!dottedName().empty()) {
    any = true;
    if (!at(Tok::Comma) || kindAt(pos + 1) != Tok::Name)
      break;
    ++pos;
  }
  if (any && accept(Tok::KwFrom) && !dottedName().empty())
    raise(tokenAt(start).range, "Did you mean to use 'from ... import ...' instead?");
  if (!raised())
    pos = start;
}

/// `C(x=1, y)`; pos is at the '('.
void Parser::invalidClassPattern(Pos start) {
  pos = start + 1;
  bool keywords = false;
  Pattern *first = nullptr, *last = nullptr;
  while (!at(Tok::RPar)) {
    if (at(Tok::Name) && kindAt(pos + 1) == Tok::Equal) {
      if (first)
        break;
      keywords = true;
      pos += 2;
      if (!pattern())
        break;
    } else {
      Pattern *positional = pattern();
      if (!positional)
        break;
      if (keywords) {
        first = first ? first : positional;
        last = positional;
      }
    }
    if (!accept(Tok::Comma))
      break;
  }
  if (!raised() && first)
    raise(span(first->range, last->range), "positional patterns follow keyword patterns");
}

} // namespace tessera
