//===- AxisNumbers.h - powers of two that do not overflow -----------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include <bit>

namespace tessera {

/// 2^exponent, or the largest there is.
inline int64_t twoTo(unsigned exponent) {
  return exponent >= 62 ? AxisInfo::unlimited : int64_t(1) << exponent;
}

/// The largest power of two that divides `value`; of zero, the largest there is.
inline int64_t powerOfTwoIn(int64_t value) {
  return twoTo(std::countr_zero(static_cast<uint64_t>(value)));
}

/// The product of two powers of two.
inline int64_t saturatingProduct(int64_t a, int64_t b) {
  return twoTo(std::countr_zero(static_cast<uint64_t>(a)) +
               std::countr_zero(static_cast<uint64_t>(b)));
}

/// The shape, with a scalar (or a tensor of rank 0) as one dimension of size 1.
llvm::SmallVector<int64_t> axisSizes(mlir::Type type);

} // namespace tessera
