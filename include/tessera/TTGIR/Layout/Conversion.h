//===- Conversion.h - what it takes to move a tensor between layouts ------===//
//   src: lane bit 0 -> 1, register bit 0 -> 2     dst: the other way round
//     planConversion: register 1 <- lane 1, lane 1 <- register 1: reach Lane
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// How far values travel: not at all, between registers of a thread, between lanes of
/// a warp, between warps of a CTA, between CTAs of a cluster.
enum class ConversionReach { None, Register, Lane, Warp, Block };

struct Conversion {
  ConversionReach reach = ConversionReach::None;
  /// For each place of the destination, the place of the source to fetch from. Only
  /// dimensions within reach are left; beyond it, every place fetches from itself.
  LinearLayout map;
};

/// Nothing if src does not hold all elements that dst needs.
std::optional<Conversion> planConversion(const LinearLayout &src, const LinearLayout &dst);

} // namespace tessera
