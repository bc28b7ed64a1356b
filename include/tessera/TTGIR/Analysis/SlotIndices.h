//===- SlotIndices.h - recognise indices of buffer slots -----------------===//
// Recognises constants, and counters that a loop increments and wraps around:
//
//   ^head(%i: i32):               %i starts as a constant c
//     %n = arith.addi %i, %c1
//     %w = arith.cmpi sge, %n, %c3
//     %j = arith.select %w, %c0, %n          or %n mod 3
//     cf.br ^head(%j)
//
// %i is counter(head, 3, c), %j is counter(head, 3, c + 1).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/SharedHazards.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir {
class CFGLoopInfo;
}

namespace tessera {

class SlotIndices {
public:
  /// If `loops` is null, only constants are recognised. The results name blocks by `number`.
  SlotIndices(const mlir::CFGLoopInfo *loops, const llvm::DenseMap<mlir::Block *, uint32_t> &number)
      : loops(loops), number(number) {}

  SharedSlot slotOf(mlir::Value index) const;

private:
  SharedSlot counterAt(mlir::BlockArgument argument, int64_t add, uint32_t modulus,
                       bool byComparison) const;

  const mlir::CFGLoopInfo *loops;
  const llvm::DenseMap<mlir::Block *, uint32_t> &number;
};

} // namespace tessera
