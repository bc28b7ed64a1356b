//===- LoopNest.h - a fused group as loops --------------------------------===//
// One group of accesses becomes one nest over its shape; the innermost loop
// takes a vector of elements at a time:
//
//   guards: no 32-bit offset wraps, no store touches another access's bytes
//   if guards hold
//     for rows that some mask lets through
//       for chunks            full where all bounds hold: plain vectors
//                             masked at the edges
//   else                      (rare) access by access, element by element,
//                             with loads kept in tiles: the meaning, literally
//
// The size of the code does not depend on the shape.
//===----------------------------------------------------------------------===//
#pragma once

#include "../Kernel/KernelContext.h"
#include "../Plan/FusionPlan.h"

namespace tessera::cpu {

/// Appends the group's loops at the builder's place, which afterwards is where
/// they are left. Loads in group.tiles are stored in tiles from then on;
/// group.carried are written to `destinations`, one address each.
void emitGroup(KernelContext &context, const FusedGroup &group,
               llvm::ArrayRef<mlir::Value> destinations, mlir::Location loc);

/// The element of a tensor at `indices`, i64 each; none for index 0.
mlir::Value emitElementAt(KernelContext &context, mlir::Value tensor,
                          llvm::ArrayRef<mlir::Value> indices = {});

} // namespace tessera::cpu
