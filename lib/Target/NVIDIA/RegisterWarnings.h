//===- RegisterWarnings.h - tiles that no thread can hold -----------------===//
// A tile that a loop carries, such as an accumulator, stays in registers from
// one iteration to the next. If a thread's share is larger than its registers,
// ptxas spills it in every iteration, and often takes minutes for it. The
// warning comes before ptxas runs:
//
//   matmul.py:12:5: warning: each thread carries 512 registers of a fp32[256, 256] through this
//   loop, and has 255: the rest is spilled to memory, and ptxas may take minutes; use smaller tiles
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tessera::nvidia {

/// Returns the warning in short, for people who wait for ptxas; empty if there is none.
/// Requires: TTGIR with its final layouts. Cost: one walk over the loops.
std::string warnOfRegisters(mlir::ModuleOp module);

} // namespace tessera::nvidia
