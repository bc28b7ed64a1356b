//===- AddressArithmetic.h - the arithmetic that computes an address -----===//
// Finds the operations of fewer than 64 bits that compute an address, each of which may overflow:
//
//   %r = arith.muli %row, %stride : i32                     a step, scalar
//   %o = arith.addi %rows, %cols : tensor<64x1xi32>         a step, at [i, 0]
//   %b = tt.broadcast %o -> 64x32
//   %p = tt.addptr %base, %b                                the address, at [i, j]
//
// A value that a loop increments is one step: its initial value, and the sum of the increments.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera::cpu {

struct AddressStep {
  mlir::Operation *op;
  bool isUnsigned = false; // its result is read as an unsigned number
  /// The loop, if `op` adds `pace` to a loop-carried value.
  mlir::scf::ForOp loop = {};
  mlir::Value start = {}, pace = {};
  /// The shape ops between the op's result and the address, starting at the address.
  llvm::SmallVector<mlir::Operation *, 4> path = {};
};

/// Returns the steps in the order of the computation, each once, without steps that cannot
/// overflow; at most `limit`, those nearest to the address.
llvm::SmallVector<AddressStep> findAddressSteps(mlir::Value pointer, size_t limit = 16);

/// Appends ops that report to the sanitizer the operands of the steps for the element `suspect`
/// (i64, of ttc.check_access) of the address.
void emitExplanations(mlir::OpBuilder &builder, llvm::ArrayRef<AddressStep> steps,
                      mlir::Value pointer, mlir::Value suspect);

} // namespace tessera::cpu
