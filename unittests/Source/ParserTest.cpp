//===- ParserTest.cpp - the forms of Python 3.12 --------------------------===//
// Whole trees are compared with CPython's on its standard library
// (test/parse/stdlib.py); here stand the forms it does not have, and the values
// of constants.
//===----------------------------------------------------------------------===//
#include "SourceTesting.h"
#include "llvm/Support/Casting.h"
#include <gtest/gtest.h>

using namespace tessera;
using llvm::cast;

TEST(Parser, EmptyModules) {
  for (const char *text : {"", "\n", "# comment", "   \n\t\n", "\\\n\n", "\xEF\xBB\xBF"})
    EXPECT_EQ(check(text), "ok") << text;
}

TEST(Parser, EveryStatement) {
  EXPECT_EQ(check("@a\n@b.c(d)\nasync def f[T: int, *Ts, **P](a, /, b: int = 1, *args: *Ts, c, "
                  "d=2, **kw: P) -> T:\n  async with x as y, z: await w\n  async for i, *j in k:\n"
                  "    pass\n  else: yield\n  return [u async for u in v]\n"),
            "ok");
  EXPECT_EQ(check("class A[T](B, *C, metaclass=D, **E):\n  x: int\n  (y): str = 1\n  z.w: int\n"),
            "ok");
  EXPECT_EQ(check("try: pass\nexcept* (A, B) as e: pass\nelse: pass\nfinally: pass\n"), "ok");
  EXPECT_EQ(check("with (a as b, c, d as (e, f),): pass\nwith (a, b): pass\nwith (a), (b): pass\n"
                  "with (yield): pass\nwith (a).b as c: pass\n"),
            "ok");
  EXPECT_EQ(
      check("from . import a\nfrom ... import (b as c,)\nfrom .x.y import *\nimport a.b as c, d"),
      "ok");
  EXPECT_EQ(check("type X[T] = list[T]\ntype = 1\ntype(x)\ntype.y\nmatch = case = 2\nmatch(x)\n"
                  "match[x]\nmatch.a\nmatch, case\n"),
            "ok");
  EXPECT_EQ(
      check("def f():\n  global a, b\n  nonlocal c\n  del a, (b, [c.d]), e[f]\n  assert x, y\n"
            "  raise E from None\n"),
      "ok");
  EXPECT_EQ(check("a = b, *c = *d, e = yield\nx += yield from y\nx @= 1; y //= 2; z **= 3\n"),
            "ok");
  EXPECT_EQ(check("while x: break\nelse: continue\nif a: b\nelif c: d\nelse: e\n"), "ok");
}

TEST(Parser, Patterns) {
  EXPECT_EQ(check("match x, *y:\n"
                  "  case 1 | -2.5 | 3+4j | -1-2j | 'a' 'b' | b'c' | None | True: pass\n"
                  "  case a.b.c: pass\n"
                  "  case [a, *_, b] | (c, *d) | (): pass\n"
                  "  case {'k': v, a.b: 1, -1: _, **rest}: pass\n"
                  "  case A.B(1, C(), x=2, y=[*z],): pass\n"
                  "  case (a as b) as c if d := e: pass\n"
                  "  case *a, b: pass\n"
                  "  case a,: pass\n"
                  "  case _: pass\n"),
            "ok");
  EXPECT_EQ(
      tree("match x:\n case [1, *_] as y: pass"),
      "Match(subject=Name(id='x', ctx=Load()), cases=[match_case(pattern=MatchAs(pattern="
      "MatchSequence(patterns=[MatchValue(value=Constant(value=1)), MatchStar()]), name='y'), "
      "body=[Pass()])])");
}

TEST(Parser, Expressions) {
  EXPECT_EQ(
      tree("a + b * c ** -d"),
      "Expr(value=BinOp(left=Name(id='a', ctx=Load()), op=Add(), right=BinOp(left=Name(id='b', "
      "ctx=Load()), op=Mult(), right=BinOp(left=Name(id='c', ctx=Load()), op=Pow(), "
      "right=UnaryOp(op=USub(), operand=Name(id='d', ctx=Load()))))))");
  EXPECT_EQ(tree("a < b is not c not in d"),
            "Expr(value=Compare(left=Name(id='a', ctx=Load()), ops=[Lt(), IsNot(), NotIn()], "
            "comparators=[Name(id='b', ctx=Load()), Name(id='c', ctx=Load()), Name(id='d', "
            "ctx=Load())]))");
  EXPECT_EQ(tree("x[1:2, ..., *y]"),
            "Expr(value=Subscript(value=Name(id='x', ctx=Load()), slice=Tuple(elts=[Slice(lower="
            "Constant(value=1), upper=Constant(value=2)), Constant(value=Ellipsis), Starred(value="
            "Name(id='y', ctx=Load()), ctx=Load())], ctx=Load()), ctx=Load()))");
  for (const char *good : {"lambda *a, b=1, **c: 0",
                           "lambda a, /, b: 0",
                           "lambda: (yield)",
                           "f(*a, b, c=d, *e, **g)",
                           "f(x for x in y)",
                           "[x := 1, *y]",
                           "{**a, b: c}",
                           "{x: y for x, y in z if a if b}",
                           "{*a, b}",
                           "x if y else z if w else v",
                           "not a and b or c",
                           "a[b:=1]",
                           "a[(b:=1):c]",
                           "a[::]",
                           "await_ = a",
                           "(a, *b)",
                           "()",
                           "...",
                           "-1 ** -2",
                           "a @ b",
                           "x = (yield)"})
    EXPECT_EQ(check(good), "ok") << good;
}

static const ast::Constant &constant(const Parsed &parsed) {
  return *cast<ast::Constant>(cast<ast::ExprStmt>(parsed.module->body[0])->value);
}

TEST(Parser, Constants) {
  EXPECT_EQ(constant(Parsed("0x7fff_ffff_ffff_ffff")).intValue, INT64_MAX);
  Parsed large("0x1_0000_0000_0000_0000");
  EXPECT_TRUE(constant(large).intOverflows);
  EXPECT_EQ(constant(large).base, 16);
  EXPECT_EQ(constant(large).text, "10000000000000000");
  EXPECT_EQ(tree("0x1_0000_0000_0000_0000"), "Expr(value=Constant(value=18446744073709551616))");
  EXPECT_EQ(constant(Parsed("1_0.5e-1")).floatValue, 1.05);
  EXPECT_EQ(tree("1e400"), "Expr(value=Constant(value=inf))");
  EXPECT_EQ(tree("1e-400"), "Expr(value=Constant(value=0.0))");
  EXPECT_EQ(tree("1e16, 1e15, 0.0001, 1e-5, 5e-324"),
            "Expr(value=Tuple(elts=[Constant(value=1e+16), Constant(value=1000000000000000.0), "
            "Constant(value=0.0001), Constant(value=1e-05), Constant(value=5e-324)], ctx=Load()))");
  EXPECT_EQ(constant(Parsed("2.5j")).floatValue, 2.5);
  EXPECT_EQ(constant(Parsed("'\\x41\\u00e9\\101\\N{BULLET}\\\n\\q'")).text, "A\xC3\xA9"
                                                                            "A\xE2\x80\xA2\\q");
  EXPECT_EQ(constant(Parsed("rb'\\x00' b'\\x00'")).text, std::string_view("\\x00\0", 5));
  EXPECT_EQ(tree("u'a' 'b'"), "Expr(value=Constant(value='ab', kind='u'))");
}

TEST(Parser, FStrings) {
  EXPECT_EQ(tree("f'a' 'b' f'{c!r:>{d}}e'"),
            "Expr(value=JoinedStr(values=[Constant(value='ab'), FormattedValue(value=Name(id='c', "
            "ctx=Load()), conversion=114, format_spec=JoinedStr(values=[Constant(value='>'), "
            "FormattedValue(value=Name(id='d', ctx=Load()), conversion=-1)])), "
            "Constant(value='e')]))");
  EXPECT_EQ(
      tree("f'{ x = }'"),
      "Expr(value=JoinedStr(values=[Constant(value=' x = '), FormattedValue(value=Name(id='x', "
      "ctx=Load()), conversion=114)]))");
  EXPECT_EQ(tree(R"(f'\{x}')"), tree(R"(f'\\{x}')"));
  EXPECT_EQ(tree("f''"), "Expr(value=JoinedStr(values=[]))");
  EXPECT_EQ(check("f'{x!z}'"),
            "1:6: f-string: invalid conversion character 'z': expected 's', 'r', or 'a'");
  EXPECT_EQ(check("f'{}'"), "1:4: f-string: valid expression required before '}'");
  EXPECT_EQ(check("f'{a b}'"), "1:4: invalid syntax. Perhaps you forgot a comma?");
  EXPECT_EQ(check("f'{lambda x:1}'"),
            "1:4: f-string: lambda expressions are not allowed without parentheses");
}

TEST(Parser, TreesOutliveTheirFile) {
  std::unique_ptr<ast::Module> module;
  {
    Parsed parsed("def function(argument): return 'text'");
    module = std::move(parsed.module);
  }
  EXPECT_EQ(
      dump(*module->body[0]),
      "FunctionDef(name='function', args=arguments(posonlyargs=[], args=[arg(arg='argument')], "
      "kwonlyargs=[], kw_defaults=[], defaults=[]), body=[Return(value=Constant(value='text'))]"
      ", decorator_list=[], type_params=[])");
}

TEST(Parser, IdentifiersAreInterned) {
  Parsed parsed("abc = 1\nabc");
  auto *target = cast<ast::Name>(cast<ast::Assign>(parsed.module->body[0])->targets[0]);
  auto *use = cast<ast::Name>(cast<ast::ExprStmt>(parsed.module->body[1])->value);
  EXPECT_EQ(target->id.data(), use->id.data());
}
