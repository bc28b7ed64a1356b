//===- ParserCompound.cpp - statements with blocks ------------------------===//
#include "Parser.h"

namespace tessera {

using namespace ast;

Stmt *Parser::compoundStmt() {
  DepthGuard guard(*this);
  if (!guard.ok)
    return nullptr;
  switch (kind()) {
  case Tok::At:
    return decorated();
  case Tok::KwDef:
    return functionDef(begin(), {});
  case Tok::KwClass:
    return classDef({});
  case Tok::KwIf:
    return ifStmt();
  case Tok::KwWhile:
    return whileStmt();
  case Tok::KwFor:
    return forStmt();
  case Tok::KwWith:
    return withStmt();
  case Tok::KwTry:
    return tryStmt();
  case Tok::KwAsync:
    switch (kindAt(pos + 1)) {
    case Tok::KwDef:
      return functionDef(begin(), {});
    case Tok::KwWith:
      return withStmt();
    case Tok::KwFor:
      return forStmt();
    default:
      return nullptr;
    }
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The ':' that ends a header.
bool Parser::headerColon() {
  if (accept(Tok::Colon))
    return true;
  if (diagnosing && tryMistakes && !raised() && at(Tok::Newline))
    raiseAtLast("expected ':'");
  return false;
}

/// An indented block or statements on the same line. `what` and `line` name the
/// header in the message about a missing block.
bool Parser::block(Seq<Stmt *> &body, const char *what, uint32_t line) {
  Vec<Stmt *> out;
  if (!at(Tok::Newline)) {
    if (!simpleStmts(out))
      return false;
    body = seq(out);
    return true;
  }
  ++pos;
  if (!accept(Tok::Indent)) {
    if (diagnosing && tryMistakes && !raised())
      raiseAtLast(std::string("expected an indented block after ") + what + " on line " +
                  std::to_string(line));
    return false;
  }
  if (!statements(out, Tok::Dedent))
    return false;
  body = seq(out);
  return true;
}

/// `else: ...`, if it is there.
bool Parser::elseBlock(Seq<Stmt *> &body) {
  uint32_t line = begin().line;
  if (!accept(Tok::KwElse))
    return !raised();
  return require(Tok::Colon, ":") && block(body, "'else' statement", line);
}

//===----------------------------------------------------------------------===//
// Functions and classes
//===----------------------------------------------------------------------===//

Stmt *Parser::decorated() {
  Vec<Expr *> decorators;
  while (accept(Tok::At)) {
    Expr *decorator = namedExpression();
    if (!decorator || !accept(Tok::Newline))
      return nullptr;
    decorators.push_back(decorator);
  }
  Seq<Expr *> list = seq(decorators);
  if (at(Tok::KwClass))
    return classDef(list);
  bool isAsync = at(Tok::KwAsync) && kindAt(pos + 1) == Tok::KwDef;
  return at(Tok::KwDef) || isAsync ? functionDef(begin(), list) : nullptr;
}

Stmt *Parser::functionDef(SourceLoc start, Seq<Expr *> decorators) {
  if (accept(Tok::KwAsync))
    return finishFunction<AsyncFunctionDef>(start, pos, decorators);
  return finishFunction<FunctionDef>(start, pos, decorators);
}

template <typename T>
Stmt *Parser::finishFunction(SourceLoc start, Pos def, Seq<Expr *> decorators) {
  uint32_t line = tokenAt(def).range.begin.line;
  ++pos;
  if (!at(Tok::Name))
    return nullptr;
  Identifier id = identifierAt(pos++);
  bool ok;
  Seq<TypeParam *> typeParameters = typeParams(ok);
  if (!ok || !require(Tok::LPar, "("))
    return nullptr;
  Arguments *args = parameters(/*isLambda=*/false);
  if (!args || !accept(Tok::RPar))
    return nullptr;
  Expr *returns = nullptr;
  if (at(Tok::Arrow)) {
    Pos arrow = pos++;
    returns = expression();
    if (raised())
      return nullptr;
    if (!returns)
      pos = arrow;
  }
  Seq<Stmt *> body;
  if (!require(Tok::Colon, ":") || !block(body, "function definition", line))
    return nullptr;
  auto *result = node<T>(start);
  result->name = id;
  result->args = args;
  result->body = body;
  result->decorator_list = decorators;
  result->returns = returns;
  result->type_params = typeParameters;
  return result;
}

Stmt *Parser::classDef(Seq<Expr *> decorators) {
  SourceLoc start = begin();
  ++pos;
  if (!at(Tok::Name))
    return nullptr;
  Identifier id = identifierAt(pos++);
  bool ok;
  Seq<TypeParam *> typeParameters = typeParams(ok);
  if (!ok)
    return nullptr;
  ArgumentsNode none, *list = &none;
  if (accept(Tok::LPar) && !accept(Tok::RPar)) {
    list = arguments();
    if (!list || !accept(Tok::RPar))
      return nullptr;
  }
  Seq<Stmt *> body;
  if (!headerColon() || !block(body, "class definition", start.line))
    return nullptr;
  auto *result = node<ClassDef>(start);
  result->name = id;
  result->bases = list->args;
  result->keywords = list->keywords;
  result->body = body;
  result->decorator_list = decorators;
  result->type_params = typeParameters;
  return result;
}

//===----------------------------------------------------------------------===//
// if, while, for, with
//===----------------------------------------------------------------------===//

/// `if` and, by recursion, `elif`.
Stmt *Parser::ifStmt() {
  bool isElif = at(Tok::KwElif);
  DepthGuard guard(*this);
  if (!guard.ok)
    return nullptr;
  SourceLoc start = begin();
  ++pos;
  Expr *test = namedExpression();
  Seq<Stmt *> body, orelse;
  if (!test || !headerColon() ||
      !block(body, isElif ? "'elif' statement" : "'if' statement", start.line))
    return nullptr;
  if (at(Tok::KwElif)) {
    Stmt *next = ifStmt();
    if (!next)
      return nullptr;
    Vec<Stmt *> only{next};
    orelse = seq(only);
  } else if (!elseBlock(orelse)) {
    return nullptr;
  }
  auto *result = node<If>(start);
  result->test = test;
  result->body = body;
  result->orelse = orelse;
  return result;
}

Stmt *Parser::whileStmt() {
  SourceLoc start = begin();
  ++pos;
  Expr *test = namedExpression();
  Seq<Stmt *> body, orelse;
  if (!test || !headerColon() || !block(body, "'while' statement", start.line) ||
      !elseBlock(orelse))
    return nullptr;
  auto *result = node<While>(start);
  result->test = test;
  result->body = body;
  result->orelse = orelse;
  return result;
}

Stmt *Parser::forStmt() {
  SourceLoc start = begin();
  if (accept(Tok::KwAsync))
    return finishFor<AsyncFor>(start, begin().line);
  return finishFor<For>(start, start.line);
}

template <typename T> Stmt *Parser::finishFor(SourceLoc start, uint32_t line) {
  Pos mark = pos++;
  Expr *target = starTargets();
  if (!target || !accept(Tok::KwIn)) {
    if (diagnosing && tryMistakes && !raised()) {
      pos = mark;
      invalidForTarget();
    }
    return nullptr;
  }
  Expr *iter = starExpressions();
  Seq<Stmt *> body, orelse;
  if (!iter || !headerColon() || !block(body, "'for' statement", line) || !elseBlock(orelse))
    return nullptr;
  auto *result = node<T>(start);
  result->target = target;
  result->iter = iter;
  result->body = body;
  result->orelse = orelse;
  return result;
}

Stmt *Parser::withStmt() {
  SourceLoc start = begin();
  bool isAsync = accept(Tok::KwAsync);
  uint32_t line = begin().line;
  Pos with = pos++;
  Vec<WithItem *> items;
  bool matched = false;
  if (at(Tok::LPar)) {
    // `with (a as b, c):`, unless the brackets belong to an expression.
    Pos open = pos++;
    matched = withItems(items);
    if (matched) {
      accept(Tok::Comma);
      matched = accept(Tok::RPar) && at(Tok::Colon);
    }
    if (!matched) {
      if (raised())
        return nullptr;
      items.clear();
      pos = open;
    }
  }
  if (!matched)
    matched = withItems(items) && at(Tok::Colon);
  if (!matched) {
    if (diagnosing && tryMistakes && !raised())
      invalidWithStmt(with);
    return nullptr;
  }
  ++pos;
  Seq<WithItem *> list = seq(items);
  return isAsync ? finishWith<AsyncWith>(start, line, list) : finishWith<With>(start, line, list);
}

template <typename T>
Stmt *Parser::finishWith(SourceLoc start, uint32_t line, Seq<WithItem *> items) {
  Seq<Stmt *> body;
  if (!block(body, "'with' statement", line))
    return nullptr;
  auto *result = node<T>(start);
  result->items = items;
  result->body = body;
  return result;
}

/// One or more; a comma after the last is left alone.
bool Parser::withItems(Vec<WithItem *> &items) {
  for (;;) {
    Pos mark = pos;
    WithItem *item = startsExpression(kind()) ? withItem() : nullptr;
    if (!item) {
      pos = items.empty() ? mark : mark - 1;
      break;
    }
    items.push_back(item);
    if (!accept(Tok::Comma))
      break;
  }
  return !raised() && !items.empty();
}

WithItem *Parser::withItem() {
  Expr *context = expression();
  if (!context)
    return nullptr;
  Expr *vars = nullptr;
  if (at(Tok::KwAs)) {
    Pos mark = pos++;
    auto ends = [&] { return at(Tok::Comma) || at(Tok::RPar) || at(Tok::Colon); };
    vars = starTarget();
    if (raised())
      return nullptr;
    if (!vars || !ends()) {
      vars = nullptr;
      if (diagnosing && tryMistakes) {
        pos = mark + 1;
        Expr *target = expression();
        if (target && ends())
          invalidTarget(target, /*isDel=*/false, /*isFor=*/false);
        if (raised())
          return nullptr;
      }
      pos = mark;
    }
  }
  auto *result = arena.make<WithItem>();
  result->context_expr = context;
  result->optional_vars = vars;
  return result;
}

//===----------------------------------------------------------------------===//
// try
//===----------------------------------------------------------------------===//

template <typename T>
static Stmt *fillTry(T *result, Seq<Stmt *> body, Seq<ExceptHandler *> handlers, Seq<Stmt *> orelse,
                     Seq<Stmt *> finalbody) {
  result->body = body;
  result->handlers = handlers;
  result->orelse = orelse;
  result->finalbody = finalbody;
  return result;
}

Stmt *Parser::tryStmt() {
  SourceLoc start = begin();
  ++pos;
  Seq<Stmt *> body, orelse, finalbody;
  if (!require(Tok::Colon, ":") || !block(body, "'try' statement", start.line))
    return nullptr;
  if (!at(Tok::KwExcept) && !at(Tok::KwFinally)) {
    if (diagnosing && tryMistakes && !raised())
      raiseAtLast("expected 'except' or 'finally' block");
    return nullptr;
  }
  Vec<ExceptHandler *> handlers;
  bool isStar = false;
  while (at(Tok::KwExcept)) {
    bool star = kindAt(pos + 1) == Tok::Star;
    if (!handlers.empty() && star != isStar) {
      if (diagnosing && tryMistakes)
        invalidTry(pos);
      return nullptr;
    }
    isStar = star;
    ExceptHandler *handler = exceptBlock(isStar);
    if (!handler)
      return nullptr;
    handlers.push_back(handler);
  }
  if (!handlers.empty() && !elseBlock(orelse))
    return nullptr;
  uint32_t line = begin().line;
  if (accept(Tok::KwFinally) &&
      (!require(Tok::Colon, ":") || !block(finalbody, "'finally' statement", line)))
    return nullptr;
  if (raised())
    return nullptr;
  if (isStar)
    return fillTry(node<TryStar>(start), body, seq(handlers), orelse, finalbody);
  return fillTry(node<Try>(start), body, seq(handlers), orelse, finalbody);
}

ExceptHandler *Parser::exceptBlock(bool &isStar) {
  Pos mark = pos;
  SourceLoc start = begin();
  ++pos;
  if (isStar)
    ++pos;
  Expr *type = nullptr;
  Identifier id;
  if (isStar || !at(Tok::Colon)) {
    type = startsExpression(kind()) ? expression() : nullptr;
    if (type && at(Tok::KwAs) && kindAt(pos + 1) == Tok::Name) {
      id = identifierAt(pos + 1);
      pos += 2;
    }
    if (raised())
      return nullptr;
    if (!type || !at(Tok::Colon)) {
      if (diagnosing && tryMistakes)
        invalidExcept(mark);
      return nullptr;
    }
  }
  ++pos;
  Seq<Stmt *> body;
  if (!block(body, isStar ? "'except*' statement" : "'except' statement", start.line))
    return nullptr;
  auto *result = node<ExceptHandler>(start);
  result->type = type;
  result->name = id;
  result->body = body;
  return result;
}

//===----------------------------------------------------------------------===//
// match
//===----------------------------------------------------------------------===//

Expr *Parser::subjectExpr() {
  SourceLoc start = begin();
  Expr *first = starNamedExpression();
  if (!first)
    return nullptr;
  if (!at(Tok::Comma))
    return first->kind == ExprKind::Starred ? nullptr : first;
  return tupleAfter(first, start, &Parser::starNamedExpression);
}

/// `match` is a name unless a subject, ':' and an indented `case` follow.
Stmt *Parser::matchStmt() {
  DepthGuard guard(*this);
  if (!guard.ok)
    return nullptr;
  SourceLoc start = begin();
  ++pos;
  if (!startsExpression(kind()) && !at(Tok::Star))
    return nullptr;
  Expr *subject = subjectExpr();
  if (!subject || !headerColon() || !accept(Tok::Newline))
    return nullptr;
  if (!accept(Tok::Indent)) {
    if (diagnosing && tryMistakes && !raised())
      raiseAtLast("expected an indented block after 'match' statement on line " +
                  std::to_string(start.line));
    return nullptr;
  }
  Vec<MatchCase *> cases;
  while (atName("case")) {
    MatchCase *matchCase = caseBlock();
    if (!matchCase)
      return nullptr;
    cases.push_back(matchCase);
    dropConsumedTokens();
  }
  if (cases.empty() || !accept(Tok::Dedent))
    return nullptr;
  auto *result = node<Match>(start);
  result->subject = subject;
  result->cases = seq(cases);
  return result;
}

MatchCase *Parser::caseBlock() {
  uint32_t line = begin().line;
  ++pos;
  Pattern *what = patterns();
  if (!what)
    return nullptr;
  Expr *guard = nullptr;
  if (at(Tok::KwIf)) {
    Pos mark = pos++;
    guard = namedExpression();
    if (raised())
      return nullptr;
    if (!guard)
      pos = mark;
  }
  Seq<Stmt *> body;
  if (!headerColon() || !block(body, "'case' statement", line))
    return nullptr;
  auto *result = arena.make<MatchCase>();
  result->pattern = what;
  result->guard = guard;
  result->body = body;
  return result;
}

} // namespace tessera
