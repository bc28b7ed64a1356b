//===- StageErrors.h - errors of a target's stages as diagnostics ---------===//
// A stage reports what goes wrong through the context's diagnostic handler, at
// the location of the module it works on. All targets report alike:
//
//   if (llvm::Error error = emitObject(...))
//     return reportError(state, std::move(error));
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Unsupported.h"
#include "tessera/Target/Target.h"

namespace tessera {

/// The location of the program's module; unknown where a stage was entered without one.
inline mlir::Location locationOf(StageState &state) {
  return state.module ? (*state.module).getLoc() : mlir::UnknownLoc::get(&state.context);
}

/// Emits `error` as an error at the program's location.
inline mlir::LogicalResult reportError(StageState &state, llvm::Error error) {
  return mlir::emitError(locationOf(state)) << llvm::toString(std::move(error));
}

/// Emits `error` as something that the target does not support.
inline mlir::LogicalResult reportUnsupported(StageState &state, llvm::Error error) {
  return emitUnsupported(locationOf(state)) << llvm::toString(std::move(error));
}

} // namespace tessera
