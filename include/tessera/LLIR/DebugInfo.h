//===- DebugInfo.h - from locations to DWARF ------------------------------===//
// MLIR's locations become LLVM's debug info: each function gets a subprogram,
// each inlined piece of another function a scope of its own, and variables that
// a lowering keeps in memory a name and a type. What LLVM then writes leads
// debuggers and profilers from code to Python lines.
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

/// `slot` holds a variable whenever the function runs. `argument` counts the
/// function's arguments from 1, and is 0 for other variables.
void describeVariable(mlir::LLVM::AllocaOp slot, llvm::StringRef name, mlir::LLVM::DITypeAttr type,
                      unsigned argument = 0);

struct DebugInfoOptions {
  /// Full is DWARF for debuggers, with variables.
  mlir::LLVM::DIEmissionKind kind = mlir::LLVM::DIEmissionKind::LineTablesOnly;
  std::string folder; // relative file names are relative to it
};

/// Requires: LLVM dialect. Ensures: every function with a body and a place in a
/// file has a subprogram; a location says which scope it is in. Cost: linear in
/// the ops.
void addDebugInfo(mlir::ModuleOp module, const DebugInfoOptions &options);

/// Makes `begins` decide where statements begin: debuggers stop there and nowhere
/// else, so that code of a line which was moved does not stand for the line. All
/// code keeps its lines.
/// Requires: the module before any pass. Ensures: LLVM's key instructions are on.
void markStatements(llvm::Module &module,
                    llvm::function_ref<bool(const llvm::Instruction &)> begins);

} // namespace tessera
