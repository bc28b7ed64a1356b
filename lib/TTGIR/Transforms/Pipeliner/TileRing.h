//===- TileRing.h - slots that an engine fills ----------------------------===//
// Tiles that an engine copies (TTGIR/IR/TileCopies.h) and that are first read by the same op share
// the barriers of their slots. In iteration i of the pipelined loop, with n slots and copies that
// run d iterations ahead,
//
//   await    full[i % n], phase i / n                     before the first read
//   release  empty[(i + d) % n]                           each warp: its reads so far are over
//   acquire  empty[(i + d) % n], phase i / n              the thread that fills the slot
//   copy     iteration i + d to slot (i + d) % n
//
// Each slot is released once for each time that the loop fills it, also if nobody has read it yet,
// so that the n-th release of a slot belongs to its n-th filling in the loop: the prologue's copies
// find all slots empty. A warp cannot release a slot twice before another one has once: in between,
// it waits for the slot to be filled, which waits for all releases. In the last d iterations, which
// fill nothing, each slot is released at most once.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TileCopies.h"

namespace tessera {

struct TileRing {
  const ttg::TileCopies *engine = nullptr;
  unsigned slots = 0, distance = 0;
  unsigned bytes = 0; ///< of one slot
  mlir::Operation *firstReader = nullptr;
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value full, empty;

  void allocate(mlir::OpBuilder &b, mlir::Location loc, unsigned numWarps);
  /// `read` and `phase` are i % n and i / n of the iteration.
  void emitAwait(mlir::OpBuilder &b, mlir::Location loc, mlir::Value read, mlir::Value phase) const;
  void emitHandshake(mlir::OpBuilder &b, mlir::Location loc, mlir::Value read,
                     mlir::Value phase) const;
  /// Announces the copies into slot `written`; returns its barrier.
  mlir::Value emitExpect(mlir::OpBuilder &b, mlir::Location loc, mlir::Value written) const;
  void end(mlir::OpBuilder &b, mlir::Location loc) const;
};

} // namespace tessera
