//===- ScalarBlockLowering.h - lowers regions that run per element --------===//
// The region of a reduction, scan or map that cannot be applied to vectors is
// lowered as scalar code, control flow included. KernelLowering implements this;
// ops that have such regions are given it.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Block.h"

namespace tessera::cpu {

class ScalarBlockLowering {
public:
  /// Lowers the ops of a block of scalars, its terminator excepted, at the builder's place. The
  /// block's arguments are known to the KernelContext before, the terminator's operands afterwards.
  virtual void lowerScalarBlock(mlir::Block &block) = 0;

protected:
  ~ScalarBlockLowering() = default;
};

} // namespace tessera::cpu
