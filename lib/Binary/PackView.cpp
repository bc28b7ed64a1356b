//===- PackView.cpp - the bytes of a pack, checked and read in place ------===//
// The format is described in the header. Nothing is trusted: each size and place is
// compared with what is there before it is used, without sums that overflow.
//===----------------------------------------------------------------------===//
#include "tessera/Binary/PackView.h"
#include "tessera/Support/Ed25519.h"
#include "llvm-c/blake3.h"
#include <cstring>

using namespace tessera;

static uint32_t read32(const char *place) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(place);
  return uint32_t(bytes[0]) | uint32_t(bytes[1]) << 8 | uint32_t(bytes[2]) << 16 |
         uint32_t(bytes[3]) << 24;
}

static uint64_t read64(const char *place) {
  return read32(place) | uint64_t(read32(place + 4)) << 32;
}

static const uint8_t *asBytes(const char *place) {
  return reinterpret_cast<const uint8_t *>(place);
}

PackHash tessera::hashForPack(std::string_view bytes) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, bytes.data(), bytes.size());
  PackHash hash;
  llvm_blake3_hasher_finalize(&hasher, hash.data(), hash.size());
  return hash;
}

static PackHash digestOf(const char *header, const char *index, size_t indexBytes) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, header, kPackDigestedHeader);
  llvm_blake3_hasher_update(&hasher, index, indexBytes);
  PackHash hash;
  llvm_blake3_hasher_finalize(&hasher, hash.data(), hash.size());
  return hash;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

const char *PackView::open(std::string_view bytes, PackView &view) {
  view = PackView();
  if (bytes.size() < kPackHeaderSize)
    return "it is too short for a pack";
  const char *start = bytes.data();
  if (bytes.substr(0, kPackMagic.size()) != kPackMagic)
    return "it is not a pack";
  if (read32(start + 8) != kPackVersion)
    return "it is a pack of another version; build it again with this Tessera";
  if (read64(start + 16) != bytes.size())
    return "it is cut short, or something was added to it";
  uint32_t entryCount = read32(start + 24), artifactCount = read32(start + 28);
  uint64_t stringBytes = read64(start + 32), blobStart = read64(start + 40),
           blobBytes = read64(start + 48);
  uint64_t room = bytes.size() - kPackHeaderSize;
  // Both counts are below 2^32, so the products and their sum are below 2^40.
  uint64_t tables =
      uint64_t(entryCount) * kPackEntrySize + uint64_t(artifactCount) * kPackArtifactSize;
  if (tables > room || stringBytes > room - tables)
    return "its index is larger than the file";
  uint64_t indexBytes = tables + stringBytes, end = kPackHeaderSize + indexBytes;
  if (blobStart < end || blobStart - end >= kPackBlobAlign || blobStart % kPackBlobAlign != 0 ||
      blobStart > bytes.size() || blobBytes != bytes.size() - blobStart)
    return "its parts do not fill the file";
  PackHash digest = digestOf(start, start + kPackHeaderSize, indexBytes);
  if (std::memcmp(digest.data(), start + 64, digest.size()) != 0)
    return "it is damaged: the checksum of its index differs";
  PackView made;
  made.start = start;
  made.entries = start + kPackHeaderSize;
  made.artifacts = made.entries + uint64_t(entryCount) * kPackEntrySize;
  made.strings = made.entries + tables;
  made.blobs = start + blobStart;
  made.entryCount = entryCount;
  made.artifactCount = artifactCount;
  made.stringBytes = stringBytes;
  made.blobBytes = blobBytes;
  if (const char *problem = made.checkEntries())
    return problem;
  if (const char *problem = made.checkArtifacts())
    return problem;
  view = made;
  return nullptr;
}

/// `place` has that many strings in a row.
bool PackView::areStringsInside(const char *place, unsigned count) const {
  for (unsigned i = 0; i < count; ++i, place += 8)
    if (uint64_t(read32(place)) + read32(place + 4) > stringBytes)
      return false;
  return true;
}

const char *PackView::checkEntries() const {
  for (uint32_t i = 0; i < entryCount; ++i) {
    const char *place = entries + size_t(i) * kPackEntrySize;
    if (i > 0 && std::memcmp(place - kPackEntrySize, place, 32) >= 0)
      return "its entries are not in order";
    if (read32(place + 64) < 1 || read32(place + 64) > uint32_t(PackEntryKind::Choices))
      return "it has an entry of an unknown kind";
    if (uint64_t(read32(place + 68)) + read32(place + 72) > artifactCount)
      return "an entry has artifacts that are not there";
    if (!areStringsInside(place + 80, 6))
      return "an entry has strings that are not there";
  }
  return nullptr;
}

const char *PackView::checkArtifacts() const {
  for (uint32_t i = 0; i < artifactCount; ++i) {
    const char *place = artifacts + size_t(i) * kPackArtifactSize;
    uint64_t begin = read64(place + 8), bytes = read64(place + 16);
    if (!areStringsInside(place, 1))
      return "an artifact has a name that is not there";
    if (begin > blobBytes || bytes > blobBytes - begin)
      return "an artifact lies outside the file";
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::string_view PackView::stringAt(const char *place) const {
  return {strings + read32(place), read32(place + 4)};
}

PackEntry PackView::entry(uint32_t number) const {
  PackEntry found;
  if (number >= entryCount)
    return found;
  const char *place = entries + size_t(number) * kPackEntrySize;
  found.key = asBytes(place);
  found.source = asBytes(place + 32);
  found.kind = PackEntryKind(read32(place + 64));
  found.firstArtifact = read32(place + 68);
  found.artifactCount = read32(place + 72);
  found.flags = read32(place + 76);
  std::string_view *fields[] = {&found.name,    &found.signature, &found.target,
                                &found.options, &found.origin,    &found.maker};
  for (unsigned i = 0; i < 6; ++i)
    *fields[i] = stringAt(place + 80 + 8 * i);
  return found;
}

PackArtifact PackView::artifact(uint32_t number) const {
  PackArtifact found;
  if (number >= artifactCount)
    return found;
  const char *place = artifacts + size_t(number) * kPackArtifactSize;
  found.name = stringAt(place);
  found.bytes = {blobs + read64(place + 8), size_t(read64(place + 16))};
  found.hash = asBytes(place + 24);
  return found;
}

bool PackView::find(const PackEntry &entry, std::string_view name, PackArtifact &found) const {
  for (uint32_t i = 0; i < entry.artifactCount; ++i) {
    found = artifact(entry.firstArtifact + i);
    if (found.name == name)
      return true;
  }
  found = PackArtifact();
  return false;
}

uint32_t PackView::find(const uint8_t *key) const {
  uint32_t low = 0, high = entryCount;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = std::memcmp(entries + size_t(middle) * kPackEntrySize, key, 32);
    if (order == 0)
      return middle;
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return entryCount;
}

bool PackView::isIntact(const PackArtifact &artifact) {
  if (!artifact.hash)
    return false;
  PackHash hash = hashForPack(artifact.bytes);
  return std::memcmp(hash.data(), artifact.hash, hash.size()) == 0;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

bool PackView::isSigned() const { return start && (read32(start + 12) & kPackIsSigned); }
const uint8_t *PackView::publicKey() const { return asBytes(start + 96); }
const uint8_t *PackView::digest() const { return asBytes(start + 64); }

bool PackView::isSignedBy(const uint8_t *key) const {
  if (!isSigned() || std::memcmp(key, publicKey(), 32) != 0)
    return false;
  Ed25519Key trusted;
  std::memcpy(trusted.data(), key, trusted.size());
  Ed25519Signature signature;
  std::memcpy(signature.data(), start + 128, signature.size());
  char message[kPackSignedText.size() + 32];
  std::memcpy(message, kPackSignedText.data(), kPackSignedText.size());
  std::memcpy(message + kPackSignedText.size(), start + 64, 32);
  return verifySignature(trusted, {message, sizeof(message)}, signature);
}
