//===- AddressArithmetic.h - the operations behind an address -------------===//
// Operations of fewer than 64 bits that an address is computed with, each of
// which may lose the upper bits of its result:
//
//   %r = arith.muli %row, %stride : i32                     a step, scalar
//   %o = arith.addi %rows, %cols : tensor<64x1xi32>         a step, at [i, 0]
//   %b = tt.broadcast %o -> 64x32
//   %p = tt.addptr %base, %b                                the address, at [i, j]
//
// A number that a loop adds to is one step: its start, and what was added.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera::cpu {

struct AddressStep {
  mlir::Operation *op;
  bool isUnsigned = false; // its result is taken as a number without a sign
  /// For a number that a loop carries and `op` adds `pace` to: the loop.
  mlir::scf::ForOp loop = {};
  mlir::Value start = {}, pace = {};
  /// The shape ops between the op's result and the address, from the address on.
  llvm::SmallVector<mlir::Operation *, 4> path = {};
};

/// In the order of the computation, each once; steps that cannot lose anything
/// are left out. At most `limit`, those nearest to the address.
llvm::SmallVector<AddressStep> findAddressSteps(mlir::Value pointer, size_t limit = 16);

/// Appends ops that tell the sanitizer what the steps were given for the
/// element `suspect` (i64, of ttc.check_access) of the address.
void emitExplanations(mlir::OpBuilder &builder, llvm::ArrayRef<AddressStep> steps,
                      mlir::Value pointer, mlir::Value suspect);

} // namespace tessera::cpu
