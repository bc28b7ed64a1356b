//===- EncodingLayoutTest.cpp - encodings in IR against the reference -----===//
// The vectors of unittests/TTGIR/Layout once more, this time from the text of a type to its
// map: parser, attribute, toLinearLayout. Each must also print as it was written.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

namespace {
class EncodingLayoutTest : public ::testing::Test {
protected:
  EncodingLayoutTest() { context.loadDialect<TTGDialect>(); }

  template <typename AttrT> AttrT parse(StringRef text) {
    return dyn_cast_or_null<AttrT>(parseAttribute(text, &context));
  }

  MLIRContext context;
};

/// The bases of each input that has any, as the vectors list them.
std::string describe(const LinearLayout &layout) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const DimBits &in : layout.ins()) {
    if (in.bits == 0)
      continue;
    os << in.dim.name() << ":";
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      os << " (";
      llvm::interleaveComma(layout.basis(in.dim, bit), os);
      os << ")";
    }
    os << "; ";
  }
  return text;
}

std::string describe(const llvm::json::Object &bases) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (StringRef in : {"register", "lane", "warp", "offset", "block"}) {
    const llvm::json::Array *rows = bases.getArray(in);
    if (!rows || rows->empty())
      continue;
    os << in << ":";
    for (const llvm::json::Value &row : *rows) {
      os << " (";
      llvm::interleaveComma(*row.getAsArray(), os,
                            [&](const llvm::json::Value &value) { os << *value.getAsInteger(); });
      os << ")";
    }
    os << "; ";
  }
  return text;
}
} // namespace

TEST_F(EncodingLayoutTest, AgreesWithTheReference) {
  for (StringRef file : {"layouts.jsonl", "more-layouts.jsonl", "amd-layouts.jsonl"}) {
    auto buffer = llvm::MemoryBuffer::getFile((TESSERA_LAYOUT_VECTORS "/" + file).str());
    ASSERT_TRUE(bool(buffer)) << file.str();
    unsigned count = 0;
    for (llvm::line_iterator line(**buffer); !line.is_at_end(); ++line, ++count) {
      llvm::Expected<llvm::json::Value> value = llvm::json::parse(*line);
      ASSERT_TRUE(bool(value));
      StringRef text = *value->getAsObject()->getString("type");
      Type type = parseType(text, &context);
      ASSERT_TRUE(type) << text.str();
      auto buffer = dyn_cast<MemDescType>(type);
      LinearLayout layout =
          buffer ? toLinearLayout(buffer) : toLinearLayout(cast<RankedTensorType>(type));
      EXPECT_EQ(describe(layout), describe(*value->getAsObject()->getObject("bases")))
          << text.str();
      std::string printed;
      llvm::raw_string_ostream(printed) << type;
      EXPECT_EQ(parseType(printed, &context), type) << printed;
    }
    EXPECT_GT(count, 400u);
  }
}

TEST_F(EncodingLayoutTest, NamesBlockedLayouts) {
  auto blocked = parse<BlockedEncodingAttr>(
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], "
      "order = [1, 0]}>");
  ASSERT_TRUE(blocked);
  // Repeated, exactly covered, and replicated: always an encoding of the same map.
  SmallVector<int64_t> shapes[] = {{64, 64}, {16, 16}, {2, 2}, {1, 256}};
  for (ArrayRef<int64_t> shape : shapes) {
    Attribute named = nameLayout(&context, toLinearLayout(blocked, shape));
    EXPECT_EQ(toLinearLayout(named, shape), toLinearLayout(blocked, shape));
  }
  EXPECT_EQ(nameLayout(&context, toLinearLayout(blocked, {64, 64})), blocked);
}

TEST_F(EncodingLayoutTest, KnowsTheCTAsOfALinearLayout) {
  auto blocked = parse<BlockedEncodingAttr>(
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], "
      "order = [1, 0], CGALayout = [[1, 0], [0, 1]]}>");
  ASSERT_TRUE(blocked);
  LinearEncodingAttr linear = toLinearEncoding(&context, toLinearLayout(blocked, {128, 128}));
  EXPECT_EQ(linear.getCGALayout(), blocked.getCGALayout());
  EXPECT_EQ(linear.getNumWarps(), 2u);
  EXPECT_EQ(linear.getNumLanes(), 32u);
}

TEST_F(EncodingLayoutTest, ModulesSayTheirThreads) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  EXPECT_EQ(getNumWarps(*module), 4u);
  EXPECT_FALSE(lookupNumWarps(*module));
  setNumWarps(*module, 8);
  setThreadsPerWarp(*module, 64);
  setTargetName(*module, "cuda:90");
  EXPECT_EQ(getNumWarps(*module), 8u);
  EXPECT_EQ(lookupNumWarps(*module), 8u);
  EXPECT_EQ(getTotalNumWarps(*module), 8u);
  EXPECT_EQ(lookupThreadsPerWarp(*module), 64u);
  EXPECT_EQ(getTargetName(*module), "cuda:90");
  EXPECT_FALSE(getMaxRegisters(*module));
  EXPECT_EQ(getSharedBytes(*module), 0u);
}
