//===- ElementType.h - the types of a signature, on the host --------------===//
// The scalar types that signatures name and how their values are stored, and
// correctly rounded conversions between a double and each of them.
//
//   parseArgumentType("*fp16:16")  pointer to Float16
//   encodeElement(ElementType::BFloat16, 1.0, bytes)   3f80
//
// bool (i1, u1) is stored as one byte, 0 or 1.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera {

enum class ElementType : uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float8E4M3, // fp8e4nv: no infinity, overflow gives NaN
  Float8E5M2, // fp8e5
  Float16,
  BFloat16,
  Float32,
  Float64,
};

/// "fp32", "i32", "i1": the canonical spelling.
llvm::StringRef elementTypeName(ElementType type);
unsigned elementBytes(ElementType type);
bool isFloat(ElementType type);
bool isSignedInt(ElementType type);
/// Of integers and bool. The largest as unsigned, so that u64's fits.
int64_t smallestInt(ElementType type);
uint64_t largestInt(ElementType type);
/// Of floats: the largest finite value.
double largestFloat(ElementType type);

/// A signature entry without constants: "*fp32", "*kfp16:16", "i32:16".
struct ArgumentType {
  ElementType element = ElementType::Int32;
  bool isPointer = false;
  bool isConst = false;
};
llvm::Expected<ArgumentType> parseArgumentType(llvm::StringRef text);

/// Rounds to nearest, ties to even, once. `isFloat(type)`; too large gives
/// infinity (NaN for fp8e4nv).
void encodeFloat(ElementType type, double value, void *to);
void encodeFloats(ElementType type, const double *values, size_t count, void *to);
double decodeFloat(ElementType type, const void *from);
/// Truncates to the type's width, as a C cast does.
void encodeInt(ElementType type, uint64_t value, void *to);
void encodeInts(ElementType type, const int64_t *values, size_t count, void *to);
/// Sign- or zero-extended.
int64_t decodeInt(ElementType type, const void *from);

} // namespace tessera
