//===- ParserExpressions.cpp - from yield down to primaries ---------------===//
// Binary operators are read by precedence climbing. A rule that has matched a
// prefix and then fails goes back to the prefix, as the grammar's ordered
// alternatives do: `a not b` is the expression `a`, and whoever called sees
// `not`.
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::isa;
using namespace ast;

//===----------------------------------------------------------------------===//
// expression: conditional, lambda
//===----------------------------------------------------------------------===//

Expr *Parser::expression() {
  if (!diagnosing)
    return expressionAlternatives();
  return remember<Expr>(Rule::Expression, [&] { return expressionAlternatives(); });
}

Expr *Parser::expressionAlternatives() {
  DepthGuard guard(*this);
  if (!guard.ok)
    return nullptr;
  if (diagnosing && tryMistakes) {
    invalidExpression();
    if (!raised())
      invalidLegacyExpression();
    if (raised())
      return nullptr;
  }
  if (at(Tok::KwLambda))
    return lambda();
  SourceLoc start = begin();
  Expr *body = disjunction();
  if (!body || !at(Tok::KwIf))
    return body;
  Pos mark = pos++;
  Expr *test = disjunction();
  if (!test || !accept(Tok::KwElse)) {
    pos = mark;
    return raised() ? nullptr : body;
  }
  Expr *orelse = expression();
  if (!orelse) {
    pos = mark;
    return raised() ? nullptr : body;
  }
  auto *result = node<IfExp>(start);
  result->test = test;
  result->body = body;
  result->orelse = orelse;
  return seal(result, {test, body, orelse});
}

Expr *Parser::lambda() {
  SourceLoc start = begin();
  ++pos;
  Arguments *args = parameters(/*isLambda=*/true);
  if (!args || !accept(Tok::Colon))
    return nullptr;
  Expr *body = expression();
  if (!body)
    return nullptr;
  auto *result = node<Lambda>(start);
  result->args = args;
  result->body = body;
  if (!seal(result, {body}, args->defaults))
    return nullptr;
  unsigned depth = result->depth;
  if (!seal(result, {}, args->kw_defaults))
    return nullptr;
  result->depth = static_cast<uint16_t>(std::max<unsigned>(depth, result->depth));
  return result;
}

//===----------------------------------------------------------------------===//
// or, and, not
//===----------------------------------------------------------------------===//

/// operand (`or` operand)*, and the same for `and`.
Expr *Parser::boolOperation(Rule rule, Tok keyword, BoolOperator op, Expr *(Parser::*operand)()) {
  auto parse = [&]() -> Expr * {
    SourceLoc start = begin();
    Expr *first = (this->*operand)();
    if (!first || !at(keyword))
      return first;
    Vec<Expr *> values{first};
    while (at(keyword)) {
      Pos mark = pos++;
      Expr *next = (this->*operand)();
      if (!next) {
        if (raised())
          return nullptr;
        pos = mark;
        break;
      }
      values.push_back(next);
    }
    if (values.size() == 1)
      return first;
    auto *result = node<BoolOp>(start);
    result->op = op;
    result->values = seq(values);
    return seal(result, {}, result->values);
  };
  return diagnosing ? remember<Expr>(rule, parse) : parse();
}

Expr *Parser::disjunction() {
  return boolOperation(Rule::Disjunction, Tok::KwOr, BoolOperator::Or, &Parser::conjunction);
}

Expr *Parser::conjunction() {
  return boolOperation(Rule::Conjunction, Tok::KwAnd, BoolOperator::And, &Parser::inversion);
}

/// `not not x`, without recursion.
Expr *Parser::inversion() {
  if (!at(Tok::KwNot))
    return comparison();
  auto parse = [&]() -> Expr * {
    Vec<SourceLoc> starts;
    while (at(Tok::KwNot)) {
      starts.push_back(begin());
      ++pos;
    }
    Expr *result = comparison();
    while (result && !starts.empty()) {
      auto *inverted = node<UnaryOp>(starts.pop_back_val());
      inverted->op = UnaryOperator::Not;
      inverted->operand = result;
      result = seal(inverted, {result});
    }
    return result;
  };
  return diagnosing ? remember<Expr>(Rule::Inversion, parse) : parse();
}

//===----------------------------------------------------------------------===//
// Comparisons and arithmetic
//===----------------------------------------------------------------------===//

std::optional<CmpOp> Parser::comparisonOperator() {
  switch (kind()) {
  case Tok::EqEqual:
    ++pos;
    return CmpOp::Eq;
  case Tok::NotEqual:
    ++pos;
    return CmpOp::NotEq;
  case Tok::Less:
    ++pos;
    return CmpOp::Lt;
  case Tok::LessEqual:
    ++pos;
    return CmpOp::LtE;
  case Tok::Greater:
    ++pos;
    return CmpOp::Gt;
  case Tok::GreaterEqual:
    ++pos;
    return CmpOp::GtE;
  case Tok::KwIn:
    ++pos;
    return CmpOp::In;
  case Tok::KwIs:
    ++pos;
    return accept(Tok::KwNot) ? CmpOp::IsNot : CmpOp::Is;
  case Tok::KwNot:
    ++pos;
    if (accept(Tok::KwIn))
      return CmpOp::NotIn;
    --pos;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

Expr *Parser::comparison() {
  SourceLoc start = begin();
  Expr *left = bitwiseOr();
  if (!left)
    return nullptr;
  Vec<CmpOp> ops;
  Vec<Expr *> comparators;
  for (;;) {
    Pos mark = pos;
    std::optional<CmpOp> op = comparisonOperator();
    Expr *right = op ? bitwiseOr() : nullptr;
    if (op && !right && raised())
      return nullptr;
    if (!right) {
      pos = mark;
      break;
    }
    ops.push_back(*op);
    comparators.push_back(right);
  }
  if (ops.empty())
    return left;
  auto *result = node<Compare>(start);
  result->left = left;
  result->ops = seq(ops);
  result->comparators = seq(comparators);
  return seal(result, {left}, result->comparators);
}

namespace {
struct BinaryOperator {
  int precedence = 0; // 0: not a binary operator
  Operator op = Operator::Add;
};
} // namespace

static BinaryOperator binaryOperator(Tok kind) {
  // clang-format off
  switch (kind) {
  case Tok::VBar: return {1, Operator::BitOr};
  case Tok::Caret: return {2, Operator::BitXor};
  case Tok::Amper: return {3, Operator::BitAnd};
  case Tok::LeftShift: return {4, Operator::LShift};
  case Tok::RightShift: return {4, Operator::RShift};
  case Tok::Plus: return {5, Operator::Add};
  case Tok::Minus: return {5, Operator::Sub};
  case Tok::Star: return {6, Operator::Mult};
  case Tok::Slash: return {6, Operator::Div};
  case Tok::DoubleSlash: return {6, Operator::FloorDiv};
  case Tok::Percent: return {6, Operator::Mod};
  case Tok::At: return {6, Operator::MatMult};
  default: return {};
  }
  // clang-format on
}

Expr *Parser::bitwiseOr() {
  if (!diagnosing)
    return binary(1);
  return remember<Expr>(Rule::BitwiseOr, [&] { return binary(1); });
}

Expr *Parser::binary(int minPrecedence) {
  SourceLoc start = begin();
  Expr *left = factor();
  while (left) {
    BinaryOperator op = binaryOperator(kind());
    if (op.precedence == 0 || op.precedence < minPrecedence)
      return left;
    Pos mark = pos++;
    Expr *right = binary(op.precedence + 1);
    if (!right) {
      pos = mark;
      return raised() ? nullptr : left;
    }
    auto *result = node<BinOp>(start);
    result->op = op.op;
    result->left = left;
    result->right = right;
    left = seal(result, {left, right});
  }
  return nullptr;
}

static bool unaryOperator(Tok kind, UnaryOperator &op) {
  switch (kind) {
  case Tok::Plus:
    op = UnaryOperator::UAdd;
    return true;
  case Tok::Minus:
    op = UnaryOperator::USub;
    return true;
  case Tok::Tilde:
    op = UnaryOperator::Invert;
    return true;
  default:
    return false;
  }
}

/// Signs, without recursion.
Expr *Parser::factor() {
  UnaryOperator op;
  if (!unaryOperator(kind(), op))
    return power();
  Vec<std::pair<SourceLoc, UnaryOperator>> signs;
  while (unaryOperator(kind(), op)) {
    signs.push_back({begin(), op});
    ++pos;
  }
  Expr *result = power();
  while (result && !signs.empty()) {
    auto [start, sign] = signs.pop_back_val();
    auto *signedExpr = node<UnaryOp>(start);
    signedExpr->op = sign;
    signedExpr->operand = result;
    result = seal(signedExpr, {result});
  }
  return result;
}

Expr *Parser::power() {
  SourceLoc start = begin();
  Expr *left = awaitPrimary();
  if (!left || !at(Tok::DoubleStar))
    return left;
  DepthGuard guard(*this);
  if (!guard.ok)
    return nullptr;
  Pos mark = pos++;
  Expr *right = factor();
  if (!right) {
    pos = mark;
    return raised() ? nullptr : left;
  }
  auto *result = node<BinOp>(start);
  result->op = Operator::Pow;
  result->left = left;
  result->right = right;
  return seal(result, {left, right});
}

Expr *Parser::awaitPrimary() {
  if (!at(Tok::KwAwait))
    return primary();
  SourceLoc start = begin();
  ++pos;
  Expr *value = primary();
  if (!value)
    return nullptr;
  auto *result = node<Await>(start);
  result->value = value;
  return seal(result, {value});
}

//===----------------------------------------------------------------------===//
// Primaries: attributes, calls, subscripts
//===----------------------------------------------------------------------===//

Expr *Parser::primary() {
  if (!diagnosing)
    return primaryWithSuffixes();
  return remember<Expr>(Rule::Primary, [&] { return primaryWithSuffixes(); });
}

Expr *Parser::primaryWithSuffixes() {
  SourceLoc start = begin();
  Expr *value = atom();
  while (value) {
    Pos mark = pos;
    Expr *next = nullptr;
    if (diagnosing && tryMistakes && (at(Tok::LBrace) || at(Tok::LSqb))) {
      invalidComprehension();
      if (raised())
        return nullptr;
    }
    switch (kind()) {
    case Tok::Dot:
      next = attribute(value, start);
      break;
    case Tok::LPar:
      next = call(value, start);
      break;
    case Tok::LSqb:
      next = subscript(value, start);
      break;
    default:
      return value;
    }
    if (!next) {
      pos = mark;
      return raised() ? nullptr : value;
    }
    value = next;
  }
  return nullptr;
}

Expr *Parser::attribute(Expr *value, SourceLoc start) {
  ++pos;
  if (!at(Tok::Name))
    return nullptr;
  Identifier attr = identifierAt(pos++);
  auto *result = node<Attribute>(start);
  result->value = value;
  result->attr = attr;
  return seal(result, {value});
}

Expr *Parser::subscript(Expr *value, SourceLoc start) {
  ++pos;
  Expr *index = slices();
  if (!index || !accept(Tok::RSqb))
    return nullptr;
  auto *result = node<Subscript>(start);
  result->value = value;
  result->slice = index;
  return seal(result, {value, index});
}

Expr *Parser::slices() {
  SourceLoc start = begin();
  auto element = [&] { return at(Tok::Star) ? starredExpression() : slice(); };
  Expr *first = element();
  if (!first)
    return nullptr;
  if (!at(Tok::Comma) && !isa<Starred>(first))
    return first;
  Vec<Expr *> elements{first};
  while (accept(Tok::Comma)) {
    Pos mark = pos;
    Expr *next = at(Tok::RSqb) ? nullptr : element();
    if (!next) {
      if (raised())
        return nullptr;
      pos = mark;
      break;
    }
    elements.push_back(next);
  }
  auto *result = node<Tuple>(start);
  result->elts = seq(elements);
  return seal(result, {}, result->elts);
}

Expr *Parser::slice() {
  SourceLoc start = begin();
  Pos mark = pos;
  Expr *lower = nullptr;
  if (!at(Tok::Colon)) {
    // Diagnose mode keeps the grammar's order: `expression ':'` comes first.
    bool named = at(Tok::Name) && kindAt(pos + 1) == Tok::ColonEqual;
    lower = diagnosing ? expression() : namedExpression();
    if (raised() || (!lower && !diagnosing))
      return nullptr;
    bool isSlice = lower && at(Tok::Colon) && !named;
    if (diagnosing && !isSlice) {
      pos = mark;
      return namedExpression();
    }
    if (!isSlice)
      return lower;
  }
  ++pos;
  auto optional = [&]() -> Expr * {
    Pos before = pos;
    Expr *part = startsExpression(kind()) ? expression() : nullptr;
    if (!part)
      pos = before;
    return part;
  };
  Expr *upper = optional(), *step = nullptr;
  if (!raised() && accept(Tok::Colon))
    step = optional();
  if (raised())
    return nullptr;
  auto *result = node<Slice>(start);
  result->lower = lower;
  result->upper = upper;
  result->step = step;
  return seal(result, {lower, upper, step});
}

//===----------------------------------------------------------------------===//
// Assignment expressions, stars, tuples, yield
//===----------------------------------------------------------------------===//

/// `name := value`, when the two tokens say so.
Expr *Parser::assignmentExpression() {
  if (!at(Tok::Name) || kindAt(pos + 1) != Tok::ColonEqual)
    return nullptr;
  SourceLoc start = begin();
  Name *target = name(pos, ExprContext::Store);
  pos += 2;
  Expr *value = expression();
  if (!value)
    return nullptr;
  auto *result = node<NamedExpr>(start);
  result->target = target;
  result->value = value;
  return seal(result, {target, value});
}

Expr *Parser::namedExpression() {
  if (at(Tok::Name) && kindAt(pos + 1) == Tok::ColonEqual)
    return assignmentExpression();
  if (diagnosing && tryMistakes) {
    invalidNamedExpression();
    if (raised())
      return nullptr;
  }
  Expr *result = expression();
  return result && !at(Tok::ColonEqual) ? result : nullptr;
}

Expr *Parser::starExpression() {
  auto parse = [&]() -> Expr * {
    if (!at(Tok::Star))
      return expression();
    SourceLoc start = begin();
    ++pos;
    Expr *value = bitwiseOr();
    if (!value)
      return nullptr;
    auto *result = node<Starred>(start);
    result->value = value;
    return seal(result, {value});
  };
  return diagnosing ? remember<Expr>(Rule::StarExpression, parse) : parse();
}

Expr *Parser::starNamedExpression() { return at(Tok::Star) ? starExpression() : namedExpression(); }

/// `*expression`, as call arguments and subscripts have it.
Expr *Parser::starredExpression() {
  if (!at(Tok::Star))
    return nullptr;
  SourceLoc start = begin();
  if (diagnosing && tryMistakes) {
    invalidStarredExpression();
    if (raised())
      return nullptr;
  }
  ++pos;
  Expr *value = expression();
  if (!value)
    return nullptr;
  auto *result = node<Starred>(start);
  result->value = value;
  return seal(result, {value});
}

Expr *Parser::tupleAfter(Expr *first, SourceLoc start, Expr *(Parser::*item)()) {
  Vec<Expr *> elements{first};
  while (accept(Tok::Comma)) {
    Pos mark = pos;
    Expr *next = startsExpression(kind()) || at(Tok::Star) ? (this->*item)() : nullptr;
    if (!next) {
      if (raised())
        return nullptr;
      pos = mark;
      break;
    }
    elements.push_back(next);
  }
  auto *result = node<Tuple>(start);
  result->elts = seq(elements);
  return seal(result, {}, result->elts);
}

Expr *Parser::starExpressions() {
  SourceLoc start = begin();
  Expr *first = starExpression();
  if (!first || !at(Tok::Comma))
    return first;
  return tupleAfter(first, start, &Parser::starExpression);
}

/// One or more, with an optional comma at the end.
bool Parser::starNamedExpressions(Vec<Expr *> &elements) {
  Expr *first = starNamedExpression();
  if (!first)
    return false;
  elements.push_back(first);
  while (accept(Tok::Comma)) {
    Pos mark = pos;
    Expr *next = startsExpression(kind()) || at(Tok::Star) ? starNamedExpression() : nullptr;
    if (!next) {
      pos = mark;
      return !raised();
    }
    elements.push_back(next);
  }
  return true;
}

Expr *Parser::yieldExpr() {
  if (!at(Tok::KwYield))
    return nullptr;
  SourceLoc start = begin();
  ++pos;
  Pos afterYield = pos;
  if (accept(Tok::KwFrom)) {
    if (Expr *value = expression()) {
      auto *result = node<YieldFrom>(start);
      result->value = value;
      return seal(result, {value});
    }
    if (raised())
      return nullptr;
    pos = afterYield;
  }
  Expr *value = startsExpression(kind()) || at(Tok::Star) ? starExpressions() : nullptr;
  if (raised())
    return nullptr;
  if (!value)
    pos = afterYield;
  auto *result = node<Yield>(start);
  result->value = value;
  return seal(result, {value});
}

Expr *Parser::yieldOrStarExpressions() {
  return at(Tok::KwYield) ? yieldExpr() : starExpressions();
}

} // namespace tessera
