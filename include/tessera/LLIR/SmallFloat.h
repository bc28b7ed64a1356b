//===- SmallFloat.h - floats narrower than 32 bits ------------------------===//
// Conversions of f16, bf16 and the fp8 formats, represented as integers of their width, for targets
// without instructions: inline integer arithmetic, so that no library is needed. f16 uses the
// processor's instructions if it has them.
//
//   Value wide = widenFloat(b, byte, Float8E4M3FNType, /*hasHalfConversions=*/true);  // f32
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera {

enum class Rounding { NearestEven, TowardZero };

/// Returns whether the type is f16, bf16 or an fp8 type: a float that is represented as bits.
bool isSmallFloat(mlir::Type type);

/// Converts `value`, whose lanes have the source type `type` (any float), to f32 or f64. Small
/// floats become f32, exactly; f32 and f64 stay.
mlir::Value widenFloat(LaneBuilder &b, mlir::Value value, mlir::Type type, bool hasHalfConversions);

/// Rounds `value` (f32 or f64 lanes) to `type`. Overflow gives infinity for f16 and bf16, and the
/// largest number for fp8 formats, as the GPU's conversions do.
mlir::Value narrowFloat(LaneBuilder &b, mlir::Value value, mlir::Type type, Rounding rounding,
                        bool hasHalfConversions);

/// Rounds an integer once to the float type `to`; small floats are represented as bits.
mlir::Value convertInteger(LaneBuilder &b, mlir::Value value, mlir::Type to, bool isSigned,
                           bool hasHalfConversions);

} // namespace tessera
