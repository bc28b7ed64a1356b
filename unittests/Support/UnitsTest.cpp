//===- UnitsTest.cpp - durations and sizes for people ---------------------===//
#include "tessera/Support/Units.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tessera;

TEST(Units, Durations) {
  EXPECT_EQ("0.00 ns", formatDuration(0));
  EXPECT_EQ("12.0 ns", formatDuration(12e-9));
  EXPECT_EQ("1.23 ms", formatDuration(0.00123));
  EXPECT_EQ("1.00 ms", formatDuration(0.00099999));
  EXPECT_EQ("999 us", formatDuration(0.000999));
  EXPECT_EQ("59.9 s", formatDuration(59.9));
  EXPECT_EQ("1.50 min", formatDuration(90));
  EXPECT_EQ("2.00 h", formatDuration(7200));
  EXPECT_EQ("-1.00 s", formatDuration(-1));
  EXPECT_EQ("unknown", formatDuration(NAN));
}

TEST(Units, Bytes) {
  EXPECT_EQ("1 byte", formatBytes(1));
  EXPECT_EQ("1023 bytes", formatBytes(1023));
  EXPECT_EQ("48.0 KiB", formatBytes(49152));
  EXPECT_EQ("1.0 MiB", formatBytes((1 << 20) - 1));
  EXPECT_EQ("16.0 EiB", formatBytes(~uint64_t(0)));
}

TEST(Units, RatesAndCounts) {
  EXPECT_EQ("3.20 TB/s", formatRate(3.2e12));
  EXPECT_EQ("1.00 kB/s", formatRate(999.9));
  EXPECT_EQ("67,108,864", formatCount(67108864));
  EXPECT_EQ("999", formatCount(999));
  EXPECT_EQ("1,000", formatCount(1000));
}
