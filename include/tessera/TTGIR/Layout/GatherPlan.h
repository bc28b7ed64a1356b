//===- GatherPlan.h - elements by their index along one dimension ---------===//
// The source lies in shared memory in row-major order. The element that a register of
// the result wants is where its own coordinates say, with the index in place of the
// coordinate along the axis:
//
//   offset = rows(register, thread) ^ (index % extent) * stride
//
// Where every thread finds its row in its own warp, only the warp waits.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

struct GatherPlan {
  /// (register, lane, warp) -> offset: of the source, and of the result with index 0.
  LinearLayout stores;
  LinearLayout rows;
  /// Of the source's axis, both powers of two.
  uint64_t extent = 1;
  uint64_t stride = 1;
  /// Elements in all.
  uint64_t size = 1;
  /// Every warp holds the rows that it asks for.
  bool withinWarp = false;
};

/// Nothing if a row lies in another block of the cluster than who asks for it, or in
/// several.
std::optional<GatherPlan> planGather(const LinearLayout &source, const LinearLayout &result,
                                     unsigned axis);

} // namespace tessera
