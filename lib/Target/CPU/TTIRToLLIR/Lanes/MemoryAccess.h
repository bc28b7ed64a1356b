//===- MemoryAccess.h - one load or store of lanes ------------------------===//
// The four kinds of memory access, from cheap to expensive: one scalar, consecutive elements,
// elements with a constant stride, and arbitrary addresses. Masked-off lanes access no memory. An
// i1 is a byte in memory; all other types are as in registers.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera::cpu {

struct MemoryAccess {
  mlir::Type element;     // the kernel's type that the pointer points to
  mlir::Value pointer;    // the first lane's pointer, or one per lane
  mlir::Value mask;       // i1 scalar or lanes; null for all lanes
  unsigned lanes = 0;     // 0 for a scalar
  bool streaming = false; // non-temporal; requires 64-byte alignment
  bool isVolatile = false;
};

/// Returns the type of an element in memory: that of convertElement(), but a byte for i1.
mlir::Type storageType(mlir::Type element);

/// Lanes that are masked off get `other`, or zero if it is null.
mlir::Value emitLoad(LaneBuilder &b, const MemoryAccess &access, mlir::Value other);
void emitStore(LaneBuilder &b, const MemoryAccess &access, mlir::Value value);

} // namespace tessera::cpu
