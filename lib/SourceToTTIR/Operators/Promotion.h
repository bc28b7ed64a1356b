//===- Promotion.h - which type an operation computes in ------------------===//
// Two rules. Tensor with tensor: the first matching row of a fixed table
// (spec language.md 3.2). Tensor with a Python number: the number is weak and
// takes the tensor's type, unless it is of a higher kind (bool < int < float),
// in which case it gets its natural type and the first rule applies.
// Pure functions; nothing is emitted here.
//===----------------------------------------------------------------------===//
#pragma once

#include "../Values/Value.h"

namespace tessera {

/// Why two types have no common one.
struct PromotionError {
  std::string message;
};
using PromotionResult = std::variant<DType, PromotionError>;

/// `isDivision` is true for / // and %, which widen half precision and refuse
/// mixed signedness.
PromotionResult promoteTensors(DType lhs, DType rhs, bool isDivision);

/// The dtype a Python number has on its own: bool, then the first of i32, u32,
/// i64, u64 that holds it; fp32 where it is representable, else fp64. Nothing
/// for an int beyond 64 bits.
std::optional<DType> naturalType(const Value &number);

/// The common type of a tensor and a number.
PromotionResult promoteWithNumber(DType tensor, const Value &number, bool isDivision);

} // namespace tessera
