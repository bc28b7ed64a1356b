//===- LayoutIndices.h - which element does this thread hold? -------------===//
// A layout is linear over bits, so an element's index is the xor of what the
// thread contributes (computed once) and what the register contributes (a
// constant). Bits of the thread that move by the same distance move together:
//
//   lane bits 0..4 -> 4, 8, ..., 64 and warp bits 0, 1 -> 128, 256
//     thread part   tid << 2             one instruction, not seven
//     register 5    (tid << 2) | 513     disjoint bits, so an or
//
// In a cluster the block's number contributes in the same way.
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

/// The xor of bases[i] over the set bits i of `bits`, which has no bits above
/// bases.size(). Cost: at most three instructions for each distance that bits
/// move, one or two where they all move together.
KnownBits32 emitLinear(mlir::OpBuilder &b, mlir::Location loc, mlir::Value bits,
                       llvm::ArrayRef<uint64_t> bases);

/// x xor y, as an or where no bit can be set in both: back ends fold ors of disjoint
/// bits into addresses like additions.
KnownBits32 emitJoined(mlir::OpBuilder &b, mlir::Location loc, KnownBits32 x, KnownBits32 y);

/// `part` xor `constant`.
mlir::Value emitXor(mlir::OpBuilder &b, mlir::Location loc, KnownBits32 part, uint64_t constant);

/// One index per register along the output dimension `out`; i32.
llvm::SmallVector<mlir::Value> emitIndices(mlir::OpBuilder &b, mlir::Location loc,
                                           const TargetInfo &target, const LinearLayout &layout,
                                           Dim out);

/// i1: this thread is the one that represents all threads holding the same
/// elements; null when there is only one such thread anyway.
/// `replicated` has the bits of the thread id that change nothing, `replicatedBlocks`
/// those of the block's number in its cluster.
mlir::Value emitIsRepresentative(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                                 unsigned numThreads, uint64_t replicated,
                                 uint64_t replicatedBlocks = 0);

/// The bits of the thread id (of the block's number) that do not change which elements
/// the thread holds.
uint64_t replicatedThreadBits(const LinearLayout &layout);
uint64_t replicatedBlockBits(const LinearLayout &layout);

/// Threads per block of a layout.
unsigned threadCount(const LinearLayout &layout);

mlir::Value constantI32(mlir::OpBuilder &b, mlir::Location loc, uint64_t value);

} // namespace tessera
