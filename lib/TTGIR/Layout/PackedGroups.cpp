//===- PackedGroups.cpp - elements in a row that one thread holds ---------===//
#include "tessera/TTGIR/Layout/PackedGroups.h"
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

std::optional<PackedGroups> tessera::packRegisters(const LinearLayout &layout, unsigned size) {
  unsigned total = 1u << layout.totalOutBits();
  uint64_t inGroup = std::min(size, total) - 1;
  for (Dim level : {Dim::lane(), Dim::warp(), Dim::block()})
    for (unsigned bit = 0; bit < layout.inBits(level); ++bit)
      if (rowMajorBasis(layout, level, bit) & inGroup)
        return std::nullopt;

  // What threads add does not touch the group's bits: registers decide alone.
  std::map<uint64_t, unsigned> holder; // by place
  PackedGroups packed;
  for (uint64_t reg = 0; reg < layout.inSize(Dim::reg()); ++reg) {
    uint64_t place = 0;
    for (unsigned bit = 0; bit < layout.inBits(Dim::reg()); ++bit)
      if (reg >> bit & 1)
        place ^= rowMajorBasis(layout, Dim::reg(), bit);
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
