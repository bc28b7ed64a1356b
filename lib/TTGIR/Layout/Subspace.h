//===- Subspace.h - subspaces of bit vectors (closed under xor) ----------===//
// The basis is kept in echelon form: the highest bits of the stored vectors are distinct and
// descending, so that membership is tested in one pass.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tessera {

class Subspace {
public:
  Subspace() = default;
  explicit Subspace(llvm::ArrayRef<uint64_t> vectors) {
    for (uint64_t vector : vectors)
      insert(vector);
  }

  unsigned dimension() const { return rows.size(); }
  llvm::ArrayRef<uint64_t> basis() const { return rows; }
  /// Returns `vector` plus a member of the space, such that no highest bit of the basis is left in
  /// it.
  uint64_t reduce(uint64_t vector) const {
    for (uint64_t row : rows)
      vector = std::min(vector, vector ^ row);
    return vector;
  }
  bool contains(uint64_t vector) const { return reduce(vector) == 0; }
  /// Returns false if the vector was already in the space.
  bool insert(uint64_t vector) {
    vector = reduce(vector);
    if (vector == 0)
      return false;
    rows.insert(llvm::upper_bound(rows, vector, std::greater<>()), vector);
    return true;
  }
  void insert(llvm::ArrayRef<uint64_t> vectors) {
    for (uint64_t vector : vectors)
      insert(vector);
  }

private:
  llvm::SmallVector<uint64_t, 16> rows;
};

/// Returns a basis of the intersection; the vectors of `preferred` that are in both spaces come
/// first, in their order.
inline llvm::SmallVector<uint64_t> intersect(const Subspace &a, const Subspace &b,
                                             llvm::ArrayRef<uint64_t> preferred) {
  llvm::SmallVector<uint64_t> result;
  Subspace found;
  for (uint64_t vector : preferred)
    if (a.contains(vector) && b.contains(vector) && found.insert(vector))
      result.push_back(vector);
  // Eliminates the pairs (x, 0) for x in a and (y, y) for y in b by their first halves: a pair
  // whose first half becomes 0 has a second half in both spaces (Zassenhaus).
  llvm::SmallVector<std::pair<uint64_t, uint64_t>> rows;
  for (uint64_t x : a.basis())
    rows.push_back({x, 0});
  for (uint64_t y : b.basis()) {
    std::pair<uint64_t, uint64_t> row{y, y};
    for (auto [first, second] : rows)
      if ((row.first ^ first) < row.first)
        row = {row.first ^ first, row.second ^ second};
    if (row.first != 0)
      rows.insert(llvm::upper_bound(rows, row, [](auto &x, auto &y) { return x.first > y.first; }),
                  row);
    else if (found.insert(row.second))
      result.push_back(row.second);
  }
  return result;
}

} // namespace tessera
