//===- ScalarEncoding.cpp - values of scalar types as bytes ---------------===//
// Integers are their low bytes; floats of 32 and 64 bits are C's; narrower floats
// are encoded by their format (FloatFormat.h).
//===----------------------------------------------------------------------===//
#include "tessera/Kernel/ScalarEncoding.h"
#include <cstring>

namespace tessera {

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

int64_t smallestInt(DType type) { return type.isSigned() ? INT64_MIN >> (64 - type.bits()) : 0; }

uint64_t largestInt(DType type) {
  return ~uint64_t(0) >> (64 - type.bits() + (type.isSigned() ? 1 : 0));
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

namespace {
/// How one float type is encoded; `Bits` is an integer of its width, or the C type itself.
template <FloatFormat format, typename Bits> struct Encoding {
  static Bits encode(double value) { return Bits(narrow<format>(value)); }
  static double decode(uint64_t bits) { return widen<format>(bits); }
  static double largest() { return widen<format>(format.largest()); }
};
template <FloatFormat format> struct Encoding<format, float> {
  static float encode(double value) { return float(value); }
  static double decode(uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); }
  static double largest() { return std::numeric_limits<float>::max(); }
};
template <FloatFormat format> struct Encoding<format, double> {
  static double encode(double value) { return value; }
  static double decode(uint64_t bits) { return std::bit_cast<double>(bits); }
  static double largest() { return std::numeric_limits<double>::max(); }
};
template <unsigned width> struct BitsOf;
template <> struct BitsOf<8> {
  using Type = uint8_t;
};
template <> struct BitsOf<16> {
  using Type = uint16_t;
};
template <> struct BitsOf<32> {
  using Type = float;
};
template <> struct BitsOf<64> {
  using Type = double;
};
} // namespace

/// Calls `use` with the encoding of the type, so that loops inside it have no switch.
template <typename Use> static auto withEncoding(DType type, Use use) {
  switch (type) {
#define FLOAT_TYPE(kind, name, tl, bits, exponent, mantissa, bias, specials, c, numpy, dlpack,     \
                   aliases, hostNames)                                                             \
  case DType::kind:                                                                                \
    return use(Encoding<FloatFormat{exponent, mantissa, bias, FloatSpecials::specials},            \
                        BitsOf<bits>::Type>());
#include "tessera/Kernel/ScalarTypes.def"
  default:
    return use(Encoding<FloatFormat{}, double>());
  }
}

double largestFloat(DType type) {
  return withEncoding(type, [](auto encoding) { return encoding.largest(); });
}

void encodeFloats(DType type, const double *values, size_t count, void *to) {
  withEncoding(type, [&](auto encoding) {
    char *out = static_cast<char *>(to);
    for (size_t i = 0; i < count; ++i) {
      auto element = encoding.encode(values[i]);
      std::memcpy(out + i * sizeof(element), &element, sizeof(element));
    }
  });
}

void encodeFloat(DType type, double value, void *to) { encodeFloats(type, &value, 1, to); }

double decodeFloat(DType type, const void *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, type.bytesInMemory());
  return withEncoding(type, [&](auto encoding) { return encoding.decode(bits); });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

void encodeInt(DType type, uint64_t value, void *to) {
  std::memcpy(to, &value, type.bytesInMemory()); // little-endian: the low bytes
}

template <typename Int> static void storeInts(const int64_t *values, size_t count, void *to) {
  for (size_t i = 0; i < count; ++i) {
    Int element = Int(values[i]);
    std::memcpy(static_cast<char *>(to) + i * sizeof(Int), &element, sizeof(Int));
  }
}

void encodeInts(DType type, const int64_t *values, size_t count, void *to) {
  switch (type.bytesInMemory()) {
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

int64_t decodeInt(DType type, const void *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, type.bytesInMemory());
  unsigned unused = 64 - 8 * type.bytesInMemory();
  return type.isSigned() ? int64_t(bits << unused) >> unused : int64_t(bits);
}

} // namespace tessera
