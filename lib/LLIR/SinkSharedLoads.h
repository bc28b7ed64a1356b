//===- SinkSharedLoads.h - read shared memory where it is used --------------===//
#pragma once

#include "LLVMRemarks.h"
#include "llvm/IR/PassManager.h"

namespace tessera {

/// In blocks that load more from shared memory than registers can hold, moves these loads, and the
/// casts and packing of their results, down to their first use.
struct SinkSharedLoadsPass : llvm::PassInfoMixin<SinkSharedLoadsPass> {
  explicit SinkSharedLoadsPass(LLVMRemarks remarks) : remarks(remarks) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

  LLVMRemarks remarks;
};

} // namespace tessera
