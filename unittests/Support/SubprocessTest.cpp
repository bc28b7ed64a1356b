//===- SubprocessTest.cpp - run a program and keep what it said -----------===//
#include "tessera/Support/Subprocess.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <thread>

using namespace tessera;
using namespace std::chrono_literals;

static ProgramResult shell(const char *script,
                           std::optional<std::chrono::milliseconds> limit = {}) {
  return llvm::cantFail(
      runProgram({.program = "/bin/sh", .arguments = {"-c", script}, .timeout = limit}));
}

TEST(Subprocess, BothStreamsAndTheStatus) {
  ProgramResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ("out\n", result.out);
  EXPECT_EQ("err\n", result.err);
  EXPECT_EQ(3, result.exitStatus);
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ("exit status 3", result.describe());
  EXPECT_TRUE(shell("exit 0").succeeded());
}

TEST(Subprocess, ArgumentsArriveAsTheyAre) {
  ProgramResult result = llvm::cantFail(
      runProgram({.program = "/usr/bin/printf", .arguments = {"%s|", "a b", "$HOME", "*", ""}}));
  EXPECT_EQ("a b|$HOME|*||", result.out);
}

TEST(Subprocess, VariablesAreThoseGiven) {
  std::vector<std::string> variables = {"A=1", "B=two words"};
  ProgramResult result =
      llvm::cantFail(runProgram({.program = "/usr/bin/env", .environment = &variables}));
  EXPECT_EQ("A=1\nB=two words\n", result.out);
  ASSERT_EQ(0, ::setenv("TESSERA_TEST_VARIABLE", "here", 1));
  EXPECT_TRUE(llvm::is_contained(currentEnvironment(), "TESSERA_TEST_VARIABLE=here"));
  EXPECT_EQ("here\n", shell("echo $TESSERA_TEST_VARIABLE").out);
  variables = currentEnvironment();
  ::unsetenv("TESSERA_TEST_VARIABLE");
  result = llvm::cantFail(runProgram({.program = "/usr/bin/env", .environment = &variables}));
  EXPECT_NE(std::string::npos, result.out.find("TESSERA_TEST_VARIABLE=here\n"));
}

TEST(Subprocess, MuchOutputOnBothStreams) {
  ProgramResult result =
      shell("i=0; while [ $i -lt 3000 ]; do "
            "printf '%0100d\\n' $i; printf '%0100d\\n' $i >&2; i=$((i+1)); done");
  EXPECT_EQ(303000u, result.out.size());
  EXPECT_EQ(303000u, result.err.size());
}

TEST(Subprocess, OutputLimit) {
  ProgramResult result = llvm::cantFail(runProgram({.program = "/bin/sh",
                                                    .arguments = {"-c", "head -c 100000 /dev/zero"},
                                                    .outputLimit = 1000}));
  EXPECT_EQ(1000u, result.out.size());
  EXPECT_TRUE(result.succeeded());
}

TEST(Subprocess, SignalsAreTold) {
  ProgramResult result = shell("kill -SEGV $$");
  EXPECT_EQ(11, result.signal);
  EXPECT_EQ("signal 11 (Segmentation fault)", result.describe());
}

TEST(Subprocess, Timeout) {
  auto start = std::chrono::steady_clock::now();
  ProgramResult result = shell("echo begun; exec sleep 100", 1500ms);
  EXPECT_TRUE(result.timedOut);
  EXPECT_EQ("begun\n", result.out);
  EXPECT_FALSE(result.succeeded());
  EXPECT_LT(std::chrono::steady_clock::now() - start, 50s);
  EXPECT_FALSE(shell("exit 0", 100s).timedOut);
}

TEST(Subprocess, AGrandchildDoesNotHoldUs) {
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ("x\n", shell("sleep 60 & echo x").out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 50s);
}

TEST(Subprocess, MissingProgram) {
  auto result = runProgram({.program = "/nonexistent/ptxas"});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ("cannot run '/nonexistent/ptxas': No such file or directory",
            llvm::toString(result.takeError()));
}

TEST(Subprocess, ManyAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(16);
  for (unsigned i = 0; i < outputs.size(); ++i)
    threads.emplace_back(
        [i, &outputs] { outputs[i] = shell(("echo " + std::to_string(i)).c_str(), 100s).out; });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i = 0; i < outputs.size(); ++i)
    EXPECT_EQ(std::to_string(i) + "\n", outputs[i]);
}
