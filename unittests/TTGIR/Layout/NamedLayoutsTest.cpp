//===- NamedLayoutsTest.cpp - the encodings against the reference ---------===//
// layouts.jsonl and more-layouts.jsonl hold encoded types and the bases that Triton
// 3.6.0 gives them; every line must be reproduced, bit for bit and in order.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "EncodingText.h"
#include "PrintLayout.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::test;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

static std::vector<llvm::json::Object> readLines(StringRef file) {
  std::vector<llvm::json::Object> objects;
  auto buffer = llvm::MemoryBuffer::getFile((TESSERA_LAYOUT_VECTORS "/" + file).str());
  EXPECT_TRUE(bool(buffer)) << file.str();
  if (!buffer)
    return objects;
  for (llvm::line_iterator line(**buffer); !line.is_at_end(); ++line) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(*line);
    EXPECT_TRUE(bool(value));
    if (!value)
      llvm::consumeError(value.takeError());
    else
      objects.push_back(std::move(*value->getAsObject()));
  }
  return objects;
}

/// The bases a vector lists; dimensions of size 1 are left out there.
static LinearLayout expectedLayout(const llvm::json::Object &bases, ArrayRef<int64_t> shape) {
  SmallVector<DimBases> ins;
  for (Dim dim : {Dim::reg(), Dim::lane(), Dim::warp(), Dim::offset(), Dim::block()}) {
    const llvm::json::Array *rows = bases.getArray(dim.name());
    if (!rows)
      continue;
    DimBases in{dim, {}};
    for (const llvm::json::Value &row : *rows) {
      in.bases.emplace_back();
      for (const llvm::json::Value &component : *row.getAsArray())
        in.bases.back().push_back(*component.getAsInteger());
    }
    ins.push_back(in);
  }
  SmallVector<DimBits> outs;
  for (auto [d, size] : llvm::enumerate(shape))
    outs.push_back({Dim::axis(d), unsigned(llvm::countr_zero(uint64_t(size)))});
  std::optional<LinearLayout> layout = LinearLayout::fromBases(ins, outs);
  EXPECT_TRUE(layout.has_value());
  return layout.value_or(LinearLayout());
}

static LinearLayout withoutSizeOne(const LinearLayout &layout) {
  SmallVector<Dim> ins;
  for (const DimBits &in : layout.ins())
    if (in.bits != 0)
      ins.push_back(in.dim);
  return layout.sublayout(ins, layout.outDims());
}

static void checkVectors(StringRef file, unsigned atLeast) {
  unsigned lines = 0, reproduced = 0;
  for (const llvm::json::Object &object : readLines(file)) {
    ++lines;
    std::string text = object.getString("type")->str();
    EncodedType type = parseEncodedType(text);
    LayoutOrReason made = layoutOf(type.encoding, type.shape);
    if (!made.layout) {
      ADD_FAILURE() << text << "\nrefused: " << made.reason;
      continue;
    }
    LinearLayout expected = expectedLayout(*object.getObject("bases"), type.shape);
    EXPECT_EQ(withoutSizeOne(*made.layout), expected) << text << "\nmade:\n"
                                                      << made.layout->str() << "expected:\n"
                                                      << expected.str();
    reproduced += withoutSizeOne(*made.layout) == expected;
    EXPECT_TRUE(made.layout->isSurjective()) << text;
  }
  EXPECT_EQ(reproduced, lines);
  EXPECT_GE(lines, atLeast);
  testing::Test::RecordProperty("reproduced", reproduced);
}

TEST(NamedLayouts, ReproducesTheReference) { checkVectors("layouts.jsonl", 1130); }
TEST(NamedLayouts, ReproducesMoreOfTheReference) { checkVectors("more-layouts.jsonl", 400); }
TEST(NamedLayouts, ReproducesMatrixCoresOfTheReference) { checkVectors("amd-layouts.jsonl", 700); }

static std::string layoutText(StringRef type) {
  EncodedType parsed = parseEncodedType(type);
  LayoutOrReason made = layoutOf(parsed.encoding, parsed.shape);
  return made.layout ? made.layout->str() : made.reason;
}

TEST(NamedLayouts, BlockedHasAllFourInputsAndKeepsRedundantRegisters) {
  EXPECT_EQ(layoutText("tensor<2x2xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = "
                       "[8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>>"),
            "register=1 -> (0,1), register=2 -> (0,0)\n"
            "lane=1 -> (0,0), lane=2 -> (0,0), lane=4 -> (1,0), lane=8 -> (0,0), lane=16 -> (0,0)\n"
            "warp=1 -> (0,0)\n"
            "block has size 1\n"
            "outs: dim0 (size 2), dim1 (size 2)\n");
}

TEST(NamedLayouts, AttentionNeedsNoConversionBetweenItsDots) {
  // The accumulator of the first wgmma, as 16-bit values, is the second's operand A.
  NvidiaMmaParams mma{
      .versionMajor = 3, .versionMinor = 0, .warpsPerCTA = {4, 1}, .instrShape = {16, 64, 16}};
  EXPECT_EQ(nvidiaMmaLayout({64, 64}, mma), dotOperandLayout({64, 64}, 0, 2, mma));
}

TEST(NamedLayouts, SwizzledAddressesMatchTheFormula) {
  for (unsigned vec : {1, 2, 8})
    for (unsigned perPhase : {1, 2, 4})
      for (unsigned maxPhase : {1, 2, 8}) {
        SwizzledSharedParams params{vec, perPhase, maxPhase, {1, 0}};
        const int64_t rows = 16, columns = 32;
        std::optional<LinearLayout> address =
            swizzledSharedLayout({rows, columns}, params)
                .sublayout({Dim::offset()}, {Dim::axis(0), Dim::axis(1)})
                .invert();
        ASSERT_TRUE(address);
        for (uint64_t row = 0; row < rows; ++row)
          for (uint64_t column = 0; column < columns; ++column) {
            uint64_t phase = row / perPhase % maxPhase;
            uint64_t expected = row * columns + (column ^ (vec * phase % columns));
            EXPECT_EQ(
                address->apply(Point{{Dim::axis(0), row}, {Dim::axis(1), column}}, Dim::offset()),
                expected);
          }
      }
}

TEST(NamedLayouts, NvmmaSwizzleIsAnXorOfAddressBits) {
  // Within a 1024-byte-aligned tile, bits 4-6 of the byte address are xored with bits 7-9.
  NvmmaSharedParams params{.swizzlingByteWidth = 128, .transposed = false, .elementBitWidth = 16};
  LinearLayout layout = nvmmaSharedLayout({64, 64}, params);
  for (uint64_t offset = 0; offset < 64 * 64; ++offset) {
    uint64_t byte = 2 * offset;
    uint64_t plain = byte ^ (byte >> 7 & 7) << 4;
    Point expected = {{Dim::axis(0), plain / 128}, {Dim::axis(1), plain % 128 / 2}};
    EXPECT_EQ(layout.apply(Point{{Dim::offset(), offset}}), expected);
  }
}

TEST(NamedLayouts, RotatingExample) {
  EXPECT_EQ(layoutText("!ttg.memdesc<16x32xf16, #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, "
                       "maxPhase = 4, order = [1, 0]}>, #ttg.shared_memory>"),
            "offset=1 -> (0,1), offset=2 -> (0,2), offset=4 -> (0,4), offset=8 -> (0,8), "
            "offset=16 -> (0,16), offset=32 -> (1,4), offset=64 -> (2,8), offset=128 -> (4,4), "
            "offset=256 -> (8,8)\n"
            "block has size 1\n"
            "outs: dim0 (size 16), dim1 (size 32)\n");
}

TEST(NamedLayouts, PaddedOffset) {
  EXPECT_EQ(paddedOffset(0, {{32, 4}, {128, 8}}), 0u);
  EXPECT_EQ(paddedOffset(31, {{32, 4}, {128, 8}}), 31u);
  EXPECT_EQ(paddedOffset(32, {{32, 4}, {128, 8}}), 36u);
  EXPECT_EQ(paddedOffset(130, {{32, 4}, {128, 8}}), 130u + 4 * 4 + 8);
}

TEST(NamedLayouts, CgaFromSplit) {
  EXPECT_EQ(cgaFromSplit({2, 2}, {2, 1}, {1, 0}), (CgaBases{{0, 0}, {1, 0}}));
  EXPECT_EQ(cgaFromSplit({2, 4}, {2, 4}, {1, 0}), (CgaBases{{0, 1}, {0, 2}, {1, 0}}));
  EXPECT_EQ(cgaFromSplit({1, 1}, {1, 1}, {1, 0}), CgaBases());
  EXPECT_EQ(shapePerCTA({64, 32}, {{1, 0}, {0, 0}}), (SmallVector<int64_t>{32, 32}));
  EXPECT_EQ(shapePerCTA({1, 32}, {{1, 0}}), (SmallVector<int64_t>{1, 32}));
}

TEST(NamedLayouts, ChoosesTheWidestSwizzleThatFits) {
  EXPECT_EQ(chooseSwizzlingByteWidth({64, 64}, 1, 16, false), 128u);
  EXPECT_EQ(chooseSwizzlingByteWidth({64, 32}, 1, 16, false), 64u);
  EXPECT_EQ(chooseSwizzlingByteWidth({64, 16}, 1, 16, false), 32u);
  EXPECT_EQ(chooseSwizzlingByteWidth({64, 8}, 1, 16, false), 0u);
  EXPECT_EQ(chooseSwizzlingByteWidth({4, 64}, 1, 16, false), 0u) << "too few rows";
  EXPECT_EQ(chooseSwizzlingByteWidth({4, 64}, 0, 16, false), 0u) << "too narrow";
  EXPECT_EQ(chooseSwizzlingByteWidth({64, 64}, 1, 8, true), 128u) << "padding doubles a row";
  EXPECT_EQ(chooseSwizzlingByteWidth({64}, 0, 16, false), 0u);
}

TEST(NamedLayouts, SaysWhatIsWrong) {
  auto blocked = [](StringRef fields, StringRef shape = "32x32") {
    return layoutText(("tensor<" + shape + "xf32, #ttg.blocked<{" + fields + "}>>").str());
  };
  EXPECT_EQ(
      blocked(
          "sizePerThread = [1, 3], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]"),
      "sizePerThread has 3, which is not a power of two");
  EXPECT_EQ(
      blocked("sizePerThread = [1, 1], threadsPerWarp = [8], warpsPerCTA = [2, 1], order = [1, 0]"),
      "threadsPerWarp has 1 entries for rank 2");
  EXPECT_EQ(
      blocked(
          "sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 0], order = [1, 0]"),
      "warpsPerCTA has 0, which is not a power of two");
  EXPECT_EQ(
      blocked(
          "sizePerThread = [1, 1], threadsPerWarp = [8, 64], warpsPerCTA = [2, 1], order = [1, 0]"),
      "threadsPerWarp multiplies to 2^9, which is above 2^6");
  EXPECT_EQ(
      blocked(
          "sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 1]"),
      "order [1, 1] is not a permutation of 0 to 1");
  StringRef good =
      "sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]";
  EXPECT_EQ(blocked(good, "32x24"), "size 24 of dimension 1 is not a power of two");
  EXPECT_EQ(blocked(good, "32"), "the layout has rank 2 and the tensor rank 1");
  EXPECT_EQ(blocked(good, "4194304x1048576"), "2^42 elements are more than 2^40");
  EXPECT_EQ(blocked((good + ", CGALayout = [[2, 0]]").str()),
            "CGALayout leaves out some parts of the tensor");
  EXPECT_EQ(blocked((good + ", CGALayout = [[1]]").str()),
            "a CGALayout basis has 1 entries for rank 2");

  auto nvmma = [](StringRef fields, StringRef shape = "32x64") {
    return layoutText(
        ("!ttg.memdesc<" + shape + "xf16, #ttg.nvmma_shared<{" + fields + "}>, #ttg.shared_memory>")
            .str());
  };
  EXPECT_EQ(nvmma("swizzlingByteWidth = 48, transposed = false, elementBitWidth = 16"),
            "swizzlingByteWidth 48 is not 0, 32, 64 or 128");
  EXPECT_EQ(nvmma("swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16, rank = 3"),
            "a transposed nvmma layout has rank 2, not 3");
  EXPECT_EQ(nvmma("swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16", "4x64"),
            "a swizzle of 128 bytes needs 8 rows of 128 bytes in each CTA");

  auto mma = [](StringRef fields) {
    return layoutText(("tensor<32x32xf32, #ttg.nvidia_mma<{" + fields + "}>>").str());
  };
  EXPECT_EQ(mma("versionMajor = 5, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]"),
            "nvidia_mma version 5 has no layout here; 2 and 3 have");
  EXPECT_EQ(mma("versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16]"),
            "instrShape [.., 16, 16] of mma.sync is not [.., 16, 8]");
  EXPECT_EQ(layoutText("tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{"
                       "versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = "
                       "[16, 32, 16]}>, kWidth = 2}>>"),
            "wgmma takes only operand 0 from registers");

  auto linear = [](StringRef fields) {
    return layoutText(("tensor<4x4xf16, #ttg.linear<{" + fields + "}>>").str());
  };
  EXPECT_EQ(linear("register = [[1, 1]], lane = [], warp = [], block = []"),
            "basis 0 of register moves along more than one dimension");
  EXPECT_EQ(linear("register = [[2, 0]], lane = [], warp = [], block = []"),
            "the bases do not reach every element");
}
