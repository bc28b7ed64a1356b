//===- Emitter.cpp - where IR is put --------------------------------------===//
#include "Emitter.h"
#include "mlir/IR/Location.h"

using namespace tessera;

mlir::Location Emitter::constantLocation() {
  // MLIR columns count from one; Python's from zero.
  return mlir::FileLineColLoc::get(context(), file->path(), range.begin.line,
                                   range.begin.column + 1);
}

mlir::Location Emitter::location() {
  if (resultName.empty())
    return constantLocation();
  return mlir::NameLoc::get(mlir::StringAttr::get(context(), resultName), constantLocation());
}
