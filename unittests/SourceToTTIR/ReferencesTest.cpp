//===- ReferencesTest.cpp - the free names that a function's text reads ---===//
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

/// "tl.load BLOCK", or the error.
std::string references(const std::string &text, unsigned line = 1) {
  auto found = findReferences(text, "f.py", line);
  return found ? llvm::join(*found, " ") : llvm::toString(found.takeError());
}

TEST(References, KernelsReadModulesAndGlobals) {
  EXPECT_EQ(references("def k(x, n):\n"
                       "    i = tl.arange(0, cfg.tile.M) + BLOCK\n"
                       "    tl.store(x + i, helper(i), i < n)\n"),
            "tl.arange cfg.tile.M BLOCK tl.store helper");
}

TEST(References, TheHostKnowsDecoratorsDefaultsAndAnnotations) {
  EXPECT_EQ(references("@triton.autotune(CONFIGS)\n"
                       "@triton.jit\n"
                       "def k(x: ANN, n: tl.constexpr = DEFAULT) -> RESULT:\n"
                       "    pass\n"),
            "");
}

TEST(References, LocalNamesAreTheFunctionsOwnEverywhere) {
  EXPECT_EQ(references("def k(a):\n"
                       "    print(later)\n"
                       "    later = 1\n"
                       "    for i in range(3):\n"
                       "        j = i\n"
                       "    with ctx() as w:\n"
                       "        w, j\n"
                       "    try:\n"
                       "        pass\n"
                       "    except Bad as e:\n"
                       "        e\n"
                       "    del a\n"
                       "    import os.path, sys as system\n"
                       "    from m import q as r\n"
                       "    os.path, system, r, q\n"),
            "print range ctx Bad q");
}

TEST(References, AnnotationsInTheBodyCount) {
  EXPECT_EQ(references("def k():\n    x: tl.constexpr = N\n    return x\n"), "tl.constexpr N");
}

TEST(References, ComprehensionsHaveTheirScope) {
  EXPECT_EQ(references("def f(n):\n"
                       "    a = [i + K for i in range(n) if i > LOW]\n"
                       "    b = {x: y for x, y in PAIRS}\n"
                       "    return i\n"),
            "range LOW K PAIRS i");
  // The first iterable is evaluated outside.
  EXPECT_EQ(references("def f():\n    return [i for i in i]\n"), "i");
}

TEST(References, LambdasAndInnerFunctions) {
  EXPECT_EQ(references("def f(a):\n"
                       "    g = lambda x, y=D: x + y + a + G\n"
                       "    def h(z=E):\n"
                       "        return z + a + H\n"
                       "    return g, h\n"),
            "D G E H");
}

TEST(References, WalrusBindsInTheFunction) {
  EXPECT_EQ(references("def f(n):\n"
                       "    if (m := n + ONE) > 2:\n"
                       "        return m\n"
                       "    [last := i for i in range(3)]\n"
                       "    return last\n"),
            "ONE range");
}

TEST(References, GlobalStatement) {
  EXPECT_EQ(references("def f():\n"
                       "    global COUNT\n"
                       "    COUNT = COUNT + 1\n"
                       "    def g():\n"
                       "        COUNT = 2\n"
                       "        return COUNT\n"),
            "COUNT");
  EXPECT_EQ(references("def f():\n"
                       "    x = 1\n"
                       "    def g():\n"
                       "        global x\n"
                       "        return x\n"),
            "x");
  EXPECT_EQ(references("def f():\n"
                       "    x = 1\n"
                       "    def g():\n"
                       "        nonlocal x\n"
                       "        x = 2\n"),
            "");
}

TEST(References, ClassBodies) {
  EXPECT_EQ(references("@aggregate\n"
                       "class P(Base):\n"
                       "    x: tl.tensor\n"
                       "    N: tl.constexpr\n"
                       "    SCALE = FACTOR\n"
                       "    TWICE = SCALE * 2\n"
                       "    @triton.jit\n"
                       "    def area(self, k=SCALE):\n"
                       "        return self.x * SCALE + other(self)\n"),
            "tl.tensor tl.constexpr FACTOR SCALE other");
}

TEST(References, AttributeChainsEndAtCallsAndSubscripts) {
  EXPECT_EQ(references("def f():\n"
                       "    return cfg.get('x').y + cfg.tiles[0].M + (a + b).c\n"),
            "cfg.get cfg.tiles a b");
  EXPECT_EQ(references("def f(self):\n    self.x.y = cfg.z\n    cfg.w.v = 1\n"), "cfg.z cfg.w");
}

TEST(References, GetattrWithAText) {
  EXPECT_EQ(references("def f():\n    return getattr(cfg.a, 'B'), hasattr(m, NAME)\n"),
            "cfg.a.B getattr cfg.a hasattr m NAME");
}

TEST(References, FormattedTextsAndMatches) {
  EXPECT_EQ(references("def f(x):\n"
                       "    match x:\n"
                       "        case Point(a, b) | [a, *b]:\n"
                       "            return f'{a}{B!r:>{WIDTH}}'\n"
                       "        case mod.CONST:\n"
                       "            return b\n"),
            "Point B WIDTH mod.CONST");
}

TEST(References, Lambdas) {
  EXPECT_EQ(references("square = lambda x: x * x + OFFSET\n"), "OFFSET");
}

TEST(References, IndentedTextAndPlaces) {
  EXPECT_EQ(references("    def k(self):\n        return A\n", 40), "A");
  EXPECT_EQ(references("\tdef k(self):\n\t\treturn A\n", 1), "A");
  EXPECT_EQ(references("def k(:\n    pass\n", 40).substr(0, 8), "f.py:40:");
  EXPECT_NE(references("x = 5\n", 7).find("no function"), std::string::npos);
  EXPECT_NE(references("def f(): pass\n", 1u << 31).find("no line"), std::string::npos);
}

} // namespace
