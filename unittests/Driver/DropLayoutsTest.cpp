//===- DropLayoutsTest.cpp - TTGIR without its layouts --------------------===//
#include "tessera/Driver/DropLayouts.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

constexpr const char *kHead = R"(
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
)";

TEST(DropLayouts, ConversionsBecomeNothing) {
  std::optional<std::string> text = dropLayouts(std::string(kHead) + R"(
tt.func public @k(%p: tensor<64x!tt.ptr<f32>, #a>) {
  %c = arith.constant dense<1.0> : tensor<64xf32, #b>
  %x = tt.load %p : tensor<64x!tt.ptr<f32>, #a>
  %y = ttg.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %z = arith.addf %y, %c : tensor<64xf32, #b>
  %w = ttg.convert_layout %z : tensor<64xf32, #b> -> tensor<64xf32, #a>
  tt.store %p, %w : tensor<64x!tt.ptr<f32>, #a>
  tt.return
}
})");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("ttg."), std::string::npos) << *text;
  EXPECT_NE(text->find("arith.addf %0, %cst : tensor<64xf32>"), std::string::npos) << *text;
}

TEST(DropLayouts, BuffersAreDeclined) {
  EXPECT_FALSE(dropLayouts(std::string(kHead) + R"(
tt.func public @k(%x: tensor<64xf32, #a>) {
  %m = ttg.local_alloc %x : (tensor<64xf32, #a>) -> !ttg.memdesc<64xf32, #shared, #ttg.shared_memory>
  tt.return
}
})"));
}

TEST(DropLayouts, AnyTextIsAnswered) {
  for (const char *text : {"", "module {", "\xff\xfe", "((((", "tt.func @k() { tt.return }"})
    (void)dropLayouts(text);
  EXPECT_FALSE(dropLayouts("nonsense"));
}

} // namespace
