//===- RecordBytesTest.cpp - the record in a cache entry ------------------===//
#include "RecordBytes.h"
#include "SampleKernel.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

/// No field has its default.
KernelRecord makeFullRecord() {
  KernelRecord record = makeSampleKernel().record;
  record.symbol = "add_kernel_64";
  record.arguments.push_back({.name = "d.base",
                              .type = "*fp16",
                              .isReadOnly = true,
                              .descriptor = "tensordesc<fp16[64, 32]>"});
  TensorMapRecipe map{.base = 2,
                      .offset = LaunchExpression::argument(1),
                      .type = "f16",
                      .extents = {LaunchExpression::number(-1)},
                      .box = {64},
                      .swizzle = 128,
                      .fillsWithNaN = true,
                      .l2Bytes = 64};
  record.setHidden({map}, {HiddenArgument::GlobalScratch, HiddenArgument::Sanitizer});
  record.profileScratch = {7, 64};
  record.cooperative = record.dependentLaunch = record.writesOnlyArguments = true;
  record.spillBytes = 24;
  record.sharedIsStatic = true;
  record.accumulatorRegisters = 128;
  record.scalarRegisters = 40;
  record.stackBytes = 96;
  return record;
}

TEST(RecordBytes, RoundTrip) {
  KernelRecord empty, full = makeFullRecord();
  EXPECT_EQ(empty, decodeRecord(encodeRecord(empty)));
  EXPECT_EQ(full, decodeRecord(encodeRecord(full)));
}

/// A byte more or less is no record; a wrong byte is another record or none, and reads nothing
/// that is not there.
TEST(RecordBytes, TrustsNothing) {
  KernelRecord record = makeFullRecord();
  std::string good = encodeRecord(record);
  EXPECT_FALSE(decodeRecord(good + "x"));
  for (size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(decodeRecord(std::string(good, 0, i)));
    for (int change : {0x01, 0x40, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = char(bad[i] ^ change);
      EXPECT_NE(record, decodeRecord(bad)) << i;
    }
  }
}

} // namespace
