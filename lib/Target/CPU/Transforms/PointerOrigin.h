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

class PointerOrigins {
public:
  /// The number of the only argument that `pointer` can come from; nothing when
  /// there are several, or when it is not known. Cost: linear in the ops behind
  /// it, once.
  std::optional<unsigned> find(mlir::Value pointer);

private:
  llvm::DenseMap<mlir::Value, std::optional<unsigned>> known;
};

} // namespace tessera::cpu
