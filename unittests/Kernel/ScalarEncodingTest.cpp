//===- ScalarEncodingTest.cpp - conversions against LLVM's APFloat --------===//
#include "tessera/Kernel/ScalarEncoding.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace tessera;
using llvm::APFloat;

namespace {

struct NarrowType {
  DType type;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};
const NarrowType kNarrow[] = {
    {DType::FP8E4NV, APFloat::Float8E4M3FN(), 8},   {DType::FP8E5, APFloat::Float8E5M2(), 8},
    {DType::FP8E4B8, APFloat::Float8E4M3FNUZ(), 8}, {DType::FP8E5B16, APFloat::Float8E5M2FNUZ(), 8},
    {DType::FP16, APFloat::IEEEhalf(), 16},         {DType::BF16, APFloat::BFloat(), 16},
};

uint64_t encode(DType type, double value) {
  uint64_t bits = 0;
  encodeFloat(type, value, &bits);
  return bits;
}

uint64_t reference(const NarrowType &narrow, double value) {
  APFloat number(value);
  bool inexact;
  number.convert(narrow.semantics, APFloat::rmNearestTiesToEven, &inexact);
  return number.bitcastToAPInt().getZExtValue();
}

void compare(const NarrowType &narrow, double value) {
  uint64_t want = reference(narrow, value), got = encode(narrow.type, value);
  if (std::isnan(decodeFloat(narrow.type, &want)))
    EXPECT_TRUE(std::isnan(decodeFloat(narrow.type, &got))) << value;
  else
    EXPECT_EQ(want, got) << narrow.type.name().str() << " " << value;
}

/// Every value, the midpoints between neighbours, and the doubles next to those.
TEST(ScalarEncoding, NarrowFloatsRoundAsAPFloatDoes) {
  for (const NarrowType &narrow : kNarrow) {
    for (uint64_t bits = 0; bits < uint64_t(1) << narrow.bits; ++bits) {
      APFloat number(narrow.semantics, llvm::APInt(narrow.bits, bits));
      double got = decodeFloat(narrow.type, &bits);
      bool inexact;
      APFloat wide = number;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
      if (number.isNaN()) {
        ASSERT_TRUE(std::isnan(got));
        continue;
      }
      ASSERT_EQ(wide.convertToDouble(), got);
      ASSERT_EQ(std::signbit(wide.convertToDouble()), std::signbit(got));
      ASSERT_EQ(bits, encode(narrow.type, got));
      uint64_t next = bits + 1;
      double above = decodeFloat(narrow.type, &next);
      if (!std::isfinite(got) || !std::isfinite(above))
        continue;
      double middle = (got + above) / 2;
      compare(narrow, middle);
      compare(narrow, std::nextafter(middle, -1e300));
      compare(narrow, std::nextafter(middle, 1e300));
    }
  }
}

TEST(ScalarEncoding, NarrowFloatsAtTheEnds) {
  for (const NarrowType &narrow : kNarrow) {
    double largest = largestFloat(narrow.type);
    for (double value : {0.0, largest, largest * (1 + 0x1p-12), largest * 1.0625, largest * 1.1,
                         largest * 2, 1e300, double(INFINITY), double(NAN), 0x1p-1022, 0x1p-1074,
                         0x1p-10, 0x1p-11, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-133, 0x1p-134}) {
      compare(narrow, value);
      compare(narrow, -value);
    }
    EXPECT_EQ(largest, [&] {
      uint64_t bits = encode(narrow.type, largest);
      return decodeFloat(narrow.type, &bits);
    }());
  }
}

TEST(ScalarEncoding, NarrowFloatsRandomBits) {
  std::mt19937_64 random(1);
  for (const NarrowType &narrow : kNarrow)
    for (int i = 0; i < 200000; ++i) {
      // Exponents around the format's range, any significand.
      uint64_t exponent = 1023 - 150 + random() % 300;
      uint64_t bits = (random() & 0x800fffffffffffffull) | exponent << 52;
      compare(narrow, llvm::bit_cast<double>(bits));
    }
}

TEST(ScalarEncoding, WideFloats) {
  EXPECT_EQ(0x3dcccccdu, encode(DType::FP32, 0.1));
  EXPECT_EQ(0x3fb999999999999aull, encode(DType::FP64, 0.1));
  EXPECT_EQ(0x7f800000u, encode(DType::FP32, 1e40));
  float tenth = 0.1f;
  EXPECT_EQ(double(0.1f), decodeFloat(DType::FP32, &tenth));
}

TEST(ScalarEncoding, Integers) {
  EXPECT_EQ(-128, smallestInt(DType::Int8));
  EXPECT_EQ(127u, largestInt(DType::Int8));
  EXPECT_EQ(0, smallestInt(DType::UInt64));
  EXPECT_EQ(~uint64_t(0), largestInt(DType::UInt64));
  EXPECT_EQ(INT64_MIN, smallestInt(DType::Int64));
  EXPECT_EQ(1u, largestInt(DType::Int1));
  EXPECT_EQ(0, smallestInt(DType::Int1));
  int64_t bytes = 0;
  encodeInt(DType::Int16, uint64_t(-2), &bytes);
  EXPECT_EQ(0xfffe, bytes);
  EXPECT_EQ(-2, decodeInt(DType::Int16, &bytes));
  EXPECT_EQ(0xfffe, decodeInt(DType::UInt16, &bytes));
}

/// Rounded to half precision first, then half up; nothing is larger than 1.75.
TEST(ScalarEncoding, Fp8e4b15) {
  for (uint64_t bits = 0; bits < 0x7f; ++bits) {
    double value = decodeFloat(DType::FP8E4B15, &bits);
    uint64_t half = bits << 7;
    EXPECT_EQ(decodeFloat(DType::FP16, &half), value);
    EXPECT_EQ(bits, encode(DType::FP8E4B15, value));
    EXPECT_EQ(bits | 0x80, encode(DType::FP8E4B15, -value));
  }
  EXPECT_EQ(1.75, largestFloat(DType::FP8E4B15));
  for (double large : {1.75, 1.8, 2.0, 1e300, double(INFINITY), double(NAN)})
    EXPECT_EQ(0x7eu, encode(DType::FP8E4B15, large)) << large;
  EXPECT_EQ(0x71u, encode(DType::FP8E4B15, 1.0625 / 2)); // a tie, between 0x70 and 0x71
}

} // namespace
