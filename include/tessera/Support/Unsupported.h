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
inline constexpr llvm::StringLiteral kProgramErrorPrefix = "program error: ";

/// Says what cannot be done, and what would work.
inline mlir::InFlightDiagnostic emitUnsupported(mlir::Location loc) {
  return mlir::emitError(loc) << kUnsupportedPrefix;
}
inline mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op) {
  return emitUnsupported(op->getLoc());
}

/// Says what programs react to, beside what people read: "shared-memory", with what was
/// needed and what there is.
inline mlir::InFlightDiagnostic &setCode(mlir::InFlightDiagnostic &diagnostic,
                                         llvm::StringLiteral code,
                                         llvm::ArrayRef<uint64_t> numbers = {}) {
  if (mlir::Diagnostic *underlying = diagnostic.getUnderlyingDiagnostic()) {
    underlying->getMetadata().push_back(mlir::DiagnosticArgument(llvm::StringRef(code)));
    for (uint64_t number : numbers)
      underlying->getMetadata().push_back(mlir::DiagnosticArgument(number));
  }
  return diagnostic;
}

/// A mistake of the user's that the frontend cannot see: in assembly, say. Other errors of
/// stages behind it are Tessera's own.
inline mlir::InFlightDiagnostic emitProgramError(mlir::Location loc) {
  return mlir::emitError(loc) << kProgramErrorPrefix;
}
inline mlir::InFlightDiagnostic emitProgramError(mlir::Operation *op) {
  return emitProgramError(op->getLoc());
}

} // namespace tessera
