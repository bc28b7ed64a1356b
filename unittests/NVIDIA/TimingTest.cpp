//===- TimingTest.cpp - how long each stage takes -------------------------===//
// Not a test: prints the fastest of many runs. Run it with
//   NVIDIATest --gtest_also_run_disabled_tests --gtest_filter='*Timing*'
//===----------------------------------------------------------------------===//
#include "CompileStages.h"
#include "Kernels.h"
#include "gtest/gtest.h"
#include <cstdio>

using namespace tessera::nvidia;

TEST(Timing, DISABLED_VectorAdd) {
  std::map<std::string, double> fastest, first;
  for (int i = 0; i < 50; ++i) {
    Compiled kernel = compileStages(vectorAddText(1024, /*aligned=*/true));
    ASSERT_TRUE(kernel.ok()) << kernel.diagnostics;
    for (auto &[stage, ms] : kernel.milliseconds) {
      first.insert({stage, ms});
      auto [it, isNew] = fastest.insert({stage, ms});
      it->second = std::min(it->second, ms);
    }
  }
  for (auto &[stage, ms] : fastest)
    std::printf("%-12s first %.3f ms, fastest %.3f ms\n", stage.c_str(), first[stage], ms);
}
