//===- Polynomials.h - inline exp, log, tanh, erf and pow of f32 ---------===//
// The code has no branches and works for any number of lanes; results have the same bits for every
// number of lanes. It needs no table in memory and no call, so a fused loop keeps its values in
// registers.
//
//            largest error over all 2^32 arguments, in ulps of the result
//   exp      1.08    exp2     0.90    log   1.01    log2   1.15
//   tanh     1.07    erf      1.82    pow   0.97 (of 2^27 random pairs)
//
// (erf: 1.28 without AVX-512. Without fused multiply-add the errors of log2 and erf grow by half an
// ulp.) The kernel in test/run/kernels/accuracy.py measures these errors. Infinities, NaN, zeros of
// both signs, and subnormal arguments and results are as in C.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"
#include "tessera/Target/CPU/Spec.h"

namespace tessera::cpu {

/// Returns the function with libm's name `function` (for doubles) at `x`, f32 lanes; null if it is
/// none of the above.
mlir::Value emitPolynomial(LaneBuilder &b, llvm::StringRef function, mlir::Value x,
                           const CPUSpec &spec);

/// Returns x to the power of y (f32 lanes) or of n (i32 lanes).
mlir::Value emitPower(LaneBuilder &b, mlir::Value x, mlir::Value y, const CPUSpec &spec);
mlir::Value emitIntegerPower(LaneBuilder &b, mlir::Value x, mlir::Value n, const CPUSpec &spec);

} // namespace tessera::cpu
