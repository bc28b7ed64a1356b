//===- PlainAccess.h - accesses that LLVM has itself ----------------------===//
// A load or store without a mask and without hints is LLVM's, of a vector if it moves
// several elements; LLVM can reason about those. Targets implement TargetInfo::load and
// store with these functions, and only the other accesses in their own way.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"

namespace tessera {

/// The type that one access moves: the element's, or a vector of several. Memory has no vectors
/// of pointers; they are moved as integers.
mlir::Type plainType(mlir::OpBuilder &b, const MemoryAccess &access);

/// The elements of a value of plainType(), and back.
llvm::SmallVector<mlir::Value> unpackPlain(mlir::OpBuilder &b, mlir::Location loc,
                                           const MemoryAccess &access, mlir::Value packed);
mlir::Value packPlain(mlir::OpBuilder &b, mlir::Location loc, const MemoryAccess &access,
                      mlir::ValueRange values);

/// Both ignore the predicate and the hints, but for `isVolatile`. The address is aligned to all
/// of the access.
llvm::SmallVector<mlir::Value> loadPlain(mlir::OpBuilder &b, mlir::Location loc,
                                         const MemoryAccess &access);
void storePlain(mlir::OpBuilder &b, mlir::Location loc, const MemoryAccess &access,
                mlir::ValueRange values);

} // namespace tessera
