//===- Subprocess.h - run a program and keep what it said -----------------===//
// Without a shell: arguments reach the program as they are. Output is read
// through pipes while the program runs, so nothing is written to disk.
// llvm::sys::ExecuteAndWait is not used because its timeout is an alarm(2) of
// the whole process, and we compile on many threads.
//
//   runProgram({.program = "/usr/bin/ptxas", .arguments = {"--version"}})
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct ProgramCall {
  std::string program;                     // a path; see FindTool.h
  std::vector<std::string> arguments = {}; // without the program's own name
  std::optional<std::chrono::milliseconds> timeout = {};
  size_t outputLimit = size_t(64) << 20; // bytes kept of each stream
  /// Called several times per second while the program runs, with the seconds since its start.
  /// False kills the program.
  std::function<bool(double seconds)> watch = {};
  /// "NAME=value" of its variables; null: ours, which no other thread may be changing.
  const std::vector<std::string> *environment = nullptr;
};

struct ProgramResult {
  int exitStatus = 0; // of a normal end
  int signal = 0;     // that ended it, or 0
  bool timedOut = false;
  bool wasStopped = false; // `watch` wanted an end
  std::string out;         // standard output
  std::string err;         // standard error
  std::chrono::microseconds wallTime = {};

  bool succeeded() const { return exitStatus == 0 && signal == 0 && !timedOut && !wasStopped; }
  /// "exit status 1", "signal 11 (Segmentation fault)", "no answer within 2 s".
  std::string describe() const;
};

/// The variables of this process. Requires: no other thread changes them meanwhile; a host can tell
/// when, a library cannot (setenv(3) frees what others read).
std::vector<std::string> currentEnvironment();

/// An error only when the program could not be started.
llvm::Expected<ProgramResult> runProgram(const ProgramCall &call);

} // namespace tessera
