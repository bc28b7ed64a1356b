//===- F2Matrix.h - small matrices over the field of two elements ---------===//
// Properties of a layout are properties of a matrix of bits: addition is xor, multiplication is
// and. Layouts have at most 64 input and 64 output bits, so a row is one machine word.
//
//   | 1 0 1 |   | x0 |   | x0 ^ x2 |
//   | 0 1 1 | * | x1 | = | x1 ^ x2 |     row 0 is 0b101, row 1 is 0b110
//               | x2 |
//
// Column c is bit c of each row. Cost: elimination takes rows^2 operations on words, at most a few
// thousand, and so do products and solutions.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tessera {

class F2Matrix {
public:
  /// Creates a zero matrix. Requires rows <= 64 and columns <= 64.
  F2Matrix(unsigned rows, unsigned columns) : words(rows, 0), columns(columns) {}
  static F2Matrix identity(unsigned size);
  /// Bit r of columns[c] becomes the entry at (r, c).
  static F2Matrix fromColumns(llvm::ArrayRef<uint64_t> columns, unsigned rows);

  unsigned numRows() const { return words.size(); }
  unsigned numColumns() const { return columns; }
  uint64_t row(unsigned index) const { return words[index]; }
  uint64_t column(unsigned index) const;
  bool get(unsigned row, unsigned column) const { return words[row] >> column & 1; }
  void set(unsigned row, unsigned column, bool value);

  /// Returns the product with the vector whose entry c is bit c of `vector`.
  uint64_t apply(uint64_t vector) const;
  F2Matrix transposed() const;
  /// Requires numColumns() == rhs.numRows().
  F2Matrix operator*(const F2Matrix &rhs) const;
  bool operator==(const F2Matrix &) const = default;

  /// Returns the columns in which row reduction finds a pivot, ascending: those that are linearly
  /// independent of the columns before them.
  llvm::SmallVector<unsigned> pivotColumns() const;
  unsigned rank() const { return pivotColumns().size(); }
  /// Returns a basis of the vectors that map to zero.
  llvm::SmallVector<uint64_t> kernel() const;

  /// Returns X with *this * X == rhs, or nothing if there is none. Of several solutions it returns
  /// the one in which all free unknowns are zero. Requires numRows() == rhs.numRows().
  std::optional<F2Matrix> solve(const F2Matrix &rhs) const;
  /// Returns nothing unless the matrix is square and of full rank.
  std::optional<F2Matrix> inverse() const;

private:
  llvm::SmallVector<uint64_t, 16> words;
  unsigned columns;
};

} // namespace tessera
