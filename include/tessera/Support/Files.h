//===- Files.h - whole files in, whole files out --------------------------===//
// Reading says plainly what is wrong (missing, a directory, no permission, too
// large). Writing is all or nothing: the data goes to a nameless file
// (O_TMPFILE) in the destination's folder, which gets its name only once it is
// complete, so neither an error nor a signal, SIGKILL included, leaves a
// partial file. Where the file system has no nameless files a hidden
// temporary name is used and renamed.
//
//   PendingFile ptx, json;                      // several outputs, together
//   ... open both, write both, then commit both
//
// No signal handlers are installed: the library lives in other people's
// processes.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace tessera {

/// Large enough for any source or IR, small enough to catch a wrong path.
inline constexpr uint64_t kDefaultFileLimit = uint64_t(1) << 30;

/// The whole file. `path` may name a pipe; then it is read to its end. "-" is standard input.
llvm::Expected<std::string> readFile(llvm::StringRef path, uint64_t limit = kDefaultFileLimit);

/// What PendingFile::commit does beyond giving the file its name.
enum class Durability {
  Fast,  // atomic for every process on this machine
  Synced // also on the disk before commit returns
};

/// A file that exists under its name only after commit().
class PendingFile {
public:
  /// Devices and pipes (/dev/null, /dev/stdout) are written to directly; a
  /// symbolic link is followed; a missing folder is an error.
  static llvm::Expected<PendingFile> open(llvm::StringRef path);

  PendingFile(PendingFile &&other) noexcept;
  PendingFile &operator=(PendingFile &&other) noexcept;
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;
  ~PendingFile(); // discards what was not committed

  llvm::Error write(llvm::StringRef data);
  llvm::Error commit(Durability durability = Durability::Fast);
  void discard();
  const std::string &path() const { return target; }

private:
  PendingFile() = default;
  llvm::Error fail(llvm::StringRef what, int code);

  int fd = -1;
  bool direct = false;   // a device or pipe: nothing to rename
  std::string target;    // where commit puts it, links resolved
  std::string temporary; // its name until then; empty for a nameless file
};

/// open, write and commit in one.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef data,
                      Durability durability = Durability::Fast);

/// True for names that PendingFile uses before commit, which a killed process
/// may leave behind on a file system without nameless files.
bool isTemporaryFileName(llvm::StringRef name);

/// A private folder under `parent` that is removed with all it holds.
class TemporaryFolder {
public:
  /// An empty `parent` means the system's folder for temporary files.
  static llvm::Expected<TemporaryFolder> create(llvm::StringRef parent = "");
  TemporaryFolder(TemporaryFolder &&other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  TemporaryFolder(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  const std::string &path() const { return folder; }
  std::string file(llvm::StringRef name) const { return folder + "/" + name.str(); }

private:
  TemporaryFolder() = default;
  std::string folder;
};

} // namespace tessera
