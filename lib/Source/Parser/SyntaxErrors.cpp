//===- SyntaxErrors.cpp - the mistakes people make in expressions ---------===//
// Each method knows one kind of mistake and raises its message when the tokens
// at the current position match it. They are tried where CPython tries them
// and in the same order, because the first that matches wins.
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using namespace ast;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string Parser::describe(const Expr *expr) {
  // clang-format off
  switch (expr->kind) {
  case ExprKind::Attribute: return "attribute";
  case ExprKind::Subscript: return "subscript";
  case ExprKind::Starred: return "starred";
  case ExprKind::Name: return "name";
  case ExprKind::List: return "list";
  case ExprKind::Tuple: return "tuple";
  case ExprKind::Lambda: return "lambda";
  case ExprKind::Call: return "function call";
  case ExprKind::BoolOp:
  case ExprKind::BinOp:
  case ExprKind::UnaryOp: return "expression";
  case ExprKind::GeneratorExp: return "generator expression";
  case ExprKind::Yield:
  case ExprKind::YieldFrom: return "yield expression";
  case ExprKind::Await: return "await expression";
  case ExprKind::ListComp: return "list comprehension";
  case ExprKind::SetComp: return "set comprehension";
  case ExprKind::DictComp: return "dict comprehension";
  case ExprKind::Dict: return "dict literal";
  case ExprKind::Set: return "set display";
  case ExprKind::JoinedStr:
  case ExprKind::FormattedValue: return "f-string expression";
  case ExprKind::Compare: return "comparison";
  case ExprKind::IfExp: return "conditional expression";
  case ExprKind::NamedExpr: return "named expression";
  case ExprKind::Slice: return "slice";
  case ExprKind::Constant: break;
  }
  switch (cast<Constant>(expr)->type) {
  case ConstantKind::None: return "None";
  case ConstantKind::True: return "True";
  case ConstantKind::False: return "False";
  case ConstantKind::Ellipsis: return "ellipsis";
  default: return "literal";
  }
  // clang-format on
}

static bool isSoftKeyword(std::string_view word) {
  return word == "match" || word == "case" || word == "type" || word == "_";
}

static bool isLegacyStatement(const Expr *expr) {
  auto *name = dyn_cast<Name>(expr);
  return name && (name->id == "print" || name->id == "exec");
}

//===----------------------------------------------------------------------===//
// expression
//===----------------------------------------------------------------------===//

Expr *Parser::expressionWithoutInvalid() {
  bool saved = tryMistakes;
  tryMistakes = false;
  Pos mark = pos;
  Expr *result = nullptr;
  if (at(Tok::KwLambda)) {
    result = lambda();
  } else if ((result = disjunction()) && at(Tok::KwIf)) {
    mark = pos++;
    bool whole = disjunction() && accept(Tok::KwElse);
    Expr *orelse = whole ? expression() : nullptr;
    if (orelse) {
      auto *conditional = node<IfExp>(result->range.begin);
      result = conditional;
    } else {
      pos = mark;
    }
  }
  tryMistakes = saved;
  return raised() ? nullptr : result;
}

void Parser::invalidExpression() {
  Pos mark = pos;
  bool skip = at(Tok::Name) && (isSoftKeyword(textAt(pos)) || kindAt(pos + 1) == Tok::String);
  Expr *first = nullptr;
  if (!skip) {
    // Two expressions side by side.
    first = disjunction();
    Expr *second = first ? expressionWithoutInvalid() : nullptr;
    if (second) {
      if (!isLegacyStatement(first) && tokenAt(pos - 1).level != 0)
        raise(span(first->range, second->range), "invalid syntax. Perhaps you forgot a comma?");
      pos = mark;
      return;
    }
  }
  if (raised())
    return;
  pos = mark;
  first = disjunction();
  if (first && accept(Tok::KwIf)) {
    Expr *test = disjunction();
    if (test && !at(Tok::KwElse) && !at(Tok::Colon)) {
      raise(span(first->range, test->range), "expected 'else' after 'if' expression");
      return;
    }
  }
  if (raised())
    return;
  pos = mark;
  if (at(Tok::KwLambda)) {
    SourceRange word = tokenAt(pos).range;
    ++pos;
    bool parsed = parameters(/*isLambda=*/true);
    if (!raised() && parsed && at(Tok::Colon)) {
      SourceRange colon = tokenAt(pos).range;
      if (kindAt(pos + 1) == Tok::FStringMiddle)
        raise(span(word, colon),
              "f-string: lambda expressions are not allowed without parentheses");
    }
  }
  pos = mark;
}

/// `print x` and `exec x`.
void Parser::invalidLegacyExpression() {
  if (!at(Tok::Name) || kindAt(pos + 1) == Tok::LPar)
    return;
  Pos mark = pos;
  Name *function = name(pos++);
  Expr *argument = starExpressions();
  pos = mark;
  if (!argument || !isLegacyStatement(function))
    return;
  std::string id(function->id);
  raise(span(function->range, argument->range),
        "Missing parentheses in call to '" + id + "'. Did you mean " + id + "(...)?");
}

//===----------------------------------------------------------------------===//
// named_expression
//===----------------------------------------------------------------------===//

void Parser::invalidNamedExpression() {
  Pos mark = pos;
  remember<Expr>(Rule::InvalidNamed, [&]() -> Expr * {
    invalidNamedExpressionOnce();
    pos = mark;
    return nullptr;
  });
  pos = mark;
}

void Parser::invalidNamedExpressionOnce() {
  Pos mark = pos;
  Expr *first = expression();
  if (first && accept(Tok::ColonEqual) && expression())
    raise(first, "cannot use assignment expressions with " + describe(first));
  if (raised())
    return;
  pos = mark;
  auto endsHere = [&] { return !at(Tok::Equal) && !at(Tok::ColonEqual); };
  if (at(Tok::Name) && kindAt(pos + 1) == Tok::Equal) {
    SourceRange target = tokenAt(pos).range;
    pos += 2;
    Expr *value = bitwiseOr();
    if (value && endsHere())
      raise(span(target, value->range),
            "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    if (raised())
      return;
    pos = mark;
  }
  if (at(Tok::KwTrue) || at(Tok::KwFalse) || at(Tok::KwNone))
    return;
  if (at(Tok::LSqb)) {
    Expr *list = listInOrder();
    if (raised() || (list && isa<List>(list)))
      return;
  } else if (at(Tok::LPar)) {
    Expr *other = tuple();
    if (!other && !raised()) {
      pos = mark;
      other = genexp();
    }
    if (raised() || other)
      return;
  }
  pos = mark;
  Expr *target = bitwiseOr();
  if (target && accept(Tok::Equal) && bitwiseOr() && endsHere())
    raise(target,
          "cannot assign to " + describe(target) + " here. Maybe you meant '==' instead of '='?");
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// The part of a target list that cannot be assigned to or deleted.
Expr *Parser::findInvalidTarget(Expr *expr, bool isDel, bool isFor) {
  auto search = [&](Seq<Expr *> elements) -> Expr * {
    for (Expr *element : elements)
      if (Expr *invalid = findInvalidTarget(element, isDel, isFor))
        return invalid;
    return nullptr;
  };
  if (auto *tuple = dyn_cast<Tuple>(expr))
    return search(tuple->elts);
  if (auto *list = dyn_cast<List>(expr))
    return search(list->elts);
  if (auto *starred = dyn_cast<Starred>(expr))
    return isDel ? expr : findInvalidTarget(starred->value, isDel, isFor);
  if (auto *compare = dyn_cast<Compare>(expr); compare && isFor) // `for f() in x`
    return compare->ops[0] == CmpOp::In ? findInvalidTarget(compare->left, isDel, isFor) : nullptr;
  return isSingleTarget(expr) ? nullptr : expr;
}

void Parser::invalidTarget(Expr *expr, bool isDel, bool isFor) {
  if (Expr *invalid = findInvalidTarget(expr, isDel, isFor))
    raise(invalid, (isDel ? "cannot delete " : "cannot assign to ") + describe(invalid));
}

void Parser::invalidForTarget() {
  Pos mark = pos;
  accept(Tok::KwAsync);
  if (accept(Tok::KwFor))
    if (Expr *target = starExpressions())
      invalidTarget(target, /*isDel=*/false, /*isFor=*/true);
  pos = mark;
}

void Parser::invalidDelStmt(Pos del) {
  pos = del + 1;
  if (Expr *target = starExpressions())
    invalidTarget(target, /*isDel=*/true, /*isFor=*/false);
}

/// A list or tuple, in any number of brackets.
Expr *Parser::invalidAnnotationTarget() {
  Pos mark = pos;
  if (at(Tok::LSqb)) {
    Expr *list = listInOrder();
    return list && isa<List>(list) ? list : nullptr;
  }
  if (!at(Tok::LPar))
    return nullptr;
  if (Expr *result = tuple())
    return result;
  if (raised())
    return nullptr;
  pos = mark + 1;
  DepthGuard guard(*this);
  Expr *inner = guard.ok ? invalidAnnotationTarget() : nullptr;
  return inner && accept(Tok::RPar) ? inner : nullptr;
}

static bool isAugmented(Tok kind) { return kind >= Tok::PlusEqual && kind <= Tok::CaretEqual; }

/// `a, b: int` and `f(): int`.
void Parser::invalidAnnotation() {
  Pos mark = pos;
  Expr *target = invalidAnnotationTarget();
  if (target && accept(Tok::Colon) && expression()) {
    raise(target, "only single target (not " + describe(target) + ") can be annotated");
    return;
  }
  pos = mark;
  if (raised())
    return;
  target = startsExpression(kind()) || at(Tok::Star) ? starNamedExpression() : nullptr;
  if (target && accept(Tok::Comma)) {
    for (bool more = true; more;) {
      Pos before = pos;
      Vec<Expr *> elements;
      more = starNamedExpressions(elements);
      if (raised())
        return;
      if (!more)
        pos = before;
    }
    if (accept(Tok::Colon) && expression()) {
      raise(target, "only single target (not tuple) can be annotated");
      return;
    }
  }
  pos = mark;
  if (raised())
    return;
  target = expression();
  if (target && accept(Tok::Colon) && expression())
    raise(target, "illegal target for annotation");
}

void Parser::invalidAssignment() {
  Pos mark = pos;
  invalidAnnotation();
  pos = mark;
  if (raised())
    return;
  for (;;) {
    Pos before = pos;
    if (starTargets() && accept(Tok::Equal))
      continue;
    if (raised())
      return;
    pos = before;
    break;
  }
  Pos afterTargets = pos;
  Expr *target = starExpressions();
  if (target && at(Tok::Equal)) {
    invalidTarget(target, /*isDel=*/false, /*isFor=*/false);
    pos = mark;
    return;
  }
  if (raised())
    return;
  pos = afterTargets;
  target = yieldExpr();
  if (target && at(Tok::Equal)) {
    raise(target, "assignment to yield expression not possible");
    return;
  }
  pos = mark;
  if (raised())
    return;
  target = starExpressions();
  if (target && isAugmented(kind())) {
    ++pos;
    if (yieldOrStarExpressions())
      raise(target, "'" + describe(target) + "' is an illegal expression for augmented assignment");
  }
  pos = mark;
}

//===----------------------------------------------------------------------===//
// Replacement fields of f-strings
//===----------------------------------------------------------------------===//

bool Parser::atAny(std::initializer_list<Tok> kinds) {
  for (Tok wanted : kinds)
    if (at(wanted))
      return true;
  return false;
}

void Parser::invalidReplacementField() {
  Pos open = pos;
  auto before = [&](const char *what) {
    raiseAtToken(open + 1,
                 std::string("f-string: valid expression required before '") + what + "'");
  };
  ++pos;
  switch (kind()) {
  case Tok::Equal:
    return before("=");
  case Tok::Exclamation:
    return before("!");
  case Tok::Colon:
    return before(":");
  case Tok::RBrace:
    return before("}");
  default:
    break;
  }
  if (!yieldOrStarExpressions()) {
    if (!raised())
      raiseAtToken(open + 1, "f-string: expecting a valid expression after '{'");
    return;
  }
  if (!atAny({Tok::Equal, Tok::Exclamation, Tok::Colon, Tok::RBrace})) {
    if (!raised())
      raiseAtToken(pos, "f-string: expecting '=', or '!', or ':', or '}'");
    return;
  }
  if (accept(Tok::Equal) && !atAny({Tok::Exclamation, Tok::Colon, Tok::RBrace})) {
    if (!raised())
      raiseAtToken(pos, "f-string: expecting '!', or ':', or '}'");
    return;
  }
  invalidFieldEnd();
}

/// After the expression and `=`: a conversion, a format specification, and the closing brace.
void Parser::invalidFieldEnd() {
  if (accept(Tok::Exclamation)) {
    if (atAny({Tok::Colon, Tok::RBrace})) {
      raiseAtToken(pos, "f-string: missing conversion character");
      return;
    }
    if (!accept(Tok::Name)) {
      raiseAtToken(pos, "f-string: invalid conversion character");
      return;
    }
    if (!atAny({Tok::Colon, Tok::RBrace})) {
      raiseAtToken(pos, "f-string: expecting ':' or '}'");
      return;
    }
  }
  if (accept(Tok::Colon)) {
    while (at(Tok::FStringMiddle) || at(Tok::LBrace)) {
      Expr *part = at(Tok::LBrace) ? fstringField(true) : fstringMiddle(true);
      if (!part)
        break;
    }
    if (!raised() && !at(Tok::RBrace))
      raiseAtToken(pos, "f-string: expecting '}', or format specs");
    return;
  }
  if (!raised() && !at(Tok::RBrace))
    raiseAtToken(pos, "f-string: expecting '}'");
}

} // namespace tessera
