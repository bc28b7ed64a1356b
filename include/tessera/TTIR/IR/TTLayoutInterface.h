//===- TTLayoutInterface.h - what tt asks of a dialect of encodings -------===//
// The tt dialect moves tensors about without knowing how their elements lie in
// threads. Where an op decides the encoding of its result, it asks the dialect
// that owns the operand's encoding. `ttg` implements this; a tensor without an
// encoding never asks.
//
// Every function that can fail says why through `emitError`, which may yield an
// inactive diagnostic when the caller only wants to know.
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

  /// The encoding once `axis` is reduced away.
  virtual mlir::FailureOr<mlir::Attribute> inferReduce(mlir::Attribute source, int32_t axis,
                                                       ErrorEmitter emitError) const = 0;
  /// The encoding with a dimension of size one inserted at `axis`.
  virtual mlir::FailureOr<mlir::Attribute> inferExpandDims(mlir::Attribute source, int32_t axis,
                                                           ErrorEmitter emitError) const = 0;
  /// Result dimension i is source dimension order[i].
  virtual mlir::FailureOr<mlir::Attribute> inferTrans(mlir::Attribute source,
                                                      llvm::ArrayRef<int64_t> sourceShape,
                                                      llvm::ArrayRef<int32_t> order,
                                                      ErrorEmitter emitError) const = 0;
  /// The encoding under which a reshape moves no element between threads.
  virtual mlir::FailureOr<mlir::Attribute> inferReshape(mlir::Attribute source,
                                                        llvm::ArrayRef<int64_t> sourceShape,
                                                        llvm::ArrayRef<int64_t> resultShape,
                                                        ErrorEmitter emitError) const = 0;
  /// A new last dimension of size two, held in registers.
  virtual mlir::FailureOr<mlir::Attribute> inferJoin(mlir::Attribute source,
                                                     llvm::ArrayRef<int64_t> sourceShape,
                                                     ErrorEmitter emitError) const = 0;
  /// The inverse of inferJoin. `sourceShape` ends in 2.
  virtual mlir::FailureOr<mlir::Attribute> inferSplit(mlir::Attribute source,
                                                      llvm::ArrayRef<int64_t> sourceShape,
                                                      ErrorEmitter emitError) const = 0;
  /// Whether a dot may multiply these; all three are encoded.
  virtual mlir::LogicalResult verifyDot(mlir::RankedTensorType a, mlir::RankedTensorType b,
                                        mlir::RankedTensorType c, ErrorEmitter emitError) const = 0;
  /// Whether two encodings place each element of the shape alike.
  virtual bool denoteSameLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute a,
                                mlir::Attribute b) const = 0;
  /// Whether `type` may occur where `op` stands (warps, lanes, shape).
  virtual mlir::LogicalResult verifyTensor(mlir::RankedTensorType type, mlir::Operation *op,
                                           ErrorEmitter emitError) const = 0;

  /// The interface of an encoding's dialect; null, with a diagnostic, when it has none.
  static const LayoutInterface *of(mlir::Attribute encoding, ErrorEmitter emitError);
};

} // namespace tessera::tt
