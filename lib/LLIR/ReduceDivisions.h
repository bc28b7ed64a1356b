//===- ReduceDivisions.h - multiplications instead of divisions --------------===//
#pragma once

#include "LLVMRemarks.h"
#include "llvm/IR/PassManager.h"

namespace tessera {

/// In loops, replaces divisions by a loop-invariant divisor by multiplications with its reciprocal,
/// on targets without a division instruction.
struct ReduceDivisionsPass : llvm::PassInfoMixin<ReduceDivisionsPass> {
  explicit ReduceDivisionsPass(LLVMRemarks remarks) : remarks(remarks) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

  LLVMRemarks remarks;
};

} // namespace tessera
