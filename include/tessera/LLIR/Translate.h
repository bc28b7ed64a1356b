//===- Translate.h - from MLIR's LLVM dialect to LLVM IR ------------------===//
// The last step of MLIR: converts the program to an llvm::Module with the target's triple and data
// layout.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace tessera {

/// Requires: `module` contains only llvm, nvvm and builtin ops. Registers the translations of these
/// dialects with its MLIR context. Returns null after a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                const llvm::TargetMachine &machine);

} // namespace tessera
