//===- SharedBase.h - addresses in the CTA's shared memory ----------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"

namespace tessera {

/// The address of byte `offset` of the kernel's shared memory.
mlir::Value emitSharedBase(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                           unsigned offset);

} // namespace tessera
