//===- F2MatrixTest.cpp - linear algebra over bits, by brute force --------===//
#include "tessera/TTGIR/Layout/F2Matrix.h"
#include "RandomLayout.h"
#include "gtest/gtest.h"
#include <set>

using namespace tessera;
using namespace tessera::test;

static F2Matrix randomMatrix(Random &random, unsigned rows, unsigned columns) {
  F2Matrix matrix(rows, columns);
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned c = 0; c < columns; ++c)
      matrix.set(r, c, below(random, 3) == 0);
  return matrix;
}

static std::set<uint64_t> image(const F2Matrix &matrix) {
  std::set<uint64_t> values;
  for (uint64_t x = 0; x < uint64_t(1) << matrix.numColumns(); ++x)
    values.insert(matrix.apply(x));
  return values;
}

TEST(F2Matrix, ApplyIsAnXorOfColumns) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    F2Matrix m = randomMatrix(random, below(random, 7), below(random, 7));
    for (uint64_t x = 0; x < uint64_t(1) << m.numColumns(); ++x) {
      uint64_t expected = 0;
      for (unsigned c = 0; c < m.numColumns(); ++c)
        if (x >> c & 1)
          expected ^= m.column(c);
      EXPECT_EQ(m.apply(x), expected);
    }
    llvm::SmallVector<uint64_t> columns;
    for (unsigned c = 0; c < m.numColumns(); ++c)
      columns.push_back(m.column(c));
    EXPECT_EQ(F2Matrix::fromColumns(columns, m.numRows()), m);
    EXPECT_EQ(m.transposed().transposed(), m);
  }
}

TEST(F2Matrix, ProductIsComposition) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    unsigned inner = below(random, 7);
    F2Matrix a = randomMatrix(random, below(random, 7), inner);
    F2Matrix b = randomMatrix(random, inner, below(random, 7));
    F2Matrix product = a * b;
    for (uint64_t x = 0; x < uint64_t(1) << b.numColumns(); ++x)
      EXPECT_EQ(product.apply(x), a.apply(b.apply(x)));
  }
}

TEST(F2Matrix, RankAndKernel) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    F2Matrix m = randomMatrix(random, below(random, 7), below(random, 8));
    EXPECT_EQ(uint64_t(1) << m.rank(), image(m).size());

    std::set<uint64_t> zeros, spanned;
    for (uint64_t x = 0; x < uint64_t(1) << m.numColumns(); ++x)
      if (m.apply(x) == 0)
        zeros.insert(x);
    llvm::SmallVector<uint64_t> kernel = m.kernel();
    for (uint64_t pick = 0; pick < uint64_t(1) << kernel.size(); ++pick) {
      uint64_t sum = 0;
      for (unsigned i = 0; i < kernel.size(); ++i)
        if (pick >> i & 1)
          sum ^= kernel[i];
      spanned.insert(sum);
    }
    EXPECT_EQ(spanned, zeros);
    EXPECT_EQ(uint64_t(1) << kernel.size(), zeros.size()) << "the kernel basis is independent";
  }
}

TEST(F2Matrix, SolveFindsASolutionExactlyWhenThereIsOne) {
  Random random(4);
  unsigned solved = 0, unsolvable = 0;
  for (int round = 0; round < 500; ++round) {
    unsigned rows = below(random, 6);
    F2Matrix a = randomMatrix(random, rows, below(random, 6));
    F2Matrix b = randomMatrix(random, rows, below(random, 3));
    std::set<uint64_t> reached = image(a);
    bool solvable = true;
    for (unsigned c = 0; c < b.numColumns(); ++c)
      solvable &= reached.count(b.column(c)) != 0;
    std::optional<F2Matrix> x = a.solve(b);
    ASSERT_EQ(x.has_value(), solvable);
    (solvable ? solved : unsolvable)++;
    if (!x)
      continue;
    EXPECT_EQ(a * *x, b);
    llvm::SmallVector<unsigned> pivots = a.pivotColumns();
    for (unsigned r = 0; r < x->numRows(); ++r)
      EXPECT_TRUE(llvm::is_contained(pivots, r) || x->row(r) == 0) << "free unknowns are zero";
  }
  EXPECT_GT(solved, 50u);
  EXPECT_GT(unsolvable, 50u);
}

TEST(F2Matrix, Inverse) {
  Random random(5);
  unsigned found = 0;
  for (int round = 0; round < 500; ++round) {
    unsigned rows = below(random, 5), columns = below(random, 4) ? rows : below(random, 5);
    F2Matrix m = randomMatrix(random, rows, columns);
    std::optional<F2Matrix> inverse = m.inverse();
    ASSERT_EQ(inverse.has_value(), rows == columns && m.rank() == rows);
    if (!inverse)
      continue;
    ++found;
    EXPECT_EQ(m * *inverse, F2Matrix::identity(rows));
    EXPECT_EQ(*inverse * m, F2Matrix::identity(rows));
  }
  EXPECT_GT(found, 50u);
}

TEST(F2Matrix, WorksAtFullWidth) {
  F2Matrix m = F2Matrix::identity(64);
  m.set(0, 63, true);
  EXPECT_EQ(m.apply(uint64_t(1) << 63), uint64_t(1) << 63 | 1);
  EXPECT_EQ(m.rank(), 64u);
  ASSERT_TRUE(m.inverse());
  EXPECT_EQ(*m.inverse() * m, F2Matrix::identity(64));
}
