//===- FuzzPack.cpp - any bytes as a pack ---------------------------------===//
// Whatever the bytes, a pack is refused with a reason, or everything that it says it has
// can be read. The checksum of the index would stop nearly every mutant, so it is made
// right in most of them: an attacker can compute it, too.
//===----------------------------------------------------------------------===//
#include "tessera/Binary/PackKey.h"
#include "tessera/Binary/PackMiss.h"
#include "tessera/Binary/PackView.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace tessera;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "FuzzPack: %s\n", what);
  __builtin_trap();
}

static uint64_t number(const std::string &bytes, size_t place, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = size; i-- > 0;)
    value = value << 8 | uint8_t(bytes[place + i]);
  return value;
}

/// Sets the digest, and the size of the file.
static void repair(std::string &bytes) {
  for (unsigned i = 0; i < 8; ++i)
    bytes[16 + i] = char(uint64_t(bytes.size()) >> (8 * i));
  uint64_t index = number(bytes, 24, 4) * kPackEntrySize + number(bytes, 28, 4) * kPackArtifactSize;
  uint64_t room = bytes.size() - kPackHeaderSize, strings = number(bytes, 32, 8);
  if (index > room || strings > room - index)
    return;
  PackHash digest = hashForPack(bytes.substr(0, kPackDigestedHeader) +
                                bytes.substr(kPackHeaderSize, index + strings));
  std::memcpy(&bytes[64], digest.data(), digest.size());
}

static volatile uint64_t sink; // so that every byte is really read

static void readAll(const PackView &view) {
  uint64_t sum = 0;
  auto add = [&](std::string_view text) {
    for (char c : text)
      sum += uint8_t(c);
  };
  for (uint32_t i = 0; i < view.size(); ++i) {
    PackEntry entry = view.entry(i);
    for (std::string_view text :
         {entry.name, entry.signature, entry.target, entry.options, entry.origin, entry.maker})
      add(text);
    require(view.find(entry.key) == i, "an entry is not found by its key");
    for (uint32_t k = 0; k < entry.artifactCount; ++k) {
      PackArtifact artifact = view.artifact(entry.firstArtifact + k);
      add(artifact.name);
      add(artifact.bytes.substr(0, 4096));
      sum += PackView::isIntact(artifact);
    }
  }
  sum += view.entry(view.size()).key != nullptr;
  sink = sum + view.isSignedBy(view.publicKey());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  if (bytes.size() >= kPackHeaderSize && data[size - 1] % 8 != 0)
    repair(bytes);
  PackView view;
  if (const char *problem = PackView::open(bytes, view)) {
    require(problem[0] != 0 && view.size() == 0, "refused without a reason");
    return 0;
  }
  readAll(view);
  PackKeys keys;
  keys.kernelName = "k1";
  require(!explainMiss(view, keys, "cpu").empty(), "a miss without a reason");
  return 0;
}
