//===- ConvertTTGIRToLLIR.h - from tiles in layouts to scalar code --------===//
// The target-free half of a target's conversion pass.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"

namespace tessera {

/// Options of the lowering that a compilation sets.
struct LoweringOptions {
  /// tt.print: every thread prints all that it holds, copies of other threads' elements too.
  bool printEveryThread = false;
};

/// Requires: structured control flow was lowered to cf; accesses carry their
/// width (ttg-assign-access-width) and conversions their scratch offset
/// (ttg-allocate-shared-memory).
/// Ensures: only llvm and the target's ops are left.
mlir::LogicalResult convertTTGIRToLLIR(mlir::ModuleOp module, const TargetInfo &target,
                                       const LoweringOptions &options = {});

} // namespace tessera
