//===- KernelMemory.h - what a kernel does to global memory ---------------===//
// Tensor copies access global memory through the asynchronous proxy, which a kernel's own barriers
// do not order with accesses of threads. The passes that create copies ask here what else happens.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/PointerBase.h"
#include "tessera/TTIR/IR/TTOps.h"

namespace tessera::nvidia {

bool isVolatile(tt::LoadOp load);

/// Returns whether the kernel may wait until other programs have done something to memory: by an
/// atomic, a volatile load, or any access that decides how long a loop waits.
bool mayAcquire(tt::FuncOp kernel);

/// An access of an op to global memory.
struct GlobalAccess {
  enum Kind {
    None,
    Read,    ///< through `pointer`
    Write,   ///< through `pointer`, or an update
    Order,   ///< earlier accesses of the program come before later ones
    Unknown, ///< anything
  } kind = None;
  mlir::Value pointer = {};
  /// An update that is also an `Order`.
  bool releases = false;
};
GlobalAccess globalAccessOf(mlir::Operation *op);

} // namespace tessera::nvidia
