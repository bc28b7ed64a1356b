//===- ReduceDivisions.h - multiplications instead of divisions --------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tessera {

/// In loops, multiplies by the reciprocal of a divisor that does not change there, on
/// targets that have no instruction that divides.
struct ReduceDivisionsPass : llvm::PassInfoMixin<ReduceDivisionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tessera
