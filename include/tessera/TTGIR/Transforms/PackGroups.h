//===- PackGroups.h - the elements that packed inline assembly takes -----===//
// The attribute that ttg-assign-pack-groups attaches to assembly with `packed_element` > 1:
//
//   tt.elementwise_inline_asm "..." {packed_element = 4, ttg.pack = array<i32: 0, 0, 0, 1>}
//
// means that a statement takes the elements that differ in bits 0 and 1 of their index along axis
// 0: pairs of axis and bit, the lowest bit of the position in the register first. Without the
// attribute, a statement takes a thread's registers in the order of the layout.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/PackedGroups.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tessera {

inline constexpr llvm::StringLiteral kPackAttr = "ttg.pack";

/// Returns an empty list if the op has none.
inline llvm::SmallVector<TensorBit> getPackBits(mlir::Operation *op) {
  llvm::SmallVector<TensorBit> bits;
  auto attr = op->getAttrOfType<mlir::DenseI32ArrayAttr>(kPackAttr);
  if (!attr || attr.size() % 2 != 0)
    return bits;
  for (unsigned i = 0; i + 1 < attr.size(); i += 2)
    bits.push_back({static_cast<unsigned>(attr[i]), static_cast<unsigned>(attr[i + 1])});
  return bits;
}

inline void setPackBits(mlir::Operation *op, llvm::ArrayRef<TensorBit> bits) {
  llvm::SmallVector<int32_t> numbers;
  for (TensorBit bit : bits)
    numbers.append({static_cast<int32_t>(bit.axis), static_cast<int32_t>(bit.bit)});
  op->setAttr(kPackAttr, mlir::DenseI32ArrayAttr::get(op->getContext(), numbers));
}

} // namespace tessera
