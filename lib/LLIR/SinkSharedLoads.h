//===- SinkSharedLoads.h - read shared memory where it is used --------------===//
#pragma once

#include "LLVMRemarks.h"
#include "llvm/IR/PassManager.h"

namespace tessera {

/// In blocks that load more from shared memory than registers can hold, moves these loads, and the
/// casts and packing of their results, down to their first use; with `arithmetic`, every pure
/// instruction in all blocks.
struct SinkSharedLoadsPass : llvm::PassInfoMixin<SinkSharedLoadsPass> {
  SinkSharedLoadsPass(bool arithmetic, LLVMRemarks remarks)
      : arithmetic(arithmetic), remarks(remarks) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

  bool arithmetic;
  LLVMRemarks remarks;
};

} // namespace tessera
