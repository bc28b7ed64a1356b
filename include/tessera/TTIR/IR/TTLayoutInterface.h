//===- TTLayoutInterface.h - the interface of a dialect of encodings -----===//
// The ops of the tt dialect do not know how the elements of tensors are distributed over threads.
// If an op determines the encoding of its result, it calls the dialect that owns the operand's
// encoding through this interface, which `ttg` implements. For tensors without an encoding it is
// not called.
//
// Functions that can fail report the reason through `emitError`, which may return an inactive
// diagnostic if the caller only tries.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectInterface.h"

namespace tessera::tt {

using ErrorEmitter = llvm::function_ref<mlir::InFlightDiagnostic()>;

class LayoutInterface : public mlir::DialectInterface::Base<LayoutInterface> {
public:
  LayoutInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Returns the encoding after `axis` is reduced.
  virtual mlir::FailureOr<mlir::Attribute> inferReduce(mlir::Attribute source, int32_t axis,
                                                       ErrorEmitter emitError) const = 0;
  /// Returns the encoding with a dimension of size one inserted at `axis`.
  virtual mlir::FailureOr<mlir::Attribute> inferExpandDims(mlir::Attribute source, int32_t axis,
                                                           ErrorEmitter emitError) const = 0;
  /// Returns the encoding of the transposed tensor: result dimension i is source dimension
  /// order[i].
  virtual mlir::FailureOr<mlir::Attribute> inferTrans(mlir::Attribute source,
                                                      llvm::ArrayRef<int64_t> sourceShape,
                                                      llvm::ArrayRef<int32_t> order,
                                                      ErrorEmitter emitError) const = 0;
  /// Returns the encoding with which a reshape moves no element between threads.
  virtual mlir::FailureOr<mlir::Attribute> inferReshape(mlir::Attribute source,
                                                        llvm::ArrayRef<int64_t> sourceShape,
                                                        llvm::ArrayRef<int64_t> resultShape,
                                                        ErrorEmitter emitError) const = 0;
  /// Returns the encoding with a new last dimension of size two, held in registers.
  virtual mlir::FailureOr<mlir::Attribute> inferJoin(mlir::Attribute source,
                                                     llvm::ArrayRef<int64_t> sourceShape,
                                                     ErrorEmitter emitError) const = 0;
  /// The inverse of inferJoin. `sourceShape` ends in 2.
  virtual mlir::FailureOr<mlir::Attribute> inferSplit(mlir::Attribute source,
                                                      llvm::ArrayRef<int64_t> sourceShape,
                                                      ErrorEmitter emitError) const = 0;
  /// Verifies the encodings of a dot's operands; all three tensors have one.
  virtual mlir::LogicalResult verifyDot(mlir::RankedTensorType a, mlir::RankedTensorType b,
                                        mlir::RankedTensorType c, ErrorEmitter emitError) const = 0;
  /// Returns whether two encodings place each element of the shape in the same registers, lanes and
  /// warps.
  virtual bool denoteSameLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute a,
                                mlir::Attribute b) const = 0;
  /// Verifies that `type` is valid for `op` (warps, lanes, shape).
  virtual mlir::LogicalResult verifyTensor(mlir::RankedTensorType type, mlir::Operation *op,
                                           ErrorEmitter emitError) const = 0;

  /// Returns the interface of an encoding's dialect; null, with a diagnostic, if it has none.
  static const LayoutInterface *of(mlir::Attribute encoding, ErrorEmitter emitError);
};

} // namespace tessera::tt
