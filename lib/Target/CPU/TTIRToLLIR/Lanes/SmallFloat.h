//===- SmallFloat.h - floats narrower than 32 bits on the CPU -------------===//
// f16, bf16 and the fp8 formats are represented in memory and in registers as integers of their
// width. Arithmetic widens to f32, computes, and rounds back after each operation, as GPUs do.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/SmallFloat.h"
#include "tessera/Target/CPU/Spec.h"

namespace tessera::cpu {

inline mlir::Value widenFloat(LaneBuilder &b, mlir::Value value, mlir::Type type,
                              const CPUSpec &spec) {
  return tessera::widenFloat(b, value, type, spec.halfConversions);
}

inline mlir::Value narrowFloat(LaneBuilder &b, mlir::Value value, mlir::Type type,
                               Rounding rounding, const CPUSpec &spec) {
  return tessera::narrowFloat(b, value, type, rounding, spec.halfConversions);
}

} // namespace tessera::cpu
