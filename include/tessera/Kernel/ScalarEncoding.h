//===- ScalarEncoding.h - values of scalar types as bytes -----------------===//
// How values lie in host memory and in kernel arguments, with correctly rounded
// conversions between a double and each float type.
//
//   encodeFloat(DType::BF16, 1.0, bytes)   3f80
//   encodeInt(DType::Int16, -2, bytes)     fffe
//
// A bool is stored as one byte, 0 or 1.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/DType.h"
#include <cstddef>
#include <cstdint>

namespace tessera {

/// The range of an integer type or bool. The largest value is unsigned, so that u64's fits.
int64_t smallestInt(DType type);
uint64_t largestInt(DType type);
/// The largest finite value of a float type.
double largestFloat(DType type);

/// Rounds to nearest, ties to even, once. Too large a value becomes infinity, NaN where the
/// format has no infinity, and 1.75 in fp8e4b15, which rounds as the conversions in kernels do.
void encodeFloat(DType type, double value, void *to);
void encodeFloats(DType type, const double *values, size_t count, void *to);
double decodeFloat(DType type, const void *from);
/// Truncates to the type's width, as a C cast does.
void encodeInt(DType type, uint64_t value, void *to);
void encodeInts(DType type, const int64_t *values, size_t count, void *to);
/// Sign- or zero-extended.
int64_t decodeInt(DType type, const void *from);

} // namespace tessera
