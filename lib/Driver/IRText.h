//===- IRText.h - reading .ttir and .ttgir files --------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera {

class SourceFile;

/// The module that the text of a file says, in all dialects of .ttir and .ttgir files, the
/// reference's included. Null where there is none; why goes to the context's handler.
/// Requires: a MiB or so of stack.
mlir::OwningOpRef<mlir::ModuleOp> parseIRText(const SourceFile &file, mlir::MLIRContext &context);

} // namespace tessera
