//===- PointerBase.h - the memory that a pointer leads to -----------------===//
// Pointers that are computed from different arguments of a kernel are taken to lead to different
// memory, as are those that the kernel reads from arrays of addresses:
//
//   %p = tt.addptr %c, %i                                  base: %c
//   %q = tt.int_to_ptr (tt.load (tt.addptr %table, %g))    base: what %table's elements point to
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"

namespace tessera {

struct PointerBase {
  /// An argument of the kernel; null if the memory is unknown.
  mlir::Value argument;
  /// The argument's memory holds the addresses.
  bool isLoaded = false;

  explicit operator bool() const { return static_cast<bool>(argument); }
  bool operator==(const PointerBase &other) const {
    return argument == other.argument && isLoaded == other.isLoaded;
  }
  /// Returns whether accesses through both may touch the same memory.
  bool mayAlias(const PointerBase &other) const { return !*this || !other || *this == other; }
};

/// Returns the base of a pointer or a tensor of pointers, of one base in all. A pointer that loops
/// carry or branches choose must have the same base on all paths. Cost: linear in the ops that
/// compute the pointer.
PointerBase findPointerBase(mlir::Value pointer);

} // namespace tessera
