//===- TileArena.h - one piece of memory for all tiles of a kernel --------===//
// Tiles are reserved while the kernel is lowered, and placed at the end, when
// it is known how long each is needed: tiles that are never needed at the same
// time share bytes. Time is the order in which code is emitted; what a loop
// uses but did not make lives until the loop ends.
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
  /// The address that every tile is relative to; set before the first is reserved.
  mlir::Value base() const { return baseAddress; }
  void setBase(mlir::Value address) { baseAddress = address; }
  /// For control flow whose loops are not known: every tile has bytes of its own.
  void shareNothing() { sharesNothing = true; }

  mlir::Value reserve(LaneBuilder &b, uint64_t bytes);
  /// Says that code that reads or writes the tile at `address` is being emitted.
  void touch(mlir::Value address);
  /// `address` is one of `tiles`, which one is known at run time.
  void alias(mlir::Value address, llvm::ArrayRef<mlir::Value> tiles);
  void enterLoop();
  void leaveLoop();
  /// Gives every tile its place and returns the bytes of all.
  uint64_t place();

private:
  mlir::Value baseAddress = {};
  bool sharesNothing = false;
  struct Reservation {
    mlir::Operation *offset; // the constant that becomes its offset
    uint64_t bytes;
    uint64_t begin, end; // when it is needed, inclusive
    size_t loops;        // open when it was reserved
    uint64_t place = 0;
  };
  llvm::SmallVector<Reservation> reservations;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<size_t, 2>> byAddress;
  /// Per open loop the tiles from outside of it that it uses.
  llvm::SmallVector<llvm::SmallVector<size_t>> openLoops;
  uint64_t now = 0;
};

} // namespace tessera::cpu
