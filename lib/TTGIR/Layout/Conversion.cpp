//===- Conversion.cpp - what it takes to move a tensor between layouts ----===//
#include "tessera/TTGIR/Layout/Conversion.h"

using namespace tessera;

std::optional<Conversion> tessera::planConversion(const LinearLayout &src,
                                                  const LinearLayout &dst) {
  const std::pair<Dim, ConversionReach> farToNear[] = {
      {Dim::block(), ConversionReach::Block},
      {Dim::warp(), ConversionReach::Warp},
      {Dim::lane(), ConversionReach::Lane},
      {Dim::reg(), ConversionReach::Register},
  };
  LinearLayout from = src, to = dst;
  for (auto [dim, reach] : farToNear) {
    from = from.unsqueezeIn(dim);
    to = to.unsqueezeIn(dim);
  }
  std::optional<LinearLayout> map = to.invertAndCompose(from);
  if (!map)
    return std::nullopt;
  for (auto [dim, reach] : farToNear) {
    std::optional<LinearLayout> rest = map->quotient({dim});
    if (!rest)
      return Conversion{reach, *map};
    map = rest;
  }
  return Conversion{ConversionReach::None, *map};
}
