//===- FusionPlan.h - which ops share a loop nest -------------------------===//
// Decides, without changing anything, how the tensor ops of a block become
// loop nests, and which tensors must lie in memory. Pure tensor ops belong to
// no nest: they are computed wherever an anchor needs them. Anchors are loads,
// stores and reductions; a group is a run of them that one nest executes,
// iteration by iteration:
//
//   %x = tt.load %px        |
//   %y = tt.load %py        |  one group: for i { store(o + i, x[i] + y[i]) }
//   %s = arith.addf %x, %y  |
//   tt.store %po, %s        |
//
// The program's meaning is that each anchor happens for the whole tile before
// the next one begins. Running them element by element is the same if no
// element that one access writes is touched by another at a different index.
// Addresses that are affine can be compared for that at run time, once per
// nest; others cannot, and end the group. What depends on a reduction of the
// group comes after it. A group also ends at anything else that orders memory,
// at ops that take whole tensors (TileOps.h), at anchors of another shape, and
// at the block's end.
//
// Tensors that lie in memory, in tiles:
//   - operands and results of ops that take whole tensors, results of reductions
//   - tensors that control flow carries (operands of scf.for and scf.yield)
//   - loads that are needed after their group
//   - what a group computed, is needed later and costs more than reading it
//===----------------------------------------------------------------------===//
#pragma once

#include "TileIndex.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cpu {

struct FusedGroup {
  llvm::SmallVector<mlir::Operation *> anchors; // tensor loads, stores, reductions, in order
  llvm::SmallVector<int64_t> shape;             // of its stores and reductions
  bool hasStores = false;
  llvm::SetVector<mlir::Value> tiles;     // tensors that later code reads from memory
  llvm::SmallVector<mlir::Value> carried; // tensor operands of the op it ends before

  bool hasShape() const { return !shape.empty(); }
};

struct FusionPlan {
  /// Groups to execute right before an op, in order.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FusedGroup, 1>> before;
  /// Operands of dots that memory has by columns, and that tiles keep so.
  llvm::DenseSet<mlir::Value> columnMajor;
};

/// The tensors that `op` hands to another block, in the order of its operands:
/// what scf.for and scf.while start with, what scf.yield passes on.
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
