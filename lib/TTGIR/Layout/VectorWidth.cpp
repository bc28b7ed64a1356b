//===- VectorWidth.cpp - the width of a thread's memory accesses ----------===//
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

SmallVector<unsigned> tessera::dimensionOrder(const LinearLayout &layout) {
  unsigned rank = layout.outs().size();
  SmallVector<unsigned> order;
  auto add = [&](unsigned d) {
    if (!llvm::is_contained(order, d))
      order.push_back(d);
  };
  for (unsigned bit = 0; bit < layout.inBits(Dim::reg()); ++bit)
    for (unsigned d = 0; d < rank; ++d)
      if (layout.basis(Dim::reg(), bit, Dim::axis(d)) != 0)
        add(d);
  for (unsigned d = rank; d-- > 0;)
    add(d);
  return order;
}

uint64_t tessera::elementsPerThread(const LinearLayout &layout) {
  return layout.inSize(Dim::reg());
}

/// Returns the one dimension that a basis moves along; nothing if there is none or several.
static std::optional<unsigned> onlyDimension(ArrayRef<int64_t> basis) {
  std::optional<unsigned> only;
  for (auto [d, component] : llvm::enumerate(basis)) {
    if (component == 0)
      continue;
    if (only)
      return std::nullopt;
    only = d;
  }
  return only;
}

SmallVector<unsigned> tessera::contiguousPerThread(const LinearLayout &layout) {
  SmallVector<unsigned> result(layout.outs().size(), 1);
  for (unsigned bit = 0; bit < layout.inBits(Dim::reg()); ++bit) {
    BasisVector basis = layout.basis(Dim::reg(), bit);
    std::optional<unsigned> d = onlyDimension(basis);
    if (!d || basis[*d] != int64_t(result[*d]))
      break;
    result[*d] *= 2;
  }
  return result;
}

static SmallVector<unsigned> distinctPerDim(const LinearLayout &layout, Dim in) {
  SmallVector<unsigned> result(layout.outs().size(), 1);
  for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
    for (auto [d, component] : llvm::enumerate(layout.basis(in, bit)))
      if (component != 0)
        result[d] *= 2;
  return result;
}

SmallVector<unsigned> tessera::lanesPerDim(const LinearLayout &layout) {
  return distinctPerDim(layout, Dim::lane());
}
SmallVector<unsigned> tessera::warpsPerDim(const LinearLayout &layout) {
  return distinctPerDim(layout, Dim::warp());
}

/// Returns the register bit that moves by exactly `step` along `dim` and nowhere else.
static std::optional<unsigned> findStep(const LinearLayout &layout, unsigned dim, uint64_t step) {
  for (unsigned bit = 0; bit < layout.inBits(Dim::reg()); ++bit) {
    BasisVector basis = layout.basis(Dim::reg(), bit);
    if (onlyDimension(basis) == dim && basis[dim] == int64_t(step))
      return bit;
  }
  return std::nullopt;
}

/// Returns whether no bit except `taken` moves within vectors of `width`: it would reorder their
/// elements for some threads.
static bool othersAreAligned(const LinearLayout &layout, Dim axis, ArrayRef<unsigned> taken,
                             uint64_t width) {
  for (const DimBits &in : layout.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      bool isTaken = in.dim == Dim::reg() && llvm::is_contained(taken, bit);
      if (!isTaken && (layout.basis(in.dim, bit, axis) & (width - 1)) != 0)
        return false;
    }
  return true;
}

VectorAccess tessera::vectorAlong(const LinearLayout &layout, unsigned dim, uint64_t limit) {
  Dim axis = Dim::axis(dim);
  VectorAccess access{.dim = dim, .width = 1, .registerBits = {}};
  SmallVector<unsigned> bits;
  for (uint64_t width = 2; width <= limit && width <= layout.outSize(axis); width *= 2) {
    std::optional<unsigned> bit = findStep(layout, dim, width / 2);
    if (!bit)
      break;
    bits.push_back(*bit);
    if (!othersAreAligned(layout, axis, bits, width))
      break; // a larger width fails for the same reason
    access.width = width;
    access.registerBits = bits;
  }
  return access;
}

VectorAccess tessera::widestAccess(const LinearLayout &layout, ArrayRef<AccessFacts> facts,
                                   unsigned elementBits, unsigned maxBits) {
  // A run of 12 holds aligned vectors of 4: its largest power of two counts.
  auto powerOfTwoIn = [](int64_t value) -> uint64_t { return value <= 0 ? 1 : value & -value; };
  uint64_t elementBytes = std::max(1u, elementBits / 8);
  uint64_t machineLimit = std::max(1u, maxBits / std::max(1u, elementBits));

  SmallVector<unsigned> order = dimensionOrder(layout);
  VectorAccess best{.dim = order.empty() ? 0 : order[0], .width = 1, .registerBits = {}};
  for (unsigned d : order) {
    if (d >= facts.size())
      continue;
    uint64_t aligned =
        std::max<uint64_t>(1, powerOfTwoIn(facts[d].divisibilityBytes) / elementBytes);
    uint64_t limit = std::min({powerOfTwoIn(facts[d].contiguity), aligned,
                               powerOfTwoIn(facts[d].maskConstancy), machineLimit});
    VectorAccess access = vectorAlong(layout, d, limit);
    if (access.width > best.width)
      best = access;
  }
  return best;
}
