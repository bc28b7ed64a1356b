//===- TileCopies.h - engines that copy whole tiles -----------------------===//
// A target whose hardware copies a tile of a tensor into shared memory by one instruction registers
// this interface with its dialect, and the pipeliner writes copies through it. A slot of a ring has
// two barriers in shared memory:
//
//   full    the bytes of the slot's tiles have arrived; threads that read them wait here
//   empty   each warp has read them; the thread that fills the slot again waits here
//
// A barrier's phase is the parity of how often it was completed before.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/IR/DialectInterface.h"

namespace tessera::ttg {

class TileCopies : public mlir::DialectInterface::Base<TileCopies> {
public:
  explicit TileCopies(mlir::Dialect *dialect) : Base(dialect) {}

  /// Returns the interface of the context's target; null if it has no such engine.
  static const TileCopies *of(mlir::MLIRContext *context);

  /// The bytes of a slot's two barriers in shared memory.
  static constexpr unsigned barrierBytes = 16;

  /// Makes `count` barriers that so many arrivals complete.
  virtual mlir::Value makeBarriers(mlir::OpBuilder &b, mlir::Location loc, unsigned count,
                                   unsigned arrivals) const = 0;
  /// Ends the use of barriers.
  virtual void endBarriers(mlir::OpBuilder &b, mlir::Location loc, mlir::Value barriers,
                           unsigned count) const = 0;
  /// Returns one of the barriers.
  virtual mlir::Operation *chooseBarrier(mlir::OpBuilder &b, mlir::Location loc,
                                         mlir::Value barriers, mlir::Value number) const = 0;

  /// Announces so many bytes at a full barrier.
  virtual mlir::Operation *expect(mlir::OpBuilder &b, mlir::Location loc, mlir::Value full,
                                  unsigned bytes, mlir::Value predicate) const = 0;
  /// Starts the copy of what `load` reads into a tile.
  virtual mlir::Operation *copy(mlir::OpBuilder &b, tt::DescriptorLoadOp load, mlir::Value tile,
                                mlir::Value full, mlir::Value predicate) const = 0;
  /// All threads wait for a phase of a full barrier.
  virtual mlir::Operation *await(mlir::OpBuilder &b, mlir::Location loc, mlir::Value full,
                                 mlir::Value phase, mlir::ValueRange buffers) const = 0;
  /// Each warp says at an empty barrier that its reads of the buffers are over.
  virtual mlir::Operation *release(mlir::OpBuilder &b, mlir::Location loc, mlir::Value empty,
                                   mlir::ValueRange buffers) const = 0;
  /// The thread that starts copies waits for a phase of an empty barrier.
  virtual mlir::Operation *acquire(mlir::OpBuilder &b, mlir::Location loc, mlir::Value empty,
                                   mlir::Value phase, mlir::ValueRange buffers) const = 0;
};

} // namespace tessera::ttg
