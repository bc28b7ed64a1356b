//===- PackFile.h - packs on disk: mapping, loading, writing --------------===//
//   auto pack = PackFile::open("model.tpack");
//   if (std::optional<uint32_t> number = pack->find(key))
//     auto kernel = pack->load(*number);          // its artifacts are checked now
//
//   PackWriter writer;
//   writer.add({.key = key, .name = "add", ...}, artifacts);
//   writer.write("model.tpack", keys);            // in one step: complete or absent
//
// PackView.h describes the format. Equal contents are stored once.
// Cost: opening reads the index, 1 ms for 10,000 entries; a lookup is a binary search.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/CompiledKernel.h"
#include "tessera/Binary/PackKey.h"
#include "tessera/Binary/PackView.h"
#include "tessera/Support/Ed25519.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
}

namespace tessera {

/// The names of artifacts that are no outputs of a stage.
inline constexpr llvm::StringLiteral kPackRecord = "record";
inline constexpr llvm::StringLiteral kPackChoices = "choices";

class PackFile : public std::enable_shared_from_this<PackFile> {
public:
  /// With `trusted`, a pack that was not signed with this key is an error.
  static llvm::Expected<std::shared_ptr<const PackFile>>
  open(llvm::StringRef path, const std::optional<Ed25519Key> &trusted = std::nullopt);
  ~PackFile();

  const PackView &view() const { return packView; }
  const std::string &path() const { return filePath; }
  std::optional<uint32_t> find(const PackHash &key) const;
  /// The targets of the kernels, each once.
  const std::vector<std::string> &targets() const;
  /// The kernel of an entry, or what is wrong with it. All its artifacts are checked. With `only`,
  /// that artifact and the record, if the entry has it.
  llvm::Expected<CompiledKernel> load(uint32_t number, llvm::StringRef only = "") const;
  /// The sources of programs that were looked up here.
  KnownSources &knownSources() const { return sources; }
  /// An artifact of an entry, checked.
  llvm::Expected<std::string> loadArtifact(uint32_t number, llvm::StringRef name) const;

private:
  PackFile() = default;
  std::string filePath;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  PackView packView;
  mutable KnownSources sources;
  mutable std::once_flag areTargetsListed;
  mutable std::vector<std::string> targetList;
};

/// An entry that is written: PackEntry with strings of its own.
struct PackItem {
  PackHash key = {}, source = {};
  PackEntryKind kind = PackEntryKind::Kernel;
  uint32_t flags = 0;
  std::string name = {}, signature = {}, target = {}, options = {}, origin = {}, maker = {};
};

class PackWriter {
public:
  using Artifacts = std::map<std::string, std::string, std::less<>>;

  /// False if the key is there already, and nothing was added.
  bool add(PackItem item, const Artifacts &artifacts);
  /// Adds an entry of another pack, whose artifacts are checked.
  llvm::Expected<bool> add(const PackView &pack, uint32_t number);
  bool has(const PackHash &key) const { return entries.count(key) != 0; }

  size_t size() const { return entries.size(); }
  /// The contents of the file, signed if there are keys.
  std::string finish(const std::optional<Ed25519KeyPair> &keys = std::nullopt) const;
  llvm::Error write(llvm::StringRef path,
                    const std::optional<Ed25519KeyPair> &keys = std::nullopt) const;

private:
  struct Entry {
    PackItem item;
    std::vector<std::pair<std::string, PackHash>> artifacts;
  };
  std::map<PackHash, Entry> entries;
  std::map<PackHash, std::string> blobs;
};

/// Keys in files: 64 hex digits in a line, after "tessera-pack-secret-key " or
/// "tessera-pack-public-key ".
std::string writeSecretKey(const Ed25519KeyPair &keys);
std::string writePublicKey(const Ed25519Key &key);
llvm::Expected<Ed25519KeyPair> readSecretKey(llvm::StringRef path);
/// The public key of a file of either kind.
llvm::Expected<Ed25519Key> readPublicKey(llvm::StringRef path);

} // namespace tessera
