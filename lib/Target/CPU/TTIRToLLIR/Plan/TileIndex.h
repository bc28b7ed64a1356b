//===- TileIndex.h - the index at which a nest reads a tensor ------------===//
// A nest iterates over the dimensions of its shape. A tensor that it uses is read at an index that
// has, for each dimension of the tensor, one of the nest's loops or a constant. Shape ops only
// rearrange this tuple, so they cost nothing at run time:
//
//   nest 64x128, loops (0, 1)          %c : tensor<64x128xf32>  at [0, 1]
//   %c = tt.broadcast %b               %b : tensor<1x128xf32>   at [-, 1]
//   %b = tt.expand_dims %a {axis = 0}  %a : tensor<128xf32>     at [1]
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera::cpu {

/// For each dimension of a tensor: the loop that indexes it, or, if negative, a constant: -1 for 0
/// (kNoLoop), -2 for 1.
using TileIndex = llvm::SmallVector<int8_t, 4>;
inline constexpr int8_t kNoLoop = -1;
inline int64_t fixedIndex(int8_t place) { return -1 - place; }

/// Returns the index of an element of the nest's own shape; dimensions of size one have no loop.
TileIndex identityIndex(llvm::ArrayRef<int64_t> shape);
/// Returns 0 in every dimension.
TileIndex originIndex(unsigned rank);

/// Returns whether the op only renames elements: expand_dims, broadcast, trans, split, and reshapes
/// that only add or remove dimensions of size one.
bool isRenaming(mlir::Operation *op);
/// Returns the index at which a renaming op reads its operand if its result is read at `index`.
TileIndex operandIndex(mlir::Value result, llvm::ArrayRef<int8_t> index);

/// A value at an index, which is computed once per nest iteration.
struct TileElement {
  mlir::Value value;
  TileIndex index;
  bool operator==(const TileElement &other) const {
    return value == other.value && index == other.index;
  }
};

/// Calls `compute` for every element on which `root` depends, operands first, and for `root` last.
/// `operandsOf` lists an element's operands; those for which `isReady` holds are skipped. This is a
/// loop and not a recursion, because kernels may chain any number of ops.
void forOperandsFirst(
    const TileElement &root, llvm::function_ref<bool(const TileElement &)> isReady,
    llvm::function_ref<llvm::SmallVector<TileElement>(const TileElement &)> operandsOf,
    llvm::function_ref<void(const TileElement &)> compute);

/// Returns the tensors that an elementwise or renaming op reads for one element.
llvm::SmallVector<TileElement> tensorOperands(const TileElement &element);

/// Returns whether the op's tensor result is not stored but computed where it is used.
bool isPureTileOp(mlir::Operation *op);

/// Returns whether the op is a constant tensor with different elements, which is stored in memory.
bool isTable(mlir::Operation *op);

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? type.getShape() : llvm::ArrayRef<int64_t>();
}
inline bool isTensor(mlir::Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType());
}

} // namespace tessera::cpu

template <> struct llvm::DenseMapInfo<tessera::cpu::TileElement> {
  using Element = tessera::cpu::TileElement;
  static Element getEmptyKey() { return {DenseMapInfo<mlir::Value>::getEmptyKey(), {}}; }
  static Element getTombstoneKey() { return {DenseMapInfo<mlir::Value>::getTombstoneKey(), {}}; }
  static unsigned getHashValue(const Element &element) {
    return hash_combine(mlir::hash_value(element.value),
                        hash_combine_range(element.index.begin(), element.index.end()));
  }
  static bool isEqual(const Element &a, const Element &b) { return a == b; }
};
