//===- LexerTest.cpp - lines, indentation, numbers, strings ---------------===//
#include "Lexer/Lexer.h"
#include "SourceTesting.h"
#include <gtest/gtest.h>

using namespace tessera;

/// The kinds of all tokens as letters, the text of those that have it.
static std::string lex(const std::string &text) {
  DiagnosticEngine diagnostics;
  auto file = SourceFile::fromBytes("t.py", text, diagnostics);
  if (!file)
    return "undecodable";
  Lexer lexer(*file);
  std::string out;
  for (;;) {
    Token token = lexer.next();
    if (token.kind == Tok::EndMarker)
      return out;
    if (token.kind == Tok::Error)
      return out + "error: " + lexer.error().message;
    std::string_view spelled = lexer.text().substr(token.begin, token.end - token.begin);
    out += token.kind == Tok::Newline         ? "NL"
           : token.kind == Tok::Indent        ? "IN"
           : token.kind == Tok::Dedent        ? "DE"
           : token.kind == Tok::FStringStart  ? "F<" + std::string(spelled)
           : token.kind == Tok::FStringMiddle ? "M<" + std::string(spelled) + ">"
           : token.kind == Tok::FStringEnd    ? std::string(spelled) + ">F"
                                              : std::string(spelled);
    out += ' ';
  }
}

TEST(Lexer, Indentation) {
  EXPECT_EQ(lex("if x:\n  y\n  z\nw\n"), "if x : NL IN y NL z NL DE w NL ");
  EXPECT_EQ(lex("if x:\n  if y:\n    z\n"), "if x : NL IN if y : NL IN z NL DE DE ");
  EXPECT_EQ(lex("if x:\n  y\n # comment\n\n  z"), "if x : NL IN y NL z NL DE ");
  EXPECT_EQ(lex("\fx\n"), "x NL ");
}

TEST(Lexer, LinesJoin) {
  EXPECT_EQ(lex("a = (1,\n\n  # c\n 2)\n"), "a = ( 1 , 2 ) NL ");
  EXPECT_EQ(lex("a = \\\n  1\n"), "a = 1 NL ");
  EXPECT_EQ(lex("a;b"), "a ; b NL ");
}

TEST(Lexer, TabsMustAgree) {
  EXPECT_EQ(check("if x:\n        y\n\tz\n"),
            "3:1: inconsistent use of tabs and spaces in indentation");
  EXPECT_EQ(check("if x:\n\ty\n\tz\n"), "ok");
  EXPECT_EQ(check("if x:\n\t  y\n\t  z\n"), "ok");
}

TEST(Lexer, Operators) {
  EXPECT_EQ(lex("a**=b//c->d:=e...<>!=>>=@="), "a **= b // c -> d := e ... <> != >>= @= NL ");
}

TEST(Lexer, Numbers) {
  for (const char *good : {"0", "00", "0_0", "1_000", "0xFF_ff", "0o17", "0b1_0", "1.", ".5", "1e5",
                           "1E-5", "1_0.0_1e1_0", "1j", "1.5J", "09.5", "0777e1", "1if x else 2"})
    EXPECT_EQ(check(good), "ok") << good;
  EXPECT_EQ(check("0777"), "1:1: leading zeros in decimal integer literals are not permitted; use "
                           "an 0o prefix for octal integers");
  EXPECT_EQ(check("1__0"), "1:2: invalid decimal literal");
  EXPECT_EQ(check("1_"), "1:2: invalid decimal literal");
  EXPECT_EQ(check("12abc"), "1:2: invalid decimal literal");
  EXPECT_EQ(check("0o18"), "1:4: invalid digit '8' in octal literal");
  EXPECT_EQ(check("0b2"), "1:3: invalid digit '2' in binary literal");
  EXPECT_EQ(check("0x"), "1:2: invalid hexadecimal literal");
  EXPECT_EQ(check("1e+"), "1:3: invalid decimal literal");
}

TEST(Lexer, Strings) {
  EXPECT_EQ(lex(R"('a' "b" r'\'' ''' x
y ''')"),
            R"('a' "b" r'\'' ''' x
y ''' NL )");
  EXPECT_EQ(lex("rb'x' Br\"y\" u'z' bu"), "rb'x' Br\"y\" u'z' bu NL ");
  EXPECT_EQ(check("x = 'abc\ny"), "1:5: unterminated string literal (detected at line 1)");
  EXPECT_EQ(check("x = '''abc\ny"),
            "1:5: unterminated triple-quoted string literal (detected at line 2)");
  EXPECT_EQ(lex("'a\\\nb'"), "'a\\\nb' NL ");
}

TEST(Lexer, FStrings) {
  EXPECT_EQ(lex("f'a{x!r:>{w}}b'"), "F<f' M<a> { x ! r : M<>> { w } M<> } M<b> '>F NL ");
  EXPECT_EQ(lex("f'{{x}}'"), "F<f' M<{> M<x}> '>F NL ");
  EXPECT_EQ(lex("f'{f'{1}'}'"), "F<f' { F<f' { 1 } '>F } '>F NL ");
  EXPECT_EQ(lex("f'\\N{DASH}{x}'"), "F<f' M<\\N{DASH}> { x } '>F NL ");
  EXPECT_EQ(lex("f'{a:=5}'"), "F<f' { a : M<=5> } '>F NL ");
  EXPECT_EQ(lex("f'{(a:=5)}'"), "F<f' { ( a := 5 ) } '>F NL ");
  EXPECT_EQ(lex("f'''{\n# why\nx}'''"), "F<f''' { x } '''>F NL ");
  EXPECT_EQ(check("f'{x'"), "1:5: f-string: expecting '}'");
  EXPECT_EQ(check("f'}'"), "1:3: f-string: single '}' is not allowed");
  EXPECT_EQ(check("f'abc"), "1:1: unterminated f-string literal (detected at line 1)");
}

TEST(Lexer, Identifiers) {
  EXPECT_EQ(check("é = 蟒 = 1"), "ok");
  EXPECT_EQ(check("a = 1 € 2"), "1:7: invalid character '€' (U+20AC)");
  EXPECT_EQ(check("a\xC2\xA0= 1"), "1:2: invalid non-printable character U+00A0");
  EXPECT_EQ(check("a $ b"), "1:3: invalid syntax");
  // Names are compared in normal form: the ligature is two letters.
  EXPECT_EQ(tree("ﬁ = 1"), tree("fi = 1"));
  EXPECT_EQ(tree("e\xCC\x81 = 1"), tree("é = 1"));
}

TEST(Lexer, Brackets) {
  EXPECT_EQ(check("(a]"), "1:3: closing parenthesis ']' does not match opening parenthesis '('");
  EXPECT_EQ(check("(\na]"),
            "2:2: closing parenthesis ']' does not match opening parenthesis '(' on line 1");
  EXPECT_EQ(check("a)"), "1:2: unmatched ')'");
  EXPECT_EQ(check("x = (1,\ny = 2\n"), "1:5: '(' was never closed");
  EXPECT_EQ(check("a \\ b"), "1:4: unexpected character after line continuation character");
}

TEST(Lexer, LocationsAreBytesAndLines) {
  Parsed parsed("é = 'ü'\nx\n");
  ASSERT_TRUE(parsed.module);
  auto *first = parsed.module->body[0];
  EXPECT_EQ(first->range, (SourceRange{{1, 0}, {1, 9}}));
  EXPECT_EQ(parsed.file->displayColumn({1, 5}), 5u);
  EXPECT_EQ(parsed.module->body[1]->range.begin, (SourceLoc{2, 0}));
}
