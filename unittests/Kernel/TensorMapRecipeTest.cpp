//===- TensorMapRecipeTest.cpp - tensor maps that a launcher builds -------===//
#include "tessera/Kernel/TensorMapRecipe.h"
#include "tessera/Kernel/KernelRecord.h"
#include "tessera/Support/JsonTree.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <limits>

using namespace tessera;
using Kind = LaunchExpression::Kind;

static LaunchExpression argument(unsigned index) { return LaunchExpression::argument(index); }
static LaunchExpression number(int64_t value) { return LaunchExpression::number(value); }

/// matmul's A: K columns and M rows of f16, `stride` elements apart.
static KernelRecord makeRecord() {
  KernelRecord record;
  record.kernelName = "matmul";
  record.arguments = {{.name = "a_ptr", .type = "*fp16"},
                      {.name = "M", .type = "i32"},
                      {.name = "BLOCK", .type = "constexpr", .constant = "64"},
                      {.name = "K", .type = "i32"},
                      {.name = "stride", .type = "i64"},
                      {.name = "scale", .type = "fp32"},
                      {.name = "rows", .type = "u32"}};
  TensorMapRecipe recipe;
  recipe.offset = number(0);
  recipe.type = "f16";
  recipe.extents = {argument(2), argument(1)};
  recipe.strides = {LaunchExpression::combine(Kind::Multiply, argument(3), number(2))};
  recipe.box = {64, 128};
  recipe.swizzle = 128;
  record.setHidden({recipe}, {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch});
  return record;
}

/// What a plan says about a launch.
struct Launch {
  uint64_t address = 0x10000;
  int32_t m = 100, k = 70;
  int64_t stride = 80;
  float scale = 1;
  uint32_t rows = 5;
  std::string problem = {};

  TensorMapValues evaluate(const KernelRecord &record) {
    void *args[] = {&address, &m, &k, &stride, &scale, &rows};
    TensorMapEvaluator plan = llvm::cantFail(TensorMapEvaluator::create(record));
    std::vector<int64_t> inputs(plan.inputCount());
    plan.read(args, inputs);
    TensorMapValues values;
    problem = plan.evaluate(0, inputs, values);
    return values;
  }
};

TEST(TensorMapRecipe, EvaluatesArguments) {
  Launch launch;
  TensorMapValues values = launch.evaluate(makeRecord());
  EXPECT_EQ("", launch.problem);
  EXPECT_EQ(0x10000u, values.base);
  EXPECT_EQ(70u, values.extents[0]);
  EXPECT_EQ(100u, values.extents[1]);
  EXPECT_EQ(160u, values.strides[0]);
}

TEST(TensorMapRecipe, ReadsEachArgumentOnce) {
  KernelRecord record = makeRecord();
  record.setHidden({record.tensorMaps[0], record.tensorMaps[0]}, {});
  EXPECT_EQ(4u, llvm::cantFail(TensorMapEvaluator::create(record)).inputCount());
}

/// Values that no tensor map can have are named, and the launch takes the variant without maps.
TEST(TensorMapRecipe, RefusesWhatTheHardwareCannotTake) {
  auto problemOf = [](Launch launch) {
    launch.evaluate(makeRecord());
    return launch.problem;
  };
  EXPECT_EQ("an extent is 0, not 1 to 2^32", problemOf({.m = 0}));
  EXPECT_EQ("an extent is -3, not 1 to 2^32", problemOf({.k = -3}));
  EXPECT_EQ("the address 0 is null or no multiple of 16", problemOf({.address = 0}));
  EXPECT_EQ("the address 65544 is null or no multiple of 16", problemOf({.address = 65544}));
  for (int64_t stride : {int64_t(0), int64_t(-80), int64_t(81), int64_t(1) << 39})
    EXPECT_EQ("a stride is " + std::to_string(stride * 2) +
                  " bytes, and tensor maps take multiples of 16 from 16 to 2^40",
              problemOf({.stride = stride}));
  EXPECT_EQ("an extent or a stride overflows",
            problemOf({.stride = std::numeric_limits<int64_t>::max()}));
  EXPECT_EQ("", problemOf({.m = 2147483647, .stride = (int64_t(1) << 39) - 8}));
}

TEST(TensorMapRecipe, UnsignedArgumentsAndOffsets) {
  KernelRecord record = makeRecord();
  TensorMapRecipe recipe = record.tensorMaps[0];
  recipe.extents[1] = argument(5);
  recipe.offset = LaunchExpression::combine(Kind::Multiply, argument(1), number(-16));
  record.setHidden({recipe}, {});
  Launch launch{.m = 3, .rows = 0xffffffff};
  TensorMapValues values = launch.evaluate(record);
  EXPECT_EQ("", launch.problem);
  EXPECT_EQ(0xffffffffu, values.extents[1]);
  EXPECT_EQ(0x10000u - 48, values.base);
}

/// Arithmetic against 128-bit integers, over values around all limits.
TEST(LaunchExpression, ArithmeticIsExactOrRefused) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = -(kMin + 1);
  const int64_t samples[] = {
      kMin, kMin + 1,         -(int64_t(1) << 31) - 1, -7,       -2,  -1, 0, 1, 2, 3,
      7,    int64_t(1) << 31, (int64_t(1) << 31) - 1,  kMax - 1, kMax};
  using Wide = __int128;
  auto floorOf = [](Wide a, Wide b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); };
  for (int64_t a : samples)
    for (int64_t b : samples) {
      std::pair<Kind, std::optional<Wide>> cases[] = {
          {Kind::Add, Wide(a) + b},
          {Kind::Subtract, Wide(a) - b},
          {Kind::Multiply, Wide(a) * b},
          {Kind::Divide, b ? std::optional<Wide>(Wide(a) / b) : std::nullopt},
          {Kind::Remainder, b ? std::optional<Wide>(Wide(a) % b) : std::nullopt},
          {Kind::FloorDivide, b ? std::optional<Wide>(floorOf(a, b)) : std::nullopt},
          {Kind::CeilDivide, b ? std::optional<Wide>(-floorOf(-Wide(a), b)) : std::nullopt},
          {Kind::Min, std::min(a, b)},
          {Kind::Max, std::max(a, b)}};
      for (auto [kind, wide] : cases) {
        LaunchExpression expression{{{Kind::Argument, 0}, {Kind::Argument, 1}, {kind, 0}}};
        ASSERT_TRUE(expression.isWellFormed(2));
        std::optional<int64_t> right;
        bool fits = wide && *wide >= kMin && *wide <= kMax;
        if (fits && !(a == kMin && b == -1 && kind == Kind::Remainder))
          right = int64_t(*wide);
        EXPECT_EQ(right, expression.evaluate({a, b})) << a << spellingOf(kind).str() << b;
        // Folding says the same, and never hides a failure.
        std::optional<int64_t> folded =
            LaunchExpression::combine(kind, number(a), number(b)).evaluate({});
        EXPECT_EQ(right, folded);
      }
    }
}

TEST(LaunchExpression, NarrowAndUnsigned) {
  auto narrow = LaunchExpression::convert(Kind::Narrow, argument(0));
  EXPECT_EQ(-5, narrow.evaluate({-5}));
  EXPECT_EQ(std::nullopt, narrow.evaluate({int64_t(1) << 31}));
  auto asUnsigned = LaunchExpression::convert(Kind::Unsigned, argument(0));
  EXPECT_EQ(4294967291, asUnsigned.evaluate({-5}));
}

TEST(LaunchExpression, Simplifies) {
  EXPECT_EQ(argument(1), LaunchExpression::combine(Kind::Multiply, argument(1), number(1)));
  EXPECT_EQ(argument(1), LaunchExpression::combine(Kind::Add, number(0), argument(1)));
  EXPECT_EQ(number(12), LaunchExpression::combine(Kind::Multiply, number(3), number(4)));
}

TEST(LaunchExpression, MalformedTermsAreRefused) {
  EXPECT_FALSE(LaunchExpression().isWellFormed(1));
  EXPECT_FALSE(argument(1).isWellFormed(1));
  EXPECT_FALSE((LaunchExpression{{{Kind::Argument, -1}}}).isWellFormed(1));
  EXPECT_FALSE((LaunchExpression{{{Kind::Number, 1}, {Kind::Add, 0}}}).isWellFormed(1));
  EXPECT_FALSE((LaunchExpression{{{Kind::Number, 1}, {Kind::Number, 1}}}).isWellFormed(1));
  LaunchExpression deep;
  for (int i = 0; i < 40; ++i)
    deep.terms.push_back({Kind::Number, 1});
  for (int i = 0; i < 39; ++i)
    deep.terms.push_back({Kind::Add, 0});
  EXPECT_FALSE(deep.isWellFormed(0));
}

TEST(TensorMapRecipe, RecordRoundTrip) {
  KernelRecord record = makeRecord();
  record.tensorMaps[0].offset = LaunchExpression::convert(
      Kind::Narrow, LaunchExpression::combine(Kind::CeilDivide, argument(1), number(16)));
  std::string text = record.toText();
  EXPECT_NE(std::string::npos, text.find("\"abi_version\": 2"));
  EXPECT_NE(std::string::npos, text.find("\"tensor_map:0\""));
  llvm::Expected<KernelRecord> again = KernelRecord::parse(text);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(record, *again);
  record.setHidden({}, {});
  EXPECT_EQ(1u, record.abiVersion);
}

static std::string parseError(llvm::StringRef recipe) {
  JsonTree tree = llvm::cantFail(JsonTree::parse(recipe));
  return llvm::toString(parseTensorMapRecipe(tree.root(), makeRecord()).takeError());
}

TEST(TensorMapRecipe, DamageIsNamed) {
  auto with = [](llvm::StringRef extents, llvm::StringRef rest) {
    return ("{\"base\": \"a_ptr\", \"extents\": " + extents +
            ", \"strides\": [], \"type\": \"f16\","
            " \"box\": [64], \"swizzle\": 128, \"l2\": 128" +
            rest + "}")
        .str();
  };
  EXPECT_EQ("", parseError(with("[\"K\"]", ", \"fill\": \"nan\"")));
  EXPECT_EQ("a tensor map names no argument: 'Q'", parseError(with("[\"Q\"]", "")));
  EXPECT_EQ("a tensor map has an expression that is none",
            parseError(with("[[\"*\", 1]]", ", \"fill\": \"nan\"")));
  EXPECT_EQ("a tensor map has an expression that is none",
            parseError(with("[[\"**\", 1, 2]]", ", \"fill\": \"nan\"")));
  EXPECT_EQ("a tensor map has no string 'fill'", parseError(with("[5]", "")));
  EXPECT_EQ("a tensor map is filled with neither zero nor nan",
            parseError(with("[5]", ", \"fill\": \"one\"")));
  EXPECT_EQ("a tensor map its extents, strides and box disagree about the rank",
            parseError(with("[5, 6]", ", \"fill\": \"zero\"")));
  EXPECT_EQ("holds something that is not an object", parseError("5"));
  // A hidden map without a recipe.
  KernelRecord record = makeRecord();
  record.tensorMaps.clear();
  EXPECT_EQ("kernel metadata: not every tensor map has a recipe and a hidden argument",
            llvm::toString(KernelRecord::parse(record.toText()).takeError()));
}

TEST(TensorMapRecipe, FloatsAreNoExtents) {
  KernelRecord record = makeRecord();
  record.tensorMaps[0].extents[0] = argument(4);
  EXPECT_EQ("kernel matmul, a tensor map's recipe: argument 'scale' is no integer that an "
            "expression could use",
            llvm::toString(TensorMapEvaluator::create(record).takeError()));
}
