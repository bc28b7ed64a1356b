//===- PointerOrigin.h - which argument a pointer comes from --------------===//
// Follows a pointer, or a tensor of pointers, back through arithmetic, shape
// ops and control flow to the kernel's arguments.
//
//   %p = tt.splat %x ; %q = tt.addptr %p, %o          %q comes from %x
//   %r = arith.select %c, %x, %y                      %r from more than one
//   %s = tt.load %table                               %s from memory
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tessera::cpu {

struct PointerOrigin {
  /// The index of the only argument that the pointer can come from; nothing if there are several,
  /// or if it is not known.
  std::optional<unsigned> argument = {};
  /// The pointer may come from elsewhere: it was loaded from memory, or converted from an integer.
  bool isForeign = false;
};

class PointerOrigins {
public:
  /// Cost: linear in the ops that compute the pointer, once.
  PointerOrigin find(mlir::Value pointer);

private:
  llvm::DenseMap<mlir::Value, PointerOrigin> known;
};

} // namespace tessera::cpu
