//===- TTTypes.h - pointers, descriptors, and types derived from them -----===//
// PointerType (`!tt.ptr<f32>`) and TensorDescType (`!tt.tensordesc<...>`). The functions below map
// between the types of scalars, tensors and block pointers:
//
//   getPointeeLike(tensor<128x!tt.ptr<f32>>)   = tensor<128xf32>
//   getPointerLike(tensor<128xf32>)            = tensor<128x!tt.ptr<f32>>
//   getPointeeLike(!tt.ptr<tensor<32x64xf16>>) = tensor<32x64xf16>
//   getMaskType(tensor<128x!tt.ptr<f32>>)      = tensor<128xi1>
//
// Encodings are kept.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Types.h"

#define GET_TYPEDEF_CLASSES
#include "tessera/TTIR/IR/TTTypes.h.inc"

namespace tessera::tt {

/// The width of all addresses.
inline constexpr unsigned kPointerBits = 64;
/// The address space of kernel arguments' memory; it is not printed.
inline constexpr int32_t kGlobalAddressSpace = 1;

/// Returns whether the type is a block pointer, `!tt.ptr<tensor<...>>`.
bool isTensorPointer(mlir::Type type);
/// Returns the tensor type itself, or that of a block pointer's block; null for scalars.
mlir::RankedTensorType getTensorOf(mlir::Type type);
/// Returns the encoding of getTensorOf(type); null if there is no tensor or encoding.
mlir::Attribute getEncodingOf(mlir::Type type);
/// Returns the type of a load through `type`. Requires a pointer, a tensor of pointers or a block
/// pointer.
mlir::Type getPointeeLike(mlir::Type type);
/// Returns the type of a pointer to a scalar, or of the tensor of pointers to each element.
mlir::Type getPointerLike(mlir::Type type, int32_t addressSpace = kGlobalAddressSpace);
/// Returns the type of a pointer to one element of a block pointer's block.
mlir::Type getElementPointerType(mlir::Type type);
/// Returns `type` with the element type `element` (a scalar becomes `element`).
mlir::Type getTypeOfShape(mlir::Type type, mlir::Type element);
/// Returns i1 in the shape of a load through `type`.
mlir::Type getMaskType(mlir::Type type);
/// Returns the bits of one element: of the scalar or the tensor's element; 64 for pointers.
unsigned getElementBits(mlir::Type type);
/// Returns the bits of the pointee of one pointer in `type`.
unsigned getPointeeBits(mlir::Type type);

} // namespace tessera::tt
