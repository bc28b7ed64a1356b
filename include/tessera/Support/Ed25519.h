//===- Ed25519.h - signatures of packs ------------------------------------===//
// RFC 8032's Ed25519, so that whoever can verify a pack cannot also sign one. It uses
// neither LLVM nor a library of the system: the small C library of packs has the same
// code (lib/PackLibrary), and a build depends on nothing new.
//
//   KeyPair keys = keyPairFromSeed(seed);               32 random bytes
//   Signature signature = signMessage(keys, message);
//   bool isRight = verifySignature(keys.publicKey, message, signature);
//
// Ensures: signing takes a time that does not depend on the key. Verifying refuses
// scalars that are not reduced and points that are not on the curve.
// Cost: about 0.2 ms per signature or verification.
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera {

using Ed25519Seed = std::array<uint8_t, 32>;
using Ed25519Key = std::array<uint8_t, 32>; // a public key
using Ed25519Signature = std::array<uint8_t, 64>;

struct Ed25519KeyPair {
  Ed25519Seed seed = {};
  Ed25519Key publicKey = {};
};

Ed25519KeyPair keyPairFromSeed(const Ed25519Seed &seed);
Ed25519Signature signMessage(const Ed25519KeyPair &keys, std::string_view message);
bool verifySignature(const Ed25519Key &publicKey, std::string_view message,
                     const Ed25519Signature &signature);

/// SHA-512 of several strings, one after another.
std::array<uint8_t, 64> sha512(std::string_view first, std::string_view second = {},
                               std::string_view third = {});

} // namespace tessera
