//===- DebugTrace.h - what a debugger holds on to -------------------------===//
// Lowering fuses a kernel's lines into loops, and LLVM moves what is left. With
// --debug-info the code stays that way, and gets in addition:
//
//   - a `nop` where each line of the kernel begins, for breakpoints
//   - a slot in the frame for every argument, for program_id and num_programs,
//     and for the scalar variables that MarkVariables found; stores to it are
//     volatile, so that they happen where the program says
//
// A program costs some stores and nops more; loops over elements cost nothing.
//===----------------------------------------------------------------------===//
#pragma once

#include "KernelContext.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::cpu {

class DebugTrace {
public:
  explicit DebugTrace(KernelContext &context) : context(context) {}

  /// At the builder's place: where a program begins, a block of the kernel's
  /// control flow, an op of it; and after the op was lowered.
  void enterProgram(tt::FuncOp kernel);
  void enterBlock(mlir::Block &block);
  void before(mlir::Operation &op);
  void after(mlir::Operation &op);

private:
  mlir::LLVM::AllocaOp createSlot(mlir::Location loc, mlir::Type type);
  void store(mlir::Location loc, mlir::Value value, mlir::Value slot);
  void assign(mlir::StringAttr name, mlir::Value variable, mlir::Location loc);
  void showArray(mlir::Location loc, llvm::StringRef name, llvm::ArrayRef<mlir::Value> values);

  KernelContext &context;
  llvm::StringMap<mlir::LLVM::AllocaOp> slots; // by name
  mlir::Block *block = nullptr;                // where the last nops are
  llvm::SmallVector<mlir::LocationAttr> lines; // that a debugger thinks it is in there
};

} // namespace tessera::cpu
