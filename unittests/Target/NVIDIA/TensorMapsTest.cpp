//===- TensorMapsTest.cpp - boxes of tensor copies, byte by byte ----------===//
// Each plan is carried out element by element as the driver's documentation describes a copy,
// written out here: every element of the tile must arrive where the buffer's layout has it, and
// every byte must be written once.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/TensorMaps.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::nvidia;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Returns the place of an element of a copied box, from the start of the box: rows one behind the
/// other, then the chunks of 16 bytes in each run of 8 rows of the swizzle's width exchanged.
uint64_t placeInBox(ArrayRef<int64_t> box, ArrayRef<int64_t> index, unsigned bytes,
                    unsigned swizzle) {
  uint64_t number = 0;
  for (auto [extent, at] : llvm::zip_equal(box, index))
    number = number * extent + at;
  uint64_t place = number * bytes;
  if (swizzle == 0)
    return place;
  uint64_t row = place / 128, chunk = place / 16 % (swizzle / 16);
  return place - chunk * 16 + (chunk ^ row % (swizzle / 16)) * 16;
}

/// Calls `visit` with every index of a box.
template <typename Visit> void forEachIndex(ArrayRef<int64_t> box, Visit visit) {
  SmallVector<int64_t, 4> index(box.size(), 0);
  while (true) {
    visit(ArrayRef<int64_t>(index));
    unsigned dim = box.size();
    for (; dim-- > 0; index[dim] = 0)
      if (++index[dim] < box[dim])
        break;
    if (dim == unsigned(-1))
      return;
  }
}

void checkPlan(const LinearLayout &layout, const TensorCopyPlan &plan, unsigned bytes) {
  std::vector<bool> written(layout.inSize(Dim::offset()));
  for (int64_t extent : plan.box)
    ASSERT_TRUE(extent >= 1 && extent <= 256);
  ASSERT_EQ(plan.box.back() * bytes % 16, 0);
  if (plan.swizzle)
    ASSERT_EQ(plan.box.back() * bytes, plan.swizzle);
  for (const TensorCopyPlan::Part &part : plan.parts) {
    ASSERT_EQ(part.bytes % (plan.swizzle ? 8 * plan.swizzle : 128), 0u);
    forEachIndex(plan.box, [&](ArrayRef<int64_t> index) {
      uint64_t place = part.bytes + placeInBox(plan.box, index, bytes, plan.swizzle);
      uint64_t offset = place / bytes;
      ASSERT_LT(offset, written.size());
      EXPECT_FALSE(written[offset]);
      written[offset] = true;
      for (unsigned dim = 0; dim < index.size(); ++dim)
        EXPECT_EQ(layout.apply(DimIndex{Dim::offset(), offset}, Dim::axis(dim)),
                  uint64_t(part.first[dim] + index[dim]));
    });
  }
  EXPECT_TRUE(llvm::all_of(written, [](bool is) { return is; }));
}

NvmmaSharedParams paramsOf(unsigned rank, unsigned bits, unsigned swizzle) {
  NvmmaSharedParams params = {};
  params.rank = rank;
  params.elementBitWidth = bits;
  params.swizzlingByteWidth = swizzle;
  return params;
}

} // namespace

TEST(TensorMaps, BoxesFillEveryLayout) {
  unsigned planned = 0;
  SmallVector<SmallVector<int64_t>> shapes = {
      {8, 16},    {1, 64},     {64, 64},      {32, 128},        {512, 32}, {16, 512},
      {4, 8, 64}, {2, 4, 512}, {2, 2, 8, 32}, {2, 2, 2, 4, 16}, {256},     {1024}};
  for (ArrayRef<int64_t> shape : shapes)
    for (unsigned bits : {8, 16, 32})
      for (unsigned swizzle : {0, 32, 64, 128}) {
        NvmmaSharedParams params = paramsOf(shape.size(), bits, swizzle);
        if (whyInvalid(params) || whyInvalid(params, shape) ||
            shape.back() * bits / 8 < std::max(16u, swizzle))
          continue;
        LinearLayout layout = nvmmaSharedLayout(shape, params);
        std::optional<TensorCopyPlan> plan = planTensorCopy(layout, bits / 8, swizzle);
        std::string what = "shape " + std::to_string(shape.front()) + "..." +
                           std::to_string(shape.back()) + ", " + std::to_string(bits) +
                           " bits, swizzle " + std::to_string(swizzle);
        ASSERT_TRUE(plan) << what;
        SCOPED_TRACE(what);
        checkPlan(layout, *plan, bits / 8);
        // Whatever swizzle is found, it is right.
        plan = planTensorCopy(layout, bits / 8);
        ASSERT_TRUE(plan);
        checkPlan(layout, *plan, bits / 8);
        ++planned;
      }
  EXPECT_GT(planned, 80u);
}

TEST(TensorMaps, OtherLayoutsHaveNoBoxes) {
  NvmmaSharedParams columns = paramsOf(2, 16, 128);
  columns.transposed = true;
  EXPECT_FALSE(planTensorCopy(nvmmaSharedLayout({64, 64}, columns), 2));
  // The swizzle of another width.
  EXPECT_FALSE(planTensorCopy(nvmmaSharedLayout({64, 64}, paramsOf(2, 16, 128)), 2, 64));
}

TEST(TensorMaps, WideTilesTakeSeveralBoxes) {
  auto plan = planTensorCopy(nvmmaSharedLayout({64, 256}, paramsOf(2, 16, 128)), 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->swizzle, 128u);
  EXPECT_EQ(plan->box, (SmallVector<int64_t, 4>{64, 64}));
  ASSERT_EQ(plan->parts.size(), 4u);
  EXPECT_EQ(plan->parts[3].bytes, 3 * 8192u);
  EXPECT_EQ(plan->parts[3].first, (SmallVector<int64_t, 4>{0, 192}));
}
