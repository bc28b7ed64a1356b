//===- TextDiffTest.cpp - diffs of programs -------------------------------===//
#include "TextDiff.h"
#include "gtest/gtest.h"
#include <random>

using namespace tessera;

namespace {

ProgramText program(std::string text) {
  ProgramText result;
  result.text = std::move(text);
  result.places.resize(std::count(result.text.begin(), result.text.end(), '\n'));
  return result;
}

/// The diff as text: a mark and the line.
std::string show(const std::string &before, const std::string &after) {
  ProgramText a = program(before), b = program(after);
  std::vector<llvm::StringRef> lines = splitLines(b.text);
  std::string shown;
  for (const DiffLine &line : diffPrograms(a, b)) {
    switch (line.change) {
    case LineChange::Same:
      shown += "  " + lines[line.after].str() + "\n";
      break;
    case LineChange::Removed:
      shown += (line.moved ? "< " : "- ") + line.oldText + "\n";
      break;
    case LineChange::Added:
      shown += (line.moved ? "> " : "+ ") + lines[line.after].str() + "\n";
      break;
    case LineChange::Edited:
      shown += "~ " + line.oldText + " => " + lines[line.after].str() + "\n";
      break;
    }
  }
  return shown;
}

TEST(TextDiff, NumberingIsNoChange) {
  EXPECT_EQ(show("%0 = a.b\n%1 = c.d %0\n%2 = e.f %1, %0\n",
                 "%c = x.y\n%0 = a.b\n%1 = c.d %0\n%2 = e.f %1, %0\n"),
            "+ %c = x.y\n  %0 = a.b\n  %1 = c.d %0\n  %2 = e.f %1, %0\n");
  EXPECT_EQ(show("%0 = x.y\n%1 = a.b\n%2 = c.d %1\n", "%0 = a.b\n%1 = c.d %0\n"),
            "- %0' = x.y\n  %0 = a.b\n  %1 = c.d %0\n");
}

TEST(TextDiff, AnotherOperandIsAChange) {
  EXPECT_EQ(show("%0 = a.b\n%1 = c.d\n%2 = e.f %0\n", "%0 = a.b\n%1 = c.d\n%2 = e.f %1\n"),
            "  %0 = a.b\n  %1 = c.d\n~ %2 = e.f %0 => %2 = e.f %1\n");
}

TEST(TextDiff, UsesOfARemovedDuplicateChange) {
  EXPECT_EQ(show("%0 = a.b\n%1 = a.b\n%2 = e.f %0, %1\n", "%0 = a.b\n%1 = e.f %0, %0\n"),
            "  %0 = a.b\n- %1' = a.b\n~ %1 = e.f %0, %1' => %1 = e.f %0, %0\n");
}

TEST(TextDiff, MovedLinesAreMarked) {
  EXPECT_EQ(show("loop {\n  %x = a.b %p, %q\n  use %x\n}\nend\n",
                 "%x = a.b %p, %q\nloop {\n  use %x\n}\nend\n"),
            "> %x = a.b %p, %q\n  loop {\n< "
            "  %x = a.b %p, %q\n    use %x\n  }\n  end\n");
}

TEST(TextDiff, NumberedLabelsAreNames) {
  EXPECT_EQ(show("  br label %1\n1:\n  ret\n", "  %1 = add\n  br label %2\n2:\n  ret\n"),
            "+   %1 = add\n    br label %2\n  2:\n    ret\n");
}

TEST(TextDiff, SpansCoverWhatDiffers) {
  ProgramText a = program("%0 = tt.load %p : tensor<4xf32, #a>\n"),
              b = program("%0 = tt.load %p : tensor<4xf32, #b>\n");
  std::vector<DiffLine> diff = diffPrograms(a, b);
  ASSERT_EQ(diff.size(), 1u);
  ASSERT_EQ(diff[0].newSpans.size(), 1u);
  auto [begin, end] = diff[0].newSpans[0];
  EXPECT_EQ(b.text.substr(begin, end - begin), "#b");
}

TEST(TextDiff, AnyTextsHaveADiffThatGivesBothBack) {
  std::mt19937 random(3);
  const char *words[] = {
      "%1", "%a_2", "%", "^bb0", "\"%1", "= ", "1:", "{", "}", "", "#x", "  ", "\t"};
  auto text = [&] {
    std::string made;
    for (unsigned i = random() % 8; i > 0; --i) {
      for (unsigned j = random() % 5; j > 0; --j)
        made += std::string(words[random() % std::size(words)]) + " ";
      made += "\n";
    }
    return made;
  };
  for (unsigned round = 0; round < 2000; ++round) {
    ProgramText a = program(text()), b = program(text());
    size_t before = 0, after = 0;
    for (const DiffLine &line : diffPrograms(a, b)) {
      if (line.change != LineChange::Added)
        EXPECT_EQ(line.before, before++);
      if (line.change != LineChange::Removed)
        EXPECT_EQ(line.after, after++);
    }
    EXPECT_EQ(before, splitLines(a.text).size());
    EXPECT_EQ(after, splitLines(b.text).size());
  }
}

} // namespace
