//===- SmallFloat.h - floats narrower than 32 bits ------------------------===//
// f16, bf16 and the fp8 formats live in memory and in registers as integers of
// their width. Arithmetic widens to f32, computes, and rounds back, once per
// operation as the GPU does. Conversions are integer arithmetic in line, so
// that objects need no compiler-rt; f16 uses the processor's instructions
// where it has them.
//===----------------------------------------------------------------------===//
#pragma once

#include "LaneBuilder.h"
#include "tessera/Target/CPU/Spec.h"

namespace tessera::cpu {

enum class Rounding { NearestEven, TowardZero };

/// f16, bf16, f8*: floats that are kept as bits.
bool isSmallFloat(mlir::Type type);

/// `value`, whose lanes have the source type `type` (any float), as f32 or f64.
/// Small floats become f32, exactly; f32 and f64 stay.
mlir::Value widenFloat(LaneBuilder &b, mlir::Value value, mlir::Type type, const CPUSpec &spec);

/// `value` (f32 or f64 lanes) rounded to `type`. Too large for f16 or bf16
/// gives infinity; too large for an fp8 format gives its largest number, as
/// the GPU's conversions do.
mlir::Value narrowFloat(LaneBuilder &b, mlir::Value value, mlir::Type type, Rounding rounding,
                        const CPUSpec &spec);

} // namespace tessera::cpu
