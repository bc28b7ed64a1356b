//===- SuggestTest.cpp - the name that somebody probably meant ------------===//
#include "tessera/Support/Suggest.h"
#include "gtest/gtest.h"

using namespace tessera;

TEST(Suggest, FindsTheClosestName) {
  llvm::StringRef commands[] = {"compile", "run", "build", "link"};
  EXPECT_EQ(suggest("comple", commands), "; did you mean 'compile'?");
  EXPECT_EQ(suggest("biuld", commands), "; did you mean 'build'?");
  EXPECT_EQ(closestName("rin", commands), "run");
}

TEST(Suggest, SaysNothingIfNoneIsClose) {
  llvm::StringRef commands[] = {"compile", "run"};
  EXPECT_EQ(suggest("frobnicate", commands), "");
  EXPECT_EQ(suggest("x", commands), "");
  EXPECT_EQ(suggest("hsaco", {"sass", "ptx"}), "");
  EXPECT_EQ(suggest("", commands), "");
  EXPECT_EQ(suggest("run", {}), "");
}
