//===- ParserCalls.cpp - the arguments of calls and classes ---------------===//
// Positional arguments come first, then keywords mixed with `*iterable`, then
// keywords mixed with `**mapping`.
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::isa;
using namespace ast;

Expr *Parser::call(Expr *function, SourceLoc start) {
  Pos open = pos;
  SourceLoc openLoc = begin();
  auto finish = [&](Seq<Expr *> args, Seq<Keyword *> keywords) -> Expr * {
    auto *result = node<Call>(start);
    result->func = function;
    result->args = args;
    result->keywords = keywords;
    Vec<Expr *> children(args.begin(), args.end());
    for (Keyword *keyword : keywords)
      children.push_back(keyword->value);
    return seal(result, {function}, Seq<Expr *>(children.data(), children.size()));
  };
  if (diagnosing) {
    Vec<Expr *> only{genexp()};
    if (raised())
      return nullptr;
    if (only[0])
      return finish(seq(only), {});
    pos = open;
  }
  ++pos;
  if (accept(Tok::RPar))
    return finish({}, {});
  ArgumentsNode *list = arguments();
  if (!list)
    return nullptr;
  if (!diagnosing && list->args.size() == 1 && list->keywords.empty() &&
      (at(Tok::KwFor) || at(Tok::KwAsync))) {
    // f(x for x in y): the brackets of the call are the generator's, too.
    Expr *generator = comprehension(openLoc, Tok::LPar, list->args[0], nullptr);
    if (!generator || isa<Starred>(list->args[0]))
      return nullptr;
    Vec<Expr *> only{generator};
    return finish(seq(only), {});
  }
  return accept(Tok::RPar) ? finish(list->args, list->keywords) : nullptr;
}

Parser::ArgumentsNode *Parser::arguments() {
  auto parse = [&]() -> ArgumentsNode * {
    Pos mark = pos;
    ArgumentList list;
    if (args(list)) {
      bool comma = accept(Tok::Comma);
      bool generator = !comma && !diagnosing && (at(Tok::KwFor) || at(Tok::KwAsync));
      if (at(Tok::RPar) || generator) {
        auto *result = arena.make<ArgumentsNode>();
        result->args = seq(list.args);
        result->keywords = seq(list.keywords);
        result->range = list.range;
        return result;
      }
    }
    if (diagnosing && tryMistakes && !raised()) {
      pos = mark;
      invalidArguments();
    }
    return nullptr;
  };
  return diagnosing ? remember<ArgumentsNode>(Rule::Arguments, parse) : parse();
}

/// Parses as many arguments as match. A comma after the last one is not consumed.
bool Parser::args(ArgumentList &list) {
  SourceLoc start = begin();
  ArgumentStage stage = ArgumentStage::Positional;
  Pos end = pos;
  while (argument(list, stage)) {
    end = pos;
    if (!accept(Tok::Comma) || at(Tok::RPar))
      break;
  }
  pos = end;
  if (raised() || (list.args.empty() && list.keywords.empty()))
    return false;
  list.range = from(start);
  return true;
}

bool Parser::argument(ArgumentList &list, ArgumentStage &stage) {
  Pos mark = pos;
  if (stage == ArgumentStage::Positional) {
    if (at(Tok::Star)) {
      Expr *starred = starredExpression();
      if (starred) {
        list.args.push_back(starred);
        return true;
      }
    } else if (at(Tok::Name) && kindAt(pos + 1) == Tok::ColonEqual) {
      Expr *named = assignmentExpression();
      if (named && !at(Tok::Equal)) {
        list.args.push_back(named);
        return true;
      }
    } else if (!at(Tok::DoubleStar) &&
               (diagnosing || !at(Tok::Name) || kindAt(pos + 1) != Tok::Equal)) {
      Expr *value = expression();
      if (value && !at(Tok::ColonEqual) && !at(Tok::Equal)) {
        list.args.push_back(value);
        return true;
      }
    }
    if (raised())
      return false;
    pos = mark;
  }
  if (stage != ArgumentStage::DoubleStarred && at(Tok::Star)) {
    Expr *starred = starredExpression();
    if (starred)
      list.args.push_back(starred);
    return starred;
  }
  bool doubleStarred = at(Tok::DoubleStar);
  Keyword *keyword = keywordArgument();
  if (!keyword)
    return false;
  list.keywords.push_back(keyword);
  if (doubleStarred)
    stage = ArgumentStage::DoubleStarred;
  else if (stage == ArgumentStage::Positional)
    stage = ArgumentStage::Keywords;
  return true;
}

/// `name=value` or `**value`.
Keyword *Parser::keywordArgument() {
  SourceLoc start = begin();
  if (diagnosing && tryMistakes) {
    invalidKeywordArgument();
    if (raised())
      return nullptr;
  }
  Identifier arg;
  if (!accept(Tok::DoubleStar)) {
    if (!at(Tok::Name) || kindAt(pos + 1) != Tok::Equal)
      return nullptr;
    arg = identifierAt(pos);
    pos += 2;
  }
  Expr *value = expression();
  if (!value)
    return nullptr;
  auto *result = node<Keyword>(start);
  result->arg = arg;
  result->value = value;
  return result;
}

} // namespace tessera
