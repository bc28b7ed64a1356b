//===- BackendsTest.cpp - two targets' code generators at once ------------===//
// A program of its own: a code generator is registered once in a process, and
// each attempt needs one that has none yet.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/Backend.h"
#include "tessera/Target/CPU/Spec.h"
#include "tessera/Target/NVIDIA/Assembly.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tessera;

static bool succeeds(llvm::Error error) {
  bool failed = bool(error);
  llvm::consumeError(std::move(error));
  return !failed;
}

/// Asks for both at the same moment.
static bool findBoth() {
  std::atomic<int> ready = 0;
  auto meet = [&ready] {
    ++ready;
    while (ready < 2)
      std::this_thread::yield();
  };
  bool hasNVIDIA = false;
  std::thread other([&] {
    meet();
    hasNVIDIA =
        succeeds(nvidia::createTargetMachine(*nvidia::NvidiaSpec::find(90), {}).takeError());
  });
  meet();
  bool hasCPU = succeeds(cpu::CPUSpec::find("native").takeError());
  other.join();
  return hasCPU && hasNVIDIA;
}

TEST(Backends, TwoAreNeverAddedAtOnce) {
  std::atomic<int> adding = 0;
  std::atomic<bool> met = false;
  auto findNone = [&](const char *triple) {
    std::string error;
    EXPECT_EQ(nullptr, findBackend(
                           llvm::Triple(triple),
                           [&] {
                             if (++adding > 1)
                               met = true;
                             std::this_thread::sleep_for(std::chrono::milliseconds(50));
                             --adding;
                           },
                           error));
  };
  std::thread other([&] { findNone("none-of-these"); });
  findNone("nor-of-those");
  other.join();
  EXPECT_FALSE(met);
}

// If the lock is removed, about one attempt of a hundred fails on a busy machine.
TEST(Backends, AreRegisteredOneAfterTheOther) {
  for (int attempt = 0; attempt < 300; ++attempt) {
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(findBoth() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    ASSERT_EQ(0, status) << "at attempt " << attempt;
  }
}
