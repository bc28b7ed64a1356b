//===- Conversion.h - what it takes to move a tensor between layouts ------===//
// Composing the destination with the inverse of the source says, for every place of
// the destination, which place of the source holds its element. How far values travel
// decides what the move costs:
//
//   src: register=1 -> (1), lane=1 -> (2)     dst: register=1 -> (2), lane=1 -> (1)
//     conversion: register 1 <- lane 1, lane 1 <- register 1: reach Lane
//
//   None, Register   renaming, no instruction
//   Lane             shuffles, or shared memory of each warp's own: what costs less
//   Warp             shared memory, with barriers of the block
//   Block            each CTA writes its own memory, all read each other's
//
// The plan is data: the allocation of shared memory reads how many bytes it needs, the
// lowering emits its moves, a test runs them on tables of elements.
//
// Cost: microseconds to decide (planConversion), tens of them for the accesses
// (planExchange), which are linear in the registers of a thread.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "tessera/TTGIR/Layout/ShufflePlan.h"

namespace tessera {

/// How far values travel: not at all, between registers of a thread, between lanes of
/// a warp, between warps of a CTA, between CTAs of a cluster.
enum class ConversionReach { None, Register, Lane, Warp, Block };

struct Conversion {
  ConversionReach reach = ConversionReach::None;
  /// For each place of the destination, the place of the source to fetch from. Only
  /// dimensions within reach are left; beyond it, every place fetches from itself.
  LinearLayout map;
};

/// Nothing if src does not hold all elements that dst needs.
std::optional<Conversion> planConversion(const LinearLayout &src, const LinearLayout &dst);

// -- By which means ----------------------------------------------------------

enum class ConversionMethod {
  Rename,        // registers, or nothing
  Shuffle,       // between lanes, by shuffles
  WarpMemory,    // between lanes, by memory of the warp's own
  BlockMemory,   // between warps
  ClusterMemory, // between CTAs
};

struct ConversionPlan {
  ConversionMethod method = ConversionMethod::Rename;
  /// Rename: per register of the result, the source's.
  /// Shuffle: per register of the result, the one of those below that it is.
  llvm::SmallVector<unsigned> registers;
  /// Shuffle: between the source's registers and those of the result that differ;
  /// `kept` are the latter's numbers.
  std::optional<ShufflePlan> shuffles;
  llvm::SmallVector<unsigned> kept;
  /// Memory: bytes of one CTA, and how often they are filled and emptied.
  uint64_t scratchBytes = 0;
  unsigned rounds = 1;
};

/// Elements have 8, 16, 32 or 64 bits. Nothing if src lacks elements. Whoever plans a conversion
/// must give the same machine: memory is allocated by one plan and used by another.
std::optional<ConversionPlan> planConversion(const LinearLayout &src, const LinearLayout &dst,
                                             unsigned elementBits,
                                             const MachineModel &machine = {});

/// What the chip has for it. The scratch of a plan does not depend on this.
struct ExchangeInstructions {
  unsigned maxVectorBits = 128;
  bool matrixStores = false;
  bool matrixLoads = false;
};

/// The accesses of a conversion through memory. In an access's offset and the thread's
/// part of it, the lowest `offsetBits` bits are the place in the buffer. Above them:
/// the round in which the access happens; of a load from a cluster's memory, the CTA.
struct SharedExchange {
  SharedAccessPlan stores, loads;
  unsigned offsetBits = 0;
  unsigned rounds = 1;
  /// ClusterMemory: the part of a load's offset that each bit of the reading CTA's
  /// number contributes, in the same form.
  llvm::SmallVector<uint64_t> blockBases;
};
/// Requires: planConversion's method is one of the three through memory.
SharedExchange planExchange(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                            const ExchangeInstructions &available,
                            const MachineModel &machine = {});

} // namespace tessera
