//===- GatherPlan.h - plan a gather along one dimension ------------------===//
// The source is in shared memory in row-major order. The element for a register of the result is at
// the register's own coordinates, with the index in place of the coordinate along the axis:
//
//   offset = rows(register, thread) ^ (index % extent) * stride
//
// If every thread finds its row in its own warp, only the warp synchronises.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

struct GatherPlan {
  /// (register, lane, warp) -> offset: of the source, and of the result with index 0.
  LinearLayout stores;
  LinearLayout rows;
  /// The size and stride of the source's axis, both powers of two.
  uint64_t extent = 1;
  uint64_t stride = 1;
  /// The total number of elements.
  uint64_t size = 1;
  /// Every warp holds the rows that it reads.
  bool withinWarp = false;
};

/// Returns nothing if a row is in another CTA of the cluster than its reader, or in several.
std::optional<GatherPlan> planGather(const LinearLayout &source, const LinearLayout &result,
                                     unsigned axis);

} // namespace tessera
