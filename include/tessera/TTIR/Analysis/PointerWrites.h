//===- PointerWrites.h - which of a kernel's pointers it writes through ---===//
// For callers that must know what a launch may change: autotuning keeps a copy of
// that and of nothing else, a C header says `const`, and an array that is read-only
// is passed only where it stays so.
//
//   tt.func public @k(%x, %out, %n) {          readOnly = {true, false, false}
//     %a = tt.load (addptr %x, ...)            onlyThroughArguments = true
//     tt.store (addptr %out, ...), %a
//
// A pointer is followed through arithmetic, shapes, selections, descriptors and block
// pointers, loops, branches and calls. It is read-only if all that is made from it
// ends in loads, prints or assertions. Everything else counts as a write: stores and
// atomics, but also assembly and foreign functions that take it, its being made a
// number, and its being put into memory.
//
// Pointers that come from elsewhere (made from numbers, loaded from memory, left by
// assembly) may point anywhere. Where one of them is written through, or assembly says
// that it is not pure, nothing is known of what the kernel leaves alone.
//
// Two arguments may point to the same memory: what is said here is of pointers.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera {

struct PointerWrites {
  /// Of each argument that a launch passes (docs/abi.md), in order, whether it is a pointer
  /// that is only read through. A descriptor is its base and 2r numbers.
  llvm::SmallVector<bool> readOnly;
  /// Whether all that the kernel writes is reached through arguments that are not read-only.
  bool onlyThroughArguments = false;
};

/// Requires: TTIR that verifies, with the functions that `kernel` calls in the same module.
/// Cost: for each pointer argument, linear in the uses of what is made from it.
PointerWrites findPointerWrites(tt::FuncOp kernel);

} // namespace tessera
