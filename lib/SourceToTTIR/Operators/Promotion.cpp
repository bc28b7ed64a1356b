//===- Promotion.cpp - which type an operation computes in ----------------===//
// The tables of spec language.md 3.1 and 3.2, row by row.
//===----------------------------------------------------------------------===//
#include "Promotion.h"
#include "llvm/ADT/Twine.h"
#include <cmath>
#include <limits>

using namespace tessera;

static PromotionResult refuse(const llvm::Twine &message) { return PromotionError{message.str()}; }

static DType promoteInts(DType lhs, DType rhs) {
  if (lhs.isSigned() == rhs.isSigned())
    return lhs.bits() >= rhs.bits() ? lhs : rhs;
  DType isUnsigned = lhs.isUnsigned() ? lhs : rhs;
  DType isSigned = lhs.isUnsigned() ? rhs : lhs;
  return isUnsigned.bits() >= isSigned.bits() ? isUnsigned : isSigned;
}

PromotionResult tessera::promoteTensors(DType lhs, DType rhs, bool isDivision) {
  auto either = [&](DType::Kind kind) { return lhs == kind || rhs == kind; };
  if (either(DType::FP64))
    return DType(DType::FP64);
  if (either(DType::FP32))
    return DType(DType::FP32);
  if (either(DType::FP16)) // also with bf16
    return DType(isDivision ? DType::FP32 : DType::FP16);
  if (lhs == DType::BF16 && rhs == DType::BF16)
    return DType(isDivision ? DType::FP32 : DType::BF16);
  if (either(DType::BF16))
    return DType(DType::FP32);
  if (lhs.isFP8() && rhs.isFP8())
    return lhs == rhs ? lhs : DType(DType::FP16);
  if (lhs.isFP8() || rhs.isFP8())
    return refuse("cannot combine " + lhs.name() + " and " + rhs.name() +
                  "; convert one with .to(...) first");
  if (isDivision && lhs.isSigned() != rhs.isSigned())
    return refuse("cannot divide " + lhs.name() + " by " + rhs.name() +
                  ": the signedness differs; convert one with .to(...) first");
  return promoteInts(lhs, rhs);
}

std::optional<DType> tessera::naturalType(const Value &number) {
  if (number.is<bool>())
    return DType(DType::Int1);
  if (const PythonInt *value = number.get<PythonInt>()) {
    if (value->fitsSigned(32))
      return DType(DType::Int32);
    if (value->fitsUnsigned(32))
      return DType(DType::UInt32);
    if (value->fitsSigned(64))
      return DType(DType::Int64);
    if (value->fitsUnsigned(64))
      return DType(DType::UInt64);
    return std::nullopt;
  }
  if (const double *value = number.get<double>()) {
    double magnitude = std::fabs(*value);
    bool fitsFP32 = *value == 0 || !std::isfinite(*value) ||
                    (magnitude >= std::numeric_limits<float>::min() &&
                     magnitude <= std::numeric_limits<float>::max());
    return DType(fitsFP32 ? DType::FP32 : DType::FP64);
  }
  return std::nullopt;
}

/// bool < integer < float.
static int kindOrder(DType type) { return type.isFloat() ? 2 : type.isBool() ? 0 : 1; }

PromotionResult tessera::promoteWithNumber(DType tensor, const Value &number, bool isDivision) {
  std::optional<DType> natural = naturalType(number);
  if (!natural)
    return refuse(number.describe() + " does not fit in 64 bits");
  int order = number.is<bool>() ? 0 : number.is<PythonInt>() ? 1 : 2;
  if (order <= kindOrder(tensor)) {
    bool isHalf = tensor == DType::FP16 || tensor == DType::BF16;
    return isDivision && isHalf ? DType(DType::FP32) : tensor;
  }
  return promoteTensors(tensor, *natural, isDivision);
}
