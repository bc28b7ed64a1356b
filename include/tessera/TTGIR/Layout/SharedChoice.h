//===- SharedChoice.h - choose the shared memory layout of a buffer ------===//
// A buffer is written in some layouts and read in others. Of the swizzles that keep rows of `order`
// together, this chooses the one whose accesses use the banks least often:
//
//   128x64 f16, written by rows of 16 bytes a thread, read in matrices:
//     vec = 8, perPhase = 1, maxPhase = 8
//
//   SwizzledSharedParams params = chooseSwizzle({.shape = {128, 64}, .order = {1, 0},
//       .elementBits = 16, .writers = {blocked}, .readers = {dotOperand},
//       .matrixLoads = MatrixMoves::Rows});
//
// Requires: the layouts' outputs are dim0, dim1, ... of the sizes of `shape`.
// Cost: a few dozen candidates, some microseconds each.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/MachineModel.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include <vector>

namespace tessera {

struct SharedBufferUse {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<unsigned> order; // dimensions, fastest first
  unsigned elementBits = 32;         // 8, 16, 32 or 64
  std::vector<LinearLayout> writers = {};
  std::vector<LinearLayout> readers = {};
  CgaBases cga = {};
  MatrixMoves matrixLoads = MatrixMoves::None; // what the target has (SharedTiles.h)
  bool matrixStores = false;                   // the target stores rows of matrices
  /// The elements that stay adjacent with every swizzle: those of one asynchronous copy. A power of
  /// two.
  unsigned minVector = 1;
  MachineModel machine = {};
};

/// Among equal costs it prefers fewer rows per phase, fewer phases and longer vectors, which need
/// fewer address computations.
SwizzledSharedParams chooseSwizzle(const SharedBufferUse &use);

/// Returns the wavefronts (SharedAccessCost) of all accesses with these parameters; nothing if the
/// buffer cannot be accessed so.
std::optional<unsigned> costOfSwizzle(const SharedBufferUse &use,
                                      const SwizzledSharedParams &params);

/// The same for any layout of the buffer (offset -> element).
std::optional<unsigned> costOfBuffer(const SharedBufferUse &use, const LinearLayout &buffer);

} // namespace tessera
