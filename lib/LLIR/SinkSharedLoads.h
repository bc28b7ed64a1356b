//===- SinkSharedLoads.h - read shared memory where it is used --------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tessera {

/// Moves reads of shared memory, and the casts and packs of what they return, down to
/// their first use where a block reads more than registers can hold at once.
struct SinkSharedLoadsPass : llvm::PassInfoMixin<SinkSharedLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tessera
