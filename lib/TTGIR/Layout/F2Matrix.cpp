//===- F2Matrix.cpp - small matrices over the field of two elements -------===//
// One Gaussian elimination computes rank, kernel, solution and inverse: it reduces the matrix and
// applies the same row operations to a second one (the right-hand side).
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/F2Matrix.h"
#include <bit>
#include <utility>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Brings `rows` to reduced row echelon form, applies the same row operations to `companion` (as
/// long as `rows`), and returns the pivot column of row 0, 1, ...
static SmallVector<unsigned> reduce(llvm::SmallVectorImpl<uint64_t> &rows, unsigned columns,
                                    llvm::SmallVectorImpl<uint64_t> &companion);

F2Matrix F2Matrix::identity(unsigned size) {
  F2Matrix result(size, size);
  for (unsigned i = 0; i < size; ++i)
    result.words[i] = uint64_t(1) << i;
  return result;
}

F2Matrix F2Matrix::fromColumns(ArrayRef<uint64_t> columns, unsigned rows) {
  F2Matrix result(rows, columns.size());
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned c = 0; c < columns.size(); ++c)
      result.words[r] |= (columns[c] >> r & 1) << c;
  return result;
}

uint64_t F2Matrix::column(unsigned index) const {
  uint64_t result = 0;
  for (unsigned r = 0; r < numRows(); ++r)
    result |= (words[r] >> index & 1) << r;
  return result;
}

void F2Matrix::set(unsigned row, unsigned column, bool value) {
  words[row] &= ~(uint64_t(1) << column);
  words[row] |= uint64_t(value) << column;
}

uint64_t F2Matrix::apply(uint64_t vector) const {
  uint64_t result = 0;
  for (unsigned r = 0; r < numRows(); ++r)
    result |= uint64_t(std::popcount(words[r] & vector) & 1) << r;
  return result;
}

F2Matrix F2Matrix::transposed() const { return fromColumns(words, columns); }

F2Matrix F2Matrix::operator*(const F2Matrix &rhs) const {
  F2Matrix result(numRows(), rhs.columns);
  for (unsigned r = 0; r < numRows(); ++r)
    for (uint64_t left = words[r]; left != 0; left &= left - 1)
      result.words[r] ^= rhs.words[std::countr_zero(left)];
  return result;
}

static SmallVector<unsigned> reduce(llvm::SmallVectorImpl<uint64_t> &rows, unsigned columns,
                                    llvm::SmallVectorImpl<uint64_t> &companion) {
  SmallVector<unsigned> pivots;
  for (unsigned column = 0; column < columns && pivots.size() < rows.size(); ++column) {
    unsigned target = pivots.size();
    unsigned found = target;
    while (found < rows.size() && !(rows[found] >> column & 1))
      ++found;
    if (found == rows.size())
      continue;
    std::swap(rows[found], rows[target]);
    std::swap(companion[found], companion[target]);
    for (unsigned r = 0; r < rows.size(); ++r) {
      if (r == target || !(rows[r] >> column & 1))
        continue;
      rows[r] ^= rows[target];
      companion[r] ^= companion[target];
    }
    pivots.push_back(column);
  }
  return pivots;
}

SmallVector<unsigned> F2Matrix::pivotColumns() const {
  SmallVector<uint64_t, 16> rows = words;
  SmallVector<uint64_t, 16> unused(rows.size(), 0);
  return reduce(rows, columns, unused);
}

SmallVector<uint64_t> F2Matrix::kernel() const {
  SmallVector<uint64_t, 16> rows = words;
  SmallVector<uint64_t, 16> unused(rows.size(), 0);
  SmallVector<unsigned> pivots = reduce(rows, columns, unused);

  uint64_t isPivot = 0;
  for (unsigned pivot : pivots)
    isPivot |= uint64_t(1) << pivot;
  SmallVector<uint64_t> basis;
  for (unsigned column = 0; column < columns; ++column) {
    if (isPivot >> column & 1)
      continue;
    // Set the free unknown to 1; each pivot unknown is then its row's entry.
    uint64_t vector = uint64_t(1) << column;
    for (unsigned r = 0; r < pivots.size(); ++r)
      vector |= (rows[r] >> column & 1) << pivots[r];
    basis.push_back(vector);
  }
  return basis;
}

std::optional<F2Matrix> F2Matrix::solve(const F2Matrix &rhs) const {
  SmallVector<uint64_t, 16> rows = words;
  SmallVector<uint64_t, 16> answers = rhs.words;
  SmallVector<unsigned> pivots = reduce(rows, columns, answers);

  for (unsigned r = pivots.size(); r < rows.size(); ++r)
    if (answers[r] != 0)
      return std::nullopt; // 0 = 1
  F2Matrix result(columns, rhs.columns);
  for (unsigned r = 0; r < pivots.size(); ++r)
    result.words[pivots[r]] = answers[r];
  return result;
}

std::optional<F2Matrix> F2Matrix::inverse() const {
  if (numRows() != columns)
    return std::nullopt;
  return solve(identity(columns));
}
