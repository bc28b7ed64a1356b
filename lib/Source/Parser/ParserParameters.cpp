//===- ParserParameters.cpp - parameters of def, lambda and generics ------===//
// `def` closes its list with ')', `lambda` with ':' and has no annotations.
//===----------------------------------------------------------------------===//
#include "Parser.h"

namespace tessera {

using namespace ast;

/// The list up to (not including) its closing token; may be empty.
Arguments *Parser::parameters(bool isLambda) {
  Tok close = isLambda ? Tok::Colon : Tok::RPar;
  if (diagnosing && tryMistakes && !at(close)) {
    invalidParameters(isLambda);
    if (raised())
      return nullptr;
  }
  ParameterLists lists;
  if (!at(close) && !parameterList(lists, isLambda))
    return nullptr;
  auto *result = arena.make<Arguments>();
  result->posonlyargs = seq(lists.posonly);
  result->args = seq(lists.args);
  result->vararg = lists.vararg;
  result->kwonlyargs = seq(lists.kwonly);
  result->kw_defaults = seq(lists.kwDefaults);
  result->kwarg = lists.kwarg;
  result->defaults = seq(lists.defaults);
  return result;
}

/// After a parameter: a comma, or the end of the list.
bool Parser::parameterEnds(bool isLambda) {
  return accept(Tok::Comma) || at(isLambda ? Tok::Colon : Tok::RPar);
}

Arg *Parser::parameter(bool isLambda, bool starAnnotation) {
  if (!at(Tok::Name))
    return nullptr;
  SourceLoc start = begin();
  Identifier arg = identifierAt(pos++);
  Expr *annotation = nullptr;
  if (!isLambda && at(Tok::Colon)) {
    Pos colon = pos++;
    annotation = starAnnotation && at(Tok::Star) ? starExpression() : expression();
    if (raised())
      return nullptr;
    if (!annotation)
      pos = colon;
  }
  auto *result = node<Arg>(start);
  result->arg = arg;
  result->annotation = annotation;
  return result;
}

bool Parser::parameterList(ParameterLists &lists, bool isLambda) {
  Tok close = isLambda ? Tok::Colon : Tok::RPar;
  bool slash = false;
  while (!at(close)) {
    if (at(Tok::Star) || at(Tok::DoubleStar))
      return starParameters(lists, isLambda);
    if (at(Tok::Slash)) {
      if (slash || lists.args.empty())
        return false;
      slash = true;
      ++pos;
      lists.posonly.swap(lists.args);
      if (!parameterEnds(isLambda))
        return false;
      continue;
    }
    Arg *arg = parameter(isLambda);
    if (!arg)
      return false;
    if (accept(Tok::Equal)) {
      Expr *value = expression();
      if (!value)
        return false;
      lists.defaults.push_back(value);
    } else if (!lists.defaults.empty()) {
      return false;
    }
    if (!parameterEnds(isLambda))
      return false;
    lists.args.push_back(arg);
  }
  return true;
}

/// From `*` or `**` to the end of the list.
bool Parser::starParameters(ParameterLists &lists, bool isLambda) {
  Tok close = isLambda ? Tok::Colon : Tok::RPar;
  if (accept(Tok::Star)) {
    if (accept(Tok::Comma)) {
      if (!at(Tok::Name))
        return false; // a bare star needs a parameter behind it
    } else {
      lists.vararg = parameter(isLambda, /*starAnnotation=*/true);
      if (!lists.vararg || !parameterEnds(isLambda))
        return false;
    }
    while (at(Tok::Name)) {
      Arg *arg = parameter(isLambda);
      if (!arg)
        return false;
      Expr *value = nullptr;
      if (accept(Tok::Equal) && !(value = expression()))
        return false;
      if (!parameterEnds(isLambda))
        return false;
      lists.kwonly.push_back(arg);
      lists.kwDefaults.push_back(value);
    }
  }
  if (accept(Tok::DoubleStar)) {
    lists.kwarg = parameter(isLambda);
    if (!lists.kwarg || !parameterEnds(isLambda))
      return false;
  }
  return at(close);
}

//===----------------------------------------------------------------------===//
// Type parameters (PEP 695)
//===----------------------------------------------------------------------===//

/// `[T, *Ts, **P]`, if it is there and matches; otherwise nothing is consumed.
Seq<TypeParam *> Parser::typeParams(bool &ok) {
  ok = true;
  if (!at(Tok::LSqb))
    return {};
  Pos mark = pos++;
  Vec<TypeParam *> params;
  while (at(Tok::Name) || at(Tok::Star) || at(Tok::DoubleStar)) {
    TypeParam *param = typeParam();
    if (raised()) {
      ok = false;
      return {};
    }
    if (!param)
      break;
    params.push_back(param);
    if (!accept(Tok::Comma))
      break;
  }
  if (!params.empty() && accept(Tok::RSqb))
    return seq(params);
  ok = !raised();
  pos = mark;
  return {};
}

TypeParam *Parser::typeParam() {
  Pos mark = pos;
  SourceLoc start = begin();
  Tok star = kind();
  if (star != Tok::Name)
    ++pos;
  if (!at(Tok::Name))
    return nullptr;
  Identifier id = identifierAt(pos++);
  TypeParam *result;
  if (star == Tok::Name) {
    Expr *bound = nullptr;
    if (at(Tok::Colon)) {
      Pos colon = pos++;
      bound = expression();
      if (!bound) {
        if (raised())
          return nullptr;
        pos = colon;
      }
    }
    auto *typeVar = node<TypeVar>(start);
    typeVar->bound = bound;
    result = typeVar;
  } else {
    if (diagnosing && tryMistakes && at(Tok::Colon)) {
      Pos end = pos;
      pos = mark;
      invalidTypeParam(mark);
      if (raised())
        return nullptr;
      pos = end;
    }
    result = star == Tok::Star ? static_cast<TypeParam *>(node<TypeVarTuple>(start))
                               : node<ParamSpec>(start);
  }
  result->name = id;
  return result;
}

} // namespace tessera
