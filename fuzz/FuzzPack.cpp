//===- FuzzPack.cpp - any bytes as a pack ---------------------------------===//
// Whatever the bytes, a pack is refused with a reason, or everything that it says it has
// can be read. The checksum of the index would stop nearly every mutant, so it is made
// right in most of them, as are those of the contents: an attacker can compute them, too.
// The library of packs (tessera_pack.h) opens the same file, reads every record, chooses
// variants, and links the objects; no kernel is run.
//===----------------------------------------------------------------------===//
#include "tessera_pack.h"
#include "tessera/Binary/PackKey.h"
#include "tessera/Binary/PackMiss.h"
#include "tessera/Binary/PackView.h"
#include "tessera/Kernel/KernelRecord.h"
#include "tessera/Support/Json.h"
#include "tessera/Support/JsonTree.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

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
  uint64_t start = number(bytes, 40, 8), artifacts = number(bytes, 28, 4);
  uint64_t place = kPackHeaderSize + number(bytes, 24, 4) * kPackEntrySize;
  for (uint64_t i = 0; i < artifacts; ++i, place += kPackArtifactSize) {
    uint64_t begin = number(bytes, place + 8, 8), count = number(bytes, place + 16, 8);
    if (start > bytes.size() || begin > bytes.size() - start ||
        count > bytes.size() - start - begin)
      continue;
    PackHash hash = hashForPack(std::string_view(bytes).substr(start + begin, count));
    std::memcpy(&bytes[place + 24], hash.data(), hash.size());
  }
  PackHash digest = hashForPack(bytes.substr(0, kPackDigestedHeader) +
                                bytes.substr(kPackHeaderSize, index + strings));
  std::memcpy(&bytes[64], digest.data(), digest.size());
}

/// Records are JSON, which two readers must understand alike.
static void readAsJson(std::string_view bytes) {
  llvm::StringRef text(bytes.data(), bytes.size());
  bool isTree = bool(llvm::expectedToOptional(JsonTree::parse(text)));
  require(isTree == bool(llvm::expectedToOptional(parseJson(text))), "JSON that one reader takes");
  llvm::consumeError(KernelRecord::parse(text).takeError());
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
      readAsJson(artifact.bytes.substr(0, 4096));
    }
  }
  sum += view.entry(view.size()).key != nullptr;
  sink = sum + view.isSignedBy(view.publicKey());
}

/// The library takes the name of a file.
static void useLibrary(const std::string &bytes) {
  static const int file = ::memfd_create("pack", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(file >= 0 && ::ftruncate(file, 0) == 0 &&
              ::pwrite(file, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()),
          "no file in memory");
  tessera_pack *pack = nullptr;
  if (tessera_pack_open(path.c_str(), nullptr, &pack)) {
    require(tessera_pack_last_error()[0] != 0, "refused without a reason");
    return;
  }
  int64_t value = 64;
  const void *values[256];
  for (const void *&each : values)
    each = &value;
  tessera_pack_place cpu = {"cpu", nullptr, 1};
  uint64_t sum = 0;
  for (uint32_t i = 0; i < tessera_pack_count(pack) && i < 16; ++i) {
    tessera_pack_variant entry;
    require(tessera_pack_get(pack, i, &entry) == TESSERA_PACK_OK, "an entry is not there");
    std::string name(entry.kernel.data, entry.kernel.size),
        target(entry.target.data, entry.target.size);
    for (const char *device : {target.c_str(), "cpu", "cuda:86", "hip:gfx942"})
      for (uint32_t count : {0u, 1u, 2u, 5u, 256u}) {
        uint32_t chosen = 0;
        if (tessera_pack_select(pack, name.c_str(), device, values, count, &chosen) ==
            TESSERA_PACK_OK)
          sum += chosen;
      }
    sum += tessera_pack_load(pack, name.c_str(), &cpu);
  }
  sink = sum;
  tessera_pack_close(pack);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  if (bytes.size() >= kPackHeaderSize && data[size - 1] % 8 != 0)
    repair(bytes);
  useLibrary(bytes);
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
