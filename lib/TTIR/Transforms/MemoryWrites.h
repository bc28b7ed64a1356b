//===- MemoryWrites.h - whether an op may change memory -------------------===//
#pragma once

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera {

/// Returns whether `op`, or any op inside it, may write to memory or has unknown effects. Prints
/// and assertions count as writes.
inline bool mayWrite(mlir::Operation *op) {
  auto effects = mlir::getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](const mlir::MemoryEffects::EffectInstance &effect) {
    return !llvm::isa<mlir::MemoryEffects::Read>(effect.getEffect());
  });
}

} // namespace tessera
