//===- CacheStore.h - compiled kernels on disk ----------------------------===//
// A folder with one file per kernel, named by its key. An entry appears under
// its name only when complete (Support/Files.h) and carries a checksum that is
// verified on load, so any number of processes may share the folder, die in
// the middle, or find it damaged: the worst outcome is a miss. A damaged entry
// is removed. A folder that cannot be written to (read-only, full) just does
// not cache.
//
// A loaded entry is run, and the checksum has no key: an entry is taken only if
// it is a plain file of this user or of root that nobody else may write. Others
// are misses, unless the folder's users trust each other (CacheTrust).
//
//   file:  "TESSERA\x1a" u32 format u32 0 | u64 payload size | checksum | payload
//   checksum: BLAKE3(key, XXH3-128(payload))
//   payload: u32 count, then count times: u32 name size, u64 data size, name, data
//            the first is the metadata (RecordBytes.h); numbers are little-endian
//
// Behind the folder there may be a server that machines share (RemoteStore.h): what the folder
// lacks is asked for there, checked, and kept in the folder; what is compiled is put to both.
// A limit of the folder's size removes the entries that were not loaded for longest; the time of
// the last load is the file's, refreshed once an hour.
//
// Cost: one open, read and close per load; no lock, no index.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/CompiledKernel.h"
#include "tessera/Binary/RemoteStore.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace tessera {

struct CacheStatistics {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  uint64_t damaged = 0; // of verify(): that were removed
};

/// The users whose cache entries are loaded.
enum class CacheTrust {
  ThisUser, // and root
  AllUsers  // who may write to the folder
};

class CacheStore {
public:
  /// The folder is made by the first store. An empty name caches nothing.
  explicit CacheStore(std::string folder, CacheTrust trust = CacheTrust::ThisUser,
                      std::shared_ptr<RemoteStore> remote = nullptr, uint64_t limit = 0)
      : folder(std::move(folder)), trust(trust), remote(std::move(remote)), limit(limit) {}

  const std::string &path() const { return folder; }

  /// `key` as computeCacheKey gives it. `problem` is set if an entry was there and is damaged, or
  /// if the server does not answer.
  std::optional<CompiledKernel> load(llvm::StringRef key, std::string *problem = nullptr) const;
  /// The error is for reports; ignoring it (llvm::consumeError) costs only a later miss.
  llvm::Error store(llvm::StringRef key, const CompiledKernel &kernel) const;

  /// A folder that does not exist is empty.
  llvm::Expected<CacheStatistics> stat() const;
  /// Removes entries and abandoned temporary files, nothing else; says what went.
  llvm::Expected<CacheStatistics> clear() const;
  /// Removes the entries that were not used for longest until the others have at most `bytes`; says
  /// what went. Several processes may do so at once.
  llvm::Expected<CacheStatistics> prune(uint64_t bytes) const;
  /// Reads every entry, and removes damaged ones; says what is left.
  llvm::Expected<CacheStatistics> verify() const;

private:
  std::string entryPath(llvm::StringRef key) const;
  std::optional<CompiledKernel> loadFromFolder(llvm::StringRef key, std::string *problem) const;
  std::optional<CompiledKernel> loadFromServer(llvm::StringRef key, std::string *problem) const;
  llvm::Error storeBytes(llvm::StringRef key, llvm::StringRef bytes) const;

  std::string folder;
  CacheTrust trust;
  std::shared_ptr<RemoteStore> remote; // null: none
  uint64_t limit;                      // 0: none
};

/// The file's contents, and back. Exposed for tests and for tools that ship caches.
std::string encodeCacheEntry(llvm::StringRef key, const CompiledKernel &kernel);
llvm::Expected<CompiledKernel> decodeCacheEntry(llvm::StringRef key, llvm::StringRef bytes);

} // namespace tessera
