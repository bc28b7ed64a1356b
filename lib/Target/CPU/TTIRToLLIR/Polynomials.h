//===- Polynomials.h - exp, log, tanh and erf of f32, in line -------------===//
// Branch-free, for any number of lanes, and the same bits for every number of
// them. No table, no call: a fused loop keeps its values in registers.
//
//            largest error over all 2^32 arguments, in ulps of the result
//   exp      1.0     exp2     1.0     log   1.0     log2   1.5
//   tanh     2.4     erf      2.5
//
// (With fused multiply-add; bench/cpu/accuracy.py measures it.) Infinities,
// NaN, zeros of both signs, subnormal arguments and results are as in C.
//===----------------------------------------------------------------------===//
#pragma once

#include "LaneBuilder.h"
#include "tessera/Target/CPU/Spec.h"

namespace tessera::cpu {

/// The function that libm calls `function` (for doubles) at `x`, f32 lanes; null
/// if it is none of the above.
mlir::Value emitPolynomial(LaneBuilder &b, llvm::StringRef function, mlir::Value x,
                           const CPUSpec &spec);

} // namespace tessera::cpu
