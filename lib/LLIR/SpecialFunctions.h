//===- SpecialFunctions.h - functions that libm lacks ---------------------===//
// Each works on f64 lanes, with LLVM operations and libm's erf, erfc, exp, log and sin. f32 lanes
// are computed in f64 and rounded: the result is correctly rounded except in rare halfway cases.
//
//            largest error seen, in ulps of f64 (6000 arguments, 50 digits)
//   sinpi, cospi                    3        norm3d, norm4d, rhypot, ...   2
//   erfinv, erfcinv, normcdfinv     3.1      normcdf, erfcx, rcbrt         3.4
//   cyl_bessel_i0, cyl_bessel_i1    6
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/MathLibrary.h"

namespace tessera {

/// Returns the function with this name for doubles ("norm3d", "erfcinv") at f64 lanes; null if
/// there is none.
mlir::Value emitSpecialFunction(LaneBuilder &b, llvm::StringRef name,
                                llvm::ArrayRef<mlir::Value> args, MathLibrary &library);

} // namespace tessera
