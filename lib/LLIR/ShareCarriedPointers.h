//===- ShareCarriedPointers.h - one pointer for the tile of a loop ----------===//
#pragma once

#include "LLVMRemarks.h"
#include "llvm/IR/PassManager.h"

namespace tessera {

/// If a loop advances many pointers by the same step, carries only their common base: the term that
/// each adds to it is loop-invariant and often has 32 bits.
struct ShareCarriedPointersPass : llvm::PassInfoMixin<ShareCarriedPointersPass> {
  explicit ShareCarriedPointersPass(LLVMRemarks remarks) : remarks(remarks) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

  LLVMRemarks remarks;
};

} // namespace tessera
