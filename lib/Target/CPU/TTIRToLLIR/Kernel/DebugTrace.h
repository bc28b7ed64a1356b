//===- DebugTrace.h - variables and breakpoints for debuggers ------------===//
// Lowering fuses a kernel's lines into loops, and LLVM reorders the rest. With --debug-info the
// code stays that way, and additionally gets:
//
//   - a `nop` where each line of the kernel begins, for breakpoints
//   - a slot in the frame for every argument, for program_id and num_programs,
//     and for the scalar variables that MarkVariables found; stores to it are
//     volatile, so that they happen where the program says
//
// Each program executes a few more stores and nops; loops over elements are unchanged.
//===----------------------------------------------------------------------===//
#pragma once

#include "KernelContext.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::cpu {

class DebugTrace {
public:
  explicit DebugTrace(KernelContext &context) : context(context) {}

  /// These emit code at the insertion point: at the start of a program, at the start of a block of
  /// the kernel's control flow, before an op of it, and after the op was lowered.
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
  llvm::StringMap<mlir::LLVM::AllocaOp> slots; // the slot of each name
  mlir::Block *block = nullptr;                // the block with the last nops
  llvm::SmallVector<mlir::LocationAttr> lines; // the lines to which these nops belong
};

} // namespace tessera::cpu
