//===- FusionPlan.h - which accesses share a loop nest --------------------===//
// Decides, without changing anything, how the tensor accesses of a block
// become loop nests. Pure tensor ops belong to no nest: they are computed
// wherever an access needs them. A group is a run of accesses that one nest
// executes, iteration by iteration:
//
//   %x = tt.load %px        |
//   %y = tt.load %py        |  one group: for i { store(o + i, x[i] + y[i]) }
//   %s = arith.addf %x, %y  |
//   tt.store %po, %s        |
//
// The program's meaning is that each access happens for the whole tile before
// the next one begins. Running them element by element is the same if no
// element that one access writes is touched by another at a different index.
// Addresses that are affine can be compared for that at run time, once per
// nest; others cannot, and end the group. A group also ends at anything else
// that orders memory, at a store of another shape, and at the block's end.
// Loads whose values are needed after their group are written to a tile, and
// so are tensors that control flow carries (operands of scf.for and scf.yield).
//===----------------------------------------------------------------------===//
#pragma once

#include "TileIndex.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cpu {

struct FusedGroup {
  llvm::SmallVector<mlir::Operation *> accesses; // tensor loads and stores, in order
  llvm::SmallVector<int64_t> shape;              // of its stores; empty when it has none
  llvm::SmallVector<tt::LoadOp> tiles;           // loads that later code needs
  llvm::SmallVector<mlir::Value> carried;        // tensor operands of the op it ends before

  bool hasStores() const { return !shape.empty(); }
};

struct FusionPlan {
  /// Groups to execute right before an op, in order.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FusedGroup, 1>> before;
};

/// The tensors that `op` hands to another block, in the order of its operands:
/// what scf.for starts with, what scf.yield passes on.
llvm::SmallVector<mlir::Value> carriedTensors(mlir::Operation *op);

/// Plans all blocks of `function`, nested ones included.
FusionPlan planFusion(tt::FuncOp function);

/// A load, at the index where a nest needs it.
struct LoadUse {
  tt::LoadOp load;
  TileIndex index;
};

/// Every load that computing `roots` involves, operands of loads included,
/// in the order in which they must be computed. Stops at values for which
/// `isReady` says that they need no computing.
llvm::SmallVector<LoadUse> collectLoads(llvm::ArrayRef<TileElement> roots,
                                        llvm::function_ref<bool(mlir::Value)> isReady);

} // namespace tessera::cpu
