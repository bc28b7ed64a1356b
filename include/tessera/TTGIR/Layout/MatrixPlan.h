//===- MatrixPlan.h - divide a product into matrix instructions -----------===//
// A matrix instruction multiplies two small fragments that the lanes of one warp hold. A product of
// tensors whose layouts repeat these fragments becomes a list of such instructions.
//
// A MatrixTile describes the instruction: three maps from a lane and one of its registers to a
// place in the fragment. With MFMA 16x16x16 of f16, for example:
//
//   A   register 1, 2 -> k 1, 2    lane 1, 2, 4, 8 -> row 1, 2, 4, 8      lane 16, 32 -> k 4, 8
//   B   register 1, 2 -> k 1, 2    lane 1, 2, 4, 8 -> column 1, 2, 4, 8   lane 16, 32 -> k 4, 8
//   D   register 1, 2 -> row 1, 2  lane 1, 2, 4, 8 -> column 1, 2, 4, 8   lane 16, 32 -> row 4, 8
//
// A product does not depend on the order of K, so any layouts of A and B whose lanes agree on it
// will do: the plan takes each thread's elements along K as they lie in its registers of A and
// finds their partners in B. Where scales belong to places along K, the layouts must have the
// tile's order (`isExact`); K may then be counted in different units in A and B.
//
// Cost: one lookup per register of a fragment.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// One matrix instruction. Inputs are (register, lane), registers in the instruction's order.
struct MatrixTile {
  LinearLayout a; // -> (dim0 = row, dim1 = k)
  LinearLayout b; // -> (dim0 = k, dim1 = column)
  LinearLayout d; // -> (dim0 = row, dim1 = column)
  /// The bits of the lane, in A only, that divide K among several instructions: each broadcasts the
  /// rows of the lanes whose bits are MatrixStep::group to all other lanes. A mask.
  uint64_t groupLanes = 0;
  /// Elements must lie along K as the tile says.
  bool isExact = false;
};

/// Builds a tile's map from the places of its register bits and lane bits. A place is (dim0, dim1).
LinearLayout matrixTileMap(llvm::ArrayRef<BasisVector> registers,
                           llvm::ArrayRef<BasisVector> lanes);

/// One instruction: the registers of its fragments, in its order.
struct MatrixStep {
  llvm::SmallVector<unsigned, 16> a;
  llvm::SmallVector<unsigned, 16> b;
  llvm::SmallVector<unsigned, 16> d;
  /// The lanes of A that broadcast, counted by the bits of MatrixTile::groupLanes.
  unsigned group = 0;
};

/// Returns all instructions of one thread for d += a * b, K outermost; nothing if the layouts do
/// not repeat the tile. Registers of d that hold the same element as an earlier one do not occur.
/// Requires: ranks are equal and at least 2.
std::optional<llvm::SmallVector<MatrixStep>> planMatrix(const LinearLayout &a,
                                                        const LinearLayout &b,
                                                        const LinearLayout &d,
                                                        const MatrixTile &tile);

/// The properties of a product that decide how warps share it.
struct WarpSharing {
  /// Of one instruction.
  int64_t rows, columns;
  /// The time to read an element of A and of B.
  unsigned rowCost = 1, columnCost = 1;
  /// 0 (or 1): one product feeds operand A (or B) of another, so a warp keeps whole rows (columns).
  std::optional<unsigned> chained = std::nullopt;
};

/// Returns how many of `count` warps share each dimension of a product of `shape`. The tile of one
/// warp is the one that reads least: square, if both operands cost the same.
llvm::SmallVector<unsigned> arrangeWarps(llvm::ArrayRef<int64_t> shape, unsigned count,
                                         const WarpSharing &sharing);

} // namespace tessera
