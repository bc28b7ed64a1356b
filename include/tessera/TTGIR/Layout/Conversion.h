//===- Conversion.h - plan the conversion between two layouts ------------===//
// Composing the destination with the inverse of the source gives, for every place of the
// destination, the place of the source that holds its element. The distance that values move
// determines the cost:
//
//   src: register=1 -> (1), lane=1 -> (2)     dst: register=1 -> (2), lane=1 -> (1)
//     conversion: register 1 <- lane 1, lane 1 <- register 1: reach Lane
//
//   None, Register   renaming, no instruction
//   Lane             shuffles, or shared memory of each warp's own, whichever costs less
//   Warp             shared memory, with barriers of the CTA
//   Block            each CTA writes its own memory, and all read each other's
//
// The plan is data: the shared memory allocation reads its size, the lowering emits its moves, and
// a test executes them on tables of elements.
//
// Cost: microseconds to decide (planConversion), tens of them for the accesses (planExchange),
// which are linear in the registers of a thread.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "tessera/TTGIR/Layout/ShufflePlan.h"

namespace tessera {

/// How far values move: not at all, between registers of a thread, between lanes of a warp, between
/// warps of a CTA, between CTAs of a cluster.
enum class ConversionReach { None, Register, Lane, Warp, Block };

struct Conversion {
  ConversionReach reach = ConversionReach::None;
  /// For each place of the destination, the place of the source to read from. Only dimensions
  /// within reach are included; along the others, every place reads from itself.
  LinearLayout map;
};

/// Returns nothing if src does not hold all elements that dst needs.
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
  /// Rename: for each register of the result, the source's. Shuffle: for each register of the
  /// result, its index among those below.
  llvm::SmallVector<unsigned> registers;
  /// Shuffle: between the source's distinct registers and the result's; `kept` are the numbers of
  /// the latter.
  std::optional<ShufflePlan> shuffles;
  llvm::SmallVector<unsigned> kept;
  /// Memory: the bytes of one CTA, and how often they are filled and read.
  uint64_t scratchBytes = 0;
  unsigned rounds = 1;
};

/// Elements have 8, 16, 32 or 64 bits. Returns nothing if src lacks elements. All plans of one
/// conversion must be for the same machine: memory is allocated by one plan and used by another.
std::optional<ConversionPlan> planConversion(const LinearLayout &src, const LinearLayout &dst,
                                             unsigned elementBits,
                                             const MachineModel &machine = {});

/// The instructions that the chip has. The scratch size of a plan does not depend on this.
struct ExchangeInstructions {
  unsigned maxVectorBits = 128;
  bool matrixStores = false;
  MatrixMoves matrixLoads = MatrixMoves::None;
};

/// The accesses of a conversion through memory. In an access's offset and the thread's part of it,
/// the lowest `offsetBits` bits are the offset in the buffer. Above them: the iteration in which
/// the access happens; for a load from a cluster's memory, the CTA.
struct SharedExchange {
  SharedAccessPlan stores, loads;
  unsigned offsetBits = 0;
  unsigned rounds = 1;
  /// ClusterMemory: the part of a load's offset that each bit of the reading CTA's number
  /// contributes, in the same form.
  llvm::SmallVector<uint64_t> blockBases;
};
/// Requires: planConversion's method is one of the three through memory.
SharedExchange planExchange(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                            const ExchangeInstructions &available,
                            const MachineModel &machine = {});

/// Returns the layout (offset -> element) of a buffer that `src` writes and `dst` reads, both with
/// wide accesses and without bank conflicts. Nothing in clusters, or if src lacks elements.
std::optional<LinearLayout> planBuffer(const LinearLayout &src, const LinearLayout &dst,
                                       unsigned elementBits, const MachineModel &machine);

} // namespace tessera
