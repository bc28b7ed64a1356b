//===- LayoutIndices.h - emit the indices of a thread's elements ----------===//
// A layout is linear over bits, so the index of an element is the xor of the thread's part, which
// is computed once, and the register's part, which is a constant. Bits of the thread id that are
// shifted by the same distance are shifted together:
//
//   lane bits 0..4 -> 4, 8, ..., 64 and warp bits 0, 1 -> 128, 256
//     thread part   tid << 2             one instruction, not seven
//     register 5    (tid << 2) | 513     disjoint bits, so an or
//
// In a cluster the CTA's index contributes in the same way.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "tessera/TTGIRToLLIR/TargetInfo.h"

namespace tessera {

/// A value and the bits that it may have set.
struct KnownBits32 {
  mlir::Value value; // i32; null stands for zero
  uint64_t possible = 0;
};

/// Emits the xor of bases[i] over the set bits i of `bits`, which has no bits above bases.size().
/// Cost: at most three instructions for each distance by which bits are shifted, and one or two if
/// there is one distance.
KnownBits32 emitLinear(mlir::OpBuilder &b, mlir::Location loc, mlir::Value bits,
                       llvm::ArrayRef<uint64_t> bases);

/// Emits x xor y, as an `or disjoint` if no bit can be set in both: back ends fold these into
/// addresses like additions.
KnownBits32 emitJoined(mlir::OpBuilder &b, mlir::Location loc, KnownBits32 x, KnownBits32 y);

/// Emits `part` xor `constant`.
mlir::Value emitXor(mlir::OpBuilder &b, mlir::Location loc, KnownBits32 part, uint64_t constant);

/// Emits the index of each register's element along the output dimension `out`; i32.
llvm::SmallVector<mlir::Value> emitIndices(mlir::OpBuilder &b, mlir::Location loc,
                                           const TargetInfo &target, const LinearLayout &layout,
                                           Dim out);

/// Emits an i1 that is true in one of the threads that hold the same elements; null if no two
/// threads do. `replicated` has the bits of the thread id that only select copies, and
/// `replicatedBlocks` those of the CTA's index in its cluster.
mlir::Value emitIsRepresentative(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                                 unsigned numThreads, uint64_t replicated,
                                 uint64_t replicatedBlocks = 0);

/// Returns the bits of the thread id (of the CTA's index) that only select copies of elements.
uint64_t replicatedThreadBits(const LinearLayout &layout);
uint64_t replicatedBlockBits(const LinearLayout &layout);

/// Returns the number of threads per CTA of a layout.
unsigned threadCount(const LinearLayout &layout);

mlir::Value constantI32(mlir::OpBuilder &b, mlir::Location loc, uint64_t value);

} // namespace tessera
