//===- AddressFacts.h - what is known of addresses and masks --------------===//
// The questions that access passes ask of the axis analysis.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera {

class AddressFacts {
public:
  explicit AddressFacts(mlir::ModuleOp) {}
  /// Whether the analysis ran.
  bool isValid() const { return true; }

  /// Per dimension, of an access through `pointers` under `mask` (or none).
  llvm::SmallVector<AccessFacts> of(mlir::Value pointers, mlir::Value) {
    return llvm::SmallVector<AccessFacts>(
        mlir::cast<mlir::RankedTensorType>(pointers.getType()).getRank());
  }
};

} // namespace tessera
