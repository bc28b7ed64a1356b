//===- ParserPatterns.cpp - the patterns of match statements --------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using namespace ast;

//===----------------------------------------------------------------------===//
// Sequences, alternatives, `as`
//===----------------------------------------------------------------------===//

/// The top of a case: a pattern, or a sequence without brackets.
Pattern *Parser::patterns() {
  SourceLoc start = begin();
  Pattern *first = maybeStarPattern();
  if (!first)
    return nullptr;
  if (!at(Tok::Comma))
    return isa<MatchStar>(first) ? nullptr : first;
  Vec<Pattern *> elements{first};
  while (accept(Tok::Comma)) {
    Pos mark = pos;
    Pattern *next = at(Tok::Colon) || at(Tok::KwIf) ? nullptr : maybeStarPattern();
    if (!next) {
      if (raised())
        return nullptr;
      pos = mark;
      break;
    }
    elements.push_back(next);
  }
  auto *result = node<MatchSequence>(start);
  result->patterns = seq(elements);
  return result;
}

Pattern *Parser::maybeStarPattern() {
  if (!at(Tok::Star))
    return pattern();
  SourceLoc start = begin();
  ++pos;
  Identifier id;
  if (!atName("_")) {
    if (!atCaptureTarget())
      return nullptr;
    id = identifierAt(pos);
  }
  ++pos;
  auto *result = node<MatchStar>(start);
  result->name = id;
  return result;
}

Pattern *Parser::pattern() {
  DepthGuard guard(*this);
  if (!guard.ok)
    return nullptr;
  SourceLoc start = begin();
  Pattern *inner = orPattern();
  if (!inner || !at(Tok::KwAs))
    return inner;
  Pos as = pos++;
  if (!atCaptureTarget()) {
    if (diagnosing && tryMistakes && !raised()) {
      if (atName("_"))
        return raiseAtToken(pos, "cannot use '_' as a target");
      if (!at(Tok::Name))
        if (Expr *target = expression())
          return raise(target, "invalid pattern target");
      if (raised())
        return nullptr;
    }
    pos = as;
    return inner;
  }
  Identifier id = identifierAt(pos++);
  auto *result = node<MatchAs>(start);
  result->pattern = inner;
  result->name = id;
  return result;
}

Pattern *Parser::orPattern() {
  SourceLoc start = begin();
  Pattern *first = closedPattern();
  if (!first || !at(Tok::VBar))
    return first;
  Vec<Pattern *> alternatives{first};
  while (at(Tok::VBar)) {
    Pos mark = pos++;
    Pattern *next = closedPattern();
    if (!next) {
      if (raised())
        return nullptr;
      pos = mark;
      break;
    }
    alternatives.push_back(next);
  }
  if (alternatives.size() == 1)
    return first;
  auto *result = node<MatchOr>(start);
  result->patterns = seq(alternatives);
  return result;
}

Pattern *Parser::closedPattern() {
  switch (kind()) {
  case Tok::Number:
  case Tok::Minus:
  case Tok::String:
  case Tok::FStringStart:
  case Tok::KwNone:
  case Tok::KwTrue:
  case Tok::KwFalse:
    return literalPattern();
  case Tok::Name:
    return namePattern();
  case Tok::LPar:
    return sequencePattern(Tok::RPar);
  case Tok::LSqb:
    return sequencePattern(Tok::RSqb);
  case Tok::LBrace:
    return mappingPattern();
  default:
    return nullptr;
  }
}

/// `(p)` is a group, `(p,)` and `[p]` are sequences.
Pattern *Parser::sequencePattern(Tok close) {
  SourceLoc start = begin();
  ++pos;
  Vec<Pattern *> elements;
  bool comma = false;
  while (!at(close)) {
    Pattern *element = maybeStarPattern();
    if (!element)
      return nullptr;
    elements.push_back(element);
    if (!accept(Tok::Comma))
      break;
    comma = true;
  }
  if (!accept(close))
    return nullptr;
  if (close == Tok::RPar && !comma && elements.size() == 1)
    return isa<MatchStar>(elements[0]) ? nullptr : elements[0];
  auto *result = node<MatchSequence>(start);
  result->patterns = seq(elements);
  return result;
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

Pattern *Parser::literalPattern() {
  SourceLoc start = begin();
  ConstantKind singleton = at(Tok::KwNone)   ? ConstantKind::None
                           : at(Tok::KwTrue) ? ConstantKind::True
                                             : ConstantKind::False;
  if (at(Tok::KwNone) || at(Tok::KwTrue) || at(Tok::KwFalse)) {
    ++pos;
    auto *result = node<MatchSingleton>(start);
    result->value = singleton;
    return result;
  }
  Expr *value = literalExpr();
  if (!value)
    return nullptr;
  auto *result = node<MatchValue>(start);
  result->value = value;
  return result;
}

/// A number, a complex number `a + bj`, strings, or a singleton.
Expr *Parser::literalExpr() {
  SourceRange range = tokenAt(pos).range;
  switch (kind()) {
  case Tok::String:
  case Tok::FStringStart:
    return strings();
  case Tok::KwNone:
    ++pos;
    return constant(ConstantKind::None, range);
  case Tok::KwTrue:
    ++pos;
    return constant(ConstantKind::True, range);
  case Tok::KwFalse:
    ++pos;
    return constant(ConstantKind::False, range);
  default:
    break;
  }
  SourceLoc start = begin();
  Expr *real = signedNumber();
  if (!real || (!at(Tok::Plus) && !at(Tok::Minus)))
    return real;
  auto *literal = dyn_cast<Constant>(real);
  if (!literal)
    literal = cast<Constant>(cast<UnaryOp>(real)->operand);
  if (literal->type == ConstantKind::Complex)
    return raise(literal, "real number required in complex literal");
  Operator op = at(Tok::Plus) ? Operator::Add : Operator::Sub;
  ++pos;
  if (!at(Tok::Number))
    return nullptr;
  Expr *imaginary = number();
  if (!imaginary)
    return nullptr;
  if (cast<Constant>(imaginary)->type != ConstantKind::Complex)
    return raise(imaginary, "imaginary number required in complex literal");
  auto *result = node<BinOp>(start);
  result->op = op;
  result->left = real;
  result->right = imaginary;
  return seal(result, {real, imaginary});
}

Expr *Parser::signedNumber() {
  SourceLoc start = begin();
  bool negative = accept(Tok::Minus);
  if (!at(Tok::Number))
    return nullptr;
  Expr *value = number();
  if (!value || !negative)
    return value;
  auto *result = node<UnaryOp>(start);
  result->op = UnaryOperator::USub;
  result->operand = value;
  return seal(result, {value});
}

//===----------------------------------------------------------------------===//
// Names: captures, values, classes
//===----------------------------------------------------------------------===//

/// A name that a pattern may bind.
bool Parser::atCaptureTarget() {
  if (!at(Tok::Name) || textAt(pos) == "_")
    return false;
  Tok next = kindAt(pos + 1);
  return next != Tok::Dot && next != Tok::LPar && next != Tok::Equal;
}

Expr *Parser::nameOrAttr() {
  if (!at(Tok::Name))
    return nullptr;
  SourceLoc start = begin();
  Expr *value = name(pos++);
  while (value && at(Tok::Dot) && kindAt(pos + 1) == Tok::Name) {
    Identifier attr = identifierAt(pos + 1);
    pos += 2;
    auto *next = node<Attribute>(start);
    next->value = value;
    next->attr = attr;
    value = seal(next, {value});
  }
  return value;
}

Pattern *Parser::namePattern() {
  SourceLoc start = begin();
  if (atCaptureTarget()) {
    Identifier id = identifierAt(pos++);
    auto *result = node<MatchAs>(start);
    result->name = id;
    return result;
  }
  if (textAt(pos) == "_" && kindAt(pos + 1) != Tok::Dot && kindAt(pos + 1) != Tok::LPar) {
    ++pos;
    return node<MatchAs>(start);
  }
  Expr *value = nameOrAttr();
  if (!value)
    return nullptr;
  if (at(Tok::LPar))
    return classPattern(start, value);
  if (isa<Name>(value) || at(Tok::Dot) || at(Tok::Equal))
    return nullptr;
  auto *result = node<MatchValue>(start);
  result->value = value;
  return result;
}

Pattern *Parser::classPattern(SourceLoc start, Expr *cls) {
  Pos open = pos++;
  MatchClass *result = arena.make<MatchClass>();
  if (!classArguments(result) || !accept(Tok::RPar)) {
    if (diagnosing && tryMistakes && !raised())
      invalidClassPattern(open);
    return nullptr;
  }
  result->cls = cls;
  result->range = from(start);
  return result;
}

bool Parser::classArguments(MatchClass *node) {
  Vec<Pattern *> positional, keywordPatterns;
  Vec<Identifier> keywords;
  while (!at(Tok::RPar)) {
    if (at(Tok::Name) && kindAt(pos + 1) == Tok::Equal) {
      keywords.push_back(identifierAt(pos));
      pos += 2;
      Pattern *value = pattern();
      if (!value)
        return false;
      keywordPatterns.push_back(value);
    } else {
      Pattern *value = keywords.empty() ? pattern() : nullptr;
      if (!value)
        return false;
      positional.push_back(value);
    }
    if (!accept(Tok::Comma))
      break;
  }
  node->patterns = seq(positional);
  node->kwd_attrs = seq(keywords);
  node->kwd_patterns = seq(keywordPatterns);
  return true;
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

Expr *Parser::mappingKey() {
  if (!at(Tok::Name))
    return literalExpr();
  Expr *key = nameOrAttr();
  return key && isa<Attribute>(key) ? key : nullptr;
}

Pattern *Parser::mappingPattern() {
  SourceLoc start = begin();
  ++pos;
  Vec<Expr *> keys;
  Vec<Pattern *> values;
  Identifier rest;
  while (!at(Tok::RBrace)) {
    if (accept(Tok::DoubleStar)) {
      if (!atCaptureTarget())
        return nullptr;
      rest = identifierAt(pos++);
      accept(Tok::Comma);
      break; // nothing may follow
    }
    Expr *key = mappingKey();
    if (!key || !accept(Tok::Colon))
      return nullptr;
    Pattern *value = pattern();
    if (!value)
      return nullptr;
    keys.push_back(key);
    values.push_back(value);
    if (!accept(Tok::Comma))
      break;
  }
  if (!accept(Tok::RBrace))
    return nullptr;
  auto *result = node<MatchMapping>(start);
  result->keys = seq(keys);
  result->patterns = seq(values);
  result->rest = rest;
  return result;
}

} // namespace tessera
