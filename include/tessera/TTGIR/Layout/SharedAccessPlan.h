//===- SharedAccessPlan.h - accesses between registers and shared memory -===//
// Given the offset of each register of each thread in a buffer (a linear map from register, lane
// and warp to the offset in elements), this plans the instructions that move the values between the
// two.
//
//   register=1 -> 1, register=2 -> 2, register=4 -> 64, lane=1 -> 4, ...
//     two vectors of 4 elements: at thread part ^ 0 and thread part ^ 64
//
// The address of an access is the xor of a thread's part (linear in the bits of its number, the
// same for all accesses) and a constant.
//
// Vector: a thread moves `width` consecutive elements. The other instructions move tiles
// (SharedTiles.h): the address that a lane passes is that of elements which other lanes hold.
//
// Requires: nothing; every map has a plan. Cost: linear in the registers.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "tessera/TTGIR/Layout/SharedTiles.h"

namespace tessera {

/// The instructions that a thread can use.
struct SharedInstructions {
  unsigned maxVectorBits = 128;
  /// The chip's matrix instructions in the required direction.
  MatrixMoves matrix = MatrixMoves::None;
  /// The bits of the offset in which the elements of one access may differ.
  uint64_t innerBits = ~uint64_t(0);
  BankModel banks = {};
  bool isLoad = false;
};

/// One instruction: the registers that it moves, in the order of its values.
struct SharedAccess {
  uint64_t offset; // to xor with the thread's part, in elements
  llvm::SmallVector<unsigned, 8> registers;
};

struct SharedAccessPlan {
  SharedInstruction instruction = SharedInstruction::Vector;
  /// Registers of each access.
  unsigned width = 1;
  /// The thread's part of the address: for each bit of the lane, then of the warp.
  llvm::SmallVector<uint64_t> threadBases;
  llvm::SmallVector<SharedAccess> accesses;
  /// For each register, the one in `accesses` that holds the same element.
  llvm::SmallVector<unsigned> holder;

  /// Returns the bits that a thread's part may have set.
  uint64_t threadBits() const;
};

/// `map` maps (register, lane, warp) to `offset`; other inputs are held at zero. `fixedBits` may
/// also be set in every offset: a part that is known only at run time. Elements have 8, 16, 32 or
/// 64 bits.
SharedAccessPlan planSharedAccess(const LinearLayout &map, unsigned elementBits,
                                  const SharedInstructions &available, uint64_t fixedBits = 0);

/// The cost of a warp's accesses, compared in this order.
struct SharedAccessCost {
  /// How often the memory's banks are used: at least bytes / BankModel::lineBytes(); more if lanes
  /// have bank conflicts, or move less than a bank's bytes each.
  unsigned wavefronts = 0;
  unsigned instructions = 0;
  /// The words that a thread must assemble or split, because narrow elements that share a word in
  /// memory are not in consecutive registers. Loads of matrices, and of vectors along the first
  /// registers, need none.
  unsigned permutes = 0;
  /// Words that arrive in another order than the registers': matrix units take pairs of them.
  unsigned moves = 0;
  friend auto operator<=>(const SharedAccessCost &, const SharedAccessCost &) = default;
};
/// Returns the cost of planSharedAccess's plan without creating it: some hundred steps.
SharedAccessCost costOfSharedAccess(const LinearLayout &map, unsigned elementBits,
                                    const SharedInstructions &available, uint64_t fixedBits = 0);

/// Returns the offsets of a tensor's registers in a buffer: (register, lane, warp) -> offset. The
/// tensor may be a part of the buffer, at its start. Returns nothing if a thread would access
/// another CTA's memory, or if the buffer lacks elements.
std::optional<LinearLayout> offsetsInBuffer(const LinearLayout &tensor, const LinearLayout &buffer);

} // namespace tessera
