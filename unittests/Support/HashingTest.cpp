//===- HashingTest.cpp - content hashes -----------------------------------===//
#include "tessera/Support/Hashing.h"
#include "gtest/gtest.h"

using namespace tessera;

// The empty input's hash, from the BLAKE3 paper's test vectors.
TEST(Hashing, KnownValue) {
  EXPECT_EQ("af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
            toHex(hashBytes("")));
}

TEST(Hashing, FieldsDoNotRunTogether) {
  EXPECT_NE(FieldHasher().add("ab").add("c").finish(), FieldHasher().add("a").add("bc").finish());
  EXPECT_NE(FieldHasher().add("a").finish(), FieldHasher().add("a").add("").finish());
  EXPECT_NE(FieldHasher().finish(), FieldHasher().add(uint64_t(0)).finish());
}

TEST(Hashing, FinishingKeepsTheState) {
  FieldHasher hasher;
  hasher.add("a");
  ContentHash first = hasher.finish();
  EXPECT_EQ(first, hasher.finish());
  EXPECT_EQ(FieldHasher().add("a").add("b").finish(), hasher.add("b").finish());
}
