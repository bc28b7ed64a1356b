//===- ReduceDivisions.h - multiplications instead of divisions --------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tessera {

/// In loops, replaces divisions by a loop-invariant divisor by multiplications with its reciprocal,
/// on targets without a division instruction.
struct ReduceDivisionsPass : llvm::PassInfoMixin<ReduceDivisionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tessera
