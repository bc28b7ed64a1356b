//===- SmallFloat.h - floats narrower than 32 bits ------------------------===//
// Conversions of f16, bf16 and the fp8 formats, given as integers of their width,
// for targets without instructions: integer arithmetic in line, so that nothing
// needs a library. f16 uses the processor's instructions where it has them.
//
//   Value wide = widenFloat(b, byte, Float8E4M3FNType, /*hasHalfConversions=*/true);  // f32
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera {

enum class Rounding { NearestEven, TowardZero };

/// f16, bf16, f8*: floats that are kept as bits.
bool isSmallFloat(mlir::Type type);

/// `value`, whose lanes have the source type `type` (any float), as f32 or f64.
/// Small floats become f32, exactly; f32 and f64 stay.
mlir::Value widenFloat(LaneBuilder &b, mlir::Value value, mlir::Type type, bool hasHalfConversions);

/// `value` (f32 or f64 lanes) rounded to `type`. Too large for f16 or bf16
/// gives infinity; too large for an fp8 format gives its largest number, as
/// the GPU's conversions do.
mlir::Value narrowFloat(LaneBuilder &b, mlir::Value value, mlir::Type type, Rounding rounding,
                        bool hasHalfConversions);

/// An integer rounded once to the float type `to`, small ones as bits.
mlir::Value convertInteger(LaneBuilder &b, mlir::Value value, mlir::Type to, bool isSigned,
                           bool hasHalfConversions);

} // namespace tessera
