//===- PackedGroups.cpp - groups of adjacent elements in one thread -------===//
#include "tessera/TTGIR/Layout/PackedGroups.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace tessera;
using llvm::SmallVector;

/// Returns the row-major offset by which bit `bit` of `level` moves.
static uint64_t rowMajorBasis(const LinearLayout &layout, Dim level, unsigned bit) {
  uint64_t place = 0;
  for (unsigned dim = 0; dim < layout.outs().size(); ++dim)
    place = place << layout.outBits(Dim::axis(dim)) | layout.basis(level, bit, Dim::axis(dim));
  return place;
}

/// Returns the bits of `place` outside of the group.
static uint64_t groupFirst(uint64_t place, llvm::ArrayRef<unsigned> groupBits) {
  uint64_t within = 0;
  for (auto [index, bit] : llvm::enumerate(groupBits)) {
    within |= (place >> bit & 1) << index;
    place &= ~(uint64_t(1) << bit);
  }
  return place << groupBits.size() | within;
}

/// Groups elements by bits of their row-major index.
static std::optional<PackedGroups> packByPlace(const LinearLayout &layout,
                                               llvm::ArrayRef<unsigned> groupBits) {
  uint64_t inGroup = (uint64_t(1) << groupBits.size()) - 1;
  for (Dim level : {Dim::lane(), Dim::warp(), Dim::block()})
    for (unsigned bit = 0; bit < layout.inBits(level); ++bit)
      if (groupFirst(rowMajorBasis(layout, level, bit), groupBits) & inGroup)
        return std::nullopt;

  // The threads' bits are disjoint from the group's bits, so registers alone decide.
  std::map<uint64_t, unsigned> holder; // by row-major index
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
    // A layout without the first or a middle element of a group lacks elements.
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
