//===- PackCarriedValues.h - halves travel in pairs -------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tessera {

/// Carries scalars that were taken out of one 32-bit word, on all ways into a block, as
/// that word: a register instead of two or four, and nothing to pack where they are used
/// together again.
struct PackCarriedValuesPass : llvm::PassInfoMixin<PackCarriedValuesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tessera
