//===- TTTypes.h - pointers, descriptors, and types derived from them -----===//
// PointerType (`!tt.ptr<f32>`) and TensorDescType (`!tt.tensordesc<...>`). The
// functions below say how scalars, tensors and block pointers correspond:
//
//   getPointeeLike(tensor<128x!tt.ptr<f32>>)   = tensor<128xf32>
//   getPointerLike(tensor<128xf32>)            = tensor<128x!tt.ptr<f32>>
//   getPointeeLike(!tt.ptr<tensor<32x64xf16>>) = tensor<32x64xf16>
//   getMaskType(tensor<128x!tt.ptr<f32>>)      = tensor<128xi1>
//
// Encodings are carried along.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Types.h"

#define GET_TYPEDEF_CLASSES
#include "tessera/TTIR/IR/TTTypes.h.inc"

namespace tessera::tt {

/// Every address is this wide.
inline constexpr unsigned kPointerBits = 64;
/// The memory a kernel's arguments point to; the space that is not printed.
inline constexpr int32_t kGlobalAddressSpace = 1;

/// `!tt.ptr<tensor<...>>`.
bool isTensorPointer(mlir::Type type);
/// The tensor itself, or the one a block pointer points to; null for scalars.
mlir::RankedTensorType getTensorOf(mlir::Type type);
/// The encoding of getTensorOf(type); null when there is no tensor or encoding.
mlir::Attribute getEncodingOf(mlir::Type type);
/// What a load through `type` yields. Requires a pointer, a tensor of pointers
/// or a block pointer.
mlir::Type getPointeeLike(mlir::Type type);
/// A pointer to a scalar, or the tensor of pointers to each element.
mlir::Type getPointerLike(mlir::Type type, int32_t addressSpace = kGlobalAddressSpace);
/// Of a block pointer: the pointer to one of its elements.
mlir::Type getElementPointerType(mlir::Type type);
/// `type` with `element` in each place (a scalar becomes `element`).
mlir::Type getTypeOfShape(mlir::Type type, mlir::Type element);
/// i1 in the shape of what a load through `type` yields.
mlir::Type getMaskType(mlir::Type type);
/// Bits of one element: the scalar's, the tensor's element's, 64 for pointers.
unsigned getElementBits(mlir::Type type);
/// Bits of what one pointer in `type` points to.
unsigned getPointeeBits(mlir::Type type);

} // namespace tessera::tt
