//===- Bisect.h - the first pass whose program gives other values ---------===//
#pragma once

#include "RunArguments.h"
#include "tessera/Explain/Views.h"
#include "tessera/Launch/Grid.h"

namespace tessera::cli {

/// The grid and the arguments of the runs.
struct BisectPlan {
  Grid grid;
  ArgumentRequest arguments;
  /// A program that executes assembly of the target where there is no device
  /// (test/emulator/launch); empty for none.
  std::string emulator;
};

/// Runs the program after every pass on the same arguments, and compares what it leaves in arrays
/// with what the frontend's program leaves there; prints a row for each, and the pass that is to
/// blame. Returns whether one was found. TTIR runs on the CPU, and so does TTGIR without buffers,
/// whose layouts are dropped. Everything else runs on a device of its target, if there is one, else
/// as assembly on the emulator. Fails if the arguments do not fit the kernel.
llvm::Expected<bool> bisectPasses(const Session &session, const Explanation &explanation,
                                  const BisectPlan &plan, const Screen &screen,
                                  llvm::function_ref<void(llvm::StringRef)> print);

} // namespace tessera::cli
