//===- AxisNumbers.h - powers of two that do not overflow -----------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include <bit>

namespace tessera {

/// Returns 2^exponent, saturating.
inline int64_t twoTo(unsigned exponent) {
  return exponent >= 62 ? AxisInfo::unlimited : int64_t(1) << exponent;
}

/// Returns the largest power of two that divides `value`; for zero, the largest representable one.
inline int64_t powerOfTwoIn(int64_t value) {
  return twoTo(std::countr_zero(static_cast<uint64_t>(value)));
}

/// Returns the product of two powers of two, saturating.
inline int64_t saturatingProduct(int64_t a, int64_t b) {
  return twoTo(std::countr_zero(static_cast<uint64_t>(a)) +
               std::countr_zero(static_cast<uint64_t>(b)));
}

/// Returns the shape; a scalar (or a tensor of rank 0) has one dimension of size 1.
llvm::SmallVector<int64_t> axisSizes(mlir::Type type);

} // namespace tessera
