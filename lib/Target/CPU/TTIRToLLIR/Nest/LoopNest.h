//===- LoopNest.h - lower a fused group to loops -------------------------===//
// A group of accesses becomes one loop nest over its shape; the innermost loop processes a vector
// of elements per iteration:
//
//   guards: no 32-bit offset overflows, no store overlaps another access
//   if the guards hold
//     for rows in which some mask is true
//       for chunks            full if all bounds hold: plain vectors
//                             masked at the edges
//   else                      (rare) access by access, element by element,
//                             with loads stored in tiles
//
// The size of the code does not depend on the shape.
//===----------------------------------------------------------------------===//
#pragma once

#include "../Kernel/KernelContext.h"
#include "../Plan/FusionPlan.h"

namespace tessera::cpu {

/// Appends the group's loops at the insertion point, and moves it behind them. Loads in group.tiles
/// are stored in tiles from then on; group.carried are written to `destinations`, one address each.
void emitGroup(KernelContext &context, const FusedGroup &group,
               llvm::ArrayRef<mlir::Value> destinations, mlir::Location loc);

/// Returns the element of a tensor at `indices`, i64 each; no indices mean index 0.
mlir::Value emitElementAt(KernelContext &context, mlir::Value tensor,
                          llvm::ArrayRef<mlir::Value> indices = {});

} // namespace tessera::cpu
