//===- Sigmoids.h - polynomials of tanh and erf for f32 -------------------===//
// Both functions are odd, and tend to 1. Near 0 they are x times a polynomial of x²; from the cut
// on they are 1 minus an exponential, which each target computes in its own way:
//
//   tanh(x) = 1 - 2 / (e^2x + 1)     erf(x) = 1 - 2^q(x), q a polynomial
//
// The coefficients are minimax fits (Lawson's iteration, 40 digits), rounded to f32. Works on any
// number of lanes.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera {

/// Evaluates coefficients[0] + x · coefficients[1] + ...
mlir::Value evaluatePolynomial(LaneBuilder &b, mlir::Value x, llvm::ArrayRef<double> coefficients);

constexpr double kTanhCut = 0.75, kErfCut = 0.9;

/// Computes tanh(x) for |x| <= kTanhCut.
mlir::Value emitTanhNearZero(LaneBuilder &b, mlir::Value x);
/// Computes erf(x) for |x| <= kErfCut.
mlir::Value emitErfNearZero(LaneBuilder &b, mlir::Value x);

/// Computes log2(1 - erf(x)) on [kErfCut, 4]; beyond 4, 1 - erf(x) is less than half an ulp of 1.
mlir::Value emitLogOfErfc(LaneBuilder &b, mlir::Value x);

/// Joins the parts of an odd function: `small` for |x| < cut and for NaN, otherwise `large`, which
/// is of |x|. The sign is that of x, also of zeros.
mlir::Value joinAt(LaneBuilder &b, mlir::Value x, double cut, mlir::Value small, mlir::Value large);

} // namespace tessera
