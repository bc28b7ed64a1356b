//===- CacheStore.cpp - compiled kernels on disk --------------------------===//
// The format is described in the header. A reader trusts nothing: sizes are
// compared with the file's, the checksum covers the key and the payload (so a
// file copied to another name does not pass), and the metadata is read with
// all its checks.
//===----------------------------------------------------------------------===//
#include "tessera/Binary/CacheStore.h"
#include "RecordBytes.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>

namespace tessera {

namespace fs = llvm::sys::fs;
namespace endian = llvm::support::endian;

static constexpr llvm::StringLiteral kMagic("TESSERA\x1a");
static constexpr uint32_t kFormat = 4;
static constexpr size_t kHeaderSize = 8 + 4 + 4 + 8 + 32;
static constexpr llvm::StringLiteral kExtension = ".tessera";
static constexpr llvm::StringLiteral kMetadataName = "metadata";

//===----------------------------------------------------------------------===//
// Entries as bytes
//===----------------------------------------------------------------------===//

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

static void appendSection(std::string &bytes, llvm::StringRef name, llvm::StringRef data) {
  append32(bytes, uint32_t(name.size()));
  append64(bytes, data.size());
  bytes += name;
  bytes += data;
}

/// Against damage, not against people: whoever may write here may write any kernel. So the
/// payload, of which a hit must see every byte, is read by the faster of the two hashes.
static ContentHash checksum(llvm::StringRef key, llvm::StringRef payload) {
  llvm::XXH128_hash_t sum = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(payload));
  return FieldHasher().add(key).add(sum.low64).add(sum.high64).finish();
}

std::string encodeCacheEntry(llvm::StringRef key, const CompiledKernel &kernel) {
  std::string payload;
  append32(payload, uint32_t(kernel.artifacts.size() + 1));
  appendSection(payload, kMetadataName, encodeRecord(kernel.record));
  for (const auto &[extension, data] : kernel.artifacts)
    appendSection(payload, extension, data);

  std::string bytes = kMagic.str();
  append32(bytes, kFormat);
  append32(bytes, 0);
  append64(bytes, payload.size());
  ContentHash sum = checksum(key, payload);
  bytes.append(reinterpret_cast<const char *>(sum.data()), sum.size());
  bytes += payload;
  return bytes;
}

/// Takes a section off the front; false when the bytes do not hold one.
static bool takeSection(llvm::StringRef &bytes, llvm::StringRef &name, llvm::StringRef &data) {
  if (bytes.size() < 12)
    return false;
  uint64_t nameSize = endian::read32le(bytes.data());
  uint64_t dataSize = endian::read64le(bytes.data() + 4);
  bytes = bytes.drop_front(12);
  if (nameSize > bytes.size() || dataSize > bytes.size() - nameSize)
    return false;
  name = bytes.take_front(nameSize);
  data = bytes.substr(nameSize, dataSize);
  bytes = bytes.drop_front(nameSize + dataSize);
  return true;
}

static llvm::Expected<CompiledKernel> decodePayload(llvm::StringRef payload) {
  if (payload.size() < 4)
    return makeError("cache entry: no sections");
  uint32_t count = endian::read32le(payload.data());
  payload = payload.drop_front(4);
  CompiledKernel kernel;
  for (uint32_t i = 0; i < count; ++i) {
    llvm::StringRef name, data;
    if (!takeSection(payload, name, data))
      return makeError("cache entry: a section is cut short");
    if (i > 0) {
      kernel.artifacts[name.str()] = data.str();
      continue;
    }
    std::optional<KernelRecord> record = decodeRecord(data);
    if (!record)
      return makeError("cache entry: the metadata is none");
    kernel.record = std::move(*record);
  }
  if (count == 0 || !payload.empty())
    return makeError("cache entry: the sections do not fill it");
  return kernel;
}

llvm::Expected<CompiledKernel> decodeCacheEntry(llvm::StringRef key, llvm::StringRef bytes) {
  if (bytes.size() < kHeaderSize || !bytes.starts_with(kMagic))
    return makeError("cache entry: not one");
  if (endian::read32le(bytes.data() + 8) != kFormat || endian::read32le(bytes.data() + 12) != 0)
    return makeError("cache entry: of another format");
  llvm::StringRef payload = bytes.drop_front(kHeaderSize);
  if (endian::read64le(bytes.data() + 16) != payload.size())
    return makeError("cache entry: cut short");
  ContentHash sum = checksum(key, payload);
  if (std::memcmp(sum.data(), bytes.data() + 24, sum.size()) != 0)
    return makeError("cache entry: damaged");
  return decodePayload(payload);
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// No files with other names are read, counted or removed, whatever folder the user chose.
static bool isKey(llvm::StringRef text) {
  return text.size() == 64 && llvm::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

static bool isEntryName(llvm::StringRef name) {
  return name.consume_back(kExtension) && isKey(name);
}

std::string CacheStore::entryPath(llvm::StringRef key) const {
  return (folder + "/" + key + kExtension).str();
}

/// An entry that is loaded now and then is kept by prune().
static void noteUse(const std::string &path) {
  constexpr time_t kHour = 3600;
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && status.st_mtime + kHour < ::time(nullptr))
    (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

std::optional<CompiledKernel> CacheStore::loadFromFolder(llvm::StringRef key,
                                                         std::string *problem) const {
  if (folder.empty())
    return std::nullopt;
  std::string path = entryPath(key);
  llvm::Expected<std::string> bytes =
      trust == CacheTrust::AllUsers ? readPlainFile(path) : readOwnFile(path);
  if (!bytes) {
    llvm::consumeError(bytes.takeError());
    return std::nullopt;
  }
  llvm::Expected<CompiledKernel> kernel = decodeCacheEntry(key, *bytes);
  if (kernel) {
    noteUse(path);
    return std::move(*kernel);
  }
  std::string reason = llvm::toString(kernel.takeError());
  if (problem)
    *problem = "'" + path + "' is removed, and the kernel compiled: " + reason;
  // Another process may just have replaced it by a good one; losing that is one more miss.
  (void)fs::remove(path);
  return std::nullopt;
}

static std::string remoteName(llvm::StringRef key) { return "kernel/" + key.str(); }

std::optional<CompiledKernel> CacheStore::loadFromServer(llvm::StringRef key,
                                                         std::string *problem) const {
  if (!remote)
    return std::nullopt;
  std::optional<std::string> bytes = remote->get(remoteName(key));
  if (std::string failure = remote->takeProblem(); problem && !failure.empty())
    *problem = failure;
  if (!bytes)
    return std::nullopt;
  llvm::Expected<CompiledKernel> kernel = decodeCacheEntry(key, *bytes);
  if (!kernel) {
    std::string reason = llvm::toString(kernel.takeError());
    if (problem)
      *problem = "the shared cache's entry is not used, and the kernel compiled: " + reason;
    return std::nullopt;
  }
  llvm::consumeError(storeBytes(key, *bytes));
  return std::move(*kernel);
}

std::optional<CompiledKernel> CacheStore::load(llvm::StringRef key, std::string *problem) const {
  if (!isKey(key))
    return std::nullopt;
  if (std::optional<CompiledKernel> kernel = loadFromFolder(key, problem))
    return kernel;
  return loadFromServer(key, problem);
}

llvm::Error CacheStore::storeBytes(llvm::StringRef key, llvm::StringRef bytes) const {
  if (folder.empty())
    return llvm::Error::success();
  // For this user alone: what is loaded from here is run.
  auto permissions = fs::owner_all;
  if (std::error_code code = fs::create_directories(folder, /*IgnoreExisting=*/true, permissions))
    return makeError("cache: cannot make the folder '" + folder + "': " + code.message());
  // Whatever has the name, a link or a pipe, is replaced and not written through.
  llvm::Expected<PendingFile> file = PendingFile::replace(entryPath(key));
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(bytes))
    return error;
  if (llvm::Error error = file->commit())
    return error;
  // Looking at the whole folder costs more than a store, so not every store does it. The keys are
  // hashes: their last digit is as good as a die.
  bool isTurn = limit != 0 && (key.back() == '0' || key.back() == '8');
  return isTurn ? prune(limit).takeError() : llvm::Error::success();
}

llvm::Error CacheStore::store(llvm::StringRef key, const CompiledKernel &kernel) const {
  if (folder.empty() && !remote)
    return llvm::Error::success();
  if (!isKey(key))
    return makeError("cache: '" + key + "' is not a key");
  std::string bytes = encodeCacheEntry(key, kernel);
  if (remote)
    remote->put(remoteName(key), bytes);
  return storeBytes(key, bytes);
}

/// Calls `visit` with the path and name of every file in the folder.
static llvm::Error
visitFolder(const std::string &folder,
            llvm::function_ref<void(const std::string &path, llvm::StringRef name)> visit) {
  if (folder.empty())
    return llvm::Error::success();
  std::error_code code;
  fs::directory_iterator it(folder, code), end;
  for (; !code && it != end; it.increment(code))
    visit(it->path(), llvm::sys::path::filename(it->path()));
  if (code && code != std::errc::no_such_file_or_directory)
    return makeError("cannot read the cache folder '" + folder + "': " + code.message());
  return llvm::Error::success();
}

llvm::Expected<CacheStatistics> CacheStore::stat() const {
  CacheStatistics statistics;
  llvm::Error error = visitFolder(folder, [&](const std::string &path, llvm::StringRef name) {
    uint64_t size = 0;
    if (!isEntryName(name) || fs::file_size(path, size))
      return; // not ours, or gone since
    ++statistics.entries;
    statistics.bytes += size;
  });
  if (error)
    return error;
  return statistics;
}

llvm::Expected<CacheStatistics> CacheStore::clear() const {
  CacheStatistics removed;
  std::string firstFailure;
  llvm::Error error = visitFolder(folder, [&](const std::string &path, llvm::StringRef name) {
    bool entry = isEntryName(name);
    if (!entry && !isTemporaryFileName(name))
      return;
    uint64_t size = 0;
    (void)fs::file_size(path, size);
    std::error_code code = fs::remove(path, /*IgnoreNonExisting=*/true);
    if (code && firstFailure.empty())
      firstFailure = "cannot remove '" + path + "': " + code.message();
    if (code || !entry)
      return;
    ++removed.entries;
    removed.bytes += size;
  });
  if (error)
    return error;
  if (!firstFailure.empty())
    return makeError(firstFailure);
  return removed;
}

llvm::Expected<CacheStatistics> CacheStore::prune(uint64_t bytes) const {
  struct Entry {
    std::string path;
    uint64_t size;
    llvm::sys::TimePoint<> used;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  auto longAgo = std::chrono::system_clock::now() - std::chrono::hours(1);
  llvm::Error error = visitFolder(folder, [&](const std::string &path, llvm::StringRef name) {
    fs::file_status status;
    bool isTemporary = isTemporaryFileName(name);
    if ((!isEntryName(name) && !isTemporary) || fs::status(path, status))
      return;          // not ours, or gone since
    if (isTemporary) { // of a process that was killed, or that still writes
      if (status.getLastModificationTime() < longAgo)
        (void)fs::remove(path);
      return;
    }
    entries.push_back({path, status.getSize(), status.getLastModificationTime()});
    total += status.getSize();
  });
  if (error)
    return error;
  llvm::sort(entries, [](const Entry &a, const Entry &b) { return a.used < b.used; });
  CacheStatistics removed;
  // A tenth more than needed goes, so that the next stores find room. A limit of 0 removes all.
  uint64_t goal = total > bytes ? bytes - bytes / 10 : total;
  for (const Entry &entry : entries) {
    if (total <= goal)
      break;
    total -= entry.size;
    if (fs::remove(entry.path))
      continue; // another process was quicker, or the folder is read-only
    ++removed.entries;
    removed.bytes += entry.size;
  }
  return removed;
}

llvm::Expected<CacheStatistics> CacheStore::verify() const {
  CacheStatistics found;
  llvm::Error error = visitFolder(folder, [&](const std::string &path, llvm::StringRef name) {
    if (!isEntryName(name))
      return;
    llvm::Expected<std::string> bytes = readPlainFile(path);
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      return; // gone since, or of another user
    }
    llvm::Expected<CompiledKernel> kernel = decodeCacheEntry(name.take_front(64), *bytes);
    if (kernel) {
      ++found.entries;
      found.bytes += bytes->size();
      return;
    }
    llvm::consumeError(kernel.takeError());
    found.damaged += !fs::remove(path);
  });
  if (error)
    return error;
  return found;
}

} // namespace tessera
