//===- MemoryWrites.h - whether an op may change memory -------------------===//
#pragma once

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera {

/// Whether `op`, or anything inside it, may write to memory or do something of
/// which nothing is known. Prints and assertions count as writes.
inline bool mayWrite(mlir::Operation *op) {
  auto effects = mlir::getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](const mlir::MemoryEffects::EffectInstance &effect) {
    return !llvm::isa<mlir::MemoryEffects::Read>(effect.getEffect());
  });
}

} // namespace tessera
