//===- DiagnosticsTest.cpp - how errors look ------------------------------===//
#include "SourceTesting.h"
#include <gtest/gtest.h>

using namespace tessera;

/// The rendering of an error at columns [begin, end) of a line.
static std::string shown(const std::string &text, uint32_t line, uint32_t begin, uint32_t end) {
  DiagnosticEngine diagnostics;
  auto file = SourceFile::fromBytes("t.py", text, diagnostics);
  diagnostics.error(*file, {{line, begin}, {line, end}}, "m");
  return diagnostics.render();
}

TEST(Diagnostics, AsTheDesignShowsThem) {
  DiagnosticEngine diagnostics;
  std::string text(13, '\n');
  text += "    acc += tl.dot(a, b)\n";
  auto file = SourceFile::fromBytes("matmul.py", text, diagnostics);
  diagnostics.error(*file, {{14, 11}, {14, 23}}, "tl.dot inner sizes differ: 32 and 16")
      .note(*file, {{9, 8}, {9, 9}}, "'b' has shape [16, 64], loaded here");
  EXPECT_EQ(diagnostics.render(), "matmul.py:14:12: error: tl.dot inner sizes differ: 32 and 16\n"
                                  "    acc += tl.dot(a, b)\n"
                                  "           ^~~~~~~~~~~~\n"
                                  "matmul.py:9:9: note: 'b' has shape [16, 64], loaded here\n");
  EXPECT_TRUE(diagnostics.hasErrors());
}

TEST(Diagnostics, Kinds) {
  DiagnosticEngine diagnostics;
  diagnostics.report(DiagnosticKind::Note, "", "a");
  EXPECT_FALSE(diagnostics.hasErrors());
  diagnostics.report(DiagnosticKind::Unsupported, "k.py", "b");
  diagnostics.report(DiagnosticKind::Internal, "", "c");
  EXPECT_EQ(diagnostics.render(), "note: a\nk.py: unsupported: b\ninternal error: c\n");
}

TEST(Diagnostics, TabsAndWideCharacters) {
  EXPECT_EQ(shown("\tx = y\n", 1, 5, 6), "t.py:1:6: error: m\n        x = y\n            ^\n");
  EXPECT_EQ(shown("é = ü\n", 1, 5, 7), "t.py:1:5: error: m\né = ü\n    ^\n");
  EXPECT_EQ(shown("'蟒' x\n", 1, 6, 7), "t.py:1:5: error: m\n'蟒' x\n     ^\n");
}

TEST(Diagnostics, EdgesOfLines) {
  EXPECT_EQ(shown("ab\n", 1, 2, 3), "t.py:1:3: error: m\nab\n  ^\n");
  EXPECT_EQ(shown("ab\n", 1, 9, 9), "t.py:1:10: error: m\nab\n  ^\n");
  EXPECT_EQ(shown("\nx\n", 1, 0, 1), "t.py:1:1: error: m\n\n^\n");
  EXPECT_EQ(shown("ab\n", 7, 0, 1), "t.py:7:1: error: m\n");
  // Several lines: the first is marked to its end.
  DiagnosticEngine diagnostics;
  auto file = SourceFile::fromBytes("t.py", "f(a,\n  b)\n", diagnostics);
  diagnostics.error(*file, {{1, 0}, {2, 4}}, "m");
  EXPECT_EQ(diagnostics.render(), "t.py:1:1: error: m\nf(a,\n^~~~\n");
}

TEST(Diagnostics, LongLinesAreCut) {
  std::string line(100000, 'x');
  std::string text = shown(line + "!" + line, 1, 100000, 100001);
  EXPECT_LT(text.size(), 3u * (kMaxExcerptColumns + 60));
  EXPECT_NE(text.find("...xxx"), std::string::npos);
  EXPECT_NE(text.find("xxx..."), std::string::npos);
  size_t bang = text.find('!'), caret = text.find('^');
  size_t lineBegin = text.rfind('\n', bang) + 1, caretBegin = text.rfind('\n', caret) + 1;
  EXPECT_EQ(bang - lineBegin, caret - caretBegin);
}

TEST(Diagnostics, ControlCharactersAreNotPrinted) {
  EXPECT_EQ(shown("a\033[31m b\n", 1, 0, 1), "t.py:1:1: error: m\na?[31m b\n^\n");
}

TEST(Diagnostics, ColourIsOffUnlessAskedFor) {
  DiagnosticEngine diagnostics;
  auto file = SourceFile::fromBytes("t.py", "x", diagnostics);
  diagnostics.error(*file, {{1, 0}, {1, 1}}, "m");
  EXPECT_EQ(diagnostics.render().find('\033'), std::string::npos);
  RenderOptions options;
  options.color = true;
  EXPECT_NE(diagnostics.render(options).find('\033'), std::string::npos);
}

TEST(Diagnostics, OutliveTheirFile) {
  DiagnosticEngine diagnostics;
  {
    auto file = SourceFile::fromBytes("t.py", "x = =", diagnostics);
    EXPECT_FALSE(parseModule(*file, diagnostics));
  }
  EXPECT_EQ(diagnostics.render(), "t.py:1:5: error: invalid syntax\nx = =\n    ^\n");
}

TEST(Diagnostics, WarningsAndOutputStopNothing) {
  DiagnosticEngine diagnostics;
  auto file = SourceFile::fromBytes("t.py", "x << 40", diagnostics);
  diagnostics.output("N is 16\n");
  diagnostics.warning(*file, {{1, 0}, {1, 7}}, "undefined");
  diagnostics.warning(*file, {{1, 0}, {1, 7}}, "undefined"); // the second reading of a loop's body
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.render(), "N is 16\nt.py:1:1: warning: undefined\nx << 40\n^~~~~~~\n");
  diagnostics.error(*file, {{1, 0}, {1, 7}}, "m");
  EXPECT_TRUE(diagnostics.hasErrors());
}
