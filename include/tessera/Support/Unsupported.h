//===- Unsupported.h - "this target cannot do it" -------------------------===//
// Three kinds of failure reach a user: the program is wrong (error), this
// target cannot do it (unsupported), we are wrong (internal). MLIR knows only
// errors; the kind travels as the message's first word and Driver turns it
// into the exit status.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tessera {

inline constexpr llvm::StringLiteral kUnsupportedPrefix = "unsupported: ";

/// Says what cannot be done, and what would work.
inline mlir::InFlightDiagnostic emitUnsupported(mlir::Location loc) {
  return mlir::emitError(loc) << kUnsupportedPrefix;
}
inline mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op) {
  return emitUnsupported(op->getLoc());
}

} // namespace tessera
