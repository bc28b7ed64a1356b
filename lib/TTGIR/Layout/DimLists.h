//===- DimLists.h - flat indices in lists of named dimensions -------------===//
// How the algebra finds a named coordinate inside a flat index. The first listed
// dimension takes the lowest bits.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include <algorithm>

namespace tessera {

/// The lowest `bits` bits set; `bits` may be 64.
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

/// The position of the lowest bit of `dim`. Requires it to be in the list.
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

/// The coordinate along `dim` of a flat index; 0 where there is no such dimension.
inline uint64_t component(uint64_t flat, llvm::ArrayRef<DimBits> dims, Dim dim) {
  const DimBits *found = findDim(dims, dim);
  if (!found || found->bits == 0)
    return 0;
  return flat >> startOf(dims, dim) & lowBits(found->bits);
}

/// A flat index with `value` along `dim`, cut to what fits.
inline uint64_t place(uint64_t value, llvm::ArrayRef<DimBits> dims, Dim dim) {
  const DimBits *found = findDim(dims, dim);
  if (!found || found->bits == 0)
    return 0;
  return (value & lowBits(found->bits)) << startOf(dims, dim);
}

/// Moves each coordinate of a flat index to where `to` keeps it. Coordinates that
/// `to` does not have are dropped, those that do not fit are cut.
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

/// Both lists, ours first; where a name is in both, `combine` says how many bits.
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
