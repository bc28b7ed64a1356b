//===- ElementType.cpp - the types of a signature, on the host ------------===//
// Narrow floats are rounded from the bits of a double in one step:
//
//   1. split the double into sign, exponent and a 53-bit significand
//   2. shift the significand right to the target's width, further when the
//      result is subnormal, and round by the bits that fell out, ties to even
//   3. add it to the exponent field; a carry out of the significand moves into
//      the exponent, which is what rounding up to the next power of two means
//===----------------------------------------------------------------------===//
#include "tessera/Launch/ElementType.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include <cstring>
#include <limits>
#include <optional>

namespace tessera {

//===----------------------------------------------------------------------===//
// Names and sizes
//===----------------------------------------------------------------------===//

llvm::StringRef elementTypeName(ElementType type) {
  static constexpr llvm::StringLiteral kNames[] = {"i1",    "i8",   "i16",  "i32",  "i64",
                                                   "u8",    "u16",  "u32",  "u64",  "fp8e4nv",
                                                   "fp8e5", "fp16", "bf16", "fp32", "fp64"};
  return kNames[unsigned(type)];
}

unsigned elementBytes(ElementType type) {
  static constexpr uint8_t kBytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8};
  return kBytes[unsigned(type)];
}

bool isFloat(ElementType type) { return type >= ElementType::Float8E4M3; }

bool isSignedInt(ElementType type) {
  return type >= ElementType::Int8 && type <= ElementType::Int64;
}

int64_t smallestInt(ElementType type) {
  return isSignedInt(type) ? INT64_MIN >> (64 - 8 * elementBytes(type)) : 0;
}

uint64_t largestInt(ElementType type) {
  if (type == ElementType::Bool)
    return 1;
  unsigned bits = 8 * elementBytes(type) - (isSignedInt(type) ? 1 : 0);
  return ~uint64_t(0) >> (64 - bits);
}

double largestFloat(ElementType type) {
  switch (type) {
  case ElementType::Float8E4M3:
    return 448;
  case ElementType::Float8E5M2:
    return 57344;
  case ElementType::Float16:
    return 65504;
  case ElementType::BFloat16:
    return 0x1.fep127;
  case ElementType::Float32:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

static std::optional<ElementType> parseElement(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ElementType>>(name)
      .Cases({"i1", "u1", "B"}, ElementType::Bool)
      .Case("i8", ElementType::Int8)
      .Case("i16", ElementType::Int16)
      .Case("i32", ElementType::Int32)
      .Case("i64", ElementType::Int64)
      .Case("u8", ElementType::UInt8)
      .Case("u16", ElementType::UInt16)
      .Case("u32", ElementType::UInt32)
      .Case("u64", ElementType::UInt64)
      .Case("fp8e4nv", ElementType::Float8E4M3)
      .Case("fp8e5", ElementType::Float8E5M2)
      .Case("fp16", ElementType::Float16)
      .Case("bf16", ElementType::BFloat16)
      .Case("fp32", ElementType::Float32)
      .Case("fp64", ElementType::Float64)
      .Default(std::nullopt);
}

llvm::Expected<ArgumentType> parseArgumentType(llvm::StringRef text) {
  ArgumentType type;
  llvm::StringRef name = text.trim().split(':').first.trim();
  type.isPointer = name.consume_front("*");
  type.isConst = type.isPointer && name.consume_front("k");
  std::optional<ElementType> element = parseElement(name);
  if (!element)
    return makeError("type '" + text +
                     "' has no values on the host; the types are i1 i8 i16 i32 i64 u8 u16 u32 u64 "
                     "fp8e4nv fp8e5 fp16 bf16 fp32 fp64 and pointers to them, as in *fp32");
  type.element = *element;
  return type;
}

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

namespace {
struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  bool hasInfinity;

  constexpr unsigned bias() const { return (1u << (exponentBits - 1)) - 1; }
  constexpr uint64_t signBit() const { return uint64_t(1) << (exponentBits + mantissaBits); }
  constexpr uint64_t topExponent() const {
    return ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
  }
  /// e4m3 has one NaN, all ones; the others are quiet ones.
  constexpr uint64_t notANumber() const {
    return hasInfinity ? topExponent() | (uint64_t(1) << (mantissaBits - 1)) : signBit() - 1;
  }
  constexpr uint64_t overflow() const { return hasInfinity ? topExponent() : notANumber(); }
};
} // namespace

static constexpr FloatFormat kFloat8E4M3{4, 3, false};
static constexpr FloatFormat kFloat8E5M2{5, 2, true};
static constexpr FloatFormat kFloat16{5, 10, true};
static constexpr FloatFormat kBFloat16{8, 7, true};

template <FloatFormat format> static uint64_t narrow(double value) {
  constexpr uint64_t kHidden = uint64_t(1) << 52;
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint64_t sign = bits >> 63 ? format.signBit() : 0;
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = (bits & (kHidden - 1)) | kHidden;
  if (exponent == 1024)
    return sign | ((bits & (kHidden - 1)) ? format.notANumber() : format.overflow());
  if (exponent == -1023) // zero, or far below every format's smallest
    return sign;

  int below = (1 - int(format.bias())) - exponent; // > 0: subnormal in the target
  int shift = 52 - int(format.mantissaBits) + (below > 0 ? below : 0);
  shift = shift > 54 ? 54 : shift;
  uint64_t kept = significand >> shift;
  uint64_t dropped = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  kept += dropped > half || (dropped == half && (kept & 1));

  // The hidden bit in `kept` counts as one exponent step, hence the -1.
  uint64_t field = below > 0 ? 0 : uint64_t(-below + 1) - 1;
  uint64_t result = (field << format.mantissaBits) + kept;
  uint64_t limit = format.hasInfinity ? format.topExponent() : format.notANumber();
  return sign | (result >= limit ? format.overflow() : result);
}

template <FloatFormat format> static double widen(uint64_t bits) {
  constexpr uint64_t kMantissa = (uint64_t(1) << format.mantissaBits) - 1;
  uint64_t magnitude = bits & (format.signBit() - 1);
  double sign = bits & format.signBit() ? -1 : 1;
  bool special =
      format.hasInfinity ? magnitude >= format.topExponent() : magnitude == format.notANumber();
  if (special)
    return sign * (format.hasInfinity && magnitude == format.topExponent()
                       ? std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN());
  uint64_t field = magnitude >> format.mantissaBits;
  double mantissa = double((magnitude & kMantissa) + (field ? kMantissa + 1 : 0));
  int exponent = int(field ? field : 1) - int(format.bias()) - int(format.mantissaBits);
  double scale = llvm::bit_cast<double>(uint64_t(exponent + 1023) << 52); // a power of two: exact
  return sign * mantissa * scale;
}

//===----------------------------------------------------------------------===//
// One and many
//===----------------------------------------------------------------------===//

/// Calls `each` with a converter for the type, so that the switch is outside the loop.
template <typename Loop> static void withEncoder(ElementType type, Loop loop) {
  switch (type) {
  case ElementType::Float8E4M3:
    return loop([](double v) { return uint8_t(narrow<kFloat8E4M3>(v)); });
  case ElementType::Float8E5M2:
    return loop([](double v) { return uint8_t(narrow<kFloat8E5M2>(v)); });
  case ElementType::Float16:
    return loop([](double v) { return uint16_t(narrow<kFloat16>(v)); });
  case ElementType::BFloat16:
    return loop([](double v) { return uint16_t(narrow<kBFloat16>(v)); });
  case ElementType::Float32:
    return loop([](double v) { return float(v); });
  default:
    return loop([](double v) { return v; });
  }
}

void encodeFloats(ElementType type, const double *values, size_t count, void *to) {
  withEncoder(type, [&](auto encode) {
    char *out = static_cast<char *>(to);
    for (size_t i = 0; i < count; ++i) {
      auto element = encode(values[i]);
      std::memcpy(out + i * sizeof(element), &element, sizeof(element));
    }
  });
}

void encodeFloat(ElementType type, double value, void *to) { encodeFloats(type, &value, 1, to); }

double decodeFloat(ElementType type, const void *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, elementBytes(type));
  switch (type) {
  case ElementType::Float8E4M3:
    return widen<kFloat8E4M3>(bits);
  case ElementType::Float8E5M2:
    return widen<kFloat8E5M2>(bits);
  case ElementType::Float16:
    return widen<kFloat16>(bits);
  case ElementType::BFloat16:
    return widen<kBFloat16>(bits);
  case ElementType::Float32:
    return llvm::bit_cast<float>(uint32_t(bits));
  default:
    return llvm::bit_cast<double>(bits);
  }
}

void encodeInt(ElementType type, uint64_t value, void *to) {
  std::memcpy(to, &value, elementBytes(type)); // little-endian: the low bytes
}

template <typename Int> static void storeInts(const int64_t *values, size_t count, void *to) {
  for (size_t i = 0; i < count; ++i) {
    Int element = Int(values[i]);
    std::memcpy(static_cast<char *>(to) + i * sizeof(Int), &element, sizeof(Int));
  }
}

void encodeInts(ElementType type, const int64_t *values, size_t count, void *to) {
  switch (elementBytes(type)) {
  case 1:
    return storeInts<uint8_t>(values, count, to);
  case 2:
    return storeInts<uint16_t>(values, count, to);
  case 4:
    return storeInts<uint32_t>(values, count, to);
  default:
    return storeInts<uint64_t>(values, count, to);
  }
}

int64_t decodeInt(ElementType type, const void *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, elementBytes(type));
  unsigned unused = 64 - 8 * elementBytes(type);
  return isSignedInt(type) ? int64_t(bits << unused) >> unused : int64_t(bits);
}

} // namespace tessera
