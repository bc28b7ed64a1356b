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
// Cost: one open, read and close per load; no lock, no index.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/CompiledKernel.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace tessera {

struct CacheStatistics {
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

/// The users whose cache entries are loaded.
enum class CacheTrust {
  ThisUser, // and root
  AllUsers  // who may write to the folder
};

class CacheStore {
public:
  /// The folder is made by the first store. An empty name caches nothing.
  explicit CacheStore(std::string folder, CacheTrust trust = CacheTrust::ThisUser)
      : folder(std::move(folder)), trust(trust) {}

  const std::string &path() const { return folder; }

  /// `key` as computeCacheKey gives it.
  std::optional<CompiledKernel> load(llvm::StringRef key) const;
  /// The error is for reports; ignoring it (llvm::consumeError) costs only a later miss.
  llvm::Error store(llvm::StringRef key, const CompiledKernel &kernel) const;

  /// A folder that does not exist is empty.
  llvm::Expected<CacheStatistics> stat() const;
  /// Removes entries and abandoned temporary files, nothing else; says what went.
  llvm::Expected<CacheStatistics> clear() const;

private:
  std::string entryPath(llvm::StringRef key) const;
  std::string folder;
  CacheTrust trust;
};

/// The file's contents, and back. Exposed for tests and for tools that ship caches.
std::string encodeCacheEntry(llvm::StringRef key, const CompiledKernel &kernel);
llvm::Expected<CompiledKernel> decodeCacheEntry(llvm::StringRef key, llvm::StringRef bytes);

} // namespace tessera
