//===- MemoryOrder.h - which side of an atomic a memory order holds -------===//
#pragma once

#include "tessera/TTIR/IR/TTAttrs.h"

namespace tessera::tt {

/// Returns whether earlier accesses must not move after the atomic.
inline bool releases(MemSemantic order) {
  return order == MemSemantic::Release || order == MemSemantic::AcquireRelease;
}

/// Returns whether later accesses must not move before the atomic.
inline bool acquires(MemSemantic order) {
  return order == MemSemantic::Acquire || order == MemSemantic::AcquireRelease;
}

} // namespace tessera::tt
