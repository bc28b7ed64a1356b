//===- ShareBases.h - one base for the elements of a tile in a loop ---------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tessera {

/// In a loop, adds the loop-variant step to the base that a tile's elements share and the constants
/// last, instead of keeping a hoisted sum for every element.
struct ShareBasesPass : llvm::PassInfoMixin<ShareBasesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tessera
