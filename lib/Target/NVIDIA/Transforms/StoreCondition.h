//===- StoreCondition.h - when a tensor copy does what a store does -------===//
// A copy of a tile out of shared memory is no store with a mask. This is what an H200 does; copies
// into shared memory know none of it:
//
//  1. Along the contiguous dimension a copy writes whole steps of 16 bytes. Elements behind the
//     tensor's end are written, too, up to the next multiple of 16 bytes. Other dimensions end
//     exactly where the tensor does.
//  2. A negative coordinate is an illegal instruction, even if the whole tile lies in front of the
//     tensor. Coordinates behind its end are none.
//  3. There is no map of a tensor without elements. A kernel that makes one for an extent of 0 says
//     1 instead, and the copy would write that element.
//
// So a copy is started if
//
//   all coordinates >= 0  &  all extents > 0  &
//   (the contiguous extent is a multiple of 16 bytes  |  coordinate + tile <= that extent)
//
// The extents of maps that the launcher builds are positive. What else is proven is left out. Where
// the condition fails, the tile may lie outside of the tensor as a whole, so that there is nothing
// to store: its starts are multiples of its size. Otherwise threads have to store it.
//===----------------------------------------------------------------------===//
#pragma once

#include "TensorMapPlan.h"
#include "mlir/IR/Builders.h"

namespace tessera::nvidia {

class StoreCondition {
public:
  StoreCondition() = default;
  /// `tile`: the values that are stored.
  StoreCondition(const TensorMapPlan &plan, MapMaker maker, mlir::RankedTensorType tile,
                 const PlanFacts &facts);

  /// Returns why the condition holds for no tile; empty if it may hold.
  llvm::StringRef whyNever() const { return never; }
  /// Returns whether there may be something to store where it fails.
  bool needsStores() const { return mayEndInside || mayBeginOutside; }

  /// Emits the condition; null if it always holds.
  mlir::Value emit(mlir::OpBuilder &b, mlir::Location loc, const TensorMapPlan &plan,
                   mlir::ValueRange coordinates, const BlockAddresses &addresses) const;

private:
  llvm::StringRef never;
  llvm::SmallVector<unsigned> negative; // dimensions whose coordinates may be
  bool isMadeByKernel = false;
  bool mayEndInside = false;    // of 16 bytes
  bool mayBeginOutside = false; // and end inside of the tensor
  int64_t unit = 1, width = 1;  // of 16 bytes and of the tile, in elements
};

} // namespace tessera::nvidia
