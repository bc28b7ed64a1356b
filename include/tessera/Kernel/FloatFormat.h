//===- FloatFormat.h - encodings of binary floats, rounded from a double --===//
// The layout of a float of at most 16 bits (sign, exponent, mantissa, bias, special
// values) and conversions between it and a double. Needs C++20 and no other header
// of Tessera, so that the Python extension, which sees the C interface alone, uses
// the same rounding as the library.
//
//   narrow<kHalf>(1.0)   0x3c00, rounded once, to nearest, ties to even:
//
//   1. split the double into sign, exponent and a 53-bit significand
//   2. shift the significand right to the format's width, further when the
//      result is subnormal, and round by the bits that fell out, ties to even
//   3. add it to the exponent field; a carry out of the significand moves into
//      the exponent, which is what rounding up to the next power of two means
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tessera {

/// The values of a format that are not numbers, and what too large a number becomes.
enum class FloatSpecials : uint32_t {
  InfinityAndNaN,    // IEEE 754; too large gives infinity
  OnesAreNaN,        // all ones is NaN, with either sign; too large gives NaN
  NegativeZeroIsNaN, // the sign bit alone is NaN, and zero has no sign; too large gives NaN
  NoNaN,             // fp8e4b15 alone: too large a number, and NaN, give 1.75
};

struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  int bias;
  FloatSpecials specials;

  constexpr uint64_t signBit() const { return uint64_t(1) << (exponentBits + mantissaBits); }
  constexpr uint64_t topExponent() const {
    return ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
  }
  constexpr bool hasInfinity() const { return specials == FloatSpecials::InfinityAndNaN; }
  constexpr bool hasNegativeZero() const { return specials != FloatSpecials::NegativeZeroIsNaN; }
  /// The bits of the largest value that a conversion gives.
  constexpr uint64_t largest() const {
    return hasInfinity()                                  ? topExponent() - 1
           : specials == FloatSpecials::NegativeZeroIsNaN ? signBit() - 1
                                                          : signBit() - 2;
  }
  /// The bits of a quiet NaN without a sign.
  constexpr uint64_t notANumber() const {
    return hasInfinity() ? topExponent() | uint64_t(1) << (mantissaBits - 1)
           : specials == FloatSpecials::OnesAreNaN ? signBit() - 1
                                                   : signBit();
  }
  constexpr uint64_t overflow() const { return hasInfinity() ? topExponent() : notANumber(); }
};

inline constexpr FloatFormat kHalfFormat{5, 10, 15, FloatSpecials::InfinityAndNaN};

/// `value` rounded to the format.
template <FloatFormat format> constexpr uint64_t narrow(double value) {
  static_assert(format.mantissaBits < 52);
  if constexpr (format.specials == FloatSpecials::NoNaN) {
    // fp8e4b15 is half precision's upper part, moved by one bit of the exponent. Kernels convert
    // through half precision too, and round its lower part half up.
    static_assert(format.exponentBits == 4 && format.mantissaBits == 3 && format.bias == 15);
    constexpr uint64_t kLargestAsHalf = 0x3F00; // 1.75
    uint64_t half = narrow<kHalfFormat>(value), magnitude = half & 0x7FFF;
    magnitude = magnitude < kLargestAsHalf ? magnitude : kLargestAsHalf;
    return ((magnitude << 1) + 0x80 | (half & 0x8000)) >> 8;
  }
  constexpr uint64_t kHidden = uint64_t(1) << 52;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint64_t sign = bits >> 63 ? format.signBit() : 0;
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = (bits & (kHidden - 1)) | kHidden;
  if (exponent == 1024)
    return sign | ((bits & (kHidden - 1)) ? format.notANumber() : format.overflow());
  if (exponent == -1023) // zero, or far below every format's smallest
    return format.hasNegativeZero() ? sign : 0;

  int below = (1 - format.bias) - exponent; // > 0: subnormal in the format
  int shift = 52 - int(format.mantissaBits) + (below > 0 ? below : 0);
  shift = shift > 54 ? 54 : shift;
  uint64_t kept = significand >> shift;
  uint64_t dropped = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  kept += dropped > half || (dropped == half && (kept & 1));

  // The hidden bit in `kept` counts as one exponent step, hence the -1.
  uint64_t field = below > 0 ? 0 : uint64_t(-below + 1) - 1;
  uint64_t result = (field << format.mantissaBits) + kept;
  if (result > format.largest())
    return sign | format.overflow();
  return result == 0 && !format.hasNegativeZero() ? 0 : sign | result;
}

/// The value of `bits`, exactly.
template <FloatFormat format> constexpr double widen(uint64_t bits) {
  constexpr uint64_t kMantissa = (uint64_t(1) << format.mantissaBits) - 1;
  uint64_t magnitude = bits & (format.signBit() - 1);
  double sign = bits & format.signBit() ? -1 : 1;
  bool isSpecial = format.specials == FloatSpecials::NoNaN ? false
                   : format.specials == FloatSpecials::NegativeZeroIsNaN
                       ? (bits & (2 * format.signBit() - 1)) == format.signBit()
                       : magnitude > format.largest();
  if (isSpecial)
    return sign * (format.hasInfinity() && magnitude == format.topExponent()
                       ? std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN());
  uint64_t field = magnitude >> format.mantissaBits;
  double mantissa = double((magnitude & kMantissa) + (field ? kMantissa + 1 : 0));
  int exponent = int(field ? field : 1) - format.bias - int(format.mantissaBits);
  double scale = std::bit_cast<double>(uint64_t(exponent + 1023) << 52); // a power of two: exact
  return sign * mantissa * scale;
}

} // namespace tessera
