//===- MachineModel.h - the cost model of a GPU for layouts ---------------===//
// Plans of conversions, reductions and swizzles compare costs of instructions and avoid bank
// conflicts. The numbers come from the target (IR/Machines.h explains how a pass finds them). The
// default values are those of a typical GPU, for IR that names no target.
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace tessera {

/// Shared memory and its banks. One access of the memory (a wavefront) uses each bank once.
struct BankModel {
  /// The bits of a lane's number in its warp.
  unsigned laneBits = 5;
  unsigned banks = 32;
  unsigned bankBytes = 4;
  /// The order in which loads of 16 bytes count lanes: bit i of the count is this lane.
  std::array<uint8_t, 6> widestLoadLanes = {1, 2, 4, 8, 16, 32};

  /// The most bytes that one wavefront moves.
  unsigned lineBytes() const { return banks * bankBytes; }
  /// The elements in a line, and in a bank; elements may be wider than a bank.
  unsigned lineElements(unsigned elementBits) const { return lineBytes() * 8 / elementBits; }
  unsigned bankElements(unsigned elementBits) const {
    return std::max(1u, bankBytes * 8 / elementBits);
  }
  /// The lanes that one wavefront processes if each moves `bytes` consecutive bytes: the first
  /// ones, then the next ones.
  /// `widestLoadLanes` has another order for loads of 16 bytes.
  unsigned lanesServed(unsigned bytes) const { return lineBytes() / std::max(bankBytes, bytes); }
};

/// The costs of moving values between threads.
struct MoveCosts {
  /// Larger buffers for a conversion are filled in several iterations if registers allow: two more
  /// barriers cost less than the CTAs that no longer fit on a multiprocessor.
  uint64_t wantedScratchBytes = 32 * 1024;
  /// Beyond this, iterations are used even if they make accesses narrower.
  uint64_t maxScratchBytes = 128 * 1024;
  /// In wavefronts, which choose between shuffles and shared memory: a shuffle, and a
  /// select or permutation of bytes, the slots in which they are issued included; and how much
  /// longer a store and a load of shared memory take than shuffles, as far as other warps do not
  /// hide it.
  double shuffle = 1, select = 0.5, sharedLatency = 24;

  // In instructions of a thread; these choose layouts (ttg-remove-layout-conversions).
  /// Two barriers, and latency that is not hidden.
  double throughShared = 32, throughCluster = 256;
  /// For each 32 bits: a store and a load with their latency, in a CTA and in a cluster; a shuffle
  /// with the select of the value that is sent.
  double sharedWord = 8, clusterWord = 32, shuffledWord = 4;
  /// An access to cached memory.
  double cachedAccess = 8;
};

/// The costs of a reduction's steps, in simple instructions.
struct ReduceCosts {
  unsigned shuffle = 4, select = 1, combine = 1, store = 4;
  /// A thread reads at most this many partial results alone; otherwise lanes share the work.
  unsigned readAlone = 8;
  /// A lane that shares the work reads this many.
  unsigned readEach = 4;
};

/// Instructions by which the lanes of a warp read shared memory for each other (SharedTiles.h).
enum class MatrixMoves : uint8_t {
  None,
  /// Matrices of 8 rows of 16 bytes; each lane gets words of a row, or transposed elements of two.
  Rows,
  /// 16 lanes read rows of 16 elements, and each gets a column.
  Columns,
};

struct MachineModel {
  /// The widest access of one thread.
  unsigned maxVectorBits = 128;
  MatrixMoves matrixLoads = MatrixMoves::Rows;
  BankModel banks = {};
  MoveCosts moves = {};
  ReduceCosts reduces = {};

  /// Returns whether words along K arrive in the lanes that multiply them, whatever the order in
  /// shared memory.
  bool hasMatrixRows() const { return matrixLoads == MatrixMoves::Rows; }
};

} // namespace tessera
