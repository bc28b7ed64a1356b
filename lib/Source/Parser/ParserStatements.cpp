//===- ParserStatements.cpp - statements of one line ----------------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::isa;
using namespace ast;

/// All statements up to `end` (a Dedent or the end of the file), and `end`.
bool Parser::statements(Vec<Stmt *> &out, Tok end) {
  while (!at(end)) {
    if (end == Tok::EndMarker)
      current = {begin().line, pos};
    if (!statement(out))
      return false;
    dropConsumedTokens();
  }
  ++pos;
  return true;
}

bool Parser::statement(Vec<Stmt *> &out) {
  if (diagnosing)
    memory.clear(); // nothing before this token is tried again
  switch (kind()) {
  case Tok::KwDef:
  case Tok::At:
  case Tok::KwAsync:
  case Tok::KwIf:
  case Tok::KwClass:
  case Tok::KwWith:
  case Tok::KwFor:
  case Tok::KwTry:
  case Tok::KwWhile: {
    Stmt *stmt = compoundStmt();
    if (stmt)
      out.push_back(stmt);
    return stmt;
  }
  case Tok::Name:
    if (textAt(pos) == "match") {
      Pos mark = pos;
      if (Stmt *stmt = matchStmt()) {
        out.push_back(stmt);
        return true;
      }
      if (raised() || mark < base)
        return false;
      pos = mark;
    }
    return simpleStmts(out);
  default:
    return simpleStmts(out);
  }
}

bool Parser::simpleStmts(Vec<Stmt *> &out) {
  for (;;) {
    Stmt *stmt = simpleStmt();
    if (!stmt)
      return false;
    out.push_back(stmt);
    if (accept(Tok::Newline))
      return true;
    if (!accept(Tok::Semi))
      return false;
    if (accept(Tok::Newline))
      return true;
  }
}

Stmt *Parser::simpleStmt() {
  SourceLoc start = begin();
  switch (kind()) {
  case Tok::KwReturn:
    return returnStmt();
  case Tok::KwImport:
    return importName();
  case Tok::KwFrom:
    return importFrom();
  case Tok::KwRaise:
    return raiseStmt();
  case Tok::KwPass:
    ++pos;
    return node<Pass>(start);
  case Tok::KwBreak:
    ++pos;
    return node<Break>(start);
  case Tok::KwContinue:
    ++pos;
    return node<Continue>(start);
  case Tok::KwDel:
    return delStmt();
  case Tok::KwAssert:
    return assertStmt();
  case Tok::KwGlobal:
    return scopeStmt<Global>();
  case Tok::KwNonlocal:
    return scopeStmt<Nonlocal>();
  case Tok::KwYield: {
    if (diagnosing && tryMistakes) {
      invalidAssignment();
      if (raised())
        return nullptr;
    }
    Expr *value = yieldExpr();
    if (!value)
      return nullptr;
    auto *result = node<ExprStmt>(start);
    result->value = value;
    return result;
  }
  default:
    return assignmentOrExpression();
  }
}

//===----------------------------------------------------------------------===//
// Assignments and expressions
//===----------------------------------------------------------------------===//

static bool augmentedOperator(Tok kind, Operator &op) {
  // clang-format off
  switch (kind) {
  case Tok::PlusEqual: op = Operator::Add; return true;
  case Tok::MinusEqual: op = Operator::Sub; return true;
  case Tok::StarEqual: op = Operator::Mult; return true;
  case Tok::SlashEqual: op = Operator::Div; return true;
  case Tok::DoubleSlashEqual: op = Operator::FloorDiv; return true;
  case Tok::PercentEqual: op = Operator::Mod; return true;
  case Tok::AtEqual: op = Operator::MatMult; return true;
  case Tok::DoubleStarEqual: op = Operator::Pow; return true;
  case Tok::LeftShiftEqual: op = Operator::LShift; return true;
  case Tok::RightShiftEqual: op = Operator::RShift; return true;
  case Tok::AmperEqual: op = Operator::BitAnd; return true;
  case Tok::VBarEqual: op = Operator::BitOr; return true;
  case Tok::CaretEqual: op = Operator::BitXor; return true;
  default: return false;
  }
  // clang-format on
}

/// Reads an expression and decides by the token behind it.
Stmt *Parser::assignmentOrExpression() {
  Pos mark = pos;
  SourceLoc start = begin();
  bool parenthesis = at(Tok::LPar);
  bool soft = atName("type") && kindAt(pos + 1) == Tok::Name;
  Expr *value = starExpressions();
  if (raised())
    return nullptr;
  if (value) {
    Operator op;
    Stmt *result = nullptr;
    if (at(Tok::Colon)) {
      bool bare = isa<Name>(value) && !parenthesis;
      if (isSingleTarget(value))
        result = annotatedAssignment(start, value, bare);
    } else if (at(Tok::Equal)) {
      if (isStarTarget(value))
        result = chainedAssignment(start, value);
    } else if (augmentedOperator(kind(), op)) {
      if (isSingleTarget(value)) {
        // The grammar commits here: no other reading is tried.
        ++pos;
        return augmentedAssignment(start, value, op);
      }
    }
    if (result || raised())
      return result;
  }
  Pos end = pos;
  if (diagnosing && tryMistakes) {
    pos = mark;
    invalidAssignment();
    if (raised())
      return nullptr;
  }
  if (soft) {
    pos = mark;
    Stmt *alias = typeAlias();
    if (alias || raised())
      return alias;
  }
  pos = mark;
  value = diagnosing ? starExpressions() : value;
  if (!diagnosing)
    pos = end;
  if (!value)
    return nullptr;
  auto *result = node<ExprStmt>(start);
  result->value = value;
  return result;
}

Stmt *Parser::annotatedAssignment(SourceLoc start, Expr *target, bool simple) {
  Pos colon = pos++;
  Expr *annotation = expression();
  if (!annotation) {
    pos = colon;
    return nullptr;
  }
  Expr *value = nullptr;
  if (at(Tok::Equal)) {
    Pos equal = pos++;
    value = yieldOrStarExpressions();
    if (!value) {
      if (raised())
        return nullptr;
      pos = equal;
    }
  }
  setContext(target, ExprContext::Store);
  auto *result = node<AnnAssign>(start);
  result->target = target;
  result->annotation = annotation;
  result->value = value;
  result->simple = simple;
  return result;
}

/// `first = ... = value`; '=' is next.
Stmt *Parser::chainedAssignment(SourceLoc start, Expr *first) {
  Pos equal = pos;
  Vec<Expr *> targets{first};
  Expr *value = nullptr;
  while (accept(Tok::Equal)) {
    value = yieldOrStarExpressions();
    bool another = value && at(Tok::Equal);
    if (!value || (another && !isStarTarget(value))) {
      pos = equal;
      return nullptr;
    }
    if (another)
      targets.push_back(value);
  }
  for (Expr *target : targets)
    setContext(target, ExprContext::Store);
  auto *result = node<Assign>(start);
  result->targets = seq(targets);
  result->value = value;
  return result;
}

Stmt *Parser::augmentedAssignment(SourceLoc start, Expr *target, Operator op) {
  Expr *value = yieldOrStarExpressions();
  if (!value)
    return nullptr;
  setContext(target, ExprContext::Store);
  auto *result = node<AugAssign>(start);
  result->target = target;
  result->op = op;
  result->value = value;
  return result;
}

/// `type Name[params] = value`
Stmt *Parser::typeAlias() {
  SourceLoc start = begin();
  ++pos;
  if (!at(Tok::Name))
    return nullptr;
  Name *alias = name(pos++, ExprContext::Store);
  bool ok;
  Seq<TypeParam *> params = typeParams(ok);
  if (!ok || !accept(Tok::Equal))
    return nullptr;
  Expr *value = expression();
  if (!value)
    return nullptr;
  auto *result = node<TypeAlias>(start);
  result->name = alias;
  result->type_params = params;
  result->value = value;
  return result;
}

//===----------------------------------------------------------------------===//
// Statements with a keyword
//===----------------------------------------------------------------------===//

Stmt *Parser::returnStmt() {
  SourceLoc start = begin();
  Pos after = ++pos;
  Expr *value = startsExpression(kind()) || at(Tok::Star) ? starExpressions() : nullptr;
  if (raised())
    return nullptr;
  if (!value)
    pos = after;
  auto *result = node<Return>(start);
  result->value = value;
  return result;
}

Stmt *Parser::raiseStmt() {
  SourceLoc start = begin();
  Pos after = ++pos;
  Expr *exc = startsExpression(kind()) ? expression() : nullptr;
  Expr *cause = nullptr;
  if (raised())
    return nullptr;
  if (!exc) {
    pos = after;
  } else if (at(Tok::KwFrom)) {
    Pos mark = pos++;
    cause = expression();
    if (raised())
      return nullptr;
    if (!cause)
      pos = mark;
  }
  auto *result = node<Raise>(start);
  result->exc = exc;
  result->cause = cause;
  return result;
}

Stmt *Parser::delStmt() {
  Pos mark = pos;
  SourceLoc start = begin();
  ++pos;
  Vec<Expr *> targets;
  for (;;) {
    Pos before = pos;
    Expr *target = delTarget();
    if (!target) {
      pos = before;
      break;
    }
    targets.push_back(target);
    if (!accept(Tok::Comma) || at(Tok::Semi) || at(Tok::Newline))
      break;
  }
  if (raised())
    return nullptr;
  if (!targets.empty() && (at(Tok::Semi) || at(Tok::Newline))) {
    auto *result = node<Delete>(start);
    result->targets = seq(targets);
    return result;
  }
  if (diagnosing && tryMistakes)
    invalidDelStmt(mark);
  return nullptr;
}

Stmt *Parser::assertStmt() {
  SourceLoc start = begin();
  ++pos;
  Expr *test = expression(), *msg = nullptr;
  if (!test)
    return nullptr;
  if (at(Tok::Comma)) {
    Pos comma = pos++;
    msg = expression();
    if (raised())
      return nullptr;
    if (!msg)
      pos = comma;
  }
  auto *result = node<Assert>(start);
  result->test = test;
  result->msg = msg;
  return result;
}

/// `global a, b` and `nonlocal a, b`.
template <typename T> Stmt *Parser::scopeStmt() {
  SourceLoc start = begin();
  ++pos;
  Vec<Identifier> names;
  while (at(Tok::Name)) {
    names.push_back(identifierAt(pos++));
    if (!at(Tok::Comma) || kindAt(pos + 1) != Tok::Name)
      break;
    ++pos;
  }
  if (names.empty())
    return nullptr;
  auto *result = node<T>(start);
  result->names = seq(names);
  return result;
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

/// `a.b.c`; empty when there is no name.
Identifier Parser::dottedName() {
  if (!at(Tok::Name))
    return {};
  Identifier first = identifierAt(pos++);
  if (!at(Tok::Dot))
    return first;
  std::string joined(first);
  while (at(Tok::Dot) && kindAt(pos + 1) == Tok::Name) {
    joined += '.';
    joined += identifierAt(pos + 1);
    pos += 2;
  }
  return arena.intern(joined);
}

Alias *Parser::importAlias(bool dotted) {
  SourceLoc start = begin();
  Identifier imported = dotted ? dottedName() : at(Tok::Name) ? identifierAt(pos++) : Identifier();
  if (imported.empty())
    return nullptr;
  Identifier asname;
  if (at(Tok::KwAs) && kindAt(pos + 1) == Tok::Name) {
    asname = identifierAt(pos + 1);
    pos += 2;
  }
  auto *result = node<Alias>(start);
  result->name = imported;
  result->asname = asname;
  return result;
}

Stmt *Parser::importName() {
  Pos mark = pos;
  SourceLoc start = begin();
  if (diagnosing && tryMistakes) {
    invalidImport(mark);
    if (raised())
      return nullptr;
  }
  pos = mark + 1;
  Vec<Alias *> names;
  while (Alias *alias = importAlias(/*dotted=*/true)) {
    names.push_back(alias);
    if (!at(Tok::Comma) || kindAt(pos + 1) != Tok::Name)
      break;
    ++pos;
  }
  if (names.empty())
    return nullptr;
  auto *result = node<Import>(start);
  result->names = seq(names);
  return result;
}

Stmt *Parser::importFrom() {
  SourceLoc start = begin();
  ++pos;
  unsigned level = 0;
  while (at(Tok::Dot) || at(Tok::Ellipsis)) {
    level += at(Tok::Dot) ? 1 : 3;
    ++pos;
  }
  Identifier module = dottedName();
  if ((module.empty() && level == 0) || !accept(Tok::KwImport))
    return nullptr;
  Vec<Alias *> names;
  if (!importFromNames(names))
    return nullptr;
  auto *result = node<ImportFrom>(start);
  result->module = module;
  result->names = seq(names);
  result->level = level;
  return result;
}

bool Parser::importFromNames(Vec<Alias *> &names) {
  if (at(Tok::Star)) {
    auto *all = node<Alias>(tokenAt(pos++).range);
    all->name = arena.intern("*");
    names.push_back(all);
    return true;
  }
  bool parenthesized = accept(Tok::LPar);
  while (Alias *alias = importAlias(/*dotted=*/false)) {
    names.push_back(alias);
    if (!at(Tok::Comma))
      break;
    if (kindAt(pos + 1) != Tok::Name) {
      if (parenthesized)
        ++pos;
      break;
    }
    ++pos;
  }
  if (names.empty())
    return false;
  if (parenthesized)
    return accept(Tok::RPar);
  if (!at(Tok::Comma))
    return true;
  if (diagnosing && tryMistakes && kindAt(pos + 1) == Tok::Newline)
    raiseAtLast("trailing comma not allowed without surrounding parentheses");
  return false;
}

} // namespace tessera
