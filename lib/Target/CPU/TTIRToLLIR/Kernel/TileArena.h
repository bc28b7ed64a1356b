//===- TileArena.h - the memory of all tiles of a kernel -----------------===//
// Tiles are reserved while the kernel is lowered, and get their offsets at the end, when their live
// ranges are known: tiles that are never live at the same time share bytes. Time is the order in
// which code is emitted; a tile that a loop uses but that was reserved before it is live until the
// loop ends.
//
//   arena.enterLoop(); ... arena.leaveLoop();     around every loop of the kernel
//   Value tile = arena.reserve(b, 4096);
//   uint64_t bytes = arena.place();               offsets are known now
//
// Cost: quadratic in the number of tiles, with a small constant.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>

namespace tessera::cpu {

class TileArena {
public:
  /// The base address of all tiles; it is set before the first is reserved.
  mlir::Value base() const { return baseAddress; }
  void setBase(mlir::Value address) { baseAddress = address; }
  /// Gives every tile its own bytes; for control flow whose loops are not known.
  void shareNothing() { sharesNothing = true; }

  mlir::Value reserve(LaneBuilder &b, uint64_t bytes);
  /// Records that code which accesses the tile at `address` is being emitted.
  void touch(mlir::Value address);
  /// Records that `address` is one of `tiles`, chosen at run time.
  void alias(mlir::Value address, llvm::ArrayRef<mlir::Value> tiles);
  void enterLoop();
  void leaveLoop();
  /// Assigns an offset to every tile and returns the total size in bytes.
  uint64_t place();

private:
  mlir::Value baseAddress = {};
  bool sharesNothing = false;
  struct Reservation {
    mlir::Operation *offset; // the constant that is replaced by its offset
    uint64_t bytes;
    uint64_t begin, end; // its live range, inclusive
    size_t loops;        // the number of loops that were open when it was reserved
    uint64_t place = 0;
  };
  llvm::SmallVector<Reservation> reservations;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<size_t, 2>> byAddress;
  /// For each open loop, the tiles from outside of it that it uses.
  llvm::SmallVector<llvm::SmallVector<size_t>> openLoops;
  uint64_t now = 0;
};

} // namespace tessera::cpu
