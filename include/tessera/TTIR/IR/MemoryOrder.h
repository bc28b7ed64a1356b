//===- MemoryOrder.h - which side of an atomic a memory order holds -------===//
#pragma once

#include "tessera/TTIR/IR/TTAttrs.h"

namespace tessera::tt {

/// Whether accesses before the atomic stay before it.
inline bool releases(MemSemantic order) {
  return order == MemSemantic::Release || order == MemSemantic::AcquireRelease;
}

/// Whether accesses after the atomic stay after it.
inline bool acquires(MemSemantic order) {
  return order == MemSemantic::Acquire || order == MemSemantic::AcquireRelease;
}

} // namespace tessera::tt
