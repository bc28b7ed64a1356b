//===- Emitter.cpp - where IR is put, and where errors point --------------===//
#include "Emitter.h"
#include "mlir/IR/Location.h"

using namespace tessera;

mlir::Location Emitter::location() {
  mlir::MLIRContext *ctx = context();
  // MLIR columns count from one; Python's from zero.
  mlir::Location place =
      mlir::FileLineColLoc::get(ctx, file->path(), range.begin.line, range.begin.column + 1);
  if (resultName.empty())
    return place;
  return mlir::NameLoc::get(mlir::StringAttr::get(ctx, resultName), place);
}

llvm::LogicalResult Emitter::errorAt(SourceRange where, const llvm::Twine &message) {
  diagnostics.error(*file, where, message.str());
  return llvm::failure();
}

llvm::LogicalResult Emitter::error(const llvm::Twine &message) { return errorAt(range, message); }

llvm::LogicalResult Emitter::unsupportedAt(SourceRange where, const llvm::Twine &message) {
  diagnostics.unsupported(*file, where, message.str());
  return llvm::failure();
}
