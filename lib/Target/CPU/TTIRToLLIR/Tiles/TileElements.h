//===- TileElements.h - reading and writing elements of a tile ------------===//
// Elements are identified by their row-major index, an i64.
//
//   Value x = loadElements(b, tile, index, 16);   // x: vector of 16 lanes
//   storeElements(b, result, index, x);
//===----------------------------------------------------------------------===//
#pragma once

#include "TileOps.h"
#include "../Lanes/MemoryAccess.h"
#include "../Lanes/SmallFloat.h"

namespace tessera::cpu {

inline mlir::Value elementAddress(LaneBuilder &b, const Tile &tile, mlir::Value index) {
  return b.offset(tile.address, b.mul(index, elementBytes(tile.element)));
}

/// Loads `lanes` consecutive elements; a scalar if `lanes` is 0.
inline mlir::Value loadElements(LaneBuilder &b, const Tile &tile, mlir::Value index,
                                unsigned lanes = 0) {
  return emitLoad(b, {tile.element, elementAddress(b, tile, index), {}, lanes}, {});
}

/// Stores as many elements as `value` has lanes.
inline void storeElements(LaneBuilder &b, const Tile &tile, mlir::Value index, mlir::Value value) {
  emitStore(b, {tile.element, elementAddress(b, tile, index), {}, lanesOf(value)}, value);
}

/// A tile seen as [outer, extent, inner], where `extent` is the size of `axis`.
struct AxisView {
  int64_t outer = 1, extent = 1, inner = 1;

  AxisView(llvm::ArrayRef<int64_t> shape, int64_t axis) : extent(shape[axis]) {
    for (int64_t size : shape.take_front(axis))
      outer *= size;
    for (int64_t size : shape.drop_front(axis + 1))
      inner *= size;
  }
};

/// Returns the number of elements per vector: those of the widest type in the computation fill one
/// register.
inline unsigned vectorLanes(const CPUSpec &spec, llvm::ArrayRef<Tile> tiles) {
  unsigned bits = 8;
  for (const Tile &tile : tiles)
    bits = std::max(bits, isSmallFloat(tile.element) ? 32 : 8 * elementBytes(tile.element));
  return spec.vectorBits / bits;
}

/// Marks the op's tiles as live up to this point.
inline void touchTiles(KernelContext &context, llvm::ArrayRef<Tile> tiles) {
  for (const Tile &tile : tiles)
    context.arena().touch(tile.address);
}

} // namespace tessera::cpu
