//===- OptionsTest.cpp - the options as text ------------------------------===//
#include "tessera/Support/Options.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace tessera;

TEST(Options, CanonicalTextHasEveryFieldInOrder) {
  CompileOptions options;
  options.cpu = "skylake";
  std::string copy = options.canonicalText();
  llvm::StringRef text = copy;
  EXPECT_TRUE(text.starts_with("num-warps=4\nnum-stages=3\nnum-ctas=1\n")) << copy;
  EXPECT_TRUE(text.contains("\nenable-fp-fusion=true\n"));
  EXPECT_TRUE(text.contains("\nmcpu=skylake\n"));
}

TEST(Options, EveryChangeShows) {
  CompileOptions base, other;
  other.maxRegisters = 1;
  EXPECT_NE(base.canonicalText(), other.canonicalText());
  other = base;
  other.lineInfo = false;
  EXPECT_NE(base.canonicalText(), other.canonicalText());
}

TEST(Options, ListsWhatIsNotTheDefault) {
  CompileOptions options;
  EXPECT_TRUE(options.changedFlagsAndValues().empty());
  options.maxRegisters = 64;
  options.numWarps = 8;
  options.lineInfo = true; // the default
  std::vector<std::pair<std::string, std::string>> expected = {{"num-warps", "8"},
                                                               {"maxnreg", "64"}};
  EXPECT_EQ(expected, options.changedFlagsAndValues());
}

TEST(Options, AValueCannotLookLikeTwoOptions) {
  CompileOptions a, b;
  a.cpu = "x\ny";
  b.cpu = "x\\ny";
  EXPECT_NE(a.canonicalText(), b.canonicalText());
}
