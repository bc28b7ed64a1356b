//===- RandomLayout.h - small layouts of every kind, for brute force ------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include <random>

namespace tessera::test {

using Random = std::mt19937_64;

inline unsigned below(Random &random, unsigned n) { return random() % n; }

/// One to `maxDims` of `names`, in random order, of 0 to 3 bits each.
inline llvm::SmallVector<DimBits> randomDims(Random &random, llvm::SmallVector<Dim> names,
                                             unsigned maxDims = 3) {
  llvm::SmallVector<DimBits> dims;
  unsigned count = 1 + below(random, maxDims);
  while (dims.size() < count && !names.empty()) {
    unsigned pick = below(random, names.size());
    dims.push_back({names[pick], below(random, 4)});
    names.erase(names.begin() + pick);
  }
  return dims;
}

inline llvm::SmallVector<Dim> hardwareDims() {
  return {Dim::reg(), Dim::lane(), Dim::warp(), Dim::block()};
}
inline llvm::SmallVector<Dim> axisDims() { return {Dim::axis(0), Dim::axis(1), Dim::axis(2)}; }

/// Any map between the given dimensions: dense, sparse, with zero and repeated bases.
inline LinearLayout randomLayout(Random &random, llvm::ArrayRef<DimBits> ins,
                                 llvm::ArrayRef<DimBits> outs) {
  LinearLayout shape = LinearLayout::zeros(ins, outs);
  unsigned rows = shape.totalOutBits();
  llvm::SmallVector<uint64_t> columns;
  unsigned style = below(random, 3);
  for (unsigned c = 0; c < shape.totalInBits(); ++c) {
    uint64_t column = 0;
    if (rows != 0 && below(random, 6) != 0) {
      if (style == 0)
        column = random() & ((uint64_t(1) << rows) - 1);
      else if (style == 1)
        column = uint64_t(1) << below(random, rows);
      else
        column = c < rows ? uint64_t(1) << c : 0;
    }
    columns.push_back(column);
  }
  return LinearLayout::fromMatrix(F2Matrix::fromColumns(columns, rows), ins, outs);
}

inline LinearLayout randomLayout(Random &random) {
  return randomLayout(random, randomDims(random, hardwareDims(), 4),
                      randomDims(random, axisDims()));
}

/// All coordinates within the given dimensions.
inline std::vector<Point> allPoints(llvm::ArrayRef<DimBits> dims) {
  std::vector<Point> points = {Point()};
  for (const DimBits &d : dims) {
    std::vector<Point> longer;
    for (uint64_t i = 0; i < d.size(); ++i)
      for (Point point : points) {
        point.push_back({d.dim, i});
        longer.push_back(point);
      }
    points = longer;
  }
  return points;
}

/// The coordinate along `dim`, 0 if there is none.
inline uint64_t at(llvm::ArrayRef<DimIndex> point, Dim dim) {
  for (const DimIndex &i : point)
    if (i.dim == dim)
      return i.index;
  return 0;
}

} // namespace tessera::test
