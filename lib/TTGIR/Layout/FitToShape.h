//===- FitToShape.h - fit a tile to the shape of a tensor -----------------===//
#pragma once

#include "tessera/TTGIR/Layout/NamedLayouts.h"

namespace tessera {

/// Returns the logarithm of a power of two: 1 -> 0, 2 -> 1, ...
unsigned log2Exact(uint64_t powerOfTwo);

/// Returns {rank-1, ..., 1, 0}.
llvm::SmallVector<unsigned> minorLast(unsigned rank);

/// Returns a tile of size 1: `ins` and dim0 ... dim{rank-1}, all of size 1. Products with it keep
/// this order of dimensions.
LinearLayout unitTile(llvm::ArrayRef<Dim> ins, unsigned rank);

/// Distributes `in` over `sizes`, the first dimension in `order` fastest.
LinearLayout identityInOrder(Dim in, llvm::ArrayRef<unsigned> sizes,
                             llvm::ArrayRef<unsigned> order);

/// Returns the part of the CTAs, folded to `shape`: (block) -> (dim0, ...).
LinearLayout cgaLayout(llvm::ArrayRef<int64_t> shape, const CgaBases &cga);

/// Repeats `tile` in `first` along the dimensions in `repOrder`, or folds it, until it covers one
/// CTA's part of `shape`; then distributes that over the CTAs.
LinearLayout fitToShape(LinearLayout tile, llvm::ArrayRef<int64_t> shape, const CgaBases &cga,
                        llvm::ArrayRef<unsigned> repOrder, Dim first);

/// Returns why the block bases cannot belong to a tensor of this rank.
std::optional<std::string> whyInvalidCga(const CgaBases &cga, unsigned rank);
/// Returns why `order` is not a permutation of 0 ... rank-1.
std::optional<std::string> whyInvalidOrder(llvm::ArrayRef<unsigned> order, unsigned rank);
/// Returns why `shape` cannot have a layout of rank `rank`.
std::optional<std::string> whyInvalidShape(llvm::ArrayRef<int64_t> shape, unsigned rank);
bool isPowerOfTwo(uint64_t value);

} // namespace tessera
