//===- ElementTypeTest.cpp - conversions against LLVM's APFloat -----------===//
#include "tessera/Launch/ElementType.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace tessera;
using llvm::APFloat;

namespace {

struct NarrowType {
  ElementType type;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};
const NarrowType kNarrow[] = {
    {ElementType::Float8E4M3, APFloat::Float8E4M3FN(), 8},
    {ElementType::Float8E5M2, APFloat::Float8E5M2(), 8},
    {ElementType::Float16, APFloat::IEEEhalf(), 16},
    {ElementType::BFloat16, APFloat::BFloat(), 16},
};

uint64_t encode(ElementType type, double value) {
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
    EXPECT_EQ(want, got) << elementTypeName(narrow.type).str() << " " << value;
}

/// Every value, the midpoints between neighbours, and the doubles next to those.
TEST(ElementType, NarrowFloatsRoundAsAPFloatDoes) {
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

TEST(ElementType, NarrowFloatsAtTheEnds) {
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

TEST(ElementType, NarrowFloatsRandomBits) {
  std::mt19937_64 random(1);
  for (const NarrowType &narrow : kNarrow)
    for (int i = 0; i < 200000; ++i) {
      // Exponents around the format's range, any significand.
      uint64_t exponent = 1023 - 150 + random() % 300;
      uint64_t bits = (random() & 0x800fffffffffffffull) | exponent << 52;
      compare(narrow, llvm::bit_cast<double>(bits));
    }
}

TEST(ElementType, WideFloats) {
  EXPECT_EQ(0x3dcccccdu, encode(ElementType::Float32, 0.1));
  EXPECT_EQ(0x3fb999999999999aull, encode(ElementType::Float64, 0.1));
  EXPECT_EQ(0x7f800000u, encode(ElementType::Float32, 1e40));
  float tenth = 0.1f;
  EXPECT_EQ(double(0.1f), decodeFloat(ElementType::Float32, &tenth));
}

TEST(ElementType, Integers) {
  EXPECT_EQ(-128, smallestInt(ElementType::Int8));
  EXPECT_EQ(127u, largestInt(ElementType::Int8));
  EXPECT_EQ(0, smallestInt(ElementType::UInt64));
  EXPECT_EQ(~uint64_t(0), largestInt(ElementType::UInt64));
  EXPECT_EQ(INT64_MIN, smallestInt(ElementType::Int64));
  EXPECT_EQ(1u, largestInt(ElementType::Bool));
  int64_t bytes = 0;
  encodeInt(ElementType::Int16, uint64_t(-2), &bytes);
  EXPECT_EQ(0xfffe, bytes);
  EXPECT_EQ(-2, decodeInt(ElementType::Int16, &bytes));
  EXPECT_EQ(0xfffe, decodeInt(ElementType::UInt16, &bytes));
}

TEST(ElementType, Parse) {
  auto parse = [](llvm::StringRef text) { return llvm::cantFail(parseArgumentType(text)); };
  EXPECT_TRUE(parse("*fp32").isPointer);
  EXPECT_EQ(ElementType::Float32, parse("*fp32:16").element);
  EXPECT_TRUE(parse("*kbf16").isConst);
  EXPECT_EQ(ElementType::BFloat16, parse("*kbf16").element);
  EXPECT_FALSE(parse("i64:16").isPointer);
  EXPECT_EQ(ElementType::Bool, parse("u1").element);
  for (unsigned i = 0; i <= unsigned(ElementType::Float64); ++i)
    EXPECT_EQ(ElementType(i), parse(elementTypeName(ElementType(i))).element);
  for (llvm::StringRef bad : {"", "*", "fp31", "**i8", "constexpr", "tensordesc<fp16[4]>", "64"})
    EXPECT_FALSE(bool(llvm::expectedToOptional(parseArgumentType(bad)))) << bad.str();
}

} // namespace
