//===- SharedAliases.h - which buffer, and which part of it ---------------===//
// A memdesc designates a local_alloc's buffer or a part of it: through views,
// selects and block arguments.
//
//   %a = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, ...>
//   %s = ttg.memdesc_index %a[%i]         slot %i of buffer 0
//   %t = ttg.memdesc_trans %s             the same
//   ^bb1(%m: !ttg.memdesc<64x32xf16>)     whatever the branches to bb1 pass
//
// Requires control flow as branches between blocks. A memdesc of another op's making
// (a region's argument, a call's result) counts as any part of any buffer.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/SharedHazards.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tessera {

class SlotIndices;

class SharedAliases {
public:
  /// `slots` may be null: then all of a buffer counts as one.
  explicit SharedAliases(mlir::Region &region, SlotIndices *slots = nullptr);

  /// The buffers of the region, in program order; SharedPart::buffer is an index here.
  llvm::ArrayRef<ttg::LocalAllocOp> buffers() const { return allocs; }
  /// The parts that `memdesc` may designate.
  llvm::SmallVector<SharedPart, 1> partsOf(mlir::Value memdesc) const;

private:
  /// A part, and whether the value is the buffer as it was allocated: then an index
  /// into its leading dimension is a slot.
  struct View {
    SharedPart part;
    bool isWhole = false;
    bool operator==(const View &o) const { return part == o.part && isWhole == o.isWhole; }
  };
  using Views = llvm::SmallVector<View, 1>;

  Views viewsOf(mlir::Value memdesc) const;
  Views evaluate(mlir::Value memdesc) const;
  Views evaluateArgument(mlir::BlockArgument argument) const;
  Views everything() const;

  llvm::SmallVector<ttg::LocalAllocOp> allocs;
  llvm::MapVector<mlir::Value, Views> views;
  SlotIndices *slots;
};

} // namespace tessera
