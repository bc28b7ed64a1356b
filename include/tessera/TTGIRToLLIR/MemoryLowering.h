//===- MemoryLowering.h - loads and stores of tensors ---------------------===//
// The patterns of tt.load and tt.store share this with those of a target's own accesses.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "tessera/TTGIRToLLIR/TypeConverter.h"

namespace tessera {

/// The places of a thread's elements: pointers, or offsets, in elements, from one pointer.
struct ElementAddresses {
  mlir::Type type;         // of the tensor of pointers or offsets; of a scalar: the pointer's
  mlir::ValueRange values; // one per register
  mlir::Value base = {};   // of offsets
};

/// Lowers `op`, a load of elements of type `element`, which has the attributes of AccessWidth.h.
/// Returns one value per register.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
emitTensorLoad(mlir::ConversionPatternRewriter &b, mlir::Operation *op, mlir::Type element,
               const ElementAddresses &addresses, mlir::ValueRange masks, mlir::ValueRange others,
               const AccessHints &hints, const TTGIRTypeConverter &types, const TargetInfo &target);

/// The same for a store of `values`.
llvm::LogicalResult emitTensorStore(mlir::ConversionPatternRewriter &b, mlir::Operation *op,
                                    mlir::Type element, const ElementAddresses &addresses,
                                    mlir::ValueRange masks, mlir::ValueRange values,
                                    const AccessHints &hints, const TTGIRTypeConverter &types,
                                    const TargetInfo &target);

} // namespace tessera
