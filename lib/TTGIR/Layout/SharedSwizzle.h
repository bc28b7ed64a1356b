//===- SharedSwizzle.h - choose the swizzle of a buffer between two layouts -===//
// Values that move between threads are stored to shared memory in one layout and loaded in another.
// This file chooses the offset of each element such that both sides use wide instructions and the
// lanes of each access use different banks.
//
// An element is a vector over F2 of `bits` bits. A buffer's layout is a basis of that
// space, one vector per bit of the offset, lowest first:
//
//   low       the part that one instruction of a thread moves: registers of both sides
//   banks     the rest of a line (BankModel), which one wavefront accesses
//   segments  the rest. Lanes that are processed together must not differ in these
//             alone: span(segments) intersects span(lanes processed) of neither side
//
// Two subspaces of equal dimension have a common complement, so with `low` taken from both sides'
// registers there is always a choice without bank conflicts: if lane a of one side and lane b of
// the other compete for the banks, a bank bit gets a and a segment bit gets a ^ b. That is the
// swizzle.
//
// Iterations: registers of both sides that are not needed for this can be exchanged one after the
// other through a smaller buffer; they become bits of the iteration's number.
//
// Example, 8x8 elements of 4 bytes, registers (0,1) and lanes (0,2) (0,4) (1,0) (2,0) (4,0) against
// registers (1,0) and lanes (2,0) (4,0) (0,1) (0,2) (0,4): no low bits; all 64 elements are in two
// segments; one bit of the offset is an xor.
//
// Cost: a few candidates, each some small eliminations: tens of microseconds.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera {

/// The element that each bit of a hardware coordinate stands for.
struct ExchangeSide {
  llvm::SmallVector<uint64_t> registers, lanes, warps;
};

struct ExchangeProblem {
  ExchangeSide store, load;
  unsigned bits = 0;         // the bits of an element's index
  unsigned elementBits = 32; // 8, 16, 32 or 64
  bool matrixStores = false;
  MatrixMoves matrixLoads = MatrixMoves::None;
  unsigned maxVectorBits = 128;
  BankModel banks = {};
};

/// Chooses the common registers for iterations, such that at most `wanted` bytes are in the buffer
/// at once (or as few as possible above that), without registers that make accesses wide as long as
/// there are at most `limit` bytes. The result does not depend on instructions.
llvm::SmallVector<uint64_t> chooseRounds(const ExchangeProblem &problem, uint64_t wanted,
                                         uint64_t limit);

/// Returns the element of each bit of the offset, lowest first; together with `rounds` a basis.
llvm::SmallVector<uint64_t> chooseSwizzle(const ExchangeProblem &problem,
                                          llvm::ArrayRef<uint64_t> rounds);

/// Returns (register, lane, warp) -> offset of one side; the iteration's number is above the bits
/// of the offset.
LinearLayout exchangeOffsets(const ExchangeSide &side, llvm::ArrayRef<uint64_t> offsets,
                             llvm::ArrayRef<uint64_t> rounds);

} // namespace tessera
