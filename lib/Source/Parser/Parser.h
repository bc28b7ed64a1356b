//===- Parser.h - tokens → syntax tree ------------------------------------===//
// A recursive-descent parser for Python 3.12's grammar (docs.python.org,
// "Full Grammar specification"); methods are named after its rules.
//
// It runs in one of three modes:
//  - Accept: builds the tree, looking at each token once or twice. When it
//    fails, all it knows is the furthest token it looked at.
//  - Diagnose: runs only after Accept failed, on the same text. It tries the
//    alternatives of each rule in CPython's order and also the mistakes that
//    people make there (SyntaxErrors*.cpp), so that the error has the words
//    and the place that CPython gives it. Rules that are tried repeatedly at
//    one token remember their result.
//  - AcceptInOrder: Diagnose without the mistakes. Runs between the two, for
//    the few errors that CPython raises while it still hopes to accept.
//
// A method returns null when its rule does not match. The position is then
// unspecified: whoever goes on must reset it. `raised()` tells that the parse
// is over with an error.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include "llvm/ADT/SmallVector.h"
#include "../Lexer/Lexer.h"
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera {

struct SyntaxError {
  SourceRange range;
  std::string message;
};

class Parser {
public:
  enum class Mode { Accept, AcceptInOrder, Diagnose };
  using Pos = uint32_t;

  /// The beginning of a statement outside every block.
  struct Start {
    uint32_t line = 1;
    Pos pos = 0;
  };
  Parser(const SourceFile &file, Arena &arena, Mode mode, Start start)
      : lexer(file, start.line), arena(arena), diagnosing(mode != Mode::Accept),
        tryMistakes(mode == Mode::Diagnose), base(start.pos), pos(start.pos), current(start) {}
  Parser(const SourceFile &file, Arena &arena) : Parser(file, arena, Mode::Accept, Start()) {}

  /// Parses the whole file. False when it does not match.
  bool file(ast::Seq<ast::Stmt *> &body);

  bool raised() const { return hasRaised; }
  /// The outermost statement that was being parsed.
  Start currentStatement() const { return current; }
  const SyntaxError &error() const { return firstError; }
  /// The furthest token looked at, and how many there are up to it.
  const Token &furthestToken() const { return tokens.back(); }
  Pos furthest() const { return base + static_cast<Pos>(tokens.size()); }
  /// The range of the last token that was read, where "invalid syntax" is shown.
  SourceRange furthestRange() const;
  /// Reads on to the end of the file: an error of the lexer wins over `error`
  /// if CPython would prefer it.
  void preferLexerError(SyntaxError &error);
  /// CPython's passes share their tokens: what one has read, the other has.
  void assumeRead(Pos count) { alreadyRead = count; }
  void readAhead() {
    while (furthest() < alreadyRead)
      readToken();
  }

private:
  template <typename T> using Vec = llvm::SmallVector<T, 8>;
  template <typename T> using Seq = ast::Seq<T>;
  using Expr = ast::Expr;
  using Stmt = ast::Stmt;
  using Pattern = ast::Pattern;

  //===--------------------------------------------------------------------===//
  // Tokens (Parser.cpp)
  //===--------------------------------------------------------------------===//
  const Token &tokenAt(Pos at) {
    while (at - base >= tokens.size())
      readToken();
    return tokens[at - base];
  }
  void readToken();
  Tok kind() { return tokenAt(pos).kind; }
  Tok kindAt(Pos at) { return tokenAt(at).kind; }
  bool at(Tok expected) { return kind() == expected; }
  bool accept(Tok expected) {
    if (kind() != expected)
      return false;
    ++pos;
    return true;
  }
  /// Like accept, but a mismatch is an error at once: "expected ':'".
  bool require(Tok expected, const char *spelling);
  std::string_view textAt(Pos at) {
    const Token &token = tokenAt(at);
    return lexer.text().substr(token.begin, token.end - token.begin);
  }
  bool atName(std::string_view word) { return at(Tok::Name) && textAt(pos) == word; }
  SourceLoc begin() { return tokenAt(pos).range.begin; }
  /// The end of the last token that was consumed and has text.
  SourceLoc lastEnd();
  SourceRange from(SourceLoc start) { return {start, lastEnd()}; }
  void dropConsumedTokens();
  ast::Identifier identifierAt(Pos at);
  static bool startsExpression(Tok kind);

  //===--------------------------------------------------------------------===//
  // Errors (Parser.cpp)
  //===--------------------------------------------------------------------===//
  std::nullptr_t raise(SourceRange range, std::string message);
  std::nullptr_t raise(const ast::Node *node, std::string message) {
    return raise(node->range, std::move(message));
  }
  std::nullptr_t raiseAtLast(std::string message);
  std::nullptr_t raiseAtToken(Pos at, std::string message);
  static SourceRange span(SourceRange first, SourceRange last) { return {first.begin, last.end}; }

  /// Counts nesting; an error beyond the limit.
  struct DepthGuard {
    explicit DepthGuard(Parser &parser) : parser(parser) { ok = parser.enter(); }
    ~DepthGuard() { --parser.depth; }
    Parser &parser;
    bool ok;
  };
  bool enter();

  //===--------------------------------------------------------------------===//
  // Nodes (Parser.cpp)
  //===--------------------------------------------------------------------===//
  template <typename T> T *node(SourceRange range) {
    T *result = arena.make<T>();
    result->range = range;
    return result;
  }
  template <typename T> T *node(SourceLoc start) { return node<T>(from(start)); }
  template <typename T> Seq<T> seq(const llvm::SmallVectorImpl<T> &values) {
    return arena.copy(std::span<const T>(values.data(), values.size()));
  }
  /// Sets node->depth from its children, and returns the node, or null when
  /// the tree would be too deep.
  Expr *seal(Expr *node, std::initializer_list<Expr *> children, Seq<Expr *> more = {});
  ast::Name *name(Pos at, ast::ExprContext context = ast::ExprContext::Load);
  ast::Constant *constant(ast::ConstantKind kind, SourceRange range);
  void setContext(Expr *expr, ast::ExprContext context);

  //===--------------------------------------------------------------------===//
  // Remembered results, in Diagnose mode
  //===--------------------------------------------------------------------===//
  enum class Rule : uint8_t {
    Expression,
    StarExpression,
    Disjunction,
    Conjunction,
    Inversion,
    BitwiseOr,
    Primary,
    Arguments,
    InvalidNamed,
    Strings,
    StarTarget,
  };
  struct Remembered {
    void *result;
    Pos end;
  };
  template <typename T, typename Parse> T *remember(Rule rule, Parse parse) {
    uint64_t key = uint64_t(pos) << 8 | static_cast<uint8_t>(rule);
    auto found = memory.find(key);
    if (found != memory.end()) {
      pos = found->second.end;
      return static_cast<T *>(found->second.result);
    }
    T *result = parse();
    memory[key] = {result, pos};
    return result;
  }

  //===--------------------------------------------------------------------===//
  // Expressions (ParserExpressions.cpp)
  //===--------------------------------------------------------------------===//
  Expr *expression();
  Expr *expressionAlternatives();
  Expr *boolOperation(Rule rule, Tok keyword, ast::BoolOperator op, Expr *(Parser::*operand)());
  Expr *disjunction();
  Expr *conjunction();
  Expr *inversion();
  Expr *comparison();
  /// Passes a comparison operator; nothing, with no token passed, if there is none.
  std::optional<ast::CmpOp> comparisonOperator();
  Expr *bitwiseOr();
  Expr *binary(int minPrecedence);
  Expr *factor();
  Expr *power();
  Expr *awaitPrimary();
  Expr *primary();
  Expr *primaryWithSuffixes();
  Expr *attribute(Expr *value, SourceLoc start);
  Expr *subscript(Expr *value, SourceLoc start);
  Expr *slices();
  Expr *slice();
  Expr *lambda();
  Expr *namedExpression();
  Expr *assignmentExpression();
  Expr *starExpressions();
  Expr *starExpression();
  Expr *starNamedExpression();
  Expr *starredExpression();
  Expr *yieldExpr();
  Expr *yieldOrStarExpressions();
  /// `a, b, c[,]` of `item`s, the first already read: a Tuple.
  Expr *tupleAfter(Expr *first, SourceLoc start, Expr *(Parser::*item)());
  bool starNamedExpressions(Vec<Expr *> &elements);

  // Atoms and displays (ParserAtoms.cpp)
  Expr *atom();
  Expr *parenthesized();
  Expr *parenthesizedInOrder();
  Expr *tuple();
  Expr *group();
  Expr *genexp();
  Expr *bracketed();
  Expr *listInOrder();
  Expr *braced();
  Expr *bracedInOrder();
  Expr *dict();
  Expr *dictAfterFirst(SourceLoc start, Expr *key);
  Expr *comprehension(SourceLoc start, Tok open, Expr *element, Expr *value);
  bool forIfClauses(Vec<ast::Comprehension *> &clauses);
  ast::Comprehension *forIfClause();
  template <typename T>
  Expr *finishComprehension(SourceLoc start, Expr *element, Seq<ast::Comprehension *> clauses);

  // Calls (ParserCalls.cpp)
  struct ArgumentList {
    Vec<Expr *> args;
    Vec<ast::Keyword *> keywords;
    SourceRange range;
  };
  /// A node, so that its result can be remembered.
  struct ArgumentsNode {
    Seq<Expr *> args;
    Seq<ast::Keyword *> keywords;
    SourceRange range;
  };
  Expr *call(Expr *function, SourceLoc start);
  ArgumentsNode *arguments();
  bool args(ArgumentList &list);
  enum class ArgumentStage { Positional, Keywords, DoubleStarred };
  bool argument(ArgumentList &list, ArgumentStage &stage);
  ast::Keyword *keywordArgument();

  // Strings (ParserStrings.cpp)
  Expr *strings();
  Expr *stringsOnce();
  Expr *number();
  Expr *string();
  Expr *fstring();
  Expr *fstringField(bool raw);
  Expr *fstringMiddle(bool raw);
  bool fstringConversion(int &conversion);
  std::string_view debugText(Pos first, uint32_t begin, uint32_t end);
  Expr *fstringFormatSpec(bool raw, SourceLoc start);
  Expr *concatenate(Seq<Expr *> parts, SourceRange range);
  Expr *joinConstants(Seq<Expr *> run);

  // Targets (ParserTargets.cpp)
  Expr *starTargets();
  Expr *starTarget();
  Expr *starTargetOnce();
  Expr *delTarget();
  static bool isStarTarget(const Expr *expr);
  static bool isDelTarget(const Expr *expr);
  static bool isSingleTarget(const Expr *expr);

  // Parameters (ParserParameters.cpp)
  struct ParameterLists {
    Vec<ast::Arg *> posonly, args, kwonly;
    Vec<Expr *> defaults, kwDefaults;
    ast::Arg *vararg = nullptr, *kwarg = nullptr;
  };
  ast::Arguments *parameters(bool isLambda);
  bool parameterList(ParameterLists &lists, bool isLambda);
  bool starParameters(ParameterLists &lists, bool isLambda);
  ast::Arg *parameter(bool isLambda, bool starAnnotation = false);
  bool parameterEnds(bool isLambda);
  Seq<ast::TypeParam *> typeParams(bool &ok);
  ast::TypeParam *typeParam();

  //===--------------------------------------------------------------------===//
  // Statements (ParserStatements.cpp, ParserCompound.cpp)
  //===--------------------------------------------------------------------===//
  bool statements(Vec<Stmt *> &out, Tok end);
  bool statement(Vec<Stmt *> &out);
  bool simpleStmts(Vec<Stmt *> &out);
  Stmt *simpleStmt();
  Stmt *assignmentOrExpression();
  Stmt *annotatedAssignment(SourceLoc start, Expr *target, bool simple);
  Stmt *chainedAssignment(SourceLoc start, Expr *first);
  Stmt *augmentedAssignment(SourceLoc start, Expr *target, ast::Operator op);
  Stmt *typeAlias();
  Stmt *returnStmt();
  Stmt *raiseStmt();
  Stmt *delStmt();
  Stmt *assertStmt();
  Stmt *importName();
  Stmt *importFrom();
  bool importFromNames(Vec<ast::Alias *> &names);
  ast::Alias *importAlias(bool dotted);
  ast::Identifier dottedName();
  template <typename T> Stmt *scopeStmt();

  Stmt *compoundStmt();
  Stmt *decorated();
  Stmt *functionDef(SourceLoc start, Seq<Expr *> decorators);
  template <typename T> Stmt *finishFunction(SourceLoc start, Pos def, Seq<Expr *> decorators);
  Stmt *classDef(Seq<Expr *> decorators);
  Stmt *ifStmt();
  Stmt *whileStmt();
  Stmt *forStmt();
  template <typename T> Stmt *finishFor(SourceLoc start, uint32_t line);
  Stmt *withStmt();
  bool withItems(Vec<ast::WithItem *> &items);
  ast::WithItem *withItem();
  template <typename T>
  Stmt *finishWith(SourceLoc start, uint32_t line, Seq<ast::WithItem *> items);
  Stmt *tryStmt();
  ast::ExceptHandler *exceptBlock(bool &isStar);
  Stmt *matchStmt();
  Expr *subjectExpr();
  ast::MatchCase *caseBlock();
  /// The ':' after a header, and the block. `what` is "'if' statement".
  bool headerColon();
  bool block(Seq<Stmt *> &body, const char *what, uint32_t line);
  bool elseBlock(Seq<Stmt *> &body);

  // Patterns (ParserPatterns.cpp)
  Pattern *patterns();
  Pattern *pattern();
  Pattern *orPattern();
  Pattern *closedPattern();
  Pattern *maybeStarPattern();
  Pattern *namePattern();
  Pattern *classPattern(SourceLoc start, Expr *cls);
  bool classArguments(ast::MatchClass *node);
  Pattern *sequencePattern(Tok close);
  Pattern *mappingPattern();
  Pattern *literalPattern();
  Expr *literalExpr();
  Expr *signedNumber();
  Expr *nameOrAttr();
  bool atCaptureTarget();
  Expr *mappingKey();

  //===--------------------------------------------------------------------===//
  // Mistakes (SyntaxErrors.cpp): Diagnose mode only. Each leaves the position
  // where it was, unless it raises.
  //===--------------------------------------------------------------------===//
  void invalidExpression();
  void invalidLegacyExpression();
  void invalidNamedExpression();
  void invalidNamedExpressionOnce();
  void invalidAnnotation();
  void invalidAssignment();
  Expr *invalidAnnotationTarget();
  void invalidArguments();
  void invalidUnpackingOrder(const ArgumentList &list);
  static bool hasUnpacking(const ArgumentList &list);
  void invalidFirstGenerator();
  void invalidKeywordGenerator();
  void invalidMissingValue(Pos afterArgs, Pos mark);
  void invalidLaterArgument(const ArgumentList &list);
  void invalidKeywordArgument();
  void invalidStarredExpression();
  void invalidComprehension();
  void invalidDictComprehension();
  void invalidGroup();
  void invalidDoubleStarredPairs();
  void invalidKeyValuePair();
  void invalidForTarget();
  void invalidTarget(Expr *expr, bool isDel, bool isFor);
  static Expr *findInvalidTarget(Expr *expr, bool isDel, bool isFor);
  void invalidDelStmt(Pos del);
  void invalidReplacementField();
  void invalidFieldEnd();
  bool atAny(std::initializer_list<Tok> kinds);
  void invalidParameters(bool isLambda);
  void invalidSlash(bool isLambda);
  void invalidDefaultOrder(bool isLambda);
  void invalidParenthesizedParameter(bool isLambda);
  void invalidSlashAndStar(bool isLambda);
  void invalidStarParameters(bool isLambda);
  void invalidStarEtc(bool isLambda);
  void invalidKwds(bool isLambda);
  void invalidTry(Pos start);
  void invalidExcept(Pos start);
  void invalidWithStmt(Pos with);
  void invalidImport(Pos start);
  void invalidClassPattern(Pos start);
  void invalidTypeParam(Pos start);
  /// Says whether a skipped parameter must not, must or may have a default value.
  enum class DefaultValue { None, Required, Optional };
  bool skipParameter(bool isLambda, bool &hasDefault);
  unsigned skipParameters(bool isLambda, DefaultValue wanted);
  bool skipPositionalOnly(bool isLambda, DefaultValue wanted);
  bool skipPositionalOnly(bool isLambda);
  bool skipStarred(bool isLambda);
  Expr *expressionWithoutInvalid();
  /// CPython's names for kinds of expressions: "function call", "literal", ...
  static std::string describe(const Expr *expr);
  static SourceRange lastComprehensionItem(const ast::Comprehension *clause);

  Lexer lexer;
  Arena &arena;
  const bool diagnosing;
  bool tryMistakes;          // off inside expressionWithoutInvalid
  std::vector<Token> tokens; // from `base` on
  Pos base;
  Pos alreadyRead = 0;
  Pos pos;
  Start current;
  unsigned depth = 0;
  bool hasRaised = false;
  SyntaxError firstError;
  std::unordered_map<uint64_t, Remembered> memory;
};

} // namespace tessera
