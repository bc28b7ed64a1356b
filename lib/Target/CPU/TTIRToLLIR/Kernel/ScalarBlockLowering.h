//===- ScalarBlockLowering.h - lowers regions that run per element --------===//
// The region of a reduction, scan or map that cannot be applied to vectors is lowered as scalar
// code, control flow included. KernelLowering implements this interface, and ops with such regions
// use it.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Block.h"

namespace tessera::cpu {

class ScalarBlockLowering {
public:
  /// Lowers the ops of a block of scalars, except its terminator, at the insertion point. The
  /// block's arguments are in the KernelContext before, and the terminator's operands afterwards.
  virtual void lowerScalarBlock(mlir::Block &block) = 0;

protected:
  ~ScalarBlockLowering() = default;
};

} // namespace tessera::cpu
