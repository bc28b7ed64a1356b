//===- ShareBases.h - one base for the elements of a tile in a loop ---------===//
#pragma once

#include "LLVMRemarks.h"
#include "llvm/IR/PassManager.h"

namespace tessera {

/// In a loop, adds the loop-variant step to the base that a tile's elements share and the constants
/// last, instead of keeping a hoisted sum for every element.
struct ShareBasesPass : llvm::PassInfoMixin<ShareBasesPass> {
  explicit ShareBasesPass(LLVMRemarks remarks) : remarks(remarks) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

  LLVMRemarks remarks;
};

} // namespace tessera
