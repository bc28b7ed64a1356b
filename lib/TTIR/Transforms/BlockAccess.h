//===- BlockAccess.h - the pointers and the mask of a block ---------------===//
// Block pointers and descriptors name a block of a tensor in memory; plain loads and stores take a
// pointer per element and a mask. For a 32x64 block at (%i, %j) of a tensor of %m x %n elements
// whose row stride is %s:
//
//   rows     = %i + [0, 32)                           : tensor<32x1xi64>
//   columns  = %j + [0, 64)                           : tensor<1x64xi64>
//   pointers = (%base + rows * %s) + columns          : tensor<32x64x!tt.ptr<T>>
//   mask     = 0 <= rows < %m  &  0 <= columns < %n   : tensor<32x64xi1>
//
// Offsets are computed in 64 bits, since a tensor may have more than 2^31 elements although each of
// its sizes is smaller. Indices may have 32 bits if the sizes do: an index that overflows is
// negative, and therefore out of bounds. As unsigned numbers, all indices that are out of bounds
// are at least the size, so one comparison checks both bounds:
//
//   mask     = rows <u %m  &  columns <u %n           : tensor<32x64xi1>
//
// Sums and comparisons are computed in the shape of the dimensions that they depend on and are
// broadcast afterwards, so that a value which depends only on the row is computed once per row.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"

namespace tessera {

/// A tensor in memory.
struct MemoryTensor {
  mlir::Value base; ///< !tt.ptr<T>
  /// The size of each dimension in elements, not negative, of the same type as the indices.
  llvm::SmallVector<mlir::Value> sizes;
  /// The stride of each dimension as an i64; null means 1.
  llvm::SmallVector<mlir::Value> strides;
};

/// A block of a tensor: for each dimension the indices of its elements, as a tensor of i64 or i32
/// that has size one in all other dimensions.
struct Tile {
  mlir::RankedTensorType type; ///< of the values in it
  llvm::SmallVector<mlir::Value> indices;
};

/// Converts `offset`, an i32 or i64, to an i64.
mlir::Value emitIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value offset);

/// Returns the indices offset, offset + 1, … of dimension `dim` of a block of rank `rank`.
/// Requires: `offset` is an i64 or i32; the indices have the same type.
mlir::Value emitRange(mlir::OpBuilder &b, mlir::Location loc, mlir::Value offset, int64_t size,
                      unsigned dim, unsigned rank);

/// Returns the indices of the block that starts at `offsets`, which are all i64 or all i32.
/// Requires: `type` has a static shape and no encoding.
Tile emitTile(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type,
              mlir::ValueRange offsets);

/// Returns a tensor of pointers, one per element.
mlir::Value emitPointers(mlir::OpBuilder &b, mlir::Location loc, const MemoryTensor &tensor,
                         const Tile &tile);

/// Returns a mask of the elements whose indices in `dims` are in bounds; null if `dims` is empty.
mlir::Value emitMask(mlir::OpBuilder &b, mlir::Location loc, const MemoryTensor &tensor,
                     const Tile &tile, llvm::ArrayRef<int32_t> dims);

/// Returns a block of the padding value: zero, or NaN for floats if the padding says so.
mlir::Value emitPadding(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type,
                        tt::PaddingOption padding);

} // namespace tessera
