//===- MmaPlanTest.cpp - instructions of a product, lane by lane ----------===//
// Runs each plan on coordinates instead of numbers. The places of fragments'
// elements are the PTX ISA's formulas, written out; every element of the result
// must meet each index along K exactly once, on matching rows and columns.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/Target/NVIDIA/Mma.h"
#include "gtest/gtest.h"
#include <map>

using namespace tessera;
using namespace tessera::nvidia;

namespace {

struct Place {
  unsigned row, column;
};

/// One kind of instruction: PTX ISA, "Matrix fragments for mma.mXnYkZ".
struct Fragments {
  const char *name;
  MmaShape shape;
  unsigned elementsA, elementsB, elementsD;
  Place (*a)(unsigned g, unsigned t, unsigned i);
  Place (*b)(unsigned g, unsigned t, unsigned i);
  Place (*d)(unsigned g, unsigned t, unsigned i);
};

Place sixteenRows(unsigned g, unsigned t, unsigned i) { return {i < 2 ? g : g + 8, t * 2 + i % 2}; }

const Fragments kinds[] = {
    {"m16n8k16 of 16 bits",
     {16, 16, 16},
     8,
     4,
     4,
     [](unsigned g, unsigned t, unsigned i) -> Place {
       bool isUpper = i < 2 || (4 <= i && i < 6);
       return {isUpper ? g : g + 8, i < 4 ? t * 2 + i % 2 : t * 2 + i % 2 + 8};
     },
     [](unsigned g, unsigned t, unsigned i) -> Place {
       return {i < 2 ? t * 2 + i % 2 : t * 2 + i % 2 + 8, g};
     },
     sixteenRows},
    {"m16n8k32 of 8 bits",
     {16, 32, 8},
     16,
     8,
     4,
     [](unsigned g, unsigned t, unsigned i) -> Place {
       bool isUpper = i < 4 || (8 <= i && i < 12);
       return {isUpper ? g : g + 8, i < 8 ? t * 4 + i % 4 : t * 4 + i % 4 + 16};
     },
     [](unsigned g, unsigned t, unsigned i) -> Place {
       return {i < 4 ? t * 4 + i % 4 : t * 4 + i % 4 + 16, g};
     },
     sixteenRows},
    {"m16n8k8 of 32 bits",
     {16, 8, 32},
     4,
     2,
     4,
     [](unsigned g, unsigned t, unsigned i) -> Place {
       return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
     },
     [](unsigned g, unsigned t, unsigned i) -> Place { return {i == 0 ? t : t + 4, g}; },
     sixteenRows},
    {"m16n8k8 of 64 bits",
     {16, 8, 64},
     4,
     2,
     4,
     [](unsigned g, unsigned t, unsigned i) -> Place {
       return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
     },
     [](unsigned g, unsigned t, unsigned i) -> Place { return {i == 0 ? t : t + 4, g}; },
     sixteenRows},
    {"m8n8k4 of 64 bits",
     {8, 4, 64},
     1,
     1,
     2,
     [](unsigned g, unsigned t, unsigned) -> Place { return {g, t}; },
     [](unsigned g, unsigned t, unsigned) -> Place { return {t, g}; },
     [](unsigned g, unsigned t, unsigned i) -> Place { return {g, t * 2 + i}; }},
};

using Index = std::vector<uint64_t>;

Index elementAt(const LinearLayout &layout, unsigned reg, unsigned lane, unsigned warp) {
  Index index;
  for (const DimIndex &c :
       layout.apply({{Dim::reg(), reg}, {Dim::lane(), lane}, {Dim::warp(), warp}}))
    index.push_back(c.index);
  return index;
}

struct Product {
  llvm::SmallVector<int64_t> a, b, d; // shapes
  LinearLayout inA, inB, inD;
};

Product layOut(llvm::ArrayRef<int64_t> batch, int64_t m, int64_t n, int64_t k,
               llvm::ArrayRef<unsigned> warps, unsigned kWidth) {
  NvidiaMmaParams mma{2, 0, llvm::to_vector(warps), {}, {}};
  mma.instrShape.assign(warps.size(), 1);
  mma.instrShape[warps.size() - 2] = 16;
  mma.instrShape[warps.size() - 1] = 8;
  Product p;
  for (auto *shape : {&p.a, &p.b, &p.d})
    shape->append(batch.begin(), batch.end());
  p.a.append({m, k});
  p.b.append({k, n});
  p.d.append({m, n});
  p.inA = dotOperandLayout(p.a, 0, kWidth, mma);
  p.inB = dotOperandLayout(p.b, 1, kWidth, mma);
  p.inD = nvidiaMmaLayout(p.d, mma);
  return p;
}

/// Follows every instruction of every warp.
void checkPlan(const Product &p, const Fragments &kind, const std::string &what) {
  auto steps = planMma(p.inA, p.inB, p.inD, kind.shape);
  ASSERT_TRUE(steps) << what;
  unsigned rank = p.d.size(), inner = kind.shape.inner;
  uint64_t k = p.a.back();
  for (unsigned warp = 0; warp < p.inD.inSize(Dim::warp()); ++warp) {
    // How often each place of the result has met each index along K.
    std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> met;
    for (const MmaStep &step : *steps) {
      ASSERT_EQ(step.a.size(), kind.elementsA);
      ASSERT_EQ(step.b.size(), kind.elementsB);
      ASSERT_EQ(step.d.size(), kind.elementsD);
      std::vector<Index> a(kind.shape.rows * inner), b(inner * 8);
      for (unsigned lane = 0; lane < 32; ++lane) {
        unsigned g = lane / 4, t = lane % 4;
        for (unsigned i = 0; i < step.a.size(); ++i) {
          Place at = kind.a(g, t, i);
          a[at.row * inner + at.column] = elementAt(p.inA, step.a[i], lane, warp);
        }
        for (unsigned i = 0; i < step.b.size(); ++i) {
          Place at = kind.b(g, t, i);
          b[at.row * 8 + at.column] = elementAt(p.inB, step.b[i], lane, warp);
        }
      }
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < step.d.size(); ++i) {
          Place at = kind.d(lane / 4, lane % 4, i);
          Index d = elementAt(p.inD, step.d[i], lane, warp);
          auto &counts = met[{lane, step.d[i]}];
          counts.resize(k);
          for (unsigned x = 0; x < inner; ++x) {
            Index left = a[at.row * inner + x], right = b[x * 8 + at.column];
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
      computed[elementAt(p.inD, place.second, place.first, warp)] = true;
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned reg = 0; reg < p.inD.inSize(Dim::reg()); ++reg)
        ASSERT_TRUE(computed.count(elementAt(p.inD, reg, lane, warp))) << what;
  }
}

TEST(MmaPlan, FollowsTheTablesOfPTX) {
  const std::vector<std::vector<unsigned>> arrangements = {{1, 1}, {2, 2}, {1, 4}};
  for (const Fragments &kind : kinds)
    for (auto warps : arrangements)
      for (int64_t m : {1, 8, 32})
        for (int64_t n : {1, 4, 32})
          for (int64_t k : {16, 64})
            for (unsigned kWidth : {1u, 2u, 4u, 8u}) {
              if (k < kind.shape.inner || kWidth < kind.shape.elementsPerWord() || kWidth * 4 > k)
                continue;
              std::string what = std::string(kind.name) + ": " + std::to_string(m) + " x " +
                                 std::to_string(n) + " x " + std::to_string(k) + ", kWidth " +
                                 std::to_string(kWidth);
              checkPlan(layOut({}, m, n, k, warps, kWidth), kind, what);
              if (HasFatalFailure())
                return;
            }
}

TEST(MmaPlan, KeepsBatchesApart) {
  const std::vector<std::vector<unsigned>> arrangements = {{1, 1, 1}, {4, 1, 1}, {2, 2, 1}};
  for (const Fragments &kind : kinds)
    for (auto warps : arrangements)
      for (int64_t batch : {1, 2, 8})
        checkPlan(layOut({batch}, 16, 32, 32, warps, kind.shape.elementsPerWord()), kind,
                  kind.name);
}

TEST(MmaPlan, KIsTheOuterLoop) {
  Product p = layOut({}, 32, 16, 32, {1, 1}, 2);
  auto steps = planMma(p.inA, p.inB, p.inD, {16, 16, 16});
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 8u); // 2 rows of fragments, 2 columns, 2 along K
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ((*steps)[i].d, (*steps)[i + 4].d);
}

TEST(MmaPlan, DeclinesWhatAreNoFragments) {
  Product p = layOut({}, 32, 32, 32, {2, 2}, 2);
  Product other = layOut({}, 32, 32, 32, {4, 1}, 2);
  Product wide = layOut({}, 32, 32, 32, {2, 2}, 4);
  Product small = layOut({}, 32, 32, 8, {2, 2}, 2);
  MmaShape half{16, 16, 16};
  EXPECT_TRUE(planMma(p.inA, p.inB, p.inD, half));
  EXPECT_FALSE(planMma(other.inA, p.inB, p.inD, half)); // warps differ
  EXPECT_FALSE(planMma(wide.inA, p.inB, p.inD, half));  // lanes differ along K
  EXPECT_FALSE(planMma(small.inA, small.inB, small.inD, half));
  EXPECT_FALSE(planMma(p.inB, p.inA, p.inD, half));
  BlockedParams blocked{{4, 4}, {4, 8}, {2, 2}, {1, 0}, {}};
  EXPECT_FALSE(planMma(dotOperandLayout({32, 32}, 0, blocked),
                       dotOperandLayout({32, 32}, 1, blocked), blockedLayout({32, 32}, blocked),
                       half));
}

TEST(MmaInstructions, AreWhatTheChipHas) {
  mlir::MLIRContext context;
  mlir::Builder b(&context);
  auto f16 = b.getF16Type(), bf16 = b.getBF16Type();
  auto f32 = b.getF32Type(), f64 = b.getF64Type();
  mlir::Type e4m3 = mlir::Float8E4M3FNType::get(&context);
  mlir::Type e5m2 = mlir::Float8E5M2Type::get(&context);
  auto i8 = b.getI8Type(), i32 = b.getI32Type();
  const NvidiaSpec &ampere = *NvidiaSpec::find(80), &consumer = *NvidiaSpec::find(86);
  const NvidiaSpec &ada = *NvidiaSpec::find(89), &hopper = *NvidiaSpec::find(90);
  auto name = [](const NvidiaSpec &spec, mlir::Type a, mlir::Type b, mlir::Type d,
                 tt::InputPrecision precision = tt::InputPrecision::IEEE) {
    auto found = findMma(spec, a, b, d, precision);
    return found ? found->intrinsic : std::string("none");
  };
  EXPECT_EQ(name(ampere, f16, f16, f32), "llvm.nvvm.mma.m16n8k16.row.col.f32.f32");
  EXPECT_EQ(name(ampere, f16, f16, f16), "llvm.nvvm.mma.m16n8k16.row.col.f16.f16");
  EXPECT_EQ(name(ampere, bf16, bf16, f32), "llvm.nvvm.mma.m16n8k16.row.col.bf16");
  EXPECT_EQ(name(ampere, i8, i8, i32), "llvm.nvvm.mma.m16n8k32.row.col.s8");
  EXPECT_EQ(name(ampere, f32, f32, f32), "none");
  EXPECT_EQ(name(ampere, f32, f32, f32, tt::InputPrecision::TF32),
            "llvm.nvvm.mma.m16n8k8.row.col.tf32");
  EXPECT_EQ(name(ampere, f64, f64, f64), "llvm.nvvm.mma.m8n8k4.row.col.f64");
  EXPECT_EQ(name(consumer, f64, f64, f64), "none");
  EXPECT_EQ(name(hopper, f64, f64, f64), "llvm.nvvm.mma.m16n8k8.row.col.f64");
  EXPECT_EQ(name(ampere, e4m3, e5m2, f32), "none");
  EXPECT_EQ(name(hopper, e4m3, e5m2, f32), "none");
  EXPECT_EQ(name(ada, e4m3, e5m2, f32), "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32");
  EXPECT_EQ(name(ada, e5m2, e5m2, f16), "none");
}

} // namespace
