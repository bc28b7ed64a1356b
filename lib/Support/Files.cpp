//===- Files.cpp - whole files in, whole files out ------------------------===//
// 1. open: a nameless file (O_TMPFILE) in the destination's folder; where the
//    file system has none, a hidden file with a random name.
// 2. write: plain writes, retried when interrupted.
// 3. commit: give the nameless file the destination's name if that is free
//    (linkat), else a temporary name that is renamed over the old file, once the
//    file is closed.
// Only between linkat and rename in step 3 does a temporary name exist, and
// then its contents are complete.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Files.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

static std::string describe(int code) { return std::generic_category().message(code); }

static llvm::Error readError(llvm::StringRef path, const llvm::Twine &why) {
  return makeError("cannot read '" + path + "': " + why);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Closes on every way out.
struct OpenFile {
  int fd;
  ~OpenFile() {
    if (fd > STDERR_FILENO)
      ::close(fd);
  }
};
} // namespace

static llvm::Error tooLarge(llvm::StringRef path, uint64_t limit) {
  return readError(path, "it is larger than " + formatBytes(limit));
}

/// Reads to the end; `expected` bytes are reserved first.
static llvm::Expected<std::string> readAll(int fd, llvm::StringRef path, uint64_t expected,
                                           uint64_t limit) {
  std::string data;
  data.resize(expected + 1); // one more, so that the end is seen without growing
  size_t filled = 0;
  while (true) {
    if (filled == data.size())
      data.resize(std::max<size_t>(data.size() * 2, 65536));
    ssize_t got = ::read(fd, data.data() + filled, data.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return readError(path, describe(errno));
    if (got == 0)
      break;
    filled += size_t(got);
    if (filled > limit)
      return tooLarge(path, limit);
  }
  data.resize(filled);
  return data;
}

llvm::Expected<std::string> readFile(llvm::StringRef path, uint64_t limit) {
  if (path.empty())
    return makeError("cannot read a file: its name is empty");
  if (path == "-")
    return readAll(STDIN_FILENO, "standard input", 0, limit);
  OpenFile file{::open(path.str().c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return readError(path, errno == ENOENT ? "there is no such file" : describe(errno));
  struct stat status;
  if (::fstat(file.fd, &status) != 0)
    return readError(path, describe(errno));
  if (S_ISDIR(status.st_mode))
    return readError(path, "it is a directory");
  uint64_t expected = S_ISREG(status.st_mode) ? uint64_t(status.st_size) : 0;
  if (expected > limit)
    return readError(path, "it has " + formatBytes(expected) + ", and at most " +
                               formatBytes(limit) + " are read");
  return readAll(file.fd, path, expected, limit);
}

static llvm::Expected<std::string> readPlain(llvm::StringRef path, uint64_t limit, bool mustBeOwn) {
  OpenFile file{::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  if (file.fd < 0)
    return readError(path, errno == ENOENT ? "there is no such file" : describe(errno));
  struct stat status;
  if (::fstat(file.fd, &status) != 0)
    return readError(path, describe(errno));
  if (!S_ISREG(status.st_mode))
    return readError(path, "it is not a plain file");
  bool isOwn = status.st_uid == ::geteuid() || status.st_uid == 0;
  if (mustBeOwn && (!isOwn || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0))
    return readError(path, "another user could have written it");
  if (uint64_t(status.st_size) > limit)
    return tooLarge(path, limit);
  return readAll(file.fd, path, uint64_t(status.st_size), limit);
}

llvm::Expected<std::string> readPlainFile(llvm::StringRef path, uint64_t limit) {
  return readPlain(path, limit, /*mustBeOwn=*/false);
}

llvm::Expected<std::string> readOwnFile(llvm::StringRef path, uint64_t limit) {
  return readPlain(path, limit, /*mustBeOwn=*/true);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kTemporaryPrefix = ".tessera-tmp-";

bool isTemporaryFileName(llvm::StringRef name) { return name.starts_with(kTemporaryPrefix); }

/// Not a name of the destination plus a suffix: that could exceed NAME_MAX.
static std::string temporaryName(llvm::StringRef folder) {
  uint64_t bits = 0;
  if (::getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != ssize_t(sizeof(bits)))
    bits = (uint64_t(::getpid()) << 32) ^ uint64_t(::clock()) ^ reinterpret_cast<uintptr_t>(&bits);
  return (folder + "/" + kTemporaryPrefix + llvm::utohexstr(bits, /*LowerCase=*/true)).str();
}

static std::string parentFolder(llvm::StringRef path) {
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  return parent.empty() ? "." : parent.str();
}

/// The path with symbolic links followed, also when the last target does not exist.
static std::string followLinks(llvm::StringRef path) {
  std::string current = path.str();
  for (int hops = 0; hops < 40; ++hops) {
    llvm::SmallString<256> target;
    target.resize(4096);
    ssize_t length = ::readlink(current.c_str(), target.data(), target.size());
    if (length <= 0)
      break;
    target.resize(size_t(length));
    if (llvm::sys::path::is_absolute(target))
      current = target.str().str();
    else
      current = parentFolder(current) + "/" + target.str().str();
  }
  return current;
}

/// Errors of opening that another way of opening would meet again.
static bool isFinal(int code) {
  return code == EACCES || code == EROFS || code == ENOTDIR || code == ENOSPC || code == EDQUOT ||
         code == EMFILE || code == ENFILE;
}

llvm::Error PendingFile::fail(llvm::StringRef what, int code) {
  llvm::Error error = makeError("cannot " + what + " '" + target + "': " + describe(code));
  discard();
  return error;
}

llvm::Expected<PendingFile> PendingFile::open(llvm::StringRef path) {
  PendingFile file;
  file.target = path.str();
  if (path.empty())
    return makeError("cannot write a file: its name is empty");
  struct stat status;
  bool exists = ::stat(file.target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return file.fail("write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) { // renaming over /dev/null would be a surprise
    file.direct = true;
    file.fd = ::open(file.target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file.fd < 0)
      return file.fail("write", errno);
    return file;
  }
  // A file its owner made read-only stays as it is, though its folder would
  // let us replace it.
  if (exists && ::access(file.target.c_str(), W_OK) != 0)
    return file.fail("write", errno);
  file.target = followLinks(path);
  if (llvm::Error error = file.openNameless(0666))
    return std::move(error);
  if (exists)
    (void)::fchmod(file.fd, status.st_mode & 0777); // replacing keeps the permissions
  return file;
}

llvm::Expected<PendingFile> PendingFile::replace(llvm::StringRef path) {
  PendingFile file;
  file.target = path.str();
  if (llvm::Error error = file.openNameless(0644))
    return std::move(error);
  return file;
}

/// In the folder of `target`, which nothing links to yet.
llvm::Error PendingFile::openNameless(unsigned mode) {
  std::string folder = parentFolder(target);
  if (struct stat parent; ::stat(folder.c_str(), &parent) != 0 && errno == ENOENT)
    return makeError("cannot write '" + target + "': there is no folder '" + folder + "'");
  // Reading is asked for too, so that commit can copy where linking is refused.
  fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (fd < 0 && !isFinal(errno)) {
    temporary = temporaryName(folder);
    fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
      temporary.clear();
  }
  return fd < 0 ? fail("write", errno) : llvm::Error::success();
}

/// Returns 0 or the error's code.
static int writeAll(int fd, llvm::StringRef data) {
  while (!data.empty()) {
    ssize_t put = ::write(fd, data.data(), std::min<size_t>(data.size(), size_t(1) << 30));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return errno;
    data = data.drop_front(size_t(put));
  }
  return 0;
}

llvm::Error PendingFile::write(llvm::StringRef data) {
  int code = writeAll(fd, data);
  return code == 0 ? llvm::Error::success() : fail("write", code);
}

/// Gives a nameless file the name `to`; returns 0 or the error's code.
static int linkNameless(int fd, const std::string &to) {
  std::string from = "/proc/self/fd/" + std::to_string(fd);
  if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0)
    return 0;
  return errno;
}

/// Copies the contents to a hidden name, for systems that refuse to link a nameless file (no /proc,
/// some sandboxes). Replaces `fd`; returns 0 or the error's code.
static int copyNameless(int &fd, const std::string &to) {
  struct stat status;
  if (::fstat(fd, &status) != 0)
    return errno;
  int copy = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
  if (copy < 0)
    return errno;
  off_t offset = 0;
  while (offset < status.st_size) {
    ssize_t sent = ::sendfile(copy, fd, &offset, size_t(status.st_size - offset));
    if (sent > 0 || (sent < 0 && errno == EINTR))
      continue;
    int code = sent == 0 ? EIO : errno;
    ::close(copy);
    ::unlink(to.c_str());
    return code;
  }
  ::close(fd);
  fd = copy;
  return 0;
}

llvm::Error PendingFile::commit(Durability durability) {
  bool placed = direct;
  if (!direct && durability == Durability::Synced && ::fsync(fd) != 0)
    return fail("write", errno);
  if (!direct && temporary.empty()) {
    int code = linkNameless(fd, target);
    placed = code == 0;
    if (!placed) { // the name is taken, or linking is refused
      std::string name = temporaryName(parentFolder(target));
      code = code == EEXIST ? linkNameless(fd, name) : copyNameless(fd, name);
      if (code != 0)
        return fail("write", code);
      temporary = name;
    }
  }
  // Network file systems send what was written, and report the errors of that, when the file is
  // closed. So it is closed before it gets its name, and another machine never sees a part of it.
  int code = ::close(std::exchange(fd, -1)) == 0 ? 0 : errno;
  if (code != 0 && code != EINTR)
    return fail("write", code);
  if (!placed && ::rename(temporary.c_str(), target.c_str()) != 0)
    return fail("write", errno);
  temporary.clear();
  return llvm::Error::success();
}

void PendingFile::discard() {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
  if (!temporary.empty())
    ::unlink(temporary.c_str());
  temporary.clear();
}

PendingFile::PendingFile(PendingFile &&other) noexcept { *this = std::move(other); }

PendingFile &PendingFile::operator=(PendingFile &&other) noexcept {
  if (this == &other)
    return *this;
  discard();
  fd = std::exchange(other.fd, -1);
  direct = other.direct;
  target = std::move(other.target);
  temporary = std::exchange(other.temporary, "");
  return *this;
}

PendingFile::~PendingFile() { discard(); }

llvm::Error writeFile(llvm::StringRef path, llvm::StringRef data, Durability durability) {
  llvm::Expected<PendingFile> file = PendingFile::open(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(data))
    return error;
  return file->commit(durability);
}

//===----------------------------------------------------------------------===//
// Temporary folders
//===----------------------------------------------------------------------===//

llvm::Expected<TemporaryFolder> TemporaryFolder::create(llvm::StringRef parent,
                                                        llvm::StringRef prefix) {
  llvm::SmallString<128> pattern(parent);
  if (pattern.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, pattern);
  llvm::sys::path::append(pattern, prefix + "XXXXXX");
  TemporaryFolder result;
  pattern.c_str(); // mkdtemp writes into a terminated string
  if (!::mkdtemp(pattern.data()))
    return makeError("cannot make a folder '" + pattern + "': " + describe(errno));
  result.folder = pattern.str().str();
  return result;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : folder(std::exchange(other.folder, "")) {}

TemporaryFolder::~TemporaryFolder() {
  if (!folder.empty())
    (void)llvm::sys::fs::remove_directories(folder, /*IgnoreErrors=*/true);
}

//===----------------------------------------------------------------------===//
// Scratch files
//===----------------------------------------------------------------------===//

llvm::Expected<ScratchFile> ScratchFile::create(llvm::StringRef name, llvm::StringRef folder,
                                                Place wanted) {
  ScratchFile file;
  if (wanted == Place::Memory)
    file.fd = ::memfd_create(name.str().c_str(), MFD_CLOEXEC);
  // The path contains this process's number, not /proc/self, so that other processes can open it.
  file.place = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.fd);
  if (file.fd >= 0 && ::access(file.place.c_str(), R_OK | W_OK) == 0)
    return file;
  llvm::Expected<TemporaryFolder> made = TemporaryFolder::create(folder);
  if (!made && !folder.empty()) { // it was there once; where may files go now?
    llvm::consumeError(made.takeError());
    made = TemporaryFolder::create();
  }
  if (!made)
    return made.takeError();
  file.folder.emplace(std::move(*made));
  file.place = file.folder->file(name);
  if (file.fd >= 0)
    ::close(file.fd);
  file.fd = ::open(file.place.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file.fd < 0)
    return makeError("cannot write '" + file.place + "': " + describe(errno));
  return file;
}

llvm::Error ScratchFile::write(llvm::StringRef data) const {
  bool isEmpty = ::ftruncate(fd, 0) == 0 && ::lseek(fd, 0, SEEK_SET) == 0;
  int code = isEmpty ? writeAll(fd, data) : errno;
  return code == 0 ? llvm::Error::success()
                   : makeError("cannot write '" + place + "': " + describe(code));
}

ScratchFile::ScratchFile(ScratchFile &&other) noexcept
    : fd(std::exchange(other.fd, -1)), place(std::move(other.place)),
      folder(std::move(other.folder)) {}

ScratchFile::~ScratchFile() {
  if (fd >= 0)
    ::close(fd);
}

} // namespace tessera
