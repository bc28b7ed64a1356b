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

namespace {
/// What a parameter must, may, or must not have.
enum class Default { None, Required, Optional };
} // namespace

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

void Parser::invalidParameters(bool isLambda) {
  Pos mark = pos;
  Tok close = isLambda ? Tok::Colon : Tok::RPar;
  auto restart = [&] {
    pos = mark;
    return !raised();
  };
  // As many parameters as match; returns how many.
  auto skip = [&](Default wanted) {
    unsigned count = 0;
    for (;; ++count) {
      Pos before = pos;
      bool hasDefault;
      bool ok = skipParameter(isLambda, hasDefault) &&
                (wanted == Default::Optional || hasDefault == (wanted == Default::Required));
      if (!ok) {
        if (!raised())
          pos = before;
        return count;
      }
    }
  };
  // `/` and its comma.
  auto slash = [&] { return accept(Tok::Slash) && (accept(Tok::Comma) || at(close)); };
  auto slashNoDefault = [&] {
    Pos before = pos;
    if (skip(Default::None) && slash())
      return true;
    if (!raised())
      pos = before;
    return false;
  };
  auto slashWithDefault = [&] {
    Pos before = pos;
    skip(Default::None);
    if (!raised() && skip(Default::Required) && slash())
      return true;
    if (!raised())
      pos = before;
    return false;
  };

  if (at(Tok::Slash) && kindAt(pos + 1) == Tok::Comma) {
    raiseAtToken(pos, "at least one argument must precede /");
    return;
  }
  if (slashNoDefault() || (!raised() && slashWithDefault())) {
    skip(Default::Optional);
    if (!raised() && at(Tok::Slash)) {
      raiseAtToken(pos, "/ may appear only once");
      return;
    }
  }
  if (!restart())
    return;
  slashNoDefault();
  if (!raised())
    skip(Default::None);
  if (!raised() && (slashWithDefault() || (!raised() && skip(Default::Required)))) {
    SourceRange range = tokenAt(pos).range;
    bool hasDefault;
    if (!raised() && skipParameter(isLambda, hasDefault) && !hasDefault) {
      raise(range, "parameter without a default follows parameter with a default");
      return;
    }
  }
  if (!restart())
    return;
  skip(Default::None);
  if (!raised() && at(Tok::LPar)) {
    SourceRange open = tokenAt(pos).range;
    ++pos;
    bool matched;
    if (isLambda) {
      matched = false;
      while (accept(Tok::Name)) {
        matched = true;
        if (!accept(Tok::Comma))
          break;
      }
    } else {
      matched = skip(Default::None);
      accept(Tok::Comma);
    }
    if (!raised() && matched && at(Tok::RPar)) {
      raise(span(open, tokenAt(pos).range),
            isLambda ? "Lambda expression parameters cannot be parenthesized"
                     : "Function parameters cannot be parenthesized");
      return;
    }
  }
  if (!restart())
    return;
  if (!slashNoDefault() && !raised())
    slashWithDefault();
  if (!raised())
    skip(Default::Optional);
  if (!raised() && accept(Tok::Star)) {
    bool hasDefault = false;
    bool matched = accept(Tok::Comma) || (skipParameter(isLambda, hasDefault) && !hasDefault);
    if (matched && !raised())
      skip(Default::Optional);
    if (!raised() && matched && at(Tok::Slash)) {
      raiseAtToken(pos, "/ must be ahead of *");
      return;
    }
  }
  if (!restart())
    return;
  if (skip(Default::Optional) && !raised() && at(Tok::Slash) && kindAt(pos + 1) == Tok::Star) {
    raiseAtToken(pos + 1, "expected comma between / and *");
    return;
  }
  if (!restart())
    return;
  // What follows `*` and `**` is looked at where the list gets to it.
  if (!slashNoDefault() && !raised())
    slashWithDefault();
  if (!raised())
    skip(Default::None);
  if (!raised())
    skip(Default::Required);
  if (!raised() && at(Tok::Star))
    invalidStarEtc(isLambda);
  if (!raised() && at(Tok::DoubleStar))
    invalidKwds(isLambda);
  restart();
}

void Parser::invalidStarEtc(bool isLambda) {
  Tok close = isLambda ? Tok::Colon : Tok::RPar;
  Pos star = pos++;
  bool hasDefault;
  auto skipOptional = [&] {
    for (;;) {
      Pos before = pos;
      if (!skipParameter(isLambda, hasDefault)) {
        if (!raised())
          pos = before;
        return;
      }
    }
  };
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
  if (accept(Tok::Comma) || (skipParameter(isLambda, hasDefault) && !hasDefault)) {
    skipOptional();
    if (!raised() && at(Tok::Star)) {
      Pos second = pos++;
      if (accept(Tok::Comma) || (skipParameter(isLambda, hasDefault) && !hasDefault))
        raiseAtToken(second, "* argument may appear only once");
      if (raised())
        return;
    } else if (!raised() && at(Tok::DoubleStar)) {
      invalidKwds(isLambda);
      if (raised())
        return;
    }
  }
  if (!raised())
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
