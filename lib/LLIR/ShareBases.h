//===- ShareBases.h - one base for the elements of a tile in a loop ---------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tessera {

/// Adds what changes in a loop to the part that a tile's elements share, and the constants
/// by which they differ last, instead of keeping a sum of the two for every element.
struct ShareBasesPass : llvm::PassInfoMixin<ShareBasesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tessera
