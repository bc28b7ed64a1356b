//===- Ed25519Test.cpp - signatures of packs ------------------------------===//
#include "tessera/Support/Ed25519.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <cstring>
#include <string>

using namespace tessera;

namespace {

template <size_t N> std::array<uint8_t, N> bytes(const char *hex) {
  std::string raw = llvm::fromHex(hex);
  std::array<uint8_t, N> result = {};
  std::memcpy(result.data(), raw.data(), std::min(raw.size(), N));
  return result;
}

std::string hex(llvm::ArrayRef<uint8_t> data) { return llvm::toHex(data, /*LowerCase=*/true); }

struct Vector {
  const char *seed, *publicKey, *message, *signature;
};

// RFC 8032, section 7.1.
const Vector kVectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b"
     "4"
     "6bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11"
     "d"
     "8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc"
     "6"
     "594a7c15e9716ed28dc027beceea1ec40a"}};

TEST(Ed25519, KnownVectors) {
  for (const Vector &vector : kVectors) {
    Ed25519KeyPair keys = keyPairFromSeed(bytes<32>(vector.seed));
    EXPECT_EQ(hex(keys.publicKey), vector.publicKey);
    std::string message = llvm::fromHex(vector.message);
    Ed25519Signature signature = signMessage(keys, message);
    EXPECT_EQ(hex(signature), vector.signature);
    EXPECT_TRUE(verifySignature(keys.publicKey, message, signature));
  }
}

TEST(Ed25519, EveryBitCounts) {
  Ed25519KeyPair keys = keyPairFromSeed(bytes<32>(kVectors[1].seed));
  Ed25519Signature signature = signMessage(keys, "a pack");
  for (size_t bit = 0; bit < 512; bit += 7) {
    Ed25519Signature changed = signature;
    changed[bit / 8] ^= uint8_t(1 << (bit % 8));
    EXPECT_FALSE(verifySignature(keys.publicKey, "a pack", changed)) << bit;
  }
  for (size_t bit = 0; bit < 256; bit += 7) {
    Ed25519Key changed = keys.publicKey;
    changed[bit / 8] ^= uint8_t(1 << (bit % 8));
    EXPECT_FALSE(verifySignature(changed, "a pack", signature)) << bit;
  }
  EXPECT_FALSE(verifySignature(keys.publicKey, "a pacK", signature));
}

// s and s + L give the same point; only the smaller one is a signature.
TEST(Ed25519, ScalarsAreReduced) {
  Ed25519KeyPair keys = keyPairFromSeed(bytes<32>(kVectors[0].seed));
  Ed25519Signature signature = signMessage(keys, "");
  std::array<uint8_t, 32> order =
      bytes<32>("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
  unsigned carry = 0;
  for (size_t i = 0; i < 32; ++i) {
    carry += signature[32 + i] + order[i];
    signature[32 + i] = uint8_t(carry);
    carry >>= 8;
  }
  EXPECT_FALSE(verifySignature(keys.publicKey, "", signature));
}

TEST(Ed25519, Sha512) {
  EXPECT_EQ(
      hex(sha512("abc")),
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3"
      "feebbd454d4423643ce80e2a9ac94fa54ca49f");
  std::string text(300, 'x');
  EXPECT_EQ(hex(sha512(text)),
            hex(sha512(text.substr(0, 111), text.substr(111, 17), text.substr(128))));
}

} // namespace
