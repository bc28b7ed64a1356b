//===- BlockAccess.h - the pointers and the mask of a block ---------------===//
// Block pointers and descriptors name a block of a tensor in memory; plain loads
// and stores want a pointer per element and a mask. For a 32x64 block at (%i, %j)
// of a tensor of %m x %n elements in rows %s apart:
//
//   rows     = %i + [0, 32)                           : tensor<32x1xi64>
//   columns  = %j + [0, 64)                           : tensor<1x64xi64>
//   pointers = (%base + rows * %s) + columns          : tensor<32x64x!tt.ptr<T>>
//   mask     = 0 <= rows < %m  &  0 <= columns < %n   : tensor<32x64xi1>
//
// Distances are computed in 64 bits, since a tensor may be larger than 2^31 elements
// although each of its sizes is smaller. Indices may have 32 bits where sizes do: an
// index that wraps is negative, and outside. Read without sign, all that is outside is
// at least the size, and one comparison does for both bounds:
//
//   mask     = rows <u %m  &  columns <u %n           : tensor<32x64xi1>
//
// Sums and comparisons are made in the shape of the dimensions they need and broadcast
// afterwards: what depends on the row alone is computed once per row.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"

namespace tessera {

/// A tensor in memory.
struct MemoryTensor {
  mlir::Value base; ///< !tt.ptr<T>
  /// Per dimension, in elements; sizes of the type of the indices into it, not negative.
  llvm::SmallVector<mlir::Value> sizes;
  /// i64; one that is null is 1.
  llvm::SmallVector<mlir::Value> strides;
};

/// A block of it, laid out: per dimension the indices of its elements, as tensors of i64
/// or i32 with size one in all other dimensions.
struct Tile {
  mlir::RankedTensorType type; ///< of the values in it
  llvm::SmallVector<mlir::Value> indices;
};

/// `offset`, an i32 or i64, as an i64.
mlir::Value emitIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value offset);

/// The indices offset, offset + 1, … of dimension `dim` of a block of rank `rank`.
/// Requires: `offset` is an i64 or an i32, and so are they.
mlir::Value emitRange(mlir::OpBuilder &b, mlir::Location loc, mlir::Value offset, int64_t size,
                      unsigned dim, unsigned rank);

/// The block that starts at `offsets`, all i64 or all i32. Requires: `type` has a static shape and
/// no encoding.
Tile emitTile(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type,
              mlir::ValueRange offsets);

/// A pointer to each element.
mlir::Value emitPointers(mlir::OpBuilder &b, mlir::Location loc, const MemoryTensor &tensor,
                         const Tile &tile);

/// Which elements lie inside the tensor, as far as `dims` are concerned; null where `dims`
/// is empty.
mlir::Value emitMask(mlir::OpBuilder &b, mlir::Location loc, const MemoryTensor &tensor,
                     const Tile &tile, llvm::ArrayRef<int32_t> dims);

/// A block of what lies outside: zeros, or NaNs where elements are floats.
mlir::Value emitPadding(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type,
                        tt::PaddingOption padding);

} // namespace tessera
