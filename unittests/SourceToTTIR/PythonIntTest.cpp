//===- PythonIntTest.cpp - against 128-bit arithmetic, all small pairs ----===//
#include "Values/PythonInt.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

/// Python's floor division and remainder on machine integers.
int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

TEST(PythonInt, AgreesWithMachineIntegersOnAllSmallPairs) {
  for (int64_t a = -40; a <= 40; ++a) {
    for (int64_t b = -40; b <= 40; ++b) {
      PythonInt x(a), y(b);
      EXPECT_EQ((x + y).toInt64(), a + b);
      EXPECT_EQ((x - y).toInt64(), a - b);
      EXPECT_EQ(x.mul(y)->toInt64(), a * b);
      EXPECT_EQ((x & y).toInt64(), a & b);
      EXPECT_EQ((x | y).toInt64(), a | b);
      EXPECT_EQ((x ^ y).toInt64(), a ^ b);
      EXPECT_EQ(x.compare(y), a < b ? -1 : a > b ? 1 : 0);
      if (b != 0) {
        EXPECT_EQ(x.floorDiv(y)->toInt64(), floorDiv(a, b)) << a << " // " << b;
        EXPECT_EQ(x.mod(y)->toInt64(), a - floorDiv(a, b) * b) << a << " % " << b;
      }
      if (b >= 0) {
        EXPECT_EQ(x.shiftLeft(y)->toInt64(), a * (int64_t(1) << b));
        EXPECT_EQ(x.shiftRight(y)->toInt64(), a >> b);
      }
    }
    EXPECT_EQ((-PythonInt(a)).toInt64(), -a);
    EXPECT_EQ((~PythonInt(a)).toInt64(), ~a);
  }
}

TEST(PythonInt, GrowsPastMachineWidths) {
  PythonInt two(2);
  EXPECT_EQ(two.pow(PythonInt(64))->str(), "18446744073709551616");
  EXPECT_EQ((-*two.pow(PythonInt(127))).str(), "-170141183460469231731687303715884105728");
  EXPECT_EQ((*two.pow(PythonInt(64)) - PythonInt(1)).str(), "18446744073709551615");
  EXPECT_TRUE((*two.pow(PythonInt(64)) - PythonInt(1)).fitsUnsigned(64));
  EXPECT_FALSE(two.pow(PythonInt(64))->fitsUnsigned(64));
  EXPECT_TRUE((-*two.pow(PythonInt(63))).fitsSigned(64));
  EXPECT_FALSE(two.pow(PythonInt(63))->fitsSigned(64));
}

TEST(PythonInt, RefusesWhatWouldTakeForever) {
  PythonInt huge = *PythonInt(1).shiftLeft(PythonInt(40000));
  EXPECT_FALSE(huge.mul(huge));
  EXPECT_FALSE(PythonInt(1).shiftLeft(PythonInt(int64_t(1) << 40)));
  EXPECT_FALSE(PythonInt(3).pow(PythonInt(1000000000)));
  EXPECT_FALSE(PythonInt(3).floorDiv(PythonInt(0)));
  EXPECT_FALSE(PythonInt(3).mod(PythonInt(0)));
  EXPECT_FALSE(PythonInt(3).shiftLeft(PythonInt(-1)));
  EXPECT_EQ(PythonInt(-5).shiftRight(PythonInt(int64_t(1) << 50))->toInt64(), -1);
}

TEST(PythonInt, ReadsTextAndDoubles) {
  EXPECT_EQ(PythonInt::parse("ff", 16).toInt64(), 255);
  EXPECT_EQ(PythonInt::parse("18446744073709551616", 10).str(), "18446744073709551616");
  EXPECT_EQ(PythonInt::fromDouble(-2.9)->toInt64(), -2);
  EXPECT_EQ(PythonInt::fromDouble(1e30)->str(), "1000000000000000019884624838656");
  EXPECT_FALSE(PythonInt::fromDouble(1.0 / 0.0));
  EXPECT_DOUBLE_EQ(PythonInt::parse("123456789012345678901234567890", 10).toDouble(),
                   123456789012345678901234567890.0);
}

TEST(PythonInt, WritesLongNumbers) {
  // Each power of ten, and its neighbours, beyond where the digits are written in chunks.
  for (unsigned exponent : {154u, 155u, 180u, 198u, 500u}) {
    PythonInt power = *PythonInt(10).pow(PythonInt(exponent));
    EXPECT_EQ(power.str(), "1" + std::string(exponent, '0'));
    EXPECT_EQ((power - PythonInt(1)).str(), std::string(exponent, '9'));
    EXPECT_EQ((-power - PythonInt(5)).str(), "-1" + std::string(exponent - 1, '0') + "5");
    EXPECT_EQ(PythonInt::parse(power.str(), 10).str(16), power.str(16));
  }
}

} // namespace
