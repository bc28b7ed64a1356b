//===- TTGInference.h - encodings of views and reshapes -------------------===//
// The inference behind TTLayoutInterface, for passes and for buffers.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "tessera/TTIR/IR/TTLayoutInterface.h"

namespace tessera::ttg {

/// Returns an encoding that denotes `layout`, (register, lane, warp, block) -> dims, on its own
/// shape: blocked if possible, otherwise linear. Requires whyInvalidLinear(layout) to be none.
mlir::Attribute nameLayout(mlir::MLIRContext *context, const LinearLayout &layout);

/// Returns the encoding of a tensor or buffer whose dimension i is dimension order[i] of the
/// source. Blocked, swizzled, nvmma and padded encodings keep their kind.
mlir::FailureOr<mlir::Attribute> inferTransEncoding(mlir::Attribute source,
                                                    llvm::ArrayRef<int64_t> sourceShape,
                                                    llvm::ArrayRef<int32_t> order,
                                                    tt::ErrorEmitter emitError);

/// Returns the map of a tensor or buffer after a reshape that moves no data.
mlir::FailureOr<LinearLayout> inferReshapeLayout(mlir::Attribute source,
                                                 llvm::ArrayRef<int64_t> sourceShape,
                                                 llvm::ArrayRef<int64_t> resultShape,
                                                 tt::ErrorEmitter emitError);

/// Returns the encoding of two tensors like `source` concatenated to `resultShape`: a new highest
/// register bit selects the half along the one dimension that grows.
mlir::FailureOr<mlir::Attribute> inferCatEncoding(mlir::RankedTensorType source,
                                                  llvm::ArrayRef<int64_t> resultShape,
                                                  tt::ErrorEmitter emitError);

/// Returns the map of a tensor of floats, two for each element of the source along `axis`.
mlir::FailureOr<LinearLayout> inferFp4ToFpLayout(mlir::Attribute source,
                                                 llvm::ArrayRef<int64_t> sourceShape, unsigned axis,
                                                 tt::ErrorEmitter emitError);

/// Returns whether a thread's registers of `from` can be reused as those of `to`, with `newBits`
/// additional register bits on top: every element is held once, or its copies are in the same
/// places. The order of elements may change (allow_reorder, tt.cat).
bool holdTheSameRegisters(mlir::RankedTensorType from, mlir::RankedTensorType to,
                          unsigned newBits = 0);

/// Returns whether two encodings place each element of the shape in the same place.
bool denoteSameLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute a, mlir::Attribute b);

} // namespace tessera::ttg
