//===- ShareAddresses.h - what the addresses of a tile have in common -------===//
#pragma once

#include "LLVMRemarks.h"
#include "llvm/IR/PassManager.h"

namespace tessera {

/// Computes the part of 64-bit addresses that the elements of a tile share once, and steps from one
/// element to the next instead of multiplying for each.
struct ShareAddressesPass : llvm::PassInfoMixin<ShareAddressesPass> {
  explicit ShareAddressesPass(LLVMRemarks remarks) : remarks(remarks) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

  LLVMRemarks remarks;
};

} // namespace tessera
