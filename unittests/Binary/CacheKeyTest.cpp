//===- CacheKeyTest.cpp - what makes two compilations the same ------------===//
#include "tessera/Binary/CacheKey.h"
#include "gtest/gtest.h"
#include <functional>
#include <set>

using namespace tessera;

namespace {

struct Inputs {
  CompileOptions options;
  CacheKeyInputs key{.sources = {"def f(): pass"},
                     .sourcePath = "a.py",
                     .kernelName = "f",
                     .signature = {"*fp32:16", "i32"},
                     .options = options,
                     .targetName = "cuda:90",
                     .targetText = "ptxas 13.0",
                     .buildIdentity = "0.1.0+abc"};
};

TEST(CacheKey, EveryInputCounts) {
  std::vector<std::function<void(Inputs &)>> changes = {
      [](Inputs &) {},
      [](Inputs &i) { i.key.sources = {"def f(): pass "}; },
      [](Inputs &i) { i.key.sources = {"def f(): pass", ""}; },
      [](Inputs &i) { i.key.sources = {"def f()", ": pass"}; },
      [](Inputs &i) { i.key.kernelName = "g"; },
      [](Inputs &i) { i.key.signature = {"*fp32", "i32"}; },
      [](Inputs &i) { i.key.signature = {"*fp32:16", "i32", "64"}; },
      [](Inputs &i) { i.key.targetName = "cuda:80"; },
      [](Inputs &i) { i.key.targetText = "ptxas 12.8"; },
      [](Inputs &i) { i.key.buildIdentity = "0.1.0+abd"; },
      [](Inputs &i) { i.options.numWarps = 8; },
      [](Inputs &i) { i.options.lineInfo = false; },
  };
  std::set<std::string> keys;
  for (auto &change : changes) {
    Inputs inputs;
    change(inputs);
    std::string key = computeCacheKey(inputs.key);
    EXPECT_EQ(64u, key.size());
    keys.insert(key);
  }
  EXPECT_EQ(changes.size(), keys.size());
}

TEST(CacheKey, ThePathCountsOnlyWithLineInfo) {
  Inputs a, b;
  a.options.lineInfo = b.options.lineInfo = false;
  b.key.sourcePath = "b.py";
  EXPECT_EQ(computeCacheKey(a.key), computeCacheKey(b.key));
  a.options.lineInfo = b.options.lineInfo = true;
  EXPECT_NE(computeCacheKey(a.key), computeCacheKey(b.key));
}

} // namespace
