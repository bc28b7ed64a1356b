//===- Dump.cpp - the tree in the words of CPython's ast.dump -------------===//
// One function per kind of node writes its fields in CPython's order. Fields
// that are None are left out, as ast.dump does; empty lists are printed.
//===----------------------------------------------------------------------===//
#include "tessera/Source/Dump.h"
#include "Repr.h"
#include "llvm/Support/Casting.h"

namespace tessera {

using llvm::cast;
using namespace ast;

namespace {
class Dumper {
public:
  explicit Dumper(const DumpOptions &options) : options(options) {}
  std::string out;

  void module(const Module &module);
  void expr(const Expr *node);
  void stmt(const Stmt *node);

private:
  // Punctuation: Name(field=..., field=...), [..., ...].
  void open(std::string_view name) {
    out += name;
    out += '(';
    ++level;
    first.push_back(true);
  }
  void close() {
    first.pop_back();
    --level;
    out += ')';
  }
  void close(const Node &node) {
    if (options.attributes) {
      number("lineno", node.range.begin.line);
      number("col_offset", node.range.begin.column);
      number("end_lineno", node.range.end.line);
      number("end_col_offset", node.range.end.column);
    }
    close();
  }
  void separate() {
    if (!first.back())
      out += options.indent ? "," : ", ";
    first.back() = false;
    newLine();
  }
  void newLine() {
    if (!options.indent)
      return;
    out += '\n';
    out.append(size_t(level) * options.indent, ' ');
  }
  void field(std::string_view name) {
    separate();
    out += name;
    out += '=';
  }
  void number(std::string_view name, uint64_t value) {
    field(name);
    out += std::to_string(value);
  }
  void word(std::string_view name, std::string_view value) {
    field(name);
    out += value;
    out += "()";
  }
  void text(std::string_view name, std::string_view value) {
    field(name);
    appendStringRepr(out, value);
  }
  void optionalText(std::string_view name, std::string_view value) {
    if (!value.empty())
      text(name, value);
  }
  void child(std::string_view name, const Expr *node) {
    if (!node)
      return;
    field(name);
    expr(node);
  }
  template <typename T, typename Print>
  void list(std::string_view name, Seq<T> items, Print print) {
    field(name);
    out += '[';
    ++level;
    first.push_back(true);
    for (const T &item : items) {
      separate();
      print(item);
    }
    first.pop_back();
    --level;
    out += ']';
  }
  void exprs(std::string_view name, Seq<Expr *> items) {
    list(name, items, [&](const Expr *item) {
      if (item)
        expr(item);
      else
        out += "None";
    });
  }
  void stmts(std::string_view name, Seq<Stmt *> items) {
    list(name, items, [&](const Stmt *item) { stmt(item); });
  }
  void identifiers(std::string_view name, Seq<Identifier> items) {
    list(name, items, [&](Identifier item) { appendStringRepr(out, item); });
  }

  void exprFields(const Expr *node);
  void containerFields(const Expr *node);
  void targetFields(const Expr *node);
  void constant(const Constant *node);
  void simpleFields(const Stmt *node);
  void compoundFields(const Stmt *node);
  void pattern(const Pattern *node);
  void patternFields(const Pattern *node);
  void patterns(std::string_view name, Seq<Pattern *> items) {
    list(name, items, [&](const Pattern *item) { pattern(item); });
  }
  void arguments(const Arguments *node);
  void arg(const Arg *node);
  void args(std::string_view name, Seq<Arg *> items) {
    list(name, items, [&](const Arg *item) { arg(item); });
  }
  void keywords(Seq<Keyword *> items);
  void generators(Seq<Comprehension *> items);
  void aliases(Seq<Alias *> items);
  void typeParams(Seq<TypeParam *> items);
  void function(const FunctionLike *node);
  void classDef(const ClassDef *node);
  void tryStmt(const TryLike *node);

  const DumpOptions &options;
  unsigned level = 0;
  std::vector<bool> first;
};
} // namespace

//===----------------------------------------------------------------------===//
// Helper nodes
//===----------------------------------------------------------------------===//

void Dumper::arg(const Arg *node) {
  open("arg");
  text("arg", node->arg);
  child("annotation", node->annotation);
  close(*node);
}

void Dumper::arguments(const Arguments *node) {
  open("arguments");
  args("posonlyargs", node->posonlyargs);
  args("args", node->args);
  if (node->vararg) {
    field("vararg");
    arg(node->vararg);
  }
  args("kwonlyargs", node->kwonlyargs);
  exprs("kw_defaults", node->kw_defaults);
  if (node->kwarg) {
    field("kwarg");
    arg(node->kwarg);
  }
  exprs("defaults", node->defaults);
  close();
}

void Dumper::keywords(Seq<Keyword *> items) {
  list("keywords", items, [&](const Keyword *item) {
    open("keyword");
    optionalText("arg", item->arg);
    child("value", item->value);
    close(*item);
  });
}

void Dumper::generators(Seq<Comprehension *> items) {
  list("generators", items, [&](const Comprehension *item) {
    open("comprehension");
    child("target", item->target);
    child("iter", item->iter);
    exprs("ifs", item->ifs);
    number("is_async", item->is_async);
    close();
  });
}

void Dumper::aliases(Seq<Alias *> items) {
  list("names", items, [&](const Alias *item) {
    open("alias");
    text("name", item->name);
    optionalText("asname", item->asname);
    close(*item);
  });
}

void Dumper::typeParams(Seq<TypeParam *> items) {
  if (!options.typeParams)
    return;
  list("type_params", items, [&](const TypeParam *item) {
    open(nameOf(item->kind));
    text("name", item->name);
    if (auto *typeVar = llvm::dyn_cast<TypeVar>(item))
      child("bound", typeVar->bound);
    close(*item);
  });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void Dumper::expr(const Expr *node) {
  open(nameOf(node->kind));
  exprFields(node);
  close(*node);
}

void Dumper::constant(const Constant *node) {
  field("value");
  appendConstantRepr(out, *node);
  if (node->unicodePrefix)
    text("kind", "u");
}

/// Operators, calls and literals; what else there is comes from containerFields.
void Dumper::exprFields(const Expr *node) {
  switch (node->kind) {
  case ExprKind::BoolOp: {
    auto *op = cast<BoolOp>(node);
    word("op", nameOf(op->op));
    return exprs("values", op->values);
  }
  case ExprKind::NamedExpr:
    child("target", cast<NamedExpr>(node)->target);
    return child("value", cast<NamedExpr>(node)->value);
  case ExprKind::BinOp: {
    auto *op = cast<BinOp>(node);
    child("left", op->left);
    word("op", nameOf(op->op));
    return child("right", op->right);
  }
  case ExprKind::UnaryOp:
    word("op", nameOf(cast<UnaryOp>(node)->op));
    return child("operand", cast<UnaryOp>(node)->operand);
  case ExprKind::Lambda:
    field("args");
    arguments(cast<Lambda>(node)->args);
    return child("body", cast<Lambda>(node)->body);
  case ExprKind::IfExp:
    child("test", cast<IfExp>(node)->test);
    child("body", cast<IfExp>(node)->body);
    return child("orelse", cast<IfExp>(node)->orelse);
  case ExprKind::Await:
    return child("value", cast<Await>(node)->value);
  case ExprKind::Yield:
    return child("value", cast<Yield>(node)->value);
  case ExprKind::YieldFrom:
    return child("value", cast<YieldFrom>(node)->value);
  case ExprKind::Compare: {
    auto *compare = cast<Compare>(node);
    child("left", compare->left);
    list("ops", compare->ops, [&](CmpOp op) {
      out += nameOf(op);
      out += "()";
    });
    return exprs("comparators", compare->comparators);
  }
  case ExprKind::Call:
    child("func", cast<Call>(node)->func);
    exprs("args", cast<Call>(node)->args);
    return keywords(cast<Call>(node)->keywords);
  case ExprKind::Constant:
    return constant(cast<Constant>(node));
  default:
    return containerFields(node);
  }
}

void Dumper::containerFields(const Expr *node) {
  auto comprehension = [&](auto *comp) {
    child("elt", comp->elt);
    generators(comp->generators);
  };
  switch (node->kind) {
  case ExprKind::FormattedValue: {
    auto *value = cast<FormattedValue>(node);
    child("value", value->value);
    field("conversion");
    out += std::to_string(value->conversion);
    return child("format_spec", value->format_spec);
  }
  case ExprKind::JoinedStr:
    return exprs("values", cast<JoinedStr>(node)->values);
  case ExprKind::Dict:
    exprs("keys", cast<Dict>(node)->keys);
    return exprs("values", cast<Dict>(node)->values);
  case ExprKind::Set:
    return exprs("elts", cast<Set>(node)->elts);
  case ExprKind::ListComp:
    return comprehension(cast<ListComp>(node));
  case ExprKind::SetComp:
    return comprehension(cast<SetComp>(node));
  case ExprKind::GeneratorExp:
    return comprehension(cast<GeneratorExp>(node));
  case ExprKind::DictComp:
    child("key", cast<DictComp>(node)->key);
    child("value", cast<DictComp>(node)->value);
    return generators(cast<DictComp>(node)->generators);
  default:
    return targetFields(node);
  }
}

/// The expressions that can be assigned to, and slices.
void Dumper::targetFields(const Expr *node) {
  auto context = [&](ExprContext ctx) { word("ctx", nameOf(ctx)); };
  switch (node->kind) {
  case ExprKind::Attribute:
    child("value", cast<Attribute>(node)->value);
    text("attr", cast<Attribute>(node)->attr);
    return context(cast<Attribute>(node)->ctx);
  case ExprKind::Subscript:
    child("value", cast<Subscript>(node)->value);
    child("slice", cast<Subscript>(node)->slice);
    return context(cast<Subscript>(node)->ctx);
  case ExprKind::Starred:
    child("value", cast<Starred>(node)->value);
    return context(cast<Starred>(node)->ctx);
  case ExprKind::Name:
    text("id", cast<Name>(node)->id);
    return context(cast<Name>(node)->ctx);
  case ExprKind::List:
    exprs("elts", cast<List>(node)->elts);
    return context(cast<List>(node)->ctx);
  case ExprKind::Tuple:
    exprs("elts", cast<Tuple>(node)->elts);
    return context(cast<Tuple>(node)->ctx);
  case ExprKind::Slice:
    child("lower", cast<Slice>(node)->lower);
    child("upper", cast<Slice>(node)->upper);
    return child("step", cast<Slice>(node)->step);
  default:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Dumper::stmt(const Stmt *node) {
  open(nameOf(node->kind));
  simpleFields(node);
  close(*node);
}

void Dumper::simpleFields(const Stmt *node) {
  switch (node->kind) {
  case StmtKind::Return:
    return child("value", cast<Return>(node)->value);
  case StmtKind::Delete:
    return exprs("targets", cast<Delete>(node)->targets);
  case StmtKind::Assign:
    exprs("targets", cast<Assign>(node)->targets);
    return child("value", cast<Assign>(node)->value);
  case StmtKind::TypeAlias:
    child("name", cast<TypeAlias>(node)->name);
    typeParams(cast<TypeAlias>(node)->type_params);
    return child("value", cast<TypeAlias>(node)->value);
  case StmtKind::AugAssign:
    child("target", cast<AugAssign>(node)->target);
    word("op", nameOf(cast<AugAssign>(node)->op));
    return child("value", cast<AugAssign>(node)->value);
  case StmtKind::AnnAssign:
    child("target", cast<AnnAssign>(node)->target);
    child("annotation", cast<AnnAssign>(node)->annotation);
    child("value", cast<AnnAssign>(node)->value);
    return number("simple", cast<AnnAssign>(node)->simple);
  case StmtKind::Raise:
    child("exc", cast<Raise>(node)->exc);
    return child("cause", cast<Raise>(node)->cause);
  case StmtKind::Assert:
    child("test", cast<Assert>(node)->test);
    return child("msg", cast<Assert>(node)->msg);
  case StmtKind::Import:
    return aliases(cast<Import>(node)->names);
  case StmtKind::ImportFrom:
    optionalText("module", cast<ImportFrom>(node)->module);
    aliases(cast<ImportFrom>(node)->names);
    return number("level", cast<ImportFrom>(node)->level);
  case StmtKind::Global:
    return identifiers("names", cast<Global>(node)->names);
  case StmtKind::Nonlocal:
    return identifiers("names", cast<Nonlocal>(node)->names);
  case StmtKind::ExprStmt:
    return child("value", cast<ExprStmt>(node)->value);
  case StmtKind::Pass:
  case StmtKind::Break:
  case StmtKind::Continue:
    return;
  default:
    return compoundFields(node);
  }
}

void Dumper::compoundFields(const Stmt *node) {
  switch (node->kind) {
  case StmtKind::FunctionDef:
  case StmtKind::AsyncFunctionDef:
    return function(cast<FunctionLike>(node));
  case StmtKind::ClassDef:
    return classDef(cast<ClassDef>(node));
  case StmtKind::For:
  case StmtKind::AsyncFor: {
    auto *loop = cast<ForLike>(node);
    child("target", loop->target);
    child("iter", loop->iter);
    stmts("body", loop->body);
    return stmts("orelse", loop->orelse);
  }
  case StmtKind::While:
    child("test", cast<While>(node)->test);
    stmts("body", cast<While>(node)->body);
    return stmts("orelse", cast<While>(node)->orelse);
  case StmtKind::If:
    child("test", cast<If>(node)->test);
    stmts("body", cast<If>(node)->body);
    return stmts("orelse", cast<If>(node)->orelse);
  case StmtKind::With:
  case StmtKind::AsyncWith:
    list("items", cast<WithLike>(node)->items, [&](const WithItem *item) {
      open("withitem");
      child("context_expr", item->context_expr);
      child("optional_vars", item->optional_vars);
      close();
    });
    return stmts("body", cast<WithLike>(node)->body);
  case StmtKind::Match:
    child("subject", cast<Match>(node)->subject);
    return list("cases", cast<Match>(node)->cases, [&](const MatchCase *item) {
      open("match_case");
      field("pattern");
      pattern(item->pattern);
      child("guard", item->guard);
      stmts("body", item->body);
      close();
    });
  case StmtKind::Try:
  case StmtKind::TryStar:
    return tryStmt(cast<TryLike>(node));
  default:
    return;
  }
}

void Dumper::function(const FunctionLike *node) {
  text("name", node->name);
  field("args");
  arguments(node->args);
  stmts("body", node->body);
  exprs("decorator_list", node->decorator_list);
  child("returns", node->returns);
  typeParams(node->type_params);
}

void Dumper::classDef(const ClassDef *node) {
  text("name", node->name);
  exprs("bases", node->bases);
  keywords(node->keywords);
  stmts("body", node->body);
  exprs("decorator_list", node->decorator_list);
  typeParams(node->type_params);
}

void Dumper::tryStmt(const TryLike *node) {
  stmts("body", node->body);
  list("handlers", node->handlers, [&](const ExceptHandler *item) {
    open("ExceptHandler");
    child("type", item->type);
    optionalText("name", item->name);
    stmts("body", item->body);
    close(*item);
  });
  stmts("orelse", node->orelse);
  stmts("finalbody", node->finalbody);
}

//===----------------------------------------------------------------------===//
// Patterns, and the module
//===----------------------------------------------------------------------===//

void Dumper::pattern(const Pattern *node) {
  open(nameOf(node->kind));
  patternFields(node);
  close(*node);
}

void Dumper::patternFields(const Pattern *node) {
  switch (node->kind) {
  case PatternKind::MatchValue:
    return child("value", cast<MatchValue>(node)->value);
  case PatternKind::MatchSingleton: {
    ConstantKind value = cast<MatchSingleton>(node)->value;
    field("value");
    out += value == ConstantKind::None ? "None" : value == ConstantKind::True ? "True" : "False";
    return;
  }
  case PatternKind::MatchSequence:
    return patterns("patterns", cast<MatchSequence>(node)->patterns);
  case PatternKind::MatchMapping:
    exprs("keys", cast<MatchMapping>(node)->keys);
    patterns("patterns", cast<MatchMapping>(node)->patterns);
    return optionalText("rest", cast<MatchMapping>(node)->rest);
  case PatternKind::MatchClass:
    child("cls", cast<MatchClass>(node)->cls);
    patterns("patterns", cast<MatchClass>(node)->patterns);
    identifiers("kwd_attrs", cast<MatchClass>(node)->kwd_attrs);
    return patterns("kwd_patterns", cast<MatchClass>(node)->kwd_patterns);
  case PatternKind::MatchStar:
    return optionalText("name", cast<MatchStar>(node)->name);
  case PatternKind::MatchAs:
    if (cast<MatchAs>(node)->pattern) {
      field("pattern");
      pattern(cast<MatchAs>(node)->pattern);
    }
    return optionalText("name", cast<MatchAs>(node)->name);
  case PatternKind::MatchOr:
    return patterns("patterns", cast<MatchOr>(node)->patterns);
  }
}

void Dumper::module(const Module &module) {
  open("Module");
  stmts("body", module.body);
  list("type_ignores", Seq<Stmt *>(), [](Stmt *) {});
  close();
}

std::string dump(const Module &module, const DumpOptions &options) {
  Dumper dumper(options);
  dumper.module(module);
  return std::move(dumper.out);
}

std::string dump(const Expr &expr, const DumpOptions &options) {
  Dumper dumper(options);
  dumper.expr(&expr);
  return std::move(dumper.out);
}

std::string dump(const Stmt &stmt, const DumpOptions &options) {
  Dumper dumper(options);
  dumper.stmt(&stmt);
  return std::move(dumper.out);
}

} // namespace tessera
