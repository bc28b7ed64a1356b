//===- PackCarriedValues.h - halves travel in pairs -------------------------===//
#pragma once

#include "LLVMRemarks.h"
#include "llvm/IR/PassManager.h"

namespace tessera {

/// If scalars are extracted from one 32-bit word on all edges into a block, carries the word
/// itself: one register instead of two or four, and no packing if the scalars are used together
/// again.
struct PackCarriedValuesPass : llvm::PassInfoMixin<PackCarriedValuesPass> {
  explicit PackCarriedValuesPass(LLVMRemarks remarks) : remarks(remarks) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

  LLVMRemarks remarks;
};

} // namespace tessera
