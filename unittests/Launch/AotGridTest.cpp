//===- AotGridTest.cpp - the expressions of --grid ------------------------===//
#include "AotGrid.h"
#include "tessera/Launch/AotLauncher.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

KernelRecord makeRecord() {
  KernelRecord record;
  record.kernelName = "k";
  record.arguments = {{.name = "x", .type = "*fp32"},
                      {.name = "n", .type = "i32"},
                      {.name = "int", .type = "u64"},
                      {.name = "scale", .type = "fp32"},
                      {.name = "half", .type = "fp16"},
                      {.name = "t.0", .type = "i32"},
                      {.name = "ONE", .type = "i32", .constant = "1"},
                      {.name = "BLOCK", .type = "constexpr", .constant = "64"},
                      {.name = "LESS", .type = "constexpr", .constant = "-3"},
                      {.name = "NAME", .type = "constexpr", .constant = "'a'"}};
  return record;
}

/// The expression in C, or what is wrong with it.
std::string translate(std::string expression) {
  std::vector<std::string> names = {"x",   "n",       "arg_int",   "scale",    "half",
                                    "t_0", "arg_ONE", "arg_BLOCK", "arg_LESS", "arg_NAME"};
  std::string text[3];
  std::string *extents[] = {&text[0], &text[1], &text[2]};
  llvm::Error error =
      aot::translateGrid({std::move(expression), "1", "1"}, makeRecord(), names, extents);
  return error ? "error: " + llvm::toString(std::move(error)) : text[0];
}

TEST(AotGrid, Expressions) {
  EXPECT_EQ("1024", translate("1024"));
  EXPECT_EQ("(n + 1023) / 1024", translate("(n + 1023) / 1024"));
  EXPECT_EQ("(n+64-1)/64", translate("(n+BLOCK-1)/BLOCK"));
  EXPECT_EQ("n / 64", translate(" n // BLOCK "));
  EXPECT_EQ("arg_int % 7u", translate("int % 7u"));
  EXPECT_EQ("t_0 * 1", translate("t_0 * ONE"));
  EXPECT_EQ("(((n) + (64) - 1) / (64))", translate("cdiv(n, BLOCK)"));
  EXPECT_EQ("((n) < (4) ? (n) : (4))", translate("min(n, 4)"));
  EXPECT_EQ("((n) > (1) ? (n) : (1))", translate("max( n ,1)"));
  EXPECT_EQ("n > 0 && scale < 1.5e3 ? n : 0x10", translate("n > 0 && scale < 1.5e3 ? n : 0x10"));
  EXPECT_EQ("(unsigned)n >> 2 | 1", translate("( unsigned )n >> 2 | 1"));
  EXPECT_EQ("(n != 0) + 1", translate("(n != 0) + 1"));
  EXPECT_EQ("-(-n)", translate("--n")); // a decrement in C
  EXPECT_EQ("n-(-1)", translate("n--1"));
  EXPECT_EQ("n + (-3) + 4", translate("n + LESS + 4"));
}

TEST(AotGrid, WhatIsNone) {
  auto refused = [](std::string expression, llvm::StringRef why) {
    std::string text = translate(expression);
    EXPECT_TRUE(llvm::StringRef(text).starts_with("error: --grid: '" + expression + "'") &&
                llvm::StringRef(text).contains(why))
        << text;
  };
  refused("", "it ends where a parameter or a number is expected");
  refused("n;", "';' stands where an operator is expected");
  refused("1/*", "'*' stands where a parameter or a number is expected");
  refused("/*(*/1)};int INJECT=system(\"id\");const uint32_t g2[3]={(1/*)*/", "'/*(*/1)};int INJ'");
  refused("n // ", "it ends where");
  refused("%s%n", "'%s%n' stands where");
  refused("n\nX", "where an operator is expected");
  refused("m", "'m' is no parameter of 'k'; there are n, int, scale, t_0, ONE, BLOCK, LESS, NAME");
  refused("x", "'x' is a *fp32, which is no number in C");
  refused("half", "'half' is a fp16, which is no number in C");
  refused("NAME", "'NAME' is 'a', which is no number");
  refused("system(1)", "'system(' is a call; there are cdiv(a, b), min(a, b) and max(a, b)");
  refused("(n", "it ends where ')' is expected");
  refused("n ? 1", "it ends where ':' is expected");
  refused("n = 4", "'= 4' stands where an operator is expected");
  refused("n++", "it ends where");
  refused("n, 1", "', 1' stands where");
  refused("cdiv(n)", "')' stands where ',' is expected");
  refused("010", "a 0 in front makes it octal in C");
  refused("1x", "'1x' is no number");
  refused("0x", "'0x' is no number");
  refused("99999999999999999999", "is too large");
  refused("\"n\"", "stands where");
  refused(std::string(1000, '(') + "1" + std::string(1000, ')'), "it nests too deeply");
  refused(std::string(100000, '-') + "1", "it nests too deeply");
}

TEST(AotGrid, NumbersOfPrograms) {
  for (const char *zero : {"0", "1 - 1", "BLOCK / 65", "0 * 3", "ONE - ONE", "!1", "cdiv(0, 4)"})
    EXPECT_TRUE(llvm::StringRef(translate(zero)).contains("at least one program")) << zero;
  EXPECT_TRUE(llvm::StringRef(translate("-1")).contains("is -1, and"));
  EXPECT_TRUE(llvm::StringRef(translate("1 << 31")).contains("is more than 2147483647 programs"));
  for (const char *wrong : {"0.5", "0.0", "3e9", "(1e99)"})
    EXPECT_TRUE(llvm::StringRef(translate(wrong)).contains("is not from 1 to")) << wrong;
  EXPECT_EQ("1e3", translate("1e3"));
  EXPECT_TRUE(llvm::StringRef(translate("1e")).contains("is no number"));
  EXPECT_TRUE(llvm::StringRef(translate("n / 0")).contains("it divides by zero"));
  EXPECT_TRUE(llvm::StringRef(translate("cdiv(n, BLOCK - 64)")).contains("it divides by zero"));
  EXPECT_EQ("0 * n", translate("0 * n")); // nobody knows
  EXPECT_EQ("(((64) + (3) - 1) / (3))", translate("cdiv(BLOCK, 3)"));
}

TEST(AotGrid, SyntaxNeedsNoKernel) {
  EXPECT_FALSE(bool(checkGrid({"a + b", "anything", "1"}, nullptr)));
  for (const char *wrong : {"a b", "a;", "0", "/**/", "f(a)"}) {
    llvm::Error error = checkGrid({"1", wrong, "1"}, nullptr);
    EXPECT_TRUE(bool(error)) << wrong;
    llvm::consumeError(std::move(error));
  }
}

} // namespace
