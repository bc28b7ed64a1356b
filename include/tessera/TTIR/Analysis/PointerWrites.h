//===- PointerWrites.h - which of a kernel's pointers it writes through ---===//
// For callers that must know what a launch may change: autotuning saves a copy of these arrays
// only, a C header declares the others `const`, and a read-only array may be passed only for those.
//
//   tt.func public @k(%x, %out, %n) {          readOnly = {true, false, false}
//     %a = tt.load (addptr %x, ...)            onlyThroughArguments = true
//     tt.store (addptr %out, ...), %a
//
// A pointer is followed through arithmetic, shape ops, selections, descriptors and block pointers,
// loops, branches and calls. It is read-only if all values computed from it are used only by loads,
// prints and assertions. All other uses count as writes: stores and atomics, but also inline
// assembly and foreign functions, conversion to an integer, and storing the pointer to memory.
//
// Pointers that come from elsewhere (converted from integers, loaded from memory, returned by
// assembly) may point anywhere. If the kernel writes through one of them, or contains assembly that
// is not pure, then nothing is known about which memory it leaves unchanged.
//
// Two arguments may point to the same memory: the results are about pointers, not about memory.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera {

struct PointerWrites {
  /// For each argument that a launch passes (docs/abi.md), in order: whether it is a pointer that
  /// is only read through. A descriptor counts as its base and 2r numbers.
  llvm::SmallVector<bool> readOnly;
  /// True if all memory that the kernel writes is reached through arguments that are not read-only.
  bool onlyThroughArguments = false;
};

/// Requires: TTIR that verifies, with the callees of `kernel` in the same module. Cost: for each
/// pointer argument, linear in the uses of the values computed from it.
PointerWrites findPointerWrites(tt::FuncOp kernel);

} // namespace tessera
