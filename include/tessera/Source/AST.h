//===- AST.h - the syntax tree of a Python 3.12 module --------------------===//
// Node and field names are those of CPython's `ast` module, so that whoever
// knows one knows the other (docs.python.org/3.12/library/ast.html).
//
//   for (ast::Stmt *stmt : module->body)
//     if (auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt))
//       use(def->name, def->args->args);
//
// What differs from CPython, and why:
//  - the statement `Expr` is ExprStmt, since Expr is the base of expressions;
//  - helper nodes are capitalised: Arguments, Arg, Keyword, Alias, WithItem, ...;
//  - an optional node is a null pointer; an optional identifier is empty (no
//    identifier of Python is);
//  - Constant holds its value unboxed, an integer as int64 plus digits;
//  - `type_comment` and `type_ignores` do not exist (they are always None here).
//
// Nodes are plain, trivially destructible structs in the Module's arena, and
// die with it. Strings are UTF-8 in the same arena; identifiers are normalised
// (NFKC) and interned, so equal names have equal data().
//
// No path from the root to a leaf is longer than a few times kMaxTreeDepth
// nodes (the parser reports deeper programs), so walks may recurse.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/Arena.h"
#include "tessera/Source/SourceFile.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace tessera {

class DiagnosticEngine;

namespace ast {

/// The deepest nesting of expressions, and of statements, that is accepted.
constexpr unsigned kMaxTreeDepth = 1000;

template <typename T> using Seq = std::span<T>;
using Identifier = std::string_view;

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

// clang-format off
enum class ExprKind : uint8_t {
  BoolOp, NamedExpr, BinOp, UnaryOp, Lambda, IfExp, Dict, Set, ListComp, SetComp, DictComp,
  GeneratorExp, Await, Yield, YieldFrom, Compare, Call, FormattedValue, JoinedStr, Constant,
  Attribute, Subscript, Starred, Name, List, Tuple, Slice,
};

enum class StmtKind : uint8_t {
  FunctionDef, AsyncFunctionDef, ClassDef, Return, Delete, Assign, TypeAlias, AugAssign, AnnAssign,
  For, AsyncFor, While, If, With, AsyncWith, Match, Raise, Try, TryStar, Assert, Import, ImportFrom,
  Global, Nonlocal, ExprStmt, Pass, Break, Continue,
};

enum class PatternKind : uint8_t {
  MatchValue, MatchSingleton, MatchSequence, MatchMapping, MatchClass, MatchStar, MatchAs, MatchOr,
};

enum class TypeParamKind : uint8_t { TypeVar, ParamSpec, TypeVarTuple };

enum class ExprContext : uint8_t { Load, Store, Del };
enum class BoolOperator : uint8_t { And, Or };
enum class Operator : uint8_t {
  Add, Sub, Mult, MatMult, Div, Mod, Pow, LShift, RShift, BitOr, BitXor, BitAnd, FloorDiv,
};
enum class UnaryOperator : uint8_t { Invert, Not, UAdd, USub };
enum class CmpOp : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };
enum class ConstantKind : uint8_t { None, True, False, Ellipsis, Int, Float, Complex, Str, Bytes };

// clang-format on

/// CPython's names: "BinOp", "Expr" (for ExprStmt), "Add", "NotIn", ...
std::string_view nameOf(ExprKind kind);
std::string_view nameOf(StmtKind kind);
std::string_view nameOf(PatternKind kind);
std::string_view nameOf(TypeParamKind kind);
std::string_view nameOf(ExprContext context);
std::string_view nameOf(BoolOperator op);
std::string_view nameOf(Operator op);
std::string_view nameOf(UnaryOperator op);
std::string_view nameOf(CmpOp op);

/// How an operator is written: "+", "//", "not in", "~", ...
std::string_view spelling(BoolOperator op);
std::string_view spelling(Operator op);
std::string_view spelling(UnaryOperator op);
std::string_view spelling(CmpOp op);

//===----------------------------------------------------------------------===//
// Bases
//===----------------------------------------------------------------------===//

struct Node {
  SourceRange range;
};

struct Expr : Node {
  const ExprKind kind;
  uint16_t depth = 1; // of the tree below, this node included; at most kMaxTreeDepth

protected:
  explicit Expr(ExprKind kind) : kind(kind) {}
};

struct Stmt : Node {
  const StmtKind kind;

protected:
  explicit Stmt(StmtKind kind) : kind(kind) {}
};

struct Pattern : Node {
  const PatternKind kind;

protected:
  explicit Pattern(PatternKind kind) : kind(kind) {}
};

struct TypeParam : Node {
  const TypeParamKind kind;
  Identifier name;

protected:
  explicit TypeParam(TypeParamKind kind) : kind(kind) {}
};

/// A node type with one kind: `struct BinOp : ExprNode<ExprKind::BinOp>`.
template <ExprKind K> struct ExprNode : Expr {
  ExprNode() : Expr(K) {}
  static bool classof(const Expr *node) { return node->kind == K; }
};
template <StmtKind K, typename Base = Stmt> struct StmtNode : Base {
  StmtNode() : Base(K) {}
  static bool classof(const Stmt *node) { return node->kind == K; }
};
template <PatternKind K> struct PatternNode : Pattern {
  PatternNode() : Pattern(K) {}
  static bool classof(const Pattern *node) { return node->kind == K; }
};
template <TypeParamKind K> struct TypeParamNode : TypeParam {
  TypeParamNode() : TypeParam(K) {}
  static bool classof(const TypeParam *node) { return node->kind == K; }
};

//===----------------------------------------------------------------------===//
// Helper nodes
//===----------------------------------------------------------------------===//

/// One parameter.
struct Arg : Node {
  Identifier arg;
  Expr *annotation = nullptr;
};

/// A parameter list. It has no range of its own, as in CPython.
struct Arguments {
  Seq<Arg *> posonlyargs;
  Seq<Arg *> args;
  Arg *vararg = nullptr;
  Seq<Arg *> kwonlyargs;
  Seq<Expr *> kw_defaults; // as many as kwonlyargs; null where there is none
  Arg *kwarg = nullptr;
  Seq<Expr *> defaults; // of the last of posonlyargs + args
};

/// `arg=value` in a call; `**value` when arg is empty.
struct Keyword : Node {
  Identifier arg;
  Expr *value = nullptr;
};

/// `name as asname` in an import; name may be dotted, or "*".
struct Alias : Node {
  Identifier name;
  Identifier asname; // empty without `as`
};

struct WithItem {
  Expr *context_expr = nullptr;
  Expr *optional_vars = nullptr;
};

/// `for target in iter if ifs...`
struct Comprehension {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  Seq<Expr *> ifs;
  bool is_async = false;
};

struct ExceptHandler : Node {
  Expr *type = nullptr;
  Identifier name; // empty without `as`
  Seq<Stmt *> body;
};

struct MatchCase {
  Pattern *pattern = nullptr;
  Expr *guard = nullptr;
  Seq<Stmt *> body;
};

struct TypeVar : TypeParamNode<TypeParamKind::TypeVar> {
  Expr *bound = nullptr;
};
struct ParamSpec : TypeParamNode<TypeParamKind::ParamSpec> {};
struct TypeVarTuple : TypeParamNode<TypeParamKind::TypeVarTuple> {};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

struct BoolOp : ExprNode<ExprKind::BoolOp> {
  BoolOperator op = BoolOperator::And;
  Seq<Expr *> values;
};

/// `target := value`
struct NamedExpr : ExprNode<ExprKind::NamedExpr> {
  Expr *target = nullptr;
  Expr *value = nullptr;
};

struct BinOp : ExprNode<ExprKind::BinOp> {
  Operator op = Operator::Add;
  Expr *left = nullptr;
  Expr *right = nullptr;
};

struct UnaryOp : ExprNode<ExprKind::UnaryOp> {
  UnaryOperator op = UnaryOperator::Not;
  Expr *operand = nullptr;
};

struct Lambda : ExprNode<ExprKind::Lambda> {
  Arguments *args = nullptr;
  Expr *body = nullptr;
};

/// `body if test else orelse`
struct IfExp : ExprNode<ExprKind::IfExp> {
  Expr *test = nullptr;
  Expr *body = nullptr;
  Expr *orelse = nullptr;
};

struct Dict : ExprNode<ExprKind::Dict> {
  Seq<Expr *> keys; // null for `**value`
  Seq<Expr *> values;
};

struct Set : ExprNode<ExprKind::Set> {
  Seq<Expr *> elts;
};

struct ListComp : ExprNode<ExprKind::ListComp> {
  Expr *elt = nullptr;
  Seq<Comprehension *> generators;
};

struct SetComp : ExprNode<ExprKind::SetComp> {
  Expr *elt = nullptr;
  Seq<Comprehension *> generators;
};

struct DictComp : ExprNode<ExprKind::DictComp> {
  Expr *key = nullptr;
  Expr *value = nullptr;
  Seq<Comprehension *> generators;
};

struct GeneratorExp : ExprNode<ExprKind::GeneratorExp> {
  Expr *elt = nullptr;
  Seq<Comprehension *> generators;
};

struct Await : ExprNode<ExprKind::Await> {
  Expr *value = nullptr;
};

struct Yield : ExprNode<ExprKind::Yield> {
  Expr *value = nullptr; // null for a bare `yield`
};

struct YieldFrom : ExprNode<ExprKind::YieldFrom> {
  Expr *value = nullptr;
};

/// `left ops[0] comparators[0] ops[1] comparators[1] ...`
struct Compare : ExprNode<ExprKind::Compare> {
  Expr *left = nullptr;
  Seq<CmpOp> ops;
  Seq<Expr *> comparators;
};

struct Call : ExprNode<ExprKind::Call> {
  Expr *func = nullptr;
  Seq<Expr *> args;
  Seq<Keyword *> keywords;
};

/// One `{value!conversion:format_spec}` of an f-string.
struct FormattedValue : ExprNode<ExprKind::FormattedValue> {
  Expr *value = nullptr;
  int conversion = -1;         // 's', 'r', 'a', or -1
  Expr *format_spec = nullptr; // a JoinedStr
};

struct JoinedStr : ExprNode<ExprKind::JoinedStr> {
  Seq<Expr *> values; // FormattedValue and Constant (Str)
};

struct Constant : ExprNode<ExprKind::Constant> {
  ConstantKind type = ConstantKind::None;
  bool unicodePrefix = false; // u"..." (CPython's `kind='u'`)
  bool intOverflows = false;  // Int that int64_t cannot hold: read the digits
  uint8_t base = 10;          // of the digits: 2, 8, 10 or 16
  union {
    int64_t intValue = 0; // Int
    double floatValue;    // Float; the imaginary part of Complex
  };
  /// Str: UTF-8 (lone surrogates encoded like any other code point). Bytes: the
  /// bytes. Int that overflows: its digits in `base`, no prefix or underscores.
  std::string_view text;

  bool isInt() const { return type == ConstantKind::Int; }
  bool isStr() const { return type == ConstantKind::Str; }
  bool isBool() const { return type == ConstantKind::True || type == ConstantKind::False; }
};

struct Attribute : ExprNode<ExprKind::Attribute> {
  ExprContext ctx = ExprContext::Load;
  Expr *value = nullptr;
  Identifier attr;
};

struct Subscript : ExprNode<ExprKind::Subscript> {
  ExprContext ctx = ExprContext::Load;
  Expr *value = nullptr;
  Expr *slice = nullptr;
};

struct Starred : ExprNode<ExprKind::Starred> {
  ExprContext ctx = ExprContext::Load;
  Expr *value = nullptr;
};

struct Name : ExprNode<ExprKind::Name> {
  ExprContext ctx = ExprContext::Load;
  Identifier id;
};

struct List : ExprNode<ExprKind::List> {
  ExprContext ctx = ExprContext::Load;
  Seq<Expr *> elts;
};

struct Tuple : ExprNode<ExprKind::Tuple> {
  ExprContext ctx = ExprContext::Load;
  Seq<Expr *> elts;
};

struct Slice : ExprNode<ExprKind::Slice> {
  Expr *lower = nullptr;
  Expr *upper = nullptr;
  Expr *step = nullptr;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// `def` and `async def`.
struct FunctionLike : Stmt {
  Identifier name;
  Arguments *args = nullptr;
  Seq<Stmt *> body;
  Seq<Expr *> decorator_list;
  Expr *returns = nullptr;
  Seq<TypeParam *> type_params;
  static bool classof(const Stmt *node) {
    return node->kind == StmtKind::FunctionDef || node->kind == StmtKind::AsyncFunctionDef;
  }

protected:
  using Stmt::Stmt;
};
struct FunctionDef : StmtNode<StmtKind::FunctionDef, FunctionLike> {};
struct AsyncFunctionDef : StmtNode<StmtKind::AsyncFunctionDef, FunctionLike> {};

struct ClassDef : StmtNode<StmtKind::ClassDef> {
  Identifier name;
  Seq<Expr *> bases;
  Seq<Keyword *> keywords;
  Seq<Stmt *> body;
  Seq<Expr *> decorator_list;
  Seq<TypeParam *> type_params;
};

struct Return : StmtNode<StmtKind::Return> {
  Expr *value = nullptr;
};

struct Delete : StmtNode<StmtKind::Delete> {
  Seq<Expr *> targets;
};

/// `targets[0] = targets[1] = ... = value`
struct Assign : StmtNode<StmtKind::Assign> {
  Seq<Expr *> targets;
  Expr *value = nullptr;
};

/// `type name[type_params] = value`
struct TypeAlias : StmtNode<StmtKind::TypeAlias> {
  Expr *name = nullptr;
  Seq<TypeParam *> type_params;
  Expr *value = nullptr;
};

struct AugAssign : StmtNode<StmtKind::AugAssign> {
  Expr *target = nullptr;
  Operator op = Operator::Add;
  Expr *value = nullptr;
};

/// `target: annotation = value`
struct AnnAssign : StmtNode<StmtKind::AnnAssign> {
  Expr *target = nullptr;
  Expr *annotation = nullptr;
  Expr *value = nullptr;
  bool simple = false; // the target is a name without parentheses
};

/// `for` and `async for`.
struct ForLike : Stmt {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  Seq<Stmt *> body;
  Seq<Stmt *> orelse;
  static bool classof(const Stmt *node) {
    return node->kind == StmtKind::For || node->kind == StmtKind::AsyncFor;
  }

protected:
  using Stmt::Stmt;
};
struct For : StmtNode<StmtKind::For, ForLike> {};
struct AsyncFor : StmtNode<StmtKind::AsyncFor, ForLike> {};

struct While : StmtNode<StmtKind::While> {
  Expr *test = nullptr;
  Seq<Stmt *> body;
  Seq<Stmt *> orelse;
};

/// An `elif` is an If alone in the orelse of the one before.
struct If : StmtNode<StmtKind::If> {
  Expr *test = nullptr;
  Seq<Stmt *> body;
  Seq<Stmt *> orelse;
};

/// `with` and `async with`.
struct WithLike : Stmt {
  Seq<WithItem *> items;
  Seq<Stmt *> body;
  static bool classof(const Stmt *node) {
    return node->kind == StmtKind::With || node->kind == StmtKind::AsyncWith;
  }

protected:
  using Stmt::Stmt;
};
struct With : StmtNode<StmtKind::With, WithLike> {};
struct AsyncWith : StmtNode<StmtKind::AsyncWith, WithLike> {};

struct Match : StmtNode<StmtKind::Match> {
  Expr *subject = nullptr;
  Seq<MatchCase *> cases;
};

struct Raise : StmtNode<StmtKind::Raise> {
  Expr *exc = nullptr;
  Expr *cause = nullptr;
};

/// `try` with `except`, and with `except*`.
struct TryLike : Stmt {
  Seq<Stmt *> body;
  Seq<ExceptHandler *> handlers;
  Seq<Stmt *> orelse;
  Seq<Stmt *> finalbody;
  static bool classof(const Stmt *node) {
    return node->kind == StmtKind::Try || node->kind == StmtKind::TryStar;
  }

protected:
  using Stmt::Stmt;
};
struct Try : StmtNode<StmtKind::Try, TryLike> {};
struct TryStar : StmtNode<StmtKind::TryStar, TryLike> {};

struct Assert : StmtNode<StmtKind::Assert> {
  Expr *test = nullptr;
  Expr *msg = nullptr;
};

struct Import : StmtNode<StmtKind::Import> {
  Seq<Alias *> names;
};

struct ImportFrom : StmtNode<StmtKind::ImportFrom> {
  Identifier module; // dotted; empty for `from . import x`
  Seq<Alias *> names;
  unsigned level = 0; // leading dots
};

struct Global : StmtNode<StmtKind::Global> {
  Seq<Identifier> names;
};

struct Nonlocal : StmtNode<StmtKind::Nonlocal> {
  Seq<Identifier> names;
};

struct ExprStmt : StmtNode<StmtKind::ExprStmt> {
  Expr *value = nullptr;
};

struct Pass : StmtNode<StmtKind::Pass> {};
struct Break : StmtNode<StmtKind::Break> {};
struct Continue : StmtNode<StmtKind::Continue> {};

//===----------------------------------------------------------------------===//
// Patterns of match statements
//===----------------------------------------------------------------------===//

struct MatchValue : PatternNode<PatternKind::MatchValue> {
  Expr *value = nullptr;
};

struct MatchSingleton : PatternNode<PatternKind::MatchSingleton> {
  ConstantKind value = ConstantKind::None; // None, True or False
};

struct MatchSequence : PatternNode<PatternKind::MatchSequence> {
  Seq<Pattern *> patterns;
};

struct MatchMapping : PatternNode<PatternKind::MatchMapping> {
  Seq<Expr *> keys;
  Seq<Pattern *> patterns;
  Identifier rest; // of `**rest`; empty without
};

struct MatchClass : PatternNode<PatternKind::MatchClass> {
  Expr *cls = nullptr;
  Seq<Pattern *> patterns;
  Seq<Identifier> kwd_attrs;
  Seq<Pattern *> kwd_patterns;
};

struct MatchStar : PatternNode<PatternKind::MatchStar> {
  Identifier name; // empty for `*_`
};

struct MatchAs : PatternNode<PatternKind::MatchAs> {
  Pattern *pattern = nullptr; // null for a bare capture or `_`
  Identifier name;            // empty for `_`
};

struct MatchOr : PatternNode<PatternKind::MatchOr> {
  Seq<Pattern *> patterns;
};

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

/// The root; owns every node below it.
struct Module {
  Arena arena;
  Seq<Stmt *> body;
};

} // namespace ast

/// Parses a whole module. On a syntax error reports exactly one error, at the
/// place and in the words CPython would use, and returns null.
/// Cost: linear in the length of the text; the outermost statement that holds an
/// error is read three times.
std::unique_ptr<ast::Module> parseModule(const SourceFile &file, DiagnosticEngine &diagnostics);

} // namespace tessera
