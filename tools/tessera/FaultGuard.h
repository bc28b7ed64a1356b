//===- FaultGuard.h - a kernel that leaves its arrays ---------------------===//
// On the CPU a kernel runs in our own process, on any of its threads, and one
// that reads or writes outside its arrays may fault there. While a guard lives,
// such a fault ends the program with a message about the kernel rather than one
// about us. For the command line only: the handlers are the whole process's.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <csignal>

namespace tessera::cli {

class FaultGuard {
public:
  explicit FaultGuard(llvm::StringRef kernelName);
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;
  FaultGuard &operator=(const FaultGuard &) = delete;

private:
  struct sigaction previous[2];
};

} // namespace tessera::cli
