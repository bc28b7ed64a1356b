//===- PackFile.cpp - packs on disk: mapping, loading, writing ------------===//
#include "tessera/Binary/PackFile.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tessera;

namespace endian = llvm::support::endian;

static llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }
static std::string_view viewOf(llvm::StringRef text) { return {text.data(), text.size()}; }

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

PackFile::~PackFile() = default;

static llvm::Error checkSignature(const PackView &view, const Ed25519Key &trusted) {
  if (!view.isSigned())
    return makeError("it is not signed, and a signature is asked for");
  if (std::memcmp(view.publicKey(), trusted.data(), trusted.size()) != 0)
    return makeError("it was signed with another key, " +
                     llvm::toHex(llvm::ArrayRef(view.publicKey(), 32), /*LowerCase=*/true));
  if (!view.isSignedBy(trusted.data()))
    return makeError("its signature is wrong");
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<const PackFile>>
PackFile::open(llvm::StringRef path, const std::optional<Ed25519Key> &trusted) {
  // A file of a page or more is mapped, and not read.
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("cannot open the pack '" + path + "': " + buffer.getError().message());
  std::shared_ptr<PackFile> pack(new PackFile());
  pack->filePath = path.str();
  pack->buffer = std::move(*buffer);
  if (const char *problem = PackView::open(viewOf(pack->buffer->getBuffer()), pack->packView))
    return makeError("the pack '" + path + "' is not used: " + problem);
  if (trusted)
    if (llvm::Error error = checkSignature(pack->packView, *trusted))
      return makeError("the pack '" + path + "' is not used: " + llvm::toString(std::move(error)));
  return pack;
}

std::optional<uint32_t> PackFile::find(const PackHash &key) const {
  uint32_t number = packView.find(key.data());
  return number < packView.size() ? std::optional(number) : std::nullopt;
}

const std::vector<std::string> &PackFile::targets() const {
  std::call_once(areTargetsListed, [&] {
    for (uint32_t i = 0; i < packView.size(); ++i) {
      PackEntry entry = packView.entry(i);
      if (entry.kind == PackEntryKind::Kernel && !llvm::is_contained(targetList, entry.target))
        targetList.emplace_back(entry.target);
    }
  });
  return targetList;
}

/// The kernel's name as a message may print it: packs come from other machines.
static std::string shown(std::string_view text) {
  std::string safe;
  for (char c : text.substr(0, 200))
    safe += llvm::isPrint(c) ? c : '?';
  return safe;
}

static llvm::Error damaged(const PackFile &pack, const PackEntry &entry, llvm::StringRef what) {
  return makeError("the pack '" + pack.path() + "' is damaged: " + what + " of '" +
                   shown(entry.name) + "' for " + shown(entry.target));
}

llvm::Expected<std::string> PackFile::loadArtifact(uint32_t number, llvm::StringRef name) const {
  PackEntry entry = packView.entry(number);
  PackArtifact artifact;
  if (!packView.find(entry, viewOf(name), artifact))
    return makeError("the pack '" + filePath + "' has no '" + name + "' of '" + shown(entry.name) +
                     "'");
  if (!PackView::isIntact(artifact))
    return damaged(*this, entry, name);
  return std::string(artifact.bytes);
}

llvm::Expected<CompiledKernel> PackFile::load(uint32_t number, llvm::StringRef only) const {
  PackEntry entry = packView.entry(number);
  CompiledKernel kernel;
  PackArtifact artifact;
  bool isOnlyOne = !only.empty() && packView.find(entry, viewOf(only), artifact);
  for (uint32_t i = 0; i < entry.artifactCount; ++i) {
    artifact = packView.artifact(entry.firstArtifact + i);
    if (isOnlyOne && ref(artifact.name) != only && ref(artifact.name) != kPackRecord) {
      kernel.isPartial = true;
      continue;
    }
    if (!PackView::isIntact(artifact))
      return damaged(*this, entry, shown(artifact.name));
    if (ref(artifact.name) != kPackRecord) {
      kernel.artifacts[std::string(artifact.name)] = artifact.bytes;
      continue;
    }
    llvm::Expected<KernelRecord> record = KernelRecord::parse(ref(artifact.bytes));
    if (!record)
      return makeError("the pack '" + filePath + "': the record of '" + shown(entry.name) +
                       "': " + llvm::toString(record.takeError()));
    kernel.record = std::move(*record);
    kernel.recordText = artifact.bytes;
  }
  if (entry.kind == PackEntryKind::Kernel && kernel.record.kernelName.empty())
    return damaged(*this, entry, "no record");
  kernel.pack = shared_from_this();
  kernel.packEntry = number;
  return kernel;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

bool PackWriter::add(PackItem item, const Artifacts &artifacts) {
  if (has(item.key))
    return false;
  Entry entry{std::move(item), {}};
  for (const auto &[name, bytes] : artifacts) {
    PackHash hash = hashForPack(bytes);
    blobs.try_emplace(hash, bytes);
    entry.artifacts.emplace_back(name, hash);
  }
  entries.emplace(entry.item.key, std::move(entry));
  return true;
}

llvm::Expected<bool> PackWriter::add(const PackView &pack, uint32_t number) {
  PackEntry entry = pack.entry(number);
  PackItem item{.kind = entry.kind,
                .flags = entry.flags,
                .name = std::string(entry.name),
                .signature = std::string(entry.signature),
                .target = std::string(entry.target),
                .options = std::string(entry.options),
                .origin = std::string(entry.origin),
                .maker = std::string(entry.maker)};
  std::memcpy(item.key.data(), entry.key, item.key.size());
  std::memcpy(item.source.data(), entry.source, item.source.size());
  Artifacts artifacts;
  for (uint32_t i = 0; i < entry.artifactCount; ++i) {
    PackArtifact artifact = pack.artifact(entry.firstArtifact + i);
    if (!PackView::isIntact(artifact))
      return makeError("'" + shown(artifact.name) + "' of '" + shown(entry.name) + "' is damaged");
    artifacts[std::string(artifact.name)] = artifact.bytes;
  }
  return add(std::move(item), artifacts);
}

namespace {
/// The strings of an index, each once.
class StringTable {
public:
  void put(std::string &bytes, const std::string &text) {
    auto [known, isNew] = places.try_emplace(text, uint32_t(strings.size()));
    if (isNew)
      strings += text;
    char buffer[8];
    endian::write32le(buffer, known->second);
    endian::write32le(buffer + 4, uint32_t(text.size()));
    bytes.append(buffer, 8);
  }
  std::string strings;

private:
  std::map<std::string, uint32_t> places;
};
} // namespace

static void append32(std::string &bytes, uint32_t value) {
  char buffer[4];
  endian::write32le(buffer, value);
  bytes.append(buffer, 4);
}

static void append64(std::string &bytes, uint64_t value) {
  char buffer[8];
  endian::write64le(buffer, value);
  bytes.append(buffer, 8);
}

static void append(std::string &bytes, llvm::ArrayRef<uint8_t> more) {
  bytes.append(reinterpret_cast<const char *>(more.data()), more.size());
}

std::string PackWriter::finish(const std::optional<Ed25519KeyPair> &keys) const {
  StringTable table;
  std::string index, artifacts, data;
  std::map<PackHash, uint64_t> places;
  // Artifacts that a launch reads together lie side by side, so that it touches fewer pages.
  auto placeOf = [&](const PackHash &hash) {
    auto [known, isNew] = places.try_emplace(hash, llvm::alignTo(data.size(), kPackBlobAlign));
    if (isNew) {
      data.resize(known->second, '\0');
      data += blobs.at(hash);
    }
    return known->second;
  };
  uint32_t artifactCount = 0;
  for (const auto &[key, entry] : entries) {
    append(index, key);
    append(index, entry.item.source);
    append32(index, uint32_t(entry.item.kind));
    append32(index, artifactCount);
    append32(index, uint32_t(entry.artifacts.size()));
    append32(index, entry.item.flags);
    const PackItem &item = entry.item;
    for (const std::string *text :
         {&item.name, &item.signature, &item.target, &item.options, &item.origin, &item.maker})
      table.put(index, *text);
    for (const auto &[name, hash] : entry.artifacts)
      if (name == kPackRecord)
        placeOf(hash); // before texts, which few launches need
    for (const auto &[name, hash] : entry.artifacts) {
      table.put(artifacts, name);
      append64(artifacts, placeOf(hash));
      append64(artifacts, blobs.at(hash).size());
      append(artifacts, hash);
      append64(artifacts, 0);
      ++artifactCount;
    }
  }
  index += artifacts;
  index += table.strings;

  uint64_t blobStart = llvm::alignTo(kPackHeaderSize + index.size(), kPackBlobAlign);
  std::string bytes(kPackMagic);
  append32(bytes, kPackVersion);
  append32(bytes, keys ? kPackIsSigned : 0);
  append64(bytes, blobStart + data.size());
  append32(bytes, uint32_t(entries.size()));
  append32(bytes, artifactCount);
  append64(bytes, table.strings.size());
  append64(bytes, blobStart);
  append64(bytes, data.size());
  append64(bytes, 0);
  PackHash digest = hashForPack(bytes + index);
  append(bytes, digest);
  if (keys) {
    std::string message(kPackSignedText);
    append(message, digest);
    append(bytes, keys->publicKey);
    append(bytes, signMessage(*keys, message));
  }
  bytes.resize(kPackHeaderSize, '\0');
  bytes += index;
  bytes.resize(blobStart, '\0');
  bytes += data;
  return bytes;
}

llvm::Error PackWriter::write(llvm::StringRef path,
                              const std::optional<Ed25519KeyPair> &keys) const {
  llvm::Expected<PendingFile> file = PendingFile::open(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(finish(keys)))
    return error;
  return file->commit(Durability::Synced);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kSecret = "tessera-pack-secret-key ";
static constexpr llvm::StringLiteral kPublic = "tessera-pack-public-key ";

std::string tessera::writeSecretKey(const Ed25519KeyPair &keys) {
  return kSecret.str() + llvm::toHex(keys.seed, /*LowerCase=*/true) + "\n";
}

std::string tessera::writePublicKey(const Ed25519Key &key) {
  return kPublic.str() + llvm::toHex(key, /*LowerCase=*/true) + "\n";
}

static bool readHex(llvm::StringRef text, std::array<uint8_t, 32> &bytes) {
  std::string raw;
  if (text.size() != 64 || !llvm::tryGetFromHex(text, raw) || raw.size() != 32)
    return false;
  std::memcpy(bytes.data(), raw.data(), 32);
  return true;
}

llvm::Expected<Ed25519KeyPair> tessera::readSecretKey(llvm::StringRef path) {
  llvm::Expected<std::string> text = readFile(path, 4096);
  if (!text)
    return text.takeError();
  llvm::StringRef rest = llvm::StringRef(*text).trim();
  Ed25519Seed seed;
  if (!rest.consume_front(kSecret) || !readHex(rest, seed))
    return makeError("'" + path + "' holds no secret key; `tessera pack keygen FILE` makes one");
  return keyPairFromSeed(seed);
}

llvm::Expected<Ed25519Key> tessera::readPublicKey(llvm::StringRef path) {
  llvm::Expected<std::string> text = readFile(path, 4096);
  if (!text)
    return text.takeError();
  llvm::StringRef rest = llvm::StringRef(*text).trim();
  Ed25519Key key;
  if (rest.starts_with(kSecret)) {
    llvm::Expected<Ed25519KeyPair> keys = readSecretKey(path);
    if (!keys)
      return keys.takeError();
    return keys->publicKey;
  }
  if (!rest.consume_front(kPublic) || !readHex(rest, key))
    return makeError("'" + path +
                     "' holds no public key; `tessera pack keygen FILE` makes FILE "
                     "and FILE.pub");
  return key;
}
