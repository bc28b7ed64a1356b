//===- PackedGroups.cpp - elements in a row that one thread holds ---------===//
#include "tessera/TTGIR/Layout/PackedGroups.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace tessera;
using llvm::SmallVector;

/// The place in row-major order of what bit `bit` of `level` moves by.
static uint64_t rowMajorBasis(const LinearLayout &layout, Dim level, unsigned bit) {
  uint64_t place = 0;
  for (unsigned dim = 0; dim < layout.outs().size(); ++dim)
    place = place << layout.outBits(Dim::axis(dim)) | layout.basis(level, bit, Dim::axis(dim));
  return place;
}

/// The bits of `place` outside of the group, above its place within the group.
static uint64_t groupFirst(uint64_t place, llvm::ArrayRef<unsigned> groupBits) {
  uint64_t within = 0;
  for (auto [index, bit] : llvm::enumerate(groupBits)) {
    within |= (place >> bit & 1) << index;
    place &= ~(uint64_t(1) << bit);
  }
  return place << groupBits.size() | within;
}

/// Groups by bits of the place in row-major order.
static std::optional<PackedGroups> packByPlace(const LinearLayout &layout,
                                               llvm::ArrayRef<unsigned> groupBits) {
  uint64_t inGroup = (uint64_t(1) << groupBits.size()) - 1;
  for (Dim level : {Dim::lane(), Dim::warp(), Dim::block()})
    for (unsigned bit = 0; bit < layout.inBits(level); ++bit)
      if (groupFirst(rowMajorBasis(layout, level, bit), groupBits) & inGroup)
        return std::nullopt;

  // What threads add does not touch the group's bits: registers decide alone.
  std::map<uint64_t, unsigned> holder; // by place
  PackedGroups packed;
  for (uint64_t reg = 0; reg < layout.inSize(Dim::reg()); ++reg) {
    uint64_t place = 0;
    for (unsigned bit = 0; bit < layout.inBits(Dim::reg()); ++bit)
      if (reg >> bit & 1)
        place ^= rowMajorBasis(layout, Dim::reg(), bit);
    place = groupFirst(place, groupBits);
    packed.holder.push_back(holder.insert({place, static_cast<unsigned>(reg)}).first->second);
  }
  for (auto [place, reg] : holder) {
    if ((place & inGroup) == 0)
      packed.groups.emplace_back();
    // Without the first of a group, or one between, the layout lacks elements.
    if (packed.groups.empty() || packed.groups.back().size() != (place & inGroup))
      return std::nullopt;
    packed.groups.back().push_back(reg);
  }
  if (packed.groups.back().size() != inGroup + 1)
    return std::nullopt;
  return packed;
}

std::optional<PackedGroups> tessera::packRegisters(const LinearLayout &layout, unsigned size) {
  SmallVector<unsigned> groupBits;
  for (unsigned bit = 0; bit < layout.totalOutBits() && (1u << bit) < size; ++bit)
    groupBits.push_back(bit);
  return packByPlace(layout, groupBits);
}

std::optional<PackedGroups> tessera::packRegisters(const LinearLayout &layout,
                                                   llvm::ArrayRef<TensorBit> bits) {
  SmallVector<unsigned> groupBits;
  for (TensorBit bit : bits) {
    if (bit.axis >= layout.outs().size() || bit.bit >= layout.outBits(Dim::axis(bit.axis)))
      return std::nullopt;
    unsigned place = bit.bit;
    for (unsigned dim = bit.axis + 1; dim < layout.outs().size(); ++dim)
      place += layout.outBits(Dim::axis(dim));
    groupBits.push_back(place);
  }
  return packByPlace(layout, groupBits);
}
