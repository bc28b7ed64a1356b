//===- SourceFileTest.cpp - encodings, line endings, bad files ------------===//
#include "SourceTesting.h"
#include <gtest/gtest.h>

using namespace tessera;

static std::string textOf(const std::string &bytes) {
  DiagnosticEngine diagnostics;
  auto file = SourceFile::fromBytes("t.py", bytes, diagnostics);
  return file ? std::string(file->text()) : "error: " + diagnostics.diagnostics()[0].message;
}

TEST(SourceFile, LineEndings) {
  EXPECT_EQ(textOf("a\r\nb\rc\nd"), "a\nb\nc\nd\n");
  EXPECT_EQ(textOf("a\r\r\n\n"), "a\n\n\n");
  EXPECT_EQ(textOf(""), "");
  EXPECT_EQ(check("if x:\r\n  y\r\nz\r\n"), "ok");
}

TEST(SourceFile, Encodings) {
  EXPECT_EQ(textOf("\xEF\xBB\xBF"
                   "a"),
            "a\n");
  EXPECT_EQ(textOf("# coding: latin-1\n'\xE9'"), "# coding: latin-1\n'é'\n");
  EXPECT_EQ(textOf("#!x\n# -*- coding: iso-8859-15 -*-\n'\xA4'"),
            "#!x\n# -*- coding: iso-8859-15 -*-\n'€'\n");
  EXPECT_EQ(textOf("# vim: set fileencoding=koi8-r :\n'\xC1'"),
            "# vim: set fileencoding=koi8-r :\n'а'\n");
  EXPECT_EQ(textOf("x\n# coding: latin-1\n'\xE9'").substr(0, 6), "error:");
  EXPECT_EQ(textOf("\n\n# coding: nonsense\n"), "\n\n# coding: nonsense\n");
  EXPECT_EQ(textOf("# coding: nonsense\n"), "error: unknown encoding: nonsense");
  EXPECT_EQ(textOf("\xEF\xBB\xBF# coding: latin-1\n"), "error: encoding problem: latin-1 with BOM");
}

TEST(SourceFile, BadBytes) {
  EXPECT_EQ(check("a\n'\xE9'\n"),
            "2:2: (unicode error) 'utf-8' codec can't decode byte 0xe9 in position 3: invalid "
            "continuation byte");
  EXPECT_EQ(check("\xFF\xFE"), "1:1: (unicode error) 'utf-8' codec can't decode byte 0xff in "
                               "position 0: invalid start byte");
  EXPECT_EQ(check("'\xC3"), "1:2: (unicode error) 'utf-8' codec can't decode byte 0xc3 in "
                            "position 1: unexpected end of data");
  EXPECT_EQ(check("'\xED\xA0\x80'").substr(0, 20), "1:2: (unicode error)");
  EXPECT_EQ(check(std::string("a\r\nb\0c", 6)), "2:2: source code cannot contain null bytes");
  std::string binary;
  for (int i = 0; i < 4096; ++i)
    binary.push_back(static_cast<char>(i * 7919 >> 3));
  EXPECT_NE(check(binary), "ok");
}

TEST(SourceFile, CannotBeRead) {
  for (const char *path : {"/no/such/file.py", "/", ""}) {
    DiagnosticEngine diagnostics;
    EXPECT_FALSE(SourceFile::load(path, diagnostics));
    ASSERT_EQ(diagnostics.diagnostics().size(), 1u);
  }
  DiagnosticEngine diagnostics;
  SourceFile::load("/", diagnostics);
  EXPECT_EQ(diagnostics.render(), "/: error: this is a directory, not a Python file\n");
}

TEST(SourceFile, Lines) {
  DiagnosticEngine diagnostics;
  auto file = SourceFile::fromBytes("t.py", "ab\n\ncé d", diagnostics);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->lineCount(), 3u);
  EXPECT_EQ(file->line(1), "ab");
  EXPECT_EQ(file->line(2), "");
  EXPECT_EQ(file->line(3), "cé d");
  EXPECT_EQ(file->line(4), "");
  EXPECT_EQ(file->locate(3), (SourceLoc{2, 0}));
  EXPECT_EQ(file->locate(5), (SourceLoc{3, 1}));
  EXPECT_EQ(file->displayColumn({3, 4}), 4u);
}
