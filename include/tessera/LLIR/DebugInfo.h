//===- DebugInfo.h - from locations to DWARF ------------------------------===//
// Converts MLIR's locations to LLVM's debug info: each function gets a subprogram, each inlined
// function a scope of its own, and variables that a lowering keeps in memory a name and a type.
// Debuggers and profilers use it to map code to Python lines.
//
//   describeVariable(slot, "n", type, loc);    while lowering
//   addDebugInfo(module, {.kind = Full});      before translateToLLVMIR
//   markStatements(llvmModule, isNop);         after it
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include <string>

namespace tessera {

/// Declares that `slot` always holds the variable. `argument` counts the function's arguments from
/// 1, and is 0 for other variables.
void describeVariable(mlir::LLVM::AllocaOp slot, llvm::StringRef name, mlir::LLVM::DITypeAttr type,
                      unsigned argument = 0);

struct DebugInfoOptions {
  /// Full emits DWARF for debuggers, with variables.
  mlir::LLVM::DIEmissionKind kind = mlir::LLVM::DIEmissionKind::LineTablesOnly;
  std::string folder; // the base of relative file names
};

/// Requires: LLVM dialect. Ensures: every function with a body and a file location has a
/// subprogram; every location has a scope. Cost: linear in the ops.
void addDebugInfo(mlir::ModuleOp module, const DebugInfoOptions &options);

/// Makes `begins` decide where statements begin: debuggers stop only there, so that moved code of a
/// line does not count as the line. All code keeps its line numbers. Requires: no LLVM pass has run
/// on the module. Ensures: LLVM's key instructions are enabled.
void markStatements(llvm::Module &module,
                    llvm::function_ref<bool(const llvm::Instruction &)> begins);

} // namespace tessera
