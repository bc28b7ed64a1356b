//===- AST.cpp - names and spellings of node kinds ------------------------===//
#include "tessera/Source/AST.h"

namespace tessera::ast {

template <typename Kind, size_t N>
static std::string_view lookUp(const std::string_view (&table)[N], Kind kind) {
  size_t index = static_cast<size_t>(kind);
  return index < N ? table[index] : std::string_view("?");
}

std::string_view nameOf(ExprKind kind) {
  static constexpr std::string_view kNames[] = {
      "BoolOp",    "NamedExpr", "BinOp",     "UnaryOp",   "Lambda",   "IfExp",
      "Dict",      "Set",       "ListComp",  "SetComp",   "DictComp", "GeneratorExp",
      "Await",     "Yield",     "YieldFrom", "Compare",   "Call",     "FormattedValue",
      "JoinedStr", "Constant",  "Attribute", "Subscript", "Starred",  "Name",
      "List",      "Tuple",     "Slice"};
  return lookUp(kNames, kind);
}

std::string_view nameOf(StmtKind kind) {
  static constexpr std::string_view kNames[] = {"FunctionDef", "AsyncFunctionDef",
                                                "ClassDef",    "Return",
                                                "Delete",      "Assign",
                                                "TypeAlias",   "AugAssign",
                                                "AnnAssign",   "For",
                                                "AsyncFor",    "While",
                                                "If",          "With",
                                                "AsyncWith",   "Match",
                                                "Raise",       "Try",
                                                "TryStar",     "Assert",
                                                "Import",      "ImportFrom",
                                                "Global",      "Nonlocal",
                                                "Expr",        "Pass",
                                                "Break",       "Continue"};
  return lookUp(kNames, kind);
}

std::string_view nameOf(PatternKind kind) {
  static constexpr std::string_view kNames[] = {"MatchValue",   "MatchSingleton", "MatchSequence",
                                                "MatchMapping", "MatchClass",     "MatchStar",
                                                "MatchAs",      "MatchOr"};
  return lookUp(kNames, kind);
}

std::string_view nameOf(TypeParamKind kind) {
  static constexpr std::string_view kNames[] = {"TypeVar", "ParamSpec", "TypeVarTuple"};
  return lookUp(kNames, kind);
}

std::string_view nameOf(ExprContext context) {
  static constexpr std::string_view kNames[] = {"Load", "Store", "Del"};
  return lookUp(kNames, context);
}

std::string_view nameOf(BoolOperator op) {
  static constexpr std::string_view kNames[] = {"And", "Or"};
  return lookUp(kNames, op);
}

std::string_view nameOf(Operator op) {
  static constexpr std::string_view kNames[] = {"Add",    "Sub",    "Mult",    "MatMult", "Div",
                                                "Mod",    "Pow",    "LShift",  "RShift",  "BitOr",
                                                "BitXor", "BitAnd", "FloorDiv"};
  return lookUp(kNames, op);
}

std::string_view nameOf(UnaryOperator op) {
  static constexpr std::string_view kNames[] = {"Invert", "Not", "UAdd", "USub"};
  return lookUp(kNames, op);
}

std::string_view nameOf(CmpOp op) {
  static constexpr std::string_view kNames[] = {"Eq",  "NotEq", "Lt",    "LtE", "Gt",
                                                "GtE", "Is",    "IsNot", "In",  "NotIn"};
  return lookUp(kNames, op);
}

std::string_view spelling(BoolOperator op) {
  static constexpr std::string_view kSpellings[] = {"and", "or"};
  return lookUp(kSpellings, op);
}

std::string_view spelling(Operator op) {
  static constexpr std::string_view kSpellings[] = {"+",  "-",  "*", "@", "/", "%", "**",
                                                    "<<", ">>", "|", "^", "&", "//"};
  return lookUp(kSpellings, op);
}

std::string_view spelling(UnaryOperator op) {
  static constexpr std::string_view kSpellings[] = {"~", "not", "+", "-"};
  return lookUp(kSpellings, op);
}

std::string_view spelling(CmpOp op) {
  static constexpr std::string_view kSpellings[] = {"==", "!=", "<",      "<=", ">",
                                                    ">=", "is", "is not", "in", "not in"};
  return lookUp(kSpellings, op);
}

} // namespace tessera::ast
