//===- SyntaxErrorTest.cpp - mistakes, their places and their words -------===//
// Expectations are CPython 3.12's, except where a comment says otherwise.
//===----------------------------------------------------------------------===//
#include "SourceTesting.h"
#include <gtest/gtest.h>

using namespace tessera;

namespace {
struct Mistake {
  const char *text;
  const char *error;
};
} // namespace

static void expectAll(std::initializer_list<Mistake> mistakes) {
  for (const Mistake &mistake : mistakes)
    EXPECT_EQ(check(mistake.text), mistake.error) << mistake.text;
}

TEST(SyntaxError, Targets) {
  expectAll({
      {"f() = 1", "1:1: cannot assign to function call here. Maybe you meant '==' instead of '='?"},
      {"x = f() = 3", "1:5: cannot assign to function call"},
      {"None = 1", "1:1: cannot assign to None"},
      {"(a, 1) = 2", "1:5: cannot assign to literal"},
      {"a + 1 += 2", "1:1: 'expression' is an illegal expression for augmented assignment"},
      {"a, b += 1", "1:1: 'tuple' is an illegal expression for augmented assignment"},
      {"for f() in x: pass", "1:5: cannot assign to function call"},
      {"[x for 1 in y]", "1:8: cannot assign to literal"},
      {"with a as 1: pass", "1:11: cannot assign to literal"},
      {"del f()", "1:5: cannot delete function call"},
      {"del a, b()", "1:8: cannot delete function call"},
      {"(a, b): int", "1:1: only single target (not tuple) can be annotated"},
      {"f(): int", "1:1: illegal target for annotation"},
      {"x = yield = 1", "1:5: assignment to yield expression not possible"},
      {"(a.b := 1)", "1:2: cannot use assignment expressions with attribute"},
      {"if x = 3: pass", "1:4: invalid syntax. Maybe you meant '==' or ':=' instead of '='?"},
  });
}

TEST(SyntaxError, Expressions) {
  expectAll({
      {"x = (1 2)", "1:6: invalid syntax. Perhaps you forgot a comma?"},
      {"x = 1 2", "1:7: invalid syntax"},
      {"x = (1 if 2)", "1:6: expected 'else' after 'if' expression"},
      {"print 'a'", "1:1: Missing parentheses in call to 'print'. Did you mean print(...)?"},
      {"(*a)", "1:2: cannot use starred expression here"},
      {"[*a for a in b]", "1:2: iterable unpacking cannot be used in comprehension"},
      {"[a, b for a in c]", "1:2: did you forget parentheses around the comprehension target?"},
      {"{**a for a in b}", "1:2: dict unpacking cannot be used in dict comprehension"},
      {"{1: 2, 3}", "1:8: ':' expected after dictionary key"},
      {"{1:}", "1:3: expression expected after dictionary key and ':'"},
      {"{1: *a}", "1:5: cannot use a starred expression in a dictionary value"},
      {"a <> b", "1:3: invalid syntax"},
      {"x +", "1:4: invalid syntax"},
  });
}

TEST(SyntaxError, CallsAndParameters) {
  expectAll({
      {"f(a=1, b)", "1:9: positional argument follows keyword argument"},
      {"f(**a, b)", "1:9: positional argument follows keyword argument unpacking"},
      {"f(**a, *b)", "1:8: iterable argument unpacking follows keyword argument unpacking"},
      {"f(a.b=1)", "1:3: expression cannot contain assignment, perhaps you meant \"==\"?"},
      {"f(True=1)", "1:3: cannot assign to True"},
      {"f(a=)", "1:3: expected argument value expression"},
      {"f(x for x in y, 1)", "1:3: Generator expression must be parenthesized"},
      {"def f(a=1, b): pass", "1:12: parameter without a default follows parameter with a default"},
      {"def f(*): pass", "1:7: named arguments must follow bare *"},
      {"def f(**a, b): pass", "1:12: arguments cannot follow var-keyword argument"},
      {"def f(/, a): pass", "1:7: at least one argument must precede /"},
      {"def f(a, /, b, /): pass", "1:16: / may appear only once"},
      {"lambda (a): 1", "1:8: Lambda expression parameters cannot be parenthesized"},
  });
}

TEST(SyntaxError, Blocks) {
  expectAll({
      {"if x\n  y", "1:5: expected ':'"},
      {"if x:\ny", "2:1: expected an indented block after 'if' statement on line 1"},
      {"def f()\n  y", "1:8: expected ':'"},
      {"def f:\n  y", "1:6: expected '('"},
      {"class A:\n", "1:9: expected an indented block after class definition on line 1"},
      {"try:\n  x\ny", "3:1: expected 'except' or 'finally' block"},
      {"try:\n  x\nexcept a, b:\n  y", "3:8: multiple exception types must be parenthesized"},
      {"try:\n  x\nexcept* a: b\nexcept c: d",
       "4:1: cannot have both 'except' and 'except*' on the same 'try'"},
      {"x\n  y", "2:2: unexpected indent"},
      {"if x:\n    y\n  z", "3:4: unindent does not match any outer indentation level"},
      {"match x:\n  case a as _: pass", "2:13: cannot use '_' as a target"},
      {"match x:\n  case A(b=1, 2): pass", "2:15: positional patterns follow keyword patterns"},
      {"else: pass", "1:1: invalid syntax"},
      {"from a import b,", "1:17: trailing comma not allowed without surrounding parentheses"},
      {"import a from b", "1:1: Did you mean to use 'from ... import ...' instead?"},
  });
}

TEST(SyntaxError, Strings) {
  expectAll({
      {"'\\x1'", "1:1: (unicode error) 'unicodeescape' codec can't decode bytes in position 0-2: "
                 "truncated \\xXX escape"},
      {"'\\N{no such name}'", "1:1: (unicode error) 'unicodeescape' codec can't decode bytes in "
                              "position 0-15: unknown Unicode character name"},
      {"b'\xC3\xA9'", "1:1: bytes can only contain ASCII literal characters"},
      {"b'a' 'b'", "1:9: cannot mix bytes and nonbytes literals"},
      {"b'\\x1'", "1:1: (value error) invalid \\x escape at position 0"},
  });
}

TEST(SyntaxError, TheLexerOverrules) {
  expectAll({
      {"x x\n'abc", "2:1: unterminated string literal (detected at line 2)"},
      {"x = (1,\ny = 2\n", "1:5: '(' was never closed"},
      {"x x\ny = (1\n", "1:3: invalid syntax"},
  });
}

TEST(SyntaxError, NoInputExhaustsTheStack) {
  auto repeat = [](const char *text, unsigned count) {
    std::string out;
    while (count-- > 0)
      out += text;
    return out;
  };
  const unsigned many = 100000;
  EXPECT_EQ(check(repeat("(", many)), "1:201: too many nested parentheses");
  EXPECT_EQ(check(repeat("(", 200) + repeat(")", 200)), "ok");
  std::string blocks;
  for (unsigned i = 0; i < 101; ++i)
    blocks += std::string(i, ' ') + "if x:\n";
  EXPECT_EQ(check(blocks), "101:1: too many levels of indentation");
  for (std::string deep :
       {repeat("-", many) + "1", repeat("not ", many) + "x", "a" + repeat(".b", many),
        "x" + repeat("+x", many), "f" + repeat("()", many), "a" + repeat("[0]", many),
        "2" + repeat("**2", many), repeat("lambda:", many) + "1",
        repeat("1 if 1 else ", many) + "1", "if x: pass\n" + repeat("elif x: pass\n", many)}) {
    std::string error = check(deep);
    EXPECT_NE(error.find("1000 deep"), std::string::npos) << deep.substr(0, 20) << ": " << error;
  }
  for (std::string wide :
       {"(" + repeat("1,", many) + ")", "a" + repeat(" and a", many), "a" + repeat("<a", many),
        repeat("a=", many) + "1", repeat("'a' ", many), repeat("x;", many)})
    EXPECT_EQ(check(wide), "ok") << wide.substr(0, 20);
  // These inputs take exponential time if the parser does not memoize results.
  for (const char *nested : {"{a b,", "[a b,", "f(a b,", "{1:{", "(a:=(", "f(a=f("})
    EXPECT_NE(check(repeat(nested, 99)), "ok") << nested;
}
