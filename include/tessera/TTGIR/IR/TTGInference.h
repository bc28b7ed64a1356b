//===- TTGInference.h - encodings of views and reshapes -------------------===//
// What the tt dialect learns through TTLayoutInterface, for passes and for buffers.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "tessera/TTIR/IR/TTLayoutInterface.h"

namespace tessera::ttg {

/// An encoding that denotes `layout`, (register, lane, warp, block) -> dims, on its own
/// shape: blocked if one does, else linear. Requires whyInvalidLinear(layout) to be none.
mlir::Attribute nameLayout(mlir::MLIRContext *context, const LinearLayout &layout);

/// Of a tensor or a buffer whose dimension i is dimension order[i] of the source.
/// Blocked, swizzled, nvmma and padded encodings stay in kind.
mlir::FailureOr<mlir::Attribute> inferTransEncoding(mlir::Attribute source,
                                                    llvm::ArrayRef<int64_t> sourceShape,
                                                    llvm::ArrayRef<int32_t> order,
                                                    tt::ErrorEmitter emitError);

/// The map of a tensor or a buffer after a reshape that moves nothing.
mlir::FailureOr<LinearLayout> inferReshapeLayout(mlir::Attribute source,
                                                 llvm::ArrayRef<int64_t> sourceShape,
                                                 llvm::ArrayRef<int64_t> resultShape,
                                                 tt::ErrorEmitter emitError);

/// Of two tensors like `source` as one of `resultShape`: a new highest register bit, which
/// is the half along the one dimension that grows.
mlir::FailureOr<mlir::Attribute> inferCatEncoding(mlir::RankedTensorType source,
                                                  llvm::ArrayRef<int64_t> resultShape,
                                                  tt::ErrorEmitter emitError);

/// The map of a tensor of floats, two to each element of the source along `axis`.
mlir::FailureOr<LinearLayout> inferFp4ToFpLayout(mlir::Attribute source,
                                                 llvm::ArrayRef<int64_t> sourceShape, unsigned axis,
                                                 tt::ErrorEmitter emitError);

/// Whether a thread's registers of `from` can be taken for those of `to` as they are, with
/// `newBits` more bits of registers on top: every element is held once, or its copies lie
/// in the same places. The elements' order may change (allow_reorder, tt.cat).
bool holdTheSameRegisters(mlir::RankedTensorType from, mlir::RankedTensorType to,
                          unsigned newBits = 0);

/// Whether two encodings place each element of the shape alike.
bool denoteSameLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute a, mlir::Attribute b);

} // namespace tessera::ttg
