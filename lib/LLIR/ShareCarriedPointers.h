//===- ShareCarriedPointers.h - one pointer for the tile of a loop ----------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tessera {

/// Carries, of many pointers that a loop moves on by the same step, only their common base:
/// what each adds to it does not change in the loop, and often has 32 bits.
struct ShareCarriedPointersPass : llvm::PassInfoMixin<ShareCarriedPointersPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tessera
