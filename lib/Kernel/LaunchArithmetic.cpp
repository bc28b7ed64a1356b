//===- LaunchArithmetic.cpp - evaluating the recipes of tensor maps -------===//
#include "tessera/Kernel/LaunchArithmetic.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace tessera {

using Kind = LaunchExpression::Kind;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

llvm::StringRef spellingOf(Kind kind) {
  switch (kind) {
  case Kind::Argument:
  case Kind::Number:
    return "";
  case Kind::Add:
    return "+";
  case Kind::Subtract:
    return "-";
  case Kind::Multiply:
    return "*";
  case Kind::Divide:
    return "/";
  case Kind::FloorDivide:
    return "floordiv";
  case Kind::CeilDivide:
    return "cdiv";
  case Kind::Remainder:
    return "%";
  case Kind::Min:
    return "min";
  case Kind::Max:
    return "max";
  case Kind::Narrow:
    return "i32";
  case Kind::Unsigned:
    return "u32";
  }
  return "";
}

std::optional<Kind> parseOperation(llvm::StringRef spelling) {
  for (uint32_t kind = uint32_t(Kind::Add); kind <= uint32_t(LaunchExpression::kLastKind); ++kind)
    if (spellingOf(Kind(kind)) == spelling)
      return Kind(kind);
  return std::nullopt;
}

unsigned operandCount(Kind kind) {
  if (kind == Kind::Argument || kind == Kind::Number)
    return 0;
  return kind == Kind::Narrow || kind == Kind::Unsigned ? 1 : 2;
}

/// A division that rounds towards zero, -infinity or +infinity, or its remainder.
static std::optional<int64_t> divide(Kind kind, int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return std::nullopt;
  int64_t quotient = a / b, rest = a % b;
  bool isNegative = (rest < 0) != (b < 0);
  switch (kind) {
  case Kind::FloorDivide:
    return quotient - (rest != 0 && isNegative);
  case Kind::CeilDivide:
    return quotient + (rest != 0 && !isNegative);
  case Kind::Remainder:
    return rest;
  default:
    return quotient;
  }
}

std::optional<int64_t> applyOperation(Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case Kind::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Kind::Subtract:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Kind::Multiply:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Kind::Min:
    return std::min(a, b);
  case Kind::Max:
    return std::max(a, b);
  case Kind::Narrow:
    return int32_t(a) == a ? std::optional(a) : std::nullopt;
  case Kind::Unsigned:
    return int64_t(uint32_t(a));
  default:
    return divide(kind, a, b);
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool isWellFormedExpression(const LaunchExpression::Term *terms, size_t count,
                            size_t argumentCount) {
  unsigned depth = 0;
  for (size_t i = 0; i < count; ++i) {
    const LaunchExpression::Term &term = terms[i];
    if (term.kind > LaunchExpression::kLastKind || operandCount(term.kind) > depth)
      return false;
    if (term.kind == Kind::Argument && (term.value < 0 || size_t(term.value) >= argumentCount))
      return false;
    depth += 1 - operandCount(term.kind);
    if (depth > kMaxExpressionDepth)
      return false;
  }
  return depth == 1;
}

std::optional<int64_t> evaluateExpression(const LaunchExpression::Term *terms, size_t count,
                                          const int64_t *arguments) {
  int64_t stack[kMaxExpressionDepth];
  unsigned depth = 0;
  for (size_t i = 0; i < count; ++i) {
    const LaunchExpression::Term &term = terms[i];
    unsigned operands = operandCount(term.kind);
    if (operands == 0) {
      stack[depth++] = term.kind == Kind::Number ? term.value : arguments[term.value];
      continue;
    }
    depth -= operands;
    std::optional<int64_t> result =
        applyOperation(term.kind, stack[depth], stack[depth + operands - 1]);
    if (!result)
      return std::nullopt;
    stack[depth++] = *result;
  }
  return stack[0];
}

int64_t readInteger(const void *from, unsigned bytes, bool isSigned) {
  uint64_t bits = 0;
  switch (bytes) { // constant sizes become plain loads
  case 1:
    std::memcpy(&bits, from, 1);
    break;
  case 2:
    std::memcpy(&bits, from, 2);
    break;
  case 4:
    std::memcpy(&bits, from, 4);
    break;
  default:
    std::memcpy(&bits, from, 8);
  }
  unsigned unused = 64 - 8 * bytes;
  return isSigned ? int64_t(bits << unused) >> unused : int64_t(bits);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

unsigned tensorMapElementBytes(llvm::StringRef type) {
  static constexpr std::pair<std::string_view, unsigned> kSizes[] = {
      {"u8", 1},  {"u16", 2}, {"f16", 2}, {"bf16", 2}, {"u32", 4},
      {"s32", 4}, {"f32", 4}, {"u64", 8}, {"s64", 8},  {"f64", 8}};
  for (const auto &[name, bytes] : kSizes)
    if (type == llvm::StringRef(name))
      return bytes;
  return 0;
}

/// The limits of cuTensorMapEncodeTiled (CUDA driver API, "Tensor map object management").
const char *whyNoTensorMap(const TensorMapValues &values, unsigned rank, long long &value) {
  constexpr uint64_t kAlignment = 16, kMaxExtent = uint64_t(1) << 32,
                     kMaxStride = uint64_t(1) << 40;
  value = (long long)values.base;
  if (values.base == 0 || values.base % kAlignment != 0)
    return "the address %llu is null or no multiple of 16";
  for (unsigned dim = 0; dim < rank; ++dim) {
    value = (long long)values.extents[dim];
    if (value <= 0 || values.extents[dim] > kMaxExtent)
      return "an extent is %lld, not 1 to 2^32";
  }
  for (unsigned dim = 0; dim + 1 < rank; ++dim) {
    value = (long long)values.strides[dim];
    if (value <= 0 || uint64_t(value) >= kMaxStride || uint64_t(value) % kAlignment != 0)
      return "a stride is %lld bytes, and tensor maps take multiples of 16 from 16 to 2^40";
  }
  return nullptr;
}

/// CUtensorMapDataType
static int elementCode(llvm::StringRef type) {
  static constexpr std::string_view kTypes[] = {"u8",  "u16", "u32", "s32", "u64",
                                                "s64", "f16", "f32", "f64", "bf16"};
  return int(std::find(std::begin(kTypes), std::end(kTypes), std::string_view(type)) - kTypes);
}

/// The number of a power of two: 0 for 0, 1 for `first`, 2 for twice that.
static int powerCode(uint32_t bytes, uint32_t first) {
  return bytes == 0 ? 0 : std::countr_zero(bytes) - std::countr_zero(first) + 1;
}

TensorMapCodes tensorMapCodes(llvm::StringRef type, uint32_t swizzle, uint32_t l2Bytes,
                              bool fillsWithNaN) {
  // CUtensorMapSwizzle: none, 32, 64 or 128 bytes; CUtensorMapL2promotion: none, 64, 128 or 256.
  return {elementCode(type), powerCode(swizzle, 32), powerCode(l2Bytes, 64), int(fillsWithNaN)};
}

} // namespace tessera
