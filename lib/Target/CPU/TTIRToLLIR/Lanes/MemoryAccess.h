//===- MemoryAccess.h - one load or store of lanes ------------------------===//
// The four ways to touch memory, from cheap to dear: one scalar, consecutive
// elements, elements at a fixed distance, elements anywhere. Masked lanes are
// never touched. i1 is a byte in memory; everything else is as in registers.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera::cpu {

struct MemoryAccess {
  mlir::Type element;     // of the kernel: what the pointer points to
  mlir::Value pointer;    // to the first lane, or one per lane
  mlir::Value mask;       // i1 scalar or lanes; null for all
  unsigned lanes = 0;     // 0 for a scalar
  bool streaming = false; // bypass the caches; requires 64-byte alignment
  bool isVolatile = false;
};

/// How an element lies in memory: as convertElement() says, but i1 as a byte.
mlir::Type storageType(mlir::Type element);

/// Lanes that are masked off get `other`, or zero when it is null.
mlir::Value emitLoad(LaneBuilder &b, const MemoryAccess &access, mlir::Value other);
void emitStore(LaneBuilder &b, const MemoryAccess &access, mlir::Value value);

} // namespace tessera::cpu
