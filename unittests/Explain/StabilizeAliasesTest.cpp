//===- StabilizeAliasesTest.cpp - one name for each layout ----------------===//
#include "tessera/Explain/Explanation.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

TEST(StabilizeAliases, ALayoutKeepsItsName) {
  PassTrace trace;
  trace.texts.resize(3);
  trace.texts[0].text = "#blocked = #ttg.blocked<{a}>\nuse #blocked\n";
  trace.texts[1].text = "#blocked = #ttg.blocked<{b}>\n#blocked1 = #ttg.blocked<{a}>\n"
                        "use #blocked, #blocked1, \"#blocked\", #ttg.blocked<{c}>\n";
  trace.texts[2].text =
      "#blocked = #ttg.blocked<{b}>\n#slice = #ttg.slice<{#blocked}>\nuse #slice\n";
  stabilizeAliases(trace);
  EXPECT_EQ(trace.texts[0].text, "#blocked = #ttg.blocked<{a}>\nuse #blocked\n");
  EXPECT_EQ(trace.texts[1].text, "#blocked1 = #ttg.blocked<{b}>\n#blocked = #ttg.blocked<{a}>\n"
                                 "use #blocked1, #blocked, \"#blocked\", #ttg.blocked<{c}>\n");
  EXPECT_EQ(trace.texts[2].text, "#blocked1 = #ttg.blocked<{b}>\n"
                                 "#slice = #ttg.slice<{#blocked1}>\nuse #slice\n");
}

TEST(StabilizeAliases, OtherTextStays) {
  PassTrace trace;
  trace.texts.resize(2);
  trace.texts[0].text = "#";
  trace.texts[1].text = "#a\n#b = \nuse #a\n";
  std::vector<ProgramText> before = trace.texts;
  stabilizeAliases(trace);
  EXPECT_EQ(trace.texts[0].text, before[0].text);
  EXPECT_EQ(trace.texts[1].text, before[1].text);
}

} // namespace
