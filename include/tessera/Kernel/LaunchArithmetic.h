//===- LaunchArithmetic.h - evaluating the recipes of tensor maps ---------===//
// The part of TensorMapRecipe.h that runs at launches. It uses nothing of LLVM but headers and does
// not allocate, so that the library of packs has the same code.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/TensorMapRecipe.h"

namespace tessera {

/// Deeper expressions than anybody writes are refused, so that evaluation needs no allocation.
inline constexpr unsigned kMaxExpressionDepth = 32;

/// Nothing if the step overflows, divides by zero, or does not fit. `b` is unused for operations of
/// one operand.
std::optional<int64_t> applyOperation(LaunchExpression::Kind kind, int64_t a, int64_t b);

/// Returns whether the terms form one expression over `argumentCount` arguments.
bool isWellFormedExpression(const LaunchExpression::Term *terms, size_t count,
                            size_t argumentCount);
/// Evaluates a well-formed expression. Nothing if a step has no result.
std::optional<int64_t> evaluateExpression(const LaunchExpression::Term *terms, size_t count,
                                          const int64_t *arguments);

/// Reads an integer of `bytes` bytes.
int64_t readInteger(const void *from, unsigned bytes, bool isSigned);

/// Why the hardware cannot take the values, with a place for `value` (%lld); null if it can.
const char *whyNoTensorMap(const TensorMapValues &values, unsigned rank, long long &value);

/// The arguments of cuTensorMapEncodeTiled that follow from a recipe alone.
struct TensorMapCodes {
  int type, swizzle, promotion, fill;
};
/// `type` is one of TensorMapRecipe::type; the numbers are those that whyInvalid() lets pass.
TensorMapCodes tensorMapCodes(llvm::StringRef type, uint32_t swizzle, uint32_t l2Bytes,
                              bool fillsWithNaN);

} // namespace tessera
