//===- TTTraits.h - traits that many tt ops share ------------------------===//
// The checks are plain functions, so that the traits stay one line each and ops of other dialects
// can use them.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::tt {

/// The memory that kernel arguments point to.
struct GlobalMemory : public mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

/// The limit on the elements of a tensor.
inline constexpr int64_t kMaxTensorElements = int64_t(1) << 20;

llvm::LogicalResult verifyTensorSize(mlir::Operation *op);
llvm::LogicalResult verifyTensorLayouts(mlir::Operation *op);
llvm::LogicalResult verifySameOperandsEncoding(mlir::Operation *op);
llvm::LogicalResult verifySameOperandsAndResultEncoding(mlir::Operation *op);

namespace OpTrait {

template <typename Op> struct TensorSize : mlir::OpTrait::TraitBase<Op, TensorSize> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyTensorSize(op); }
};

template <typename Op>
struct VerifyTensorLayouts : mlir::OpTrait::TraitBase<Op, VerifyTensorLayouts> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyTensorLayouts(op); }
};

template <typename Op>
struct SameOperandsEncoding : mlir::OpTrait::TraitBase<Op, SameOperandsEncoding> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifySameOperandsEncoding(op);
  }
};

template <typename Op>
struct SameOperandsAndResultEncoding : mlir::OpTrait::TraitBase<Op, SameOperandsAndResultEncoding> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifySameOperandsAndResultEncoding(op);
  }
};

} // namespace OpTrait
} // namespace tessera::tt
