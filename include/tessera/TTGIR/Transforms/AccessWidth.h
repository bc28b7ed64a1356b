//===- AccessWidth.h - the number of elements one access moves -----------===//
// The attribute that ttg-assign-access-width attaches to loads and stores:
//
//   tt.load %p {ttg.access = array<i32: 1, 8>}
//
// means that along dim 1 the pointers of each aligned run of 8 elements are consecutive and aligned
// as a whole, and share one mask bit. Without the attribute an access moves one element at a time.
// On comparisons,
//
//   %m = arith.cmpi slt, %i, %n {ttg.equal_registers = 7 : i32}
//
// means that registers whose numbers differ only in these bits hold equal elements, so that one
// comparison is enough for a vector of eight. On loads, stores and asynchronous copies,
//
//   tt.store %p, %v, %m {ttg.access = array<i32: 1, 8>, ttg.prefix_mask}
//   ttg.async_copy_global_to_local %p, %b mask %m {contiguity = 8 : i32, ttg.prefix_mask}
//
// means that a run's elements do not share one mask bit, but no masked-off element precedes one
// that is not. A load or store moves whole vectors if the mask covers them and single elements
// otherwise; a copy has as many bytes as there are unmasked elements.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tessera {

inline constexpr llvm::StringLiteral kAccessAttr = "ttg.access";

struct AccessWidth {
  unsigned dim = 0;
  unsigned width = 1;
};

inline AccessWidth getAccessWidth(mlir::Operation *op) {
  auto attr = op->getAttrOfType<mlir::DenseI32ArrayAttr>(kAccessAttr);
  if (!attr || attr.size() != 2)
    return {};
  return {static_cast<unsigned>(attr[0]), static_cast<unsigned>(attr[1])};
}

inline void setAccessWidth(mlir::Operation *op, AccessWidth access) {
  op->setAttr(kAccessAttr,
              mlir::DenseI32ArrayAttr::get(op->getContext(), {static_cast<int32_t>(access.dim),
                                                              static_cast<int32_t>(access.width)}));
}

/// A unit attribute of loads, stores and asynchronous copies.
inline constexpr llvm::StringLiteral kPrefixMaskAttr = "ttg.prefix_mask";

inline constexpr llvm::StringLiteral kEqualRegistersAttr = "ttg.equal_registers";

inline unsigned getEqualRegisters(mlir::Operation *op) {
  auto attr = op->getAttrOfType<mlir::IntegerAttr>(kEqualRegistersAttr);
  return attr ? attr.getInt() : 0;
}

inline void setEqualRegisters(mlir::Operation *op, unsigned bits) {
  op->setAttr(kEqualRegistersAttr, mlir::Builder(op->getContext()).getI32IntegerAttr(bits));
}

} // namespace tessera
