//===- MatrixPlanTest.cpp - MFMA and WMMA, lane by lane -------------------===//
// Runs the plan of each product on coordinates instead of numbers. The places of a fragment's
// elements are the formulas of AMD's amd_matrix_instruction_calculator, written out; every element
// of the result must meet each index along K equally often, on matching rows and columns.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/Target/AMD/MatrixInstructions.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

namespace {

struct Place {
  unsigned row, column;
};

/// The place in A of a lane's element j (in B with rows and columns exchanged). With 4x64, `group`
/// of the lanes broadcasts.
Place placeInA(const MatrixInstruction &i, unsigned lane, unsigned j) {
  if (i.repeatsOperands)
    return {lane % 16, j};
  return {lane % i.size, i.perLane * (lane / i.size) + j};
}

Place placeInD(const MatrixInstruction &i, unsigned lane, unsigned r) {
  if (i.size == 4)
    return {r, lane};
  if (i.isDouble)
    return {lane / 16 + 4 * r, lane % 16};
  if (i.repeatsOperands)
    return {lane / 16 + 2 * r, lane % 16};
  if (i.isWMMA)
    return {8 * (lane / 16) + r, lane % 16};
  if (i.size == 16)
    return {4 * (lane / 16) + r, lane % 16};
  return {r % 4 + 4 * (lane / 32) + 8 * (r / 4), lane % 32};
}

using Index = std::vector<uint64_t>;

Index elementAt(const LinearLayout &layout, unsigned reg, unsigned lane, unsigned warp) {
  Index index;
  for (const DimIndex &c :
       layout.apply({{Dim::reg(), reg}, {Dim::lane(), lane}, {Dim::warp(), warp}}))
    index.push_back(c.index);
  return index;
}

struct Product {
  LinearLayout a, b, d;
  bool isTransposed;
};

Product layOut(const MatrixInstruction &i, ArrayRef<int64_t> batch, int64_t m, int64_t n, int64_t k,
               ArrayRef<unsigned> warps, unsigned kWidth, bool isTransposed) {
  SmallVector<int64_t> a(batch), b(batch), d(batch);
  a.append({m, k});
  b.append({k, n});
  d.append({m, n});
  SmallVector<unsigned> ones(warps.size(), 1), shape = {i.rows(), i.columns(), i.inner};
  if (i.isWMMA) {
    AmdWmmaParams params{i.repeatsOperands ? 1u : 2u, isTransposed, llvm::to_vector(warps), ones,
                         shape};
    return {dotOperandLayout(a, 0, kWidth, params), dotOperandLayout(b, 1, kWidth, params),
            amdWmmaLayout(d, params), isTransposed};
  }
  if (isTransposed)
    std::swap(shape[0], shape[1]);
  AmdMfmaParams params{3,    llvm::to_vector(warps), shape, isTransposed,
                       ones, i.isDouble ? 64u : 32u};
  return {dotOperandLayout(a, 0, kWidth, params), dotOperandLayout(b, 1, kWidth, params),
          amdMfmaLayout(d, params), isTransposed};
}

/// Exchanges the last two dimensions.
LinearLayout transposed(const LinearLayout &layout) {
  SmallVector<Dim> names = llvm::to_vector(layout.outDims()), order = names;
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  return *layout.transposeOuts(order)->renameOuts(names);
}

/// Follows every instruction of every warp.
void checkPlan(const MatrixInstruction &kind, Product p, const std::string &what) {
  if (p.isTransposed) {
    LinearLayout left = transposed(p.b);
    p.b = transposed(p.a);
    p.a = left;
    p.d = transposed(p.d);
  }
  auto steps = planMatrix(p.a, p.b, p.d, kind.tile());
  ASSERT_TRUE(steps) << what;
  unsigned rank = p.d.outs().size(), lanes = p.d.inSize(Dim::lane());
  unsigned inner = kind.size == 4 ? kind.perLane : kind.inner, columns = kind.columns();
  uint64_t k = p.a.outSize(Dim::axis(rank - 1));
  for (unsigned warp = 0; warp < p.d.inSize(Dim::warp()); ++warp) {
    std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> met;
    for (const MatrixStep &step : *steps) {
      ASSERT_EQ(step.a.size(), kind.perLane);
      std::vector<Index> a(kind.rows() * inner), b(inner * columns);
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned j = 0; j < kind.perLane; ++j) {
          if (kind.size == 4) {
            if (lane / 4 == step.group)
              a[lane % 4 * inner + j] = elementAt(p.a, step.a[j], lane, warp);
            b[j * columns + lane] = elementAt(p.b, step.b[j], lane, warp);
            continue;
          }
          Place at = placeInA(kind, lane, j);
          a[at.row * inner + at.column] = elementAt(p.a, step.a[j], lane, warp);
          b[at.column * columns + at.row] = elementAt(p.b, step.b[j], lane, warp);
        }
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned r = 0; r < step.d.size(); ++r) {
          Place at = placeInD(kind, lane, r);
          Index d = elementAt(p.d, step.d[r], lane, warp);
          auto &counts = met[{lane, step.d[r]}];
          counts.resize(k);
          for (unsigned x = 0; x < inner; ++x) {
            Index left = a[at.row * inner + x], right = b[x * columns + at.column];
            ASSERT_EQ(left[rank - 2], d[rank - 2]) << what;
            ASSERT_EQ(right[rank - 1], d[rank - 1]) << what;
            ASSERT_EQ(left[rank - 1], right[rank - 2]) << what;
            for (unsigned batch = 0; batch + 2 < rank; ++batch) {
              ASSERT_EQ(left[batch], d[batch]) << what;
              ASSERT_EQ(right[batch], d[batch]) << what;
            }
            ++counts[left[rank - 1]];
          }
        }
    }
    // A fragment of a small tensor may compute one element in several of its registers.
    std::map<Index, bool> computed;
    for (const auto &[place, counts] : met) {
      for (unsigned count : counts)
        ASSERT_EQ(count, counts[0]) << what;
      computed[elementAt(p.d, place.second, place.first, warp)] = true;
    }
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned reg = 0; reg < p.d.inSize(Dim::reg()); ++reg)
        ASSERT_TRUE(computed.count(elementAt(p.d, reg, lane, warp))) << what;
  }
}

class MatrixPlan : public ::testing::Test {
protected:
  MatrixPlan() : b(&context) {}
  /// Calls `check` for each instruction that some chip has.
  void
  forEachInstruction(llvm::function_ref<void(const AmdSpec &, const MatrixInstruction &)> check) {
    std::pair<Type, Type> types[] = {
        {b.getF16Type(), b.getF32Type()},
        {b.getBF16Type(), b.getF32Type()},
        {b.getF32Type(), b.getF32Type()},
        {b.getF64Type(), b.getF64Type()},
        {b.getI8Type(), b.getI32Type()},
        {Float8E4M3FNType::get(&context), b.getF32Type()},
        {Float8E4M3FNUZType::get(&context), b.getF32Type()},
    };
    for (const AmdSpec &spec : AmdSpec::all())
      for (auto [factor, sum] : types)
        for (tt::InputPrecision precision : {tt::InputPrecision::IEEE, tt::InputPrecision::TF32})
          for (unsigned size : {32, 16, 4})
            for (int64_t inner : {256, 32, 16, 8})
              if (auto found =
                      findMatrixInstruction(spec, size, factor, factor, sum, precision, inner))
                check(spec, *found);
  }

  MLIRContext context;
  Builder b;
};

} // namespace

TEST_F(MatrixPlan, FollowsTheCalculator) {
  std::map<std::string, unsigned> seen;
  forEachInstruction([&](const AmdSpec &spec, const MatrixInstruction &kind) {
    if (HasFatalFailure() || seen[kind.intrinsic + std::to_string(kind.perLane)]++ > 0)
      return;
    unsigned lanes = kind.size == 4 ? 16 : kind.innerLanes();
    for (bool isTransposed : {false, true})
      for (auto [m, n] : {std::pair(1, 64), std::pair(32, 2), std::pair(64, 32)})
        for (unsigned kWidth : {kind.perLane, kind.perLane * 2, kind.perLane / 2}) {
          if (kWidth == 0 || (kind.isWMMA && kWidth != kind.perLane) || HasFatalFailure())
            continue;
          int64_t k = std::max(2 * kind.inner, 2 * kWidth * lanes);
          std::string what = kind.intrinsic + ": " + std::to_string(m) + " x " + std::to_string(n) +
                             " x " + std::to_string(k) + ", kWidth " + std::to_string(kWidth) +
                             (isTransposed ? ", transposed" : "");
          checkPlan(kind, layOut(kind, {}, m, n, k, {2, 1}, kWidth, isTransposed), what);
          if (m == 1)
            checkPlan(kind, layOut(kind, {2}, m, n, k, {2, 1, 2}, kWidth, isTransposed),
                      what + ", batches");
        }
  });
  EXPECT_GE(seen.size(), 30u);
}

namespace {

/// The first element along K of byte `j` of a lane's fragment in a product with scales.
unsigned innerOfByte(const MatrixInstruction &kind, bool isPacked, unsigned lane, unsigned j) {
  unsigned part = lane / kind.size;
  if (isPacked)
    return 32 * part + 2 * j; // 16 bytes of two elements
  return 16 * part + j % 16 + j / 16 * (kind.inner / 2);
}

/// One factor of a product with scales: its layout, and that of its scales.
struct ScaledOperand {
  LinearLayout layout, scales;
  bool isPacked, isLeft;

  unsigned perByte() const { return isPacked ? 2 : 1; }
  /// [row or column, K] of element 0 of a byte.
  std::pair<uint64_t, uint64_t> at(unsigned reg, unsigned lane, unsigned warp) const {
    Index index = elementAt(layout, reg, lane, warp);
    return isLeft ? std::pair(index[0], index[1] * perByte())
                  : std::pair(index[1], index[0] * perByte());
  }
};

/// Follows every instruction of every warp: elements that meet have the same place along K, and
/// each lane has the scale of 32 neighbours of its own row or column.
void checkScaledPlan(const MatrixInstruction &kind, const ScaledOperand &a, const ScaledOperand &b,
                     const LinearLayout &d, int64_t depth, const std::string &what) {
  auto steps = planMatrix(a.layout, b.layout, d, kind.scaledTile(a.isPacked, b.isPacked));
  ASSERT_TRUE(steps) << what;
  for (unsigned warp = 0; warp < d.inSize(Dim::warp()); ++warp) {
    std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> met;
    for (const MatrixStep &step : *steps) {
      // For each place in the fragment: the row (or column) and K of the tensor's element.
      std::map<std::pair<unsigned, unsigned>, std::pair<uint64_t, uint64_t>> left, right;
      for (unsigned lane = 0; lane < 64; ++lane)
        for (auto [operand, registers, places] :
             {std::tuple(&a, &step.a, &left), std::tuple(&b, &step.b, &right)}) {
          ASSERT_EQ(registers->size(), operand->isPacked ? 16u : 32u) << what;
          for (unsigned j = 0; j < registers->size(); ++j) {
            auto [outer, k] = operand->at((*registers)[j], lane, warp);
            unsigned inner = innerOfByte(kind, operand->isPacked, lane, j);
            for (unsigned i = 0; i < operand->perByte(); ++i)
              (*places)[{lane % kind.size, inner + i}] = {outer, k + i};
          }
          // The instruction scales elements 32 * part ... of row `lane % size` by this lane's.
          RegisterLookup lookup(operand->scales);
          auto [outer, k] = operand->at((*registers)[0], 0, 0);
          std::optional<unsigned> reg = lookup.find({outer, k / 32});
          ASSERT_TRUE(reg) << what;
          Index scale = elementAt(operand->scales, *reg, lane, warp);
          auto [row, first] = operand->at((*registers)[0], lane, warp);
          ASSERT_EQ(scale[0], row) << what;
          ASSERT_EQ(scale[1] * 32, k + lane / kind.size * 32) << what;
        }
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned r = 0; r < step.d.size(); ++r) {
          Place at = placeInD(kind, lane, r);
          Index sum = elementAt(d, step.d[r], lane, warp);
          auto &counts = met[{lane, step.d[r]}];
          counts.resize(depth);
          for (unsigned x = 0; x < kind.inner; ++x) {
            auto [row, k] = left.at({at.row, x});
            auto [column, otherK] = right.at({at.column, x});
            ASSERT_EQ(row, sum[0]) << what;
            ASSERT_EQ(column, sum[1]) << what;
            ASSERT_EQ(k, otherK) << what;
            ASSERT_EQ(k % kind.inner, x) << what; // its scale is the one checked above
            ++counts[k];
          }
        }
    }
    for (const auto &[place, counts] : met)
      for (unsigned count : counts)
        ASSERT_EQ(count, counts[0]) << what;
  }
}

} // namespace

TEST_F(MatrixPlan, KeepsElementsAtTheirScales) {
  const AmdSpec &spec = *AmdSpec::find("gfx950");
  constexpr unsigned kWidth = 16;
  unsigned checked = 0;
  for (unsigned size : {32, 16}) {
    std::optional<MatrixInstruction> kind = findScaledInstruction(spec, size, 1024);
    ASSERT_TRUE(kind);
    for (bool isTransposed : {false, true})
      for (auto [isPackedA, isPackedB] :
           {std::pair(false, false), {true, true}, {true, false}, {false, true}})
        for (auto [m, n] : {std::pair(1, 64), std::pair(32, 2), std::pair(128, 64)})
          for (int64_t depth : {kind->inner, 4 * kind->inner}) {
            SmallVector<unsigned> shape = {size, size, kind->inner};
            AmdMfmaParams params{4, {2, 2}, shape, isTransposed, {1, 1}};
            LinearLayout a =
                dotOperandLayout({m, isPackedA ? depth / 2 : depth}, 0, kWidth, params);
            LinearLayout b =
                dotOperandLayout({isPackedB ? depth / 2 : depth, n}, 1, kWidth, params);
            LinearLayout d = amdMfmaLayout({m, n}, params);
            Dim first = Dim::axis(0), second = Dim::axis(1);
            ScaledOperand left{a, scaleLayout(*kind, a, second, first, isPackedA), isPackedA, true};
            ScaledOperand right{b, scaleLayout(*kind, b, first, second, isPackedB), isPackedB,
                                false};
            if (isTransposed) {
              std::swap(left, right);
              left.layout = transposed(left.layout);
              right.layout = transposed(right.layout);
              left.isLeft = true;
              right.isLeft = false;
              d = transposed(d);
            }
            checkScaledPlan(*kind, left, right, d, depth,
                            std::to_string(size) + ": " + std::to_string(m) + " x " +
                                std::to_string(n) + " x " + std::to_string(depth) +
                                (isTransposed ? ", transposed" : ""));
            if (HasFatalFailure())
              return;
            ++checked;
          }
  }
  EXPECT_EQ(checked, 96u);
  EXPECT_FALSE(findScaledInstruction(*AmdSpec::find("gfx942"), 32, 1024));
  EXPECT_FALSE(findScaledInstruction(spec, 32, 32));
}

TEST_F(MatrixPlan, ChoosesByChip) {
  auto name = [&](llvm::StringRef chip, unsigned size, Type type, Type sum,
                  tt::InputPrecision precision = tt::InputPrecision::IEEE, int64_t inner = 256) {
    auto found =
        findMatrixInstruction(*AmdSpec::find(chip), size, type, type, sum, precision, inner);
    return found ? found->intrinsic : "";
  };
  Type f16 = b.getF16Type(), f32 = b.getF32Type(), i8 = b.getI8Type(), i32 = b.getI32Type();
  Type ocp = Float8E4M3FNType::get(&context), fnuz = Float8E5M2FNUZType::get(&context);
  EXPECT_EQ(name("gfx942", 32, f16, f32), "mfma.f32.32x32x8f16");
  EXPECT_EQ(name("gfx950", 32, f16, f32), "mfma.f32.32x32x16.f16");
  EXPECT_EQ(name("gfx950", 32, f16, f32, tt::InputPrecision::IEEE, 8), "mfma.f32.32x32x8f16");
  EXPECT_EQ(name("gfx942", 16, f32, f32), "mfma.f32.16x16x4f32");
  EXPECT_EQ(name("gfx942", 16, f32, f32, tt::InputPrecision::TF32), "mfma.f32.16x16x8.xf32");
  EXPECT_EQ(name("gfx950", 16, f32, f32, tt::InputPrecision::TF32), "mfma.f32.16x16x4f32");
  EXPECT_EQ(name("gfx90a", 32, i8, i32), "mfma.i32.32x32x8i8");
  EXPECT_EQ(name("gfx942", 32, i8, i32), "mfma.i32.32x32x16.i8");
  EXPECT_EQ(name("gfx942", 32, fnuz, f32), "mfma.f32.32x32x16.bf8.bf8");
  EXPECT_EQ(name("gfx942", 32, ocp, f32), "");
  EXPECT_EQ(name("gfx950", 32, fnuz, f32), "");
  EXPECT_EQ(name("gfx1201", 16, ocp, f32), "wmma.f32.16x16x16.fp8.fp8");
  EXPECT_EQ(name("gfx1100", 16, f32, f32), "");
  EXPECT_EQ(name("gfx1100", 32, f16, f32), "");
}

TEST_F(MatrixPlan, ATransposedResultIsTheNextOperand) {
  AmdMfmaParams mfma{3, {4, 1}, {32, 32, 8}, true, {1, 1}};
  EXPECT_EQ(amdMfmaLayout({128, 64}, mfma), dotOperandLayout({128, 64}, 0, 4, mfma));
  AmdWmmaParams wmma{2, true, {4, 1}, {1, 1}, {16, 16, 16}};
  EXPECT_EQ(amdWmmaLayout({128, 64}, wmma), dotOperandLayout({128, 64}, 0, 8, wmma));
}
