//===- PackView.h - the bytes of a pack, checked and read in place --------===//
// A pack is one file with compiled kernels for several chips. Programs map it and find
// kernels by key. This reader copies and allocates nothing, and uses neither LLVM nor
// exceptions, so that the small C library of packs has the same code.
//
//   header     192 bytes
//     0   8   magic "TPACK\x1a\r\n"
//     8   4   version 1             12  4   flags: 1 signed
//    16   8   size of the file
//    24   4   number of entries     28  4   number of artifacts
//    32   8   bytes of strings
//    40   8   start of the blobs    48  8   bytes of blobs         56  8   0
//    64  32   the digest: BLAKE3 of the first 64 bytes and of entries, artifacts and strings
//    96  32   public key           128 64   Ed25519 of kSignedText and the digest; 0 if not signed
//   entries    128 bytes each, in the order of their keys, which differ
//     0  32   key                   32 32   key of the source
//    64   4   kind                  68  4   first artifact   72 4 number of artifacts   76 4 flags
//    80  48   strings: name, signature, target, options, origin, maker
//   artifacts  64 bytes each
//     0   8   its name, a string     8  8   start in the blobs   16 8 bytes   24 32 BLAKE3   56 8 0
//   strings    a string is u32 start, u32 bytes
//   blobs      from a multiple of 64; equal contents are there once
//
// Numbers are little-endian. open() checks everything but the blobs, whose hashes the
// digest covers: isIntact() checks one when it is used. So opening costs the index alone,
// and a signature covers every byte that is used.
//
// Requires: the bytes stay as they are (replace a pack in use by renaming another onto it).
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

using PackHash = std::array<uint8_t, 32>;

inline constexpr uint32_t kPackVersion = 1;
inline constexpr size_t kPackHeaderSize = 192, kPackEntrySize = 128, kPackArtifactSize = 64;
inline constexpr size_t kPackDigestedHeader = 64, kPackBlobAlign = 64;
inline constexpr uint32_t kPackIsSigned = 1;
inline constexpr std::string_view kPackMagic("TPACK\x1a\r\n", 8);
/// In front of the digest in what is signed, so that a signature is of a pack and nothing else.
inline constexpr std::string_view kPackSignedText("tessera pack 1\n");

enum class PackEntryKind : uint32_t {
  Kernel = 1,  // artifacts: "record" and binaries by extension
  Choices = 2, // artifact "choices": what autotune chose, as JSON
};

enum PackEntryFlags : uint32_t {
  kPackLaunched = 1, // by the recorded program
  kPackTuned = 2,    // chosen by autotune
};

struct PackEntry {
  const uint8_t *key = nullptr, *source = nullptr; // 32 bytes each
  PackEntryKind kind = PackEntryKind::Kernel;
  uint32_t firstArtifact = 0, artifactCount = 0, flags = 0;
  std::string_view name, signature, target, options, origin, maker;
};

struct PackArtifact {
  std::string_view name, bytes;
  const uint8_t *hash = nullptr; // 32 bytes
};

class PackView {
public:
  /// Null if `bytes` are a pack, which `view` then reads; else what is wrong with them.
  static const char *open(std::string_view bytes, PackView &view);

  uint32_t size() const { return entryCount; }
  PackEntry entry(uint32_t number) const;
  /// `number` counts all artifacts of the pack.
  PackArtifact artifact(uint32_t number) const;
  uint32_t artifactTotal() const { return artifactCount; }
  /// The artifact of an entry with this name; false if there is none.
  bool find(const PackEntry &entry, std::string_view name, PackArtifact &found) const;
  /// The number of the entry with a key of 32 bytes; size() if there is none.
  uint32_t find(const uint8_t *key) const;
  /// Returns whether the artifact's bytes have its hash.
  static bool isIntact(const PackArtifact &artifact);

  bool isSigned() const;
  /// Returns whether the holder of this key of 32 bytes signed the pack.
  bool isSignedBy(const uint8_t *publicKey) const;
  const uint8_t *publicKey() const; // 32 bytes
  const uint8_t *digest() const;    // 32 bytes; identifies the pack

private:
  std::string_view stringAt(const char *place) const;
  bool areStringsInside(const char *place, unsigned count) const;
  const char *checkEntries() const;
  const char *checkArtifacts() const;

  const char *start = nullptr, *entries = nullptr, *artifacts = nullptr, *strings = nullptr,
             *blobs = nullptr;
  uint32_t entryCount = 0, artifactCount = 0;
  uint64_t stringBytes = 0, blobBytes = 0;
};

/// BLAKE3 of the bytes.
PackHash hashForPack(std::string_view bytes);

} // namespace tessera
