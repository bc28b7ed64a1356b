//===- SharedMemory.h - who uses which bytes of shared memory -------------===//
// ttg-allocate-shared-memory decides once and writes the decision into the IR:
// `allocation.offset` on each op that needs a buffer, `ttg.shared` (bytes in
// all) on the module. The lowering only reads it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGDialect.h"
#include <optional>

namespace tessera {

/// Where the op's buffer starts; nothing before the allocation, or for an op that
/// needs none.
inline std::optional<unsigned> getSharedOffset(mlir::Operation *op) {
  auto attr = op->getAttrOfType<mlir::IntegerAttr>(ttg::kAllocationOffsetAttr);
  return attr ? std::optional<unsigned>(attr.getInt()) : std::nullopt;
}

/// Every buffer starts at a multiple of this many bytes: the widest access.
inline constexpr unsigned kSharedAlignment = 16;

} // namespace tessera
