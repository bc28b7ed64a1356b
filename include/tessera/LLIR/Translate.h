//===- Translate.h - from MLIR's LLVM dialect to LLVM IR ------------------===//
// The last step of MLIR. Afterwards the program is an llvm::Module with the
// target's triple and data layout.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace tessera {

/// Requires: `module` holds only llvm, nvvm and builtin ops. Its MLIR context
/// learns the translations of those dialects on the way.
/// Null after a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                const llvm::TargetMachine &machine);

} // namespace tessera
