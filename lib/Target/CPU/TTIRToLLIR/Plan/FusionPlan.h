//===- FusionPlan.h - which ops share a loop nest -------------------------===//
// Decides, without changing the IR, how the tensor ops of a block become loop nests, and which
// tensors must be stored in memory. Pure tensor ops belong to no nest: they are computed wherever
// an anchor needs them. Anchors are loads, stores and reductions; a group is a sequence of them
// that one nest executes, iteration by iteration:
//
//   %x = tt.load %px        |
//   %y = tt.load %py        |  one group: for i { store(o + i, x[i] + y[i]) }
//   %s = arith.addf %x, %y  |
//   tt.store %po, %s        |
//
// By the semantics of the program, each anchor is executed for the whole tile before the next one
// begins. Executing them element by element is equivalent if no element that one access writes is
// touched by another at a different index. For affine addresses a run-time check, once per nest,
// decides that; other addresses end the group. Ops that depend on a reduction of the group come
// after it. A group also ends at all other ops that order memory accesses, at ops that take whole
// tensors (TileOps.h), at anchors of another shape, and at the end of the block.
//
// Tensors that are stored in memory, in tiles:
//   - operands and results of ops that take whole tensors, results of reductions
//   - tensors that control flow carries (operands of scf.for and scf.yield)
//   - loads that are needed after their group
//  - tensors that a group computes, that are needed later, and that cost more to compute than to
//  read
//===----------------------------------------------------------------------===//
#pragma once

#include "TileIndex.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cpu {

struct FusedGroup {
  llvm::SmallVector<mlir::Operation *> anchors; // tensor loads, stores and reductions, in order
  llvm::SmallVector<int64_t> shape;             // the shape of its stores and reductions
  bool hasStores = false;
  llvm::SetVector<mlir::Value> tiles;     // tensors that later code reads from memory
  llvm::SmallVector<mlir::Value> carried; // tensor operands of the op before which it ends

  bool hasShape() const { return !shape.empty(); }
};

struct FusionPlan {
  /// The groups that are executed right before an op, in order.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FusedGroup, 1>> before;
  /// Operands of dots that are column-major in memory and stay so in their tiles.
  llvm::DenseSet<mlir::Value> columnMajor;
};

/// Returns the tensors that `op` passes to another block, in the order of its operands: the initial
/// values of scf.for and scf.while, the operands of scf.yield.
llvm::SmallVector<mlir::Value> carriedTensors(mlir::Operation *op);

/// Plans all blocks of `function`, nested ones included.
FusionPlan planFusion(tt::FuncOp function);

/// A load, and the index at which a nest needs it.
struct LoadUse {
  tt::LoadOp load;
  TileIndex index;
};

/// Returns every load that computing `roots` involves, including operands of loads, in the order in
/// which they must be computed. The search stops at values for which `isReady` holds.
llvm::SmallVector<LoadUse> collectLoads(llvm::ArrayRef<TileElement> roots,
                                        llvm::function_ref<bool(mlir::Value)> isReady);

} // namespace tessera::cpu
