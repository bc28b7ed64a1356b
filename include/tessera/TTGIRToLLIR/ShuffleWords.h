//===- ShuffleWords.h - values as words that lanes exchange ---------------===//
// Shuffles of GPUs move words of 32 bits: smaller scalars lie in the low bits of one, larger ones
// and pointers in two.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tessera {

/// Returns `value` (a scalar of at most 64 bits, or a pointer) as words of type i32, lowest first.
llvm::SmallVector<mlir::Value> toWords(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
/// The inverse, for a value of this type.
mlir::Value fromWords(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::Value> words,
                      mlir::Type type);

} // namespace tessera
