//===- WgmmaPlanTest.cpp - instructions of a warp group, byte by byte -----===//
// Runs each plan on coordinates instead of numbers: the address of every element that an
// instruction reads is computed from the descriptor by the PTX ISA's rules, written out
// here, and must hold the element that the result needs.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/Target/NVIDIA/Wgmma.h"
#include "gtest/gtest.h"
#include <map>

using namespace tessera;
using namespace tessera::nvidia;

namespace {

/// The last two coordinates of an element; the first one carries the batch in its upper bits.
using Index = std::pair<uint64_t, uint64_t>;
constexpr uint64_t kBatch = uint64_t(1) << 32;

Index indexOf(const Point &point) {
  size_t rank = point.size();
  uint64_t batch = rank == 3 ? point[0].index * kBatch : 0;
  return {batch + point[rank - 2].index, point[rank - 1].index};
}

WgmmaTypes typesOf(unsigned bits) { return {bits, "f32.x.x", bits == 16, false}; }

struct Descriptor {
  uint64_t start, leading, stride;
  unsigned width; // of the swizzle
};

Descriptor decode(uint64_t bits) {
  const unsigned widths[] = {0, 128, 64, 32};
  EXPECT_EQ(bits >> 49 & 7, 0u) << "no base offset";
  return {(bits & 0x3FFF) << 4, (bits >> 16 & 0x3FFF) << 4, (bits >> 32 & 0x3FFF) << 4,
          widths[bits >> 62]};
}

/// Returns the address at which the unit reads element (outer, k) of a tile.
uint64_t addressOf(const Descriptor &d, uint64_t outer, uint64_t k, unsigned bytes,
                   bool isTransposed) {
  uint64_t address = d.start;
  if (d.width == 0) {
    // Blocks of 8 rows of 16 bytes.
    uint64_t chunk = 16 / bytes;
    address +=
        isTransposed
            ? outer % chunk * bytes + k % 8 * 16 + k / 8 * d.leading + outer / chunk * d.stride
            : k % chunk * bytes + outer % 8 * 16 + k / chunk * d.leading + outer / 8 * d.stride;
    return address;
  }
  uint64_t row = d.width / bytes;
  address += isTransposed ? outer % row * bytes + outer / row * d.leading + k % 8 * d.width +
                                k / 8 * d.stride
                          : k * bytes + outer % 8 * d.width + outer / 8 * d.stride;
  uint64_t mask = d.width == 128 ? 0x70 : d.width == 64 ? 0x30 : 0x10;
  return address ^ (address >> 3 & mask);
}

/// The element at each offset of a buffer.
struct Elements {
  explicit Elements(const LinearLayout &layout) {
    for (uint64_t offset = 0; offset < layout.inSize(Dim::offset()); ++offset)
      all.push_back(indexOf(layout.apply(DimIndex{Dim::offset(), offset})));
  }
  Index at(uint64_t address, unsigned bytes) const {
    EXPECT_EQ(address % bytes, 0u);
    return all.at(address / bytes);
  }
  std::vector<Index> all;
};

struct Buffer {
  LinearLayout layout;
  std::string what;
};

constexpr int64_t kMaxBytes = 227 * 1024;

/// All ways in which a matrix can lie in an nvmma buffer.
std::vector<Buffer> buffersOf(int64_t rows, int64_t columns, unsigned bits) {
  std::vector<Buffer> buffers;
  if (rows * columns * bits / 8 > kMaxBytes)
    return buffers;
  for (bool transposed : {false, true})
    for (unsigned width : {0u, 32u, 64u, 128u}) {
      NvmmaSharedParams params{width, transposed, bits};
      int64_t shape[] = {rows, columns};
      if (!whyInvalid(params, shape))
        buffers.push_back({nvmmaSharedLayout(shape, params),
                           (transposed ? "transposed " : "") + std::to_string(width)});
    }
  return buffers;
}

/// Every tile of the buffer, read by its descriptor.
void checkBuffer(const Buffer &buffer, Dim outer, Dim inner, unsigned rows, unsigned bits) {
  WgmmaTypes types = typesOf(bits);
  std::optional<WgmmaBuffer> plan = describeWgmmaBuffer(buffer.layout, outer, inner, rows, types);
  if (!plan)
    return;
  Elements elements(buffer.layout);
  for (uint64_t row = 0; row < buffer.layout.outSize(outer); row += rows)
    for (uint64_t k = 0; k < buffer.layout.outSize(inner); k += types.inner()) {
      Descriptor tile = decode(plan->descriptor + (plan->offsetOf(row, k) >> 4));
      for (uint64_t i = 0; i < rows; ++i)
        for (uint64_t x = 0; x < types.inner(); ++x) {
          uint64_t at = addressOf(tile, i, x, types.bytes(), plan->isTransposed);
          Index wanted = outer == Dim::axis(0) ? Index(row + i, k + x) : Index(k + x, row + i);
          ASSERT_EQ(elements.at(at, types.bytes()), wanted) << buffer.what;
        }
    }
}

TEST(WgmmaPlan, DescribesBuffers) {
  const Dim row = Dim::axis(0), column = Dim::axis(1);
  for (unsigned bits : {8u, 16u, 32u})
    for (int64_t outer : {8, 64, 256, 512})
      for (int64_t inner : {8, 16, 64, 256})
        for (unsigned rows : {8u, 64u, 256u}) {
          for (const Buffer &buffer : buffersOf(outer, inner, bits))
            checkBuffer(buffer, row, column, rows, bits);
          for (const Buffer &buffer : buffersOf(inner, outer, bits))
            checkBuffer(buffer, column, row, rows, bits);
          if (HasFatalFailure())
            return;
        }
}

/// nvidia-accelerate-matmul relies on this.
TEST(WgmmaPlan, DescribesWhatIsContiguousAlongK) {
  const Dim row = Dim::axis(0), column = Dim::axis(1);
  for (unsigned bits : {8u, 16u, 32u})
    for (int64_t inner : {32, 64, 128})
      for (int64_t outer : {64, 256}) {
        int64_t shape[] = {outer, inner};
        unsigned width = chooseSwizzlingByteWidth(shape, 1, bits, false);
        LinearLayout layout = nvmmaSharedLayout(shape, {width, false, bits});
        EXPECT_TRUE(describeWgmmaBuffer(layout, row, column, 64, typesOf(bits)));
        // Contiguous along the other dimension: 16 bits only.
        EXPECT_EQ(describeWgmmaBuffer(layout, column, row, 32, typesOf(bits)).has_value(),
                  bits == 16);
      }
}

Index registerAt(const LinearLayout &layout, unsigned reg, unsigned lane, unsigned warp) {
  return indexOf(layout.apply({{Dim::reg(), reg}, {Dim::lane(), lane}, {Dim::warp(), warp}}));
}

struct Product {
  LinearLayout a, b, d;
  unsigned columns, bits;
  int64_t inner;
  std::string what;
};

/// The element of A that thread (warp, lane) hands over in word `word`, place `i`, as the
/// PTX ISA's figures have it: the row and the column in the instruction's tile.
Index placeOfA(unsigned warp, unsigned lane, unsigned word, unsigned i, unsigned perWord) {
  return {warp % 4 * 16 + lane / 4 + word % 2 * 8, lane % 4 * perWord + i + word / 2 * 4 * perWord};
}

void checkProduct(const Product &p) {
  WgmmaTypes types = typesOf(p.bits);
  std::optional<WgmmaPlan> plan = planWgmma(p.a, p.b, p.d, p.columns, types);
  ASSERT_TRUE(plan) << p.what;
  unsigned perWord = 4 / types.bytes();
  Elements inB(p.b);
  std::optional<Elements> inA;
  if (plan->a)
    inA.emplace(p.a);
  for (unsigned group = 0; group < p.d.inSize(Dim::warp()) / 4; ++group) {
    uint64_t addA = 0, addB = 0;
    for (unsigned bit = 0; bit < plan->groupA.size(); ++bit) {
      addA += (group >> bit & 1) * plan->groupA[bit];
      addB += (group >> bit & 1) * plan->groupB[bit];
    }
    for (const WgmmaChain &chain : plan->chains) {
      // The rows and columns of D that the chain's registers hold.
      std::map<uint64_t, uint64_t> rowOf, columnOf;
      for (unsigned thread = 0; thread < 128; ++thread)
        for (unsigned i = 0; i < chain.d.size(); ++i) {
          unsigned lane = thread % 32, warp = thread / 32;
          Index at = registerAt(p.d, chain.d[i], lane, group * 4 + warp);
          uint64_t row = warp * 16 + lane / 4 + i / 2 % 2 * 8,
                   column = i / 4 * 8 + lane % 4 * 2 + i % 2;
          ASSERT_EQ(rowOf.try_emplace(row, at.first).first->second, at.first) << p.what;
          ASSERT_EQ(columnOf.try_emplace(column, at.second).first->second, at.second) << p.what;
        }
      ASSERT_EQ(int64_t(chain.steps.size() * types.inner()), p.inner) << p.what;
      for (unsigned k = 0; k < chain.steps.size(); ++k) {
        const WgmmaStep &step = chain.steps[k];
        Descriptor right = decode(plan->b.descriptor + ((step.b + addB) >> 4));
        for (unsigned n = 0; n < p.columns; ++n)
          for (unsigned x = 0; x < types.inner(); ++x) {
            uint64_t at = addressOf(right, n, x, types.bytes(), plan->b.isTransposed);
            uint64_t batch = rowOf[0] / kBatch * kBatch;
            ASSERT_EQ(inB.at(at, types.bytes()), Index(batch + k * types.inner() + x, columnOf[n]))
                << p.what;
          }
        if (!plan->a) {
          ASSERT_EQ(step.registers.size(), 4 * perWord);
          for (unsigned thread = 0; thread < 128; ++thread)
            for (unsigned i = 0; i < step.registers.size(); ++i) {
              Index place = placeOfA(thread / 32, thread % 32, i / perWord, i % perWord, perWord);
              Index at = registerAt(p.a, step.registers[i], thread % 32, group * 4 + thread / 32);
              ASSERT_EQ(at, Index(rowOf[place.first], k * types.inner() + place.second)) << p.what;
            }
          continue;
        }
        Descriptor left = decode(plan->a->descriptor + ((step.a + addA) >> 4));
        for (unsigned m = 0; m < 64; ++m)
          for (unsigned x = 0; x < types.inner(); ++x) {
            uint64_t at = addressOf(left, m, x, types.bytes(), plan->a->isTransposed);
            ASSERT_EQ(inA->at(at, types.bytes()), Index(rowOf[m], k * types.inner() + x)) << p.what;
          }
      }
    }
  }
}

TEST(WgmmaPlan, MultipliesWhatBelongsTogether) {
  const std::vector<llvm::SmallVector<unsigned>> arrangements = {{4, 1}, {8, 1}, {4, 2}, {8, 2}};
  for (unsigned bits : {8u, 16u, 32u})
    for (const auto &warps : arrangements)
      for (int64_t m : {64, 256})
        for (int64_t n : {16, 64, 256})
          for (int64_t k : {32, 64})
            for (unsigned columns : {16u, 256u}) {
              int64_t fits = warps[1] * columns;
              if (m < 16 * warps[0] || n < fits)
                continue;
              NvidiaMmaParams mma{3, 0, warps, {16, columns, 256 / bits}};
              int64_t aShape[] = {m, k}, bShape[] = {k, n}, dShape[] = {m, n};
              Product p{{}, {}, nvidiaMmaLayout(dShape, mma), columns, bits, k, ""};
              bool isWide = bits == 16 && n * 2 >= 32;
              unsigned width = chooseSwizzlingByteWidth(bShape, isWide ? 1 : 0, bits, false);
              p.b = nvmmaSharedLayout(bShape, {width, /*transposed=*/!isWide, bits});
              for (bool inRegisters : {false, true}) {
                p.what = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
                         ", " + std::to_string(bits) + " bits, columns " + std::to_string(columns) +
                         (inRegisters ? ", registers" : "");
                p.a = inRegisters ? dotOperandLayout(aShape, 0, 32 / bits, mma)
                                  : nvmmaSharedLayout(
                                        aShape, {chooseSwizzlingByteWidth(aShape, 1, bits, false),
                                                 false, bits});
                checkProduct(p);
                if (HasFatalFailure())
                  return;
              }
            }
}

/// A layout whose rows (axis 0) have their bits renumbered.
LinearLayout renumberRows(const LinearLayout &layout, llvm::ArrayRef<unsigned> places) {
  DimBases rows{Dim::axis(0), {}}, columns{Dim::axis(1), {}};
  for (unsigned place : places)
    rows.bases.push_back({int64_t(1) << place, 0});
  for (unsigned bit = 0; bit < layout.outBits(Dim::axis(1)); ++bit)
    columns.bases.push_back({0, int64_t(1) << bit});
  return layout.compose(*LinearLayout::fromBases({rows, columns}, {Dim::axis(0), Dim::axis(1)}));
}

TEST(WgmmaPlan, TakesRowsInAnyOrderFromRegisters) {
  const std::vector<std::vector<unsigned>> orders = {
      {2, 3, 4, 0, 5, 6, 1, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {0, 1, 2, 3, 4, 5, 6, 7}};
  for (unsigned bits : {8u, 16u, 32u})
    for (unsigned groups : {1u, 2u})
      for (const std::vector<unsigned> &order : orders) {
        NvidiaMmaParams mma{3, 0, {4 * groups, 1}, {16, 32, 256 / bits}};
        int64_t aShape[] = {256, 64}, bShape[] = {64, 32}, dShape[] = {256, 32};
        Product p{renumberRows(dotOperandLayout(aShape, 0, 32 / bits, mma), order),
                  nvmmaSharedLayout(bShape, {64, /*transposed=*/true, bits}),
                  renumberRows(nvidiaMmaLayout(dShape, mma), order),
                  32,
                  bits,
                  64,
                  std::to_string(bits) + " bits, order " + std::to_string(order[0])};
        checkProduct(p);
        // Shared memory has its rows in order.
        LinearLayout shared = nvmmaSharedLayout(aShape, {64, false, bits});
        EXPECT_EQ(planWgmma(shared, p.b, p.d, 32, typesOf(bits)).has_value(), order[0] == 0);
        if (HasFatalFailure())
          return;
      }
}

TEST(WgmmaPlan, MultipliesBatches) {
  const int64_t batch = 4, m = 128, n = 32, k = 64;
  for (unsigned bits : {8u, 16u, 32u})
    for (unsigned groups : {1u, 2u, 4u})
      for (bool isTransposed : {false, true}) {
        NvidiaMmaParams mma{3, 0, {4, 1}, {16, 32, 256 / bits}};
        int64_t aShape[] = {batch, m, k}, bShape[] = {batch, k, n}, rows[] = {batch, n, k};
        int64_t dShape[] = {m, n};
        LinearLayout d = *nvidiaMmaLayout(dShape, mma).renameOuts({Dim::axis(1), Dim::axis(2)});
        d *= LinearLayout::identity(groups, Dim::warp(), Dim::axis(0));
        d *= LinearLayout::identity(batch / groups, Dim::reg(), Dim::axis(0));
        d = *d.transposeOuts({Dim::axis(0), Dim::axis(1), Dim::axis(2)});
        LinearLayout b = isTransposed ? transposeMatrix(nvmmaSharedLayout(rows, {64, false, bits}))
                                      : nvmmaSharedLayout(bShape, {32, false, bits});
        Product p{nvmmaSharedLayout(aShape, {64, false, bits}),
                  b,
                  d,
                  32,
                  bits,
                  k,
                  std::to_string(bits) + " bits, groups " + std::to_string(groups)};
        if (isTransposed || bits == 16)
          checkProduct(p);
        else
          EXPECT_FALSE(planWgmma(p.a, p.b, p.d, 32, typesOf(bits))) << p.what;
        if (HasFatalFailure())
          return;
      }
}

TEST(WgmmaPlan, DeclinesOtherLayouts) {
  NvidiaMmaParams mma{3, 0, {4, 1}, {16, 64, 16}}, sync{2, 0, {2, 2}, {16, 8}};
  int64_t shape[] = {64, 64};
  LinearLayout tile = nvmmaSharedLayout(shape, {128, false, 16});
  LinearLayout rows = rowMajorSharedLayout(shape, {1, 0});
  LinearLayout d = nvidiaMmaLayout(shape, mma);
  EXPECT_TRUE(planWgmma(tile, tile, d, 64, typesOf(16)));
  EXPECT_FALSE(planWgmma(rows, tile, d, 64, typesOf(16))) << "rows without blocks";
  EXPECT_FALSE(planWgmma(tile, rows, d, 64, typesOf(16)));
  EXPECT_FALSE(planWgmma(tile, tile, nvidiaMmaLayout(shape, sync), 64, typesOf(16)));
  EXPECT_FALSE(planWgmma(tile, tile, d, 64, typesOf(8))) << "the tile is 16 bits wide";
  // Registers with another number of elements side by side.
  EXPECT_FALSE(planWgmma(dotOperandLayout(shape, 0, 4, mma), tile, d, 64, typesOf(16)));
}

} // namespace
