//===- TerminalTest.cpp - colour where somebody is looking ----------------===//
#include "tessera/Support/Terminal.h"
#include "gtest/gtest.h"

using namespace tessera;

TEST(Terminal, PlainWhenPiped) {
  FILE *file = std::tmpfile();
  ASSERT_NE(nullptr, file);
  EXPECT_FALSE(isTerminal(file));
  EXPECT_EQ("", choosePalette(file, {}).red);
  EXPECT_EQ(100u, terminalWidth(file, 100));
  EXPECT_EQ("\033[31m", choosePalette(file, {.mode = ColorMode::Always}).red);
  EXPECT_EQ("", choosePalette(file, {.mode = ColorMode::Never}).reset);
  std::fclose(file);
}
