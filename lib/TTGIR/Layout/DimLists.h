//===- DimLists.h - flat indices in lists of named dimensions -------------===//
// Maps named coordinates to bits of a flat index. The first listed dimension has the lowest bits.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include <algorithm>

namespace tessera {

/// Returns a number with the lowest `bits` bits set; `bits` may be 64.
inline uint64_t lowBits(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

inline unsigned totalBits(llvm::ArrayRef<DimBits> dims) {
  unsigned total = 0;
  for (const DimBits &d : dims)
    total += d.bits;
  return total;
}

inline const DimBits *findDim(llvm::ArrayRef<DimBits> dims, Dim dim) {
  const DimBits *found = llvm::find_if(dims, [&](const DimBits &d) { return d.dim == dim; });
  return found == dims.end() ? nullptr : found;
}

inline unsigned bitsOf(llvm::ArrayRef<DimBits> dims, Dim dim) {
  const DimBits *found = findDim(dims, dim);
  return found ? found->bits : 0;
}

/// Returns the position of the lowest bit of `dim`. Requires it to be in the list.
inline unsigned startOf(llvm::ArrayRef<DimBits> dims, Dim dim) {
  unsigned start = 0;
  for (const DimBits &d : dims) {
    if (d.dim == dim)
      break;
    start += d.bits;
  }
  return start;
}

inline bool hasRepeatedDim(llvm::ArrayRef<DimBits> dims) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (findDim(dims.take_front(i), dims[i].dim))
      return true;
  return false;
}

/// Returns the coordinate along `dim` of a flat index; 0 if there is no such dimension.
inline uint64_t component(uint64_t flat, llvm::ArrayRef<DimBits> dims, Dim dim) {
  const DimBits *found = findDim(dims, dim);
  if (!found || found->bits == 0)
    return 0;
  return flat >> startOf(dims, dim) & lowBits(found->bits);
}

/// Returns a flat index with `value` along `dim`, truncated to its bits.
inline uint64_t place(uint64_t value, llvm::ArrayRef<DimBits> dims, Dim dim) {
  const DimBits *found = findDim(dims, dim);
  if (!found || found->bits == 0)
    return 0;
  return (value & lowBits(found->bits)) << startOf(dims, dim);
}

/// Moves each coordinate of a flat index to its position in `to`. Coordinates that `to` does not
/// have are dropped; those that do not fit are truncated.
inline uint64_t regroup(uint64_t flat, llvm::ArrayRef<DimBits> from, llvm::ArrayRef<DimBits> to) {
  if (from == to)
    return flat;
  uint64_t result = 0;
  for (const DimBits &d : from) {
    if (d.bits == 0)
      continue;
    result |= place(flat & lowBits(d.bits), to, d.dim);
    flat = d.bits >= 64 ? 0 : flat >> d.bits;
  }
  return result;
}

/// Merges both lists, ours first; if a name is in both, `combine` gives the number of bits.
template <typename Combine>
llvm::SmallVector<DimBits, 4> mergeDims(llvm::ArrayRef<DimBits> lhs, llvm::ArrayRef<DimBits> rhs,
                                        Combine combine) {
  llvm::SmallVector<DimBits, 4> merged;
  for (const DimBits &d : lhs)
    merged.push_back({d.dim, combine(d.bits, bitsOf(rhs, d.dim))});
  for (const DimBits &d : rhs)
    if (!findDim(lhs, d.dim))
      merged.push_back({d.dim, combine(0u, d.bits)});
  return merged;
}

} // namespace tessera
