//===- Parser.cpp - running the parser, tokens, nodes, errors -------------===//
// parseModule() at the end is the table of contents: accept, or diagnose and
// let the lexer overrule, in CPython's order of preference.
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "tessera/Source/Diagnostics.h"
#include "llvm/Support/Casting.h"
#include "../Text/Unicode.h"
#include <algorithm>

namespace tessera {

using llvm::cast;
using namespace ast;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

void Parser::readToken() {
  tokens.push_back(lexer.next());
  if (tokens.back().kind == Tok::Error)
    raise(lexer.error().range, lexer.error().message);
}

bool Parser::require(Tok expected, const char *spelling) {
  if (accept(expected))
    return true;
  if (!raised())
    raiseAtToken(pos, std::string("expected '") + spelling + "'");
  return false;
}

static bool hasNoText(Tok kind) {
  return kind == Tok::Newline || kind == Tok::Indent || kind == Tok::Dedent ||
         kind == Tok::EndMarker;
}

SourceLoc Parser::lastEnd() {
  for (Pos i = pos; i > base; --i)
    if (!hasNoText(tokens[i - 1 - base].kind))
      return tokens[i - 1 - base].range.end;
  return {1, 0};
}

/// Called between statements, so that a large file does not keep its tokens.
/// lastEnd() may look back over the dedents that end a block.
void Parser::dropConsumedTokens() {
  constexpr Pos kKeep = 2 * Lexer::kMaxIndents, kBatch = 4096;
  if (pos - base < kKeep + kBatch)
    return;
  Pos count = pos - base - kKeep;
  tokens.erase(tokens.begin(), tokens.begin() + count);
  base += count;
}

Identifier Parser::identifierAt(Pos at) {
  std::string_view text = textAt(at);
  for (unsigned char c : text)
    if (c >= 128)
      return arena.intern(normalizeIdentifier(text));
  return arena.intern(text);
}

bool Parser::startsExpression(Tok kind) {
  switch (kind) {
  case Tok::Name:
  case Tok::Number:
  case Tok::String:
  case Tok::FStringStart:
  case Tok::LPar:
  case Tok::LSqb:
  case Tok::LBrace:
  case Tok::Ellipsis:
  case Tok::Plus:
  case Tok::Minus:
  case Tok::Tilde:
  case Tok::KwFalse:
  case Tok::KwNone:
  case Tok::KwTrue:
  case Tok::KwAwait:
  case Tok::KwLambda:
  case Tok::KwNot:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::nullptr_t Parser::raise(SourceRange range, std::string message) {
  if (!hasRaised) {
    hasRaised = true;
    firstError = {range, std::move(message)};
  }
  return nullptr;
}

SourceRange Parser::furthestRange() const {
  SourceRange range = tokens.back().range;
  if (!tokens.back().hasText) {
    // The last character before the place where the token would be.
    range.begin.column -= range.begin.column > 0;
    range.end = {range.begin.line, range.begin.column + 1};
  }
  return range;
}

std::nullptr_t Parser::raiseAtLast(std::string message) {
  readAhead();
  return raise(furthestRange(), std::move(message));
}

std::nullptr_t Parser::raiseAtToken(Pos at, std::string message) {
  const Token &token = tokenAt(at);
  SourceRange range = token.range;
  if (!token.hasText)
    range.begin.column = range.end.column = 0;
  return raise(range, std::move(message));
}

bool Parser::enter() {
  if (++depth <= kMaxTreeDepth)
    return true;
  raiseAtLast("too much nesting: statements and expressions may nest " +
              std::to_string(kMaxTreeDepth) + " deep");
  return false;
}

void Parser::preferLexerError(SyntaxError &error) {
  readAhead();
  if (lexer.failed())
    return;
  uint32_t errorLine = tokens.back().range.begin.line;
  Token token;
  do
    token = lexer.next();
  while (token.kind != Tok::EndMarker && token.kind != Tok::Error);
  if (token.kind == Tok::EndMarker || lexer.error().inFString)
    return;
  if (!lexer.error().onlyWhenReached) {
    error = {lexer.error().range, lexer.error().message};
    return;
  }
  if (!lexer.hasOpenBracket())
    return;
  const Lexer::OpenBracket &open = lexer.innermostBracket();
  if (errorLine > open.loc.line)
    error = {{open.loc, {open.loc.line, open.loc.column + 1}},
             std::string("'") + open.bracket + "' was never closed"};
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Expr *Parser::seal(Expr *node, std::initializer_list<Expr *> children, Seq<Expr *> more) {
  unsigned deepest = 0;
  for (Expr *child : children)
    if (child)
      deepest = std::max<unsigned>(deepest, child->depth);
  for (Expr *child : more)
    if (child)
      deepest = std::max<unsigned>(deepest, child->depth);
  if (deepest >= kMaxTreeDepth)
    return raise(node, "this expression is too large: operations may nest " +
                           std::to_string(kMaxTreeDepth) + " deep; split it");
  node->depth = static_cast<uint16_t>(deepest + 1);
  return node;
}

Name *Parser::name(Pos at, ExprContext context) {
  auto *result = node<Name>(tokenAt(at).range);
  result->id = identifierAt(at);
  result->ctx = context;
  return result;
}

Constant *Parser::constant(ConstantKind kind, SourceRange range) {
  auto *result = node<Constant>(range);
  result->type = kind;
  return result;
}

void Parser::setContext(Expr *expr, ExprContext context) {
  switch (expr->kind) {
  case ExprKind::Name:
    cast<Name>(expr)->ctx = context;
    break;
  case ExprKind::Attribute:
    cast<Attribute>(expr)->ctx = context;
    break;
  case ExprKind::Subscript:
    cast<Subscript>(expr)->ctx = context;
    break;
  case ExprKind::Starred:
    cast<Starred>(expr)->ctx = context;
    setContext(cast<Starred>(expr)->value, context);
    break;
  case ExprKind::Tuple:
    cast<Tuple>(expr)->ctx = context;
    for (Expr *element : cast<Tuple>(expr)->elts)
      setContext(element, context);
    break;
  case ExprKind::List:
    cast<List>(expr)->ctx = context;
    for (Expr *element : cast<List>(expr)->elts)
      setContext(element, context);
    break;
  default:
    break;
  }
}

//===----------------------------------------------------------------------===//
// The whole file
//===----------------------------------------------------------------------===//

bool Parser::file(Seq<Stmt *> &body) {
  Vec<Stmt *> out;
  if (!statements(out, Tok::EndMarker))
    return false;
  body = seq(out);
  return true;
}

/// Finds the error of a file that does not match the grammar. The statements before the
/// one that failed are known to be right and are not read again.
static SyntaxError diagnose(const SourceFile &file, Parser &accepting) {
  if (accepting.raised()) {
    SyntaxError error = accepting.error();
    accepting.preferLexerError(error);
    return error;
  }
  Arena scratch;
  Seq<Stmt *> body;
  Parser::Start start = accepting.currentStatement();
  // Its indentation may stand on a line that is joined to its first.
  while (start.line > 1 && file.line(start.line - 1).ends_with('\\'))
    --start.line;
  Parser inOrder(file, scratch, Parser::Mode::AcceptInOrder, start);
  inOrder.file(body);
  if (inOrder.raised()) {
    SyntaxError error = inOrder.error();
    inOrder.preferLexerError(error);
    return error;
  }
  Parser diagnosing(file, scratch, Parser::Mode::Diagnose, start);
  diagnosing.assumeRead(accepting.furthest());
  diagnosing.file(body);
  SyntaxError error;
  const Token &stop = accepting.furthestToken();
  if (diagnosing.raised()) {
    error = diagnosing.error();
    diagnosing.preferLexerError(error);
    return error;
  }
  diagnosing.readAhead();
  if (stop.kind == Tok::Indent || stop.kind == Tok::Dedent)
    return {diagnosing.furthestRange(),
            stop.kind == Tok::Indent ? "unexpected indent" : "unexpected unindent"};
  error = {stop.hasText ? stop.range : accepting.furthestRange(), "invalid syntax"};
  diagnosing.preferLexerError(error);
  return error;
}

std::unique_ptr<Module> parseModule(const SourceFile &file, DiagnosticEngine &diagnostics) {
  auto module = std::make_unique<Module>();
  Parser parser(file, module->arena);
  if (parser.file(module->body))
    return module;
  SyntaxError error = diagnose(file, parser);
  diagnostics.error(file, error.range, std::move(error.message));
  return nullptr;
}

} // namespace tessera
