//===- MachineModel.h - the numbers that layouts are chosen by ------------===//
// Plans of conversions, reductions and swizzles weigh instructions against each other and
// avoid bank conflicts. The numbers come from the target (IR/Machines.h says how a pass
// finds them). The values written here are those of a typical GPU: they serve IR that
// names no target.
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera {

/// Shared memory and its banks. One access of the memory (a wavefront) serves each bank once.
struct BankModel {
  /// Bits of a lane's number in its warp.
  unsigned laneBits = 5;
  unsigned banks = 32;
  unsigned bankBytes = 4;

  /// What one wavefront moves at most.
  unsigned lineBytes() const { return banks * bankBytes; }
  /// Elements in a line, and in a bank; elements may be wider than a bank.
  unsigned lineElements(unsigned elementBits) const { return lineBytes() * 8 / elementBits; }
  unsigned bankElements(unsigned elementBits) const {
    return std::max(1u, bankBytes * 8 / elementBits);
  }
  /// Lanes that one wavefront serves if each moves `bytes` consecutive bytes: the first ones,
  /// then the next ones.
  unsigned lanesServed(unsigned bytes) const { return lineBytes() / std::max(bankBytes, bytes); }
};

/// What moving values between threads costs.
struct MoveCosts {
  /// Larger buffers for a conversion are filled in rounds if registers allow: two barriers cost
  /// less than the CTAs that no longer fit on a multiprocessor.
  uint64_t wantedScratchBytes = 32 * 1024;
  /// The latency of a store and a load of shared memory, in wavefronts: shuffles of a few
  /// registers do not wait for it.
  unsigned sharedLatency = 24;

  // In instructions of a thread; these choose layouts (ttg-remove-layout-conversions).
  /// Two barriers, and latency that nothing hides.
  double throughShared = 32, throughCluster = 256;
  /// For each 32 bits: a store and a load with their latency; a shuffle with the choice of what
  /// to send.
  double sharedWord = 8, clusterWord = 32, shuffledWord = 4;
  /// An access to memory that a cache serves.
  double cachedAccess = 8;
};

/// What the steps of a reduction cost, in simple instructions.
struct ReduceCosts {
  unsigned shuffle = 4, select = 1, combine = 1, store = 4;
  /// Up to so many partial results a thread reads alone; more, and lanes share.
  unsigned readAlone = 8;
  /// A lane that shares reads so many.
  unsigned readEach = 4;
};

struct MachineModel {
  /// The widest access of one thread.
  unsigned maxVectorBits = 128;
  BankModel banks = {};
  MoveCosts moves = {};
  ReduceCosts reduces = {};
};

} // namespace tessera
