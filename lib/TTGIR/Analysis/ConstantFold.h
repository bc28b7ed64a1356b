//===- ConstantFold.h - integer ops on two known numbers ------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include <cstdint>
#include <optional>

namespace tessera {

/// Returns the signed value of a binary arith op on two signed values of `bits` bits (a comparison
/// gives 0 or -1, as an i1 does). Nothing for other ops, or if the result is undefined.
std::optional<int64_t> foldInteger(mlir::Operation *op, int64_t lhs, int64_t rhs, unsigned bits);

/// Converts `value` from `fromBits` to `toBits` bits. Nothing beyond 64 bits.
std::optional<int64_t> castConstant(int64_t value, unsigned fromBits, unsigned toBits,
                                    bool zeroExtends);

} // namespace tessera
