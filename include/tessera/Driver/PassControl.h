//===- PassControl.h - which passes of a compilation run ------------------===//
// `tessera explain --bisect` compiles the program that a pass left behind. The passes before it
// have run already, and those after it may be wrong, so as few of them run as possible.
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// The passes of a pipeline that are left out, by Target::needOf.
enum class LeaveOut { Nothing, Optional, NeededBySome };

struct PassControl {
  /// The names of MLIR passes that have run on the input, in order; they do not run again. The
  /// input may then be in the middle of a stage: in the LLVM dialect, for example.
  std::vector<std::string> done = {};
  LeaveOut leaveOut = LeaveOut::Nothing;
  /// For tests of --bisect: the pass with this name computes something wrong (WrongPass.h).
  std::string wrongPass = {};

  bool isActive() const {
    return !done.empty() || leaveOut != LeaveOut::Nothing || !wrongPass.empty();
  }
};

} // namespace tessera
