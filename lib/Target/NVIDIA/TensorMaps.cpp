//===- TensorMaps.cpp - copies of tiles by tensor maps (TMA) --------------===//
// A buffer's layout and the places of a box's elements are both linear over F2: if they agree
// for each bit of a coordinate, they agree everywhere.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/TensorMaps.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::nvidia;
using llvm::ArrayRef;
using llvm::SmallVector;

/// cuda.h, cuTensorMapEncodeTiled: elements of a box along one dimension, and the unit of the
/// bytes of its rows.
static constexpr int64_t kMaxBox = 256, kRowUnit = 16;

uint64_t nvidia::swizzleAddress(uint64_t address, unsigned swizzle) {
  uint64_t mask = swizzle == 0 ? 0 : swizzle / 16 - 1;
  return address ^ (address >> 7 & mask) << 4;
}

/// The alignment of a box's address, so that its first row is swizzled as row 0.
static uint64_t periodOf(unsigned swizzle) { return swizzle == 0 ? 128 : 8 * swizzle; }

/// Returns whether the elements of a box at the buffer's start lie as the copy leaves them.
static bool agrees(const LinearLayout &offsets, ArrayRef<int64_t> box, unsigned bytes,
                   unsigned swizzle) {
  uint64_t stride = bytes;
  for (unsigned dim = box.size(); dim-- > 0;)
    for (int64_t step = 1; step < box[dim]; step *= 2, stride *= 2) {
      uint64_t offset = offsets.basis(Dim::axis(dim), llvm::Log2_64(step), Dim::offset());
      if (offset * bytes != swizzleAddress(stride, swizzle))
        return false;
    }
  return true;
}

/// The boxes of a tile, the last dimension's first; nothing if one starts inside a period.
static std::optional<SmallVector<TensorCopyPlan::Part>>
findParts(const LinearLayout &offsets, ArrayRef<int64_t> box, unsigned bytes, unsigned swizzle) {
  uint64_t boxBytes = bytes;
  for (int64_t extent : box)
    boxBytes *= extent;
  SmallVector<TensorCopyPlan::Part> parts;
  SmallVector<int64_t, 4> first(box.size(), 0);
  while (true) {
    Point point;
    for (auto [dim, index] : llvm::enumerate(first))
      point.push_back({Dim::axis(dim), static_cast<uint64_t>(index)});
    uint64_t start = offsets.apply(point, Dim::offset()) * bytes;
    if (start % std::max(boxBytes, periodOf(swizzle)))
      return std::nullopt;
    parts.push_back({first, start});
    unsigned dim = box.size();
    for (; dim-- > 0; first[dim] = 0)
      if (uint64_t(first[dim] += box[dim]) < offsets.inSize(Dim::axis(dim)))
        break;
    if (dim == unsigned(-1))
      return parts;
  }
}

std::optional<TensorCopyPlan> nvidia::planTensorCopy(const LinearLayout &layout, unsigned bytes,
                                                     std::optional<unsigned> wanted) {
  std::optional<LinearLayout> offsets = layout.pseudoinvert();
  unsigned rank = layout.outs().size();
  if (!offsets || !layout.isInjective() || rank == 0 || rank > kMaxTensorMapRank)
    return std::nullopt;
  TensorCopyPlan plan;
  for (unsigned dim = 0; dim < rank; ++dim)
    plan.box.push_back(std::min<int64_t>(offsets->inSize(Dim::axis(dim)), kMaxBox));
  int64_t widest = plan.box.back();
  for (unsigned swizzle : {128, 64, 32, 0}) {
    if (wanted && swizzle != *wanted)
      continue;
    plan.swizzle = swizzle;
    plan.box.back() = swizzle ? swizzle / bytes : widest;
    // Rows may have any width if there is no swizzle.
    int64_t narrowest = swizzle ? swizzle / bytes : std::max<int64_t>(1, kRowUnit / bytes);
    for (; plan.box.back() >= narrowest && plan.box.back() <= widest; plan.box.back() /= 2) {
      if (!agrees(*offsets, plan.box, bytes, swizzle))
        continue;
      if (auto parts = findParts(*offsets, plan.box, bytes, swizzle)) {
        plan.parts = std::move(*parts);
        return plan;
      }
    }
  }
  return std::nullopt;
}
