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
#include <optional>
#include <string>
#include <utility>

namespace tessera {

/// Large enough for any source or IR, small enough to catch a wrong path.
inline constexpr uint64_t kDefaultFileLimit = uint64_t(1) << 30;

/// The whole file. `path` may name a pipe; then it is read to its end. "-" is standard input.
llvm::Expected<std::string> readFile(llvm::StringRef path, uint64_t limit = kDefaultFileLimit);

/// The same for a plain file alone: a link, pipe or device under that name is an error, and never
/// waited for.
llvm::Expected<std::string> readPlainFile(llvm::StringRef path, uint64_t limit = kDefaultFileLimit);

/// The same for a plain file that belongs to this user or to root, and that only its owner can
/// write.
llvm::Expected<std::string> readOwnFile(llvm::StringRef path, uint64_t limit = kDefaultFileLimit);

/// Options of PendingFile::commit beyond renaming the file.
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
  /// Puts a new file, which others can only read, in the place of whatever has the name: a link or
  /// pipe that somebody put there is removed rather than written through.
  static llvm::Expected<PendingFile> replace(llvm::StringRef path);

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
  llvm::Error openNameless(unsigned mode);

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
  static llvm::Expected<TemporaryFolder> create(llvm::StringRef parent = "",
                                                llvm::StringRef prefix = "tessera-");
  /// The folder stays; its path.
  std::string keep() { return std::exchange(folder, ""); }
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

/// A file that another program reads or writes under `path()`. It lies in memory and has no name in
/// any folder, so nothing is left however the process ends; where that cannot be (no /proc), it is
/// in a private folder.
class ScratchFile {
public:
  enum class Place { Memory, Folder };
  /// `folder` is where private folders are made.
  static llvm::Expected<ScratchFile> create(llvm::StringRef name, llvm::StringRef folder = "",
                                            Place wanted = Place::Memory);
  ScratchFile(ScratchFile &&other) noexcept;
  ScratchFile &operator=(ScratchFile &&) = delete;
  ScratchFile(const ScratchFile &) = delete;
  ~ScratchFile();

  const std::string &path() const { return place; }
  llvm::Error write(llvm::StringRef data) const;

private:
  ScratchFile() = default;
  int fd = -1;
  std::string place;
  std::optional<TemporaryFolder> folder;
};

} // namespace tessera
