//===- TensorMaps.h - copies of tiles by tensor maps (TMA) ----------------===//
// A tensor map describes a tensor in global memory and a box of it. One instruction copies the
// box between global and shared memory, where its rows lie one behind the other, swizzled or not
// (PTX ISA, "Tensor copies"; cuda.h, cuTensorMapEncodeTiled). Boxes have at most 256 elements
// along a dimension, and with a swizzle their rows have its width: a tile may take several.
//
//   128x64xf16, rows of 128 bytes:   one box of 128x64, swizzle 128
//   64x256xf16, rows of 512 bytes:   four boxes of 64x64, swizzle 128, 8 KiB apart
//
// The swizzle of 128 bytes xors bits 4-6 of the address with bits 7-9, that of 64 bytes bits 4-5
// with bits 7-8, that of 32 bytes bit 4 with bit 7.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera::nvidia {

/// The size and alignment of a tensor map (cuda.h, CUtensorMap).
inline constexpr unsigned kTensorMapBytes = 128, kTensorMapAlign = 64;
inline constexpr unsigned kMaxTensorMapRank = 5;

/// The copies of one tile. Dimensions are in the tensor's order: the last is contiguous.
struct TensorCopyPlan {
  /// One box: where it lies in the tile, and in the buffer.
  struct Part {
    llvm::SmallVector<int64_t, 4> first; // coordinates
    uint64_t bytes;                      // from the buffer's start
  };
  llvm::SmallVector<int64_t, 4> box;
  unsigned swizzle = 0; // bytes: 0, 32, 64 or 128
  llvm::SmallVector<Part> parts;
};

/// The boxes that fill a buffer (`layout`: offset to coordinates, of elements of `bytes` bytes);
/// nothing if no tensor map leaves them so. Small tiles may lie as several swizzles leave them:
/// who makes the map and who copies must name the same one, or neither. Cost: a few xors for each
/// bit of the buffer's size, for each swizzle.
std::optional<TensorCopyPlan> planTensorCopy(const LinearLayout &layout, unsigned bytes,
                                             std::optional<unsigned> swizzle = std::nullopt);

/// Returns the address to which a swizzle moves a byte.
uint64_t swizzleAddress(uint64_t address, unsigned swizzle);

} // namespace tessera::nvidia
