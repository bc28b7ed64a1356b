//===- GridTest.cpp - how many programs a launch runs ---------------------===//
#include "tessera/Launch/Grid.h"
#include "gtest/gtest.h"

using namespace tessera;

static std::string gridError(llvm::StringRef text) {
  return llvm::toString(parseGrid(text).takeError());
}

TEST(Grid, Parse) {
  EXPECT_EQ("(1024, 1, 1)", llvm::cantFail(parseGrid("1024")).toString());
  EXPECT_EQ("(4, 5, 6)", llvm::cantFail(parseGrid(" 4, 5,6 ")).toString());
  EXPECT_TRUE(llvm::cantFail(parseGrid("4,0")).empty());
  EXPECT_EQ(2147483647u, llvm::cantFail(parseGrid("2147483647")).x);
}

TEST(Grid, ParseErrorsNameTheOption) {
  EXPECT_EQ("--grid: '' is not one to three numbers such as 1024 or 1024,8,1", gridError(""));
  EXPECT_EQ("--grid: '1,2,3,4' is not one to three numbers such as 1024 or 1024,8,1",
            gridError("1,2,3,4"));
  EXPECT_EQ("--grid: '-1' is not a number of programs", gridError("-1"));
  EXPECT_EQ("--grid: '' is not a number of programs", gridError("1,,2"));
  EXPECT_EQ("--grid: '1e3' is not a number of programs", gridError("1e3"));
  EXPECT_EQ("--grid: 2147483648 programs along y are too many: the limit is 2147483647",
            gridError("1,2147483648"));
  EXPECT_EQ("--grid: 99999999999999999999 programs along x are too many: the limit is 2147483647",
            gridError("99999999999999999999"));
}

TEST(Grid, Limits) {
  GridLimits limits;
  EXPECT_FALSE(bool(checkGrid({2147483647, 65535, 65535}, limits)));
  EXPECT_EQ("the grid has 65536 blocks along z, and the device takes at most 65535",
            llvm::toString(checkGrid({1, 1, 65536}, limits)));
  EXPECT_EQ("the grid has 4294967294 blocks along x, and the device takes at most 2147483647",
            llvm::toString(checkGrid({2147483647, 1, 1}, limits, 2)));
  EXPECT_EQ(uint64_t(2147483647) * 65535, (Grid{2147483647, 65535, 1}).count());
}
