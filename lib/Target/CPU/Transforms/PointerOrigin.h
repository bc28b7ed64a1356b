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
  /// The number of the only argument that the pointer can come from; nothing when there are
  /// several, or when it is not known.
  std::optional<unsigned> argument = {};
  /// It may come from elsewhere than arguments: it was loaded from memory, or made of an integer.
  bool isForeign = false;
};

class PointerOrigins {
public:
  /// Cost: linear in the ops behind the pointer, once.
  PointerOrigin find(mlir::Value pointer);

private:
  llvm::DenseMap<mlir::Value, PointerOrigin> known;
};

} // namespace tessera::cpu
