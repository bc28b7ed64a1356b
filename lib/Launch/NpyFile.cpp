//===- NpyFile.cpp - NumPy's array files ----------------------------------===//
// A file is: "\x93NUMPY", major and minor version, the header's size (2 bytes
// in version 1, else 4), the header (a Python dictionary literal), the data.
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (4, 64), }
//
// The header's reader takes that dictionary's keys in any order and any
// spacing, and nothing else of Python.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/NpyFile.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

namespace endian = llvm::support::endian;

static constexpr llvm::StringLiteral kMagic("\x93NUMPY");

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Floats that NumPy lacks are stored as unsigned integers.
static bool isStoredAsBits(DType type) { return type.isFloat() && type.numpyLetter() == 'u'; }

/// "<f4": byte order, kind and size, as NumPy writes it.
static std::string typeCode(DType type) {
  unsigned bytes = type.bytesInMemory();
  return (llvm::Twine(bytes == 1 ? '|' : '<') + llvm::Twine(type.numpyLetter()) +
          llvm::Twine(bytes))
      .str();
}

/// The name after "np." in the advice we give.
static std::string numpyName(DType type) {
  if (type.isBool())
    return "bool_";
  return isStoredAsBits(type) ? "uint" + std::to_string(type.bits()) : type.languageName().str();
}

static llvm::Error checkType(llvm::StringRef code, DType type) {
  std::string wanted = typeCode(type);
  bool order = code.size() > 1 && llvm::StringRef("<>|=").contains(code[0]);
  llvm::StringRef bare = order ? code.drop_front() : code;
  bool bits = isStoredAsBits(type) && bare == (type.bytesInMemory() == 2 ? "V2" : "V1");
  std::string advice = "; save x.astype(np." + numpyName(type) + ")";
  if (isStoredAsBits(type))
    advice = ("; save the bits of " + type.name() + " as np." + numpyName(type)).str();
  if (bare != llvm::StringRef(wanted).drop_front() && !bits)
    return makeError("it holds '" + code + "', and " + type.name() + " needs '" + wanted + "'" +
                     advice);
  if (code[0] == '>' && type.bytesInMemory() > 1)
    return makeError("it is big-endian ('" + code + "')" + advice);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

namespace {
struct Header {
  std::string descr;
  bool fortranOrder = false;
  llvm::SmallVector<uint64_t, 4> shape;
};

/// Takes the dictionary apart. Every function returns false when the text is
/// not what it expects.
class HeaderReader {
public:
  explicit HeaderReader(llvm::StringRef text) : rest(text) {}

  bool read(Header &header) {
    if (!take("{"))
      return false;
    bool seen[3] = {};
    while (!take("}")) {
      std::string key;
      if (!readString(key) || !take(":"))
        return false;
      if (key == "descr" && !seen[0])
        seen[0] = readString(header.descr);
      else if (key == "fortran_order" && !seen[1])
        seen[1] = readBool(header.fortranOrder);
      else if (key == "shape" && !seen[2])
        seen[2] = readShape(header.shape);
      else
        return false;
      if (!take(",") && !peek('}'))
        return false;
    }
    return seen[0] && seen[1] && seen[2];
  }

private:
  bool peek(char c) {
    rest = rest.ltrim();
    return rest.starts_with(llvm::StringRef(&c, 1));
  }
  bool take(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool readString(std::string &text) {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == llvm::StringRef::npos)
      return false;
    text = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool readBool(bool &value) {
    value = take("True");
    return value || take("False");
  }
  bool readShape(llvm::SmallVectorImpl<uint64_t> &shape) {
    if (!take("("))
      return false;
    while (!take(")")) {
      uint64_t extent = 0;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, extent))
        return false;
      rest.consume_front("L"); // Python 2 wrote long integers so
      shape.push_back(extent);
      if (!take(",") && !peek(')'))
        return false;
    }
    return true;
  }

  llvm::StringRef rest;
};

/// Closes on every way out.
struct OpenFile {
  int fd = -1;
  ~OpenFile() {
    if (fd >= 0)
      ::close(fd);
  }
};
} // namespace

/// Fills `size` bytes; false at the end of the file or on an error, which errno tells.
static bool readFully(int fd, char *to, uint64_t size) {
  errno = 0;
  while (size > 0) {
    ssize_t got = ::read(fd, to, std::min<uint64_t>(size, uint64_t(1) << 30));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    size -= uint64_t(got);
  }
  return true;
}

static llvm::Error systemError() { return makeError(std::generic_category().message(errno)); }

static llvm::Expected<Header> readHeader(int fd) {
  constexpr uint32_t kLimit = 1 << 20; // NumPy's own limit is 10,000 characters
  char start[12];
  if (!readFully(fd, start, 10) || llvm::StringRef(start, 6) != kMagic)
    return errno ? systemError() : makeError("it is not a .npy file");
  unsigned version = uint8_t(start[6]);
  if (version < 1 || version > 3)
    return makeError("it is of .npy format version " + llvm::Twine(version) +
                     ", and versions 1 to 3 are known");
  uint32_t size = endian::read16le(start + 8);
  if (version > 1) {
    if (!readFully(fd, start + 10, 2))
      return makeError("its header is cut short");
    size = endian::read32le(start + 8);
  }
  if (size > kLimit)
    return makeError("its header claims " + formatBytes(size));
  std::string text(size, '\0');
  if (!readFully(fd, text.data(), size))
    return makeError("its header is cut short");
  Header header;
  if (!HeaderReader(text).read(header))
    return makeError("its header is not one that NumPy writes for plain arrays: " +
                     llvm::StringRef(text).trim().take_front(100));
  return header;
}

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

/// Memory order matters only when more than one extent exceeds 1.
static bool orderMatters(llvm::ArrayRef<uint64_t> shape) {
  return llvm::count_if(shape, [](uint64_t extent) { return extent > 1; }) > 1;
}

static llvm::Expected<HostArray> readOpened(int fd, DType type) {
  struct stat status;
  if (::fstat(fd, &status) != 0)
    return systemError();
  if (S_ISDIR(status.st_mode))
    return makeError("it is a directory");
  llvm::Expected<Header> header = readHeader(fd);
  if (!header)
    return header.takeError();
  if (llvm::Error error = checkType(header->descr, type))
    return error;
  if (header->fortranOrder && orderMatters(header->shape))
    return makeError("it is in Fortran order; save np.ascontiguousarray(x)");
  // A false shape must not make us allocate more than the file holds.
  uint64_t bytes = type.bytesInMemory();
  bool overflow = false;
  for (uint64_t extent : header->shape)
    overflow |= __builtin_mul_overflow(bytes, extent, &bytes);
  bool isEmpty = llvm::is_contained(header->shape, 0u);
  off_t at = ::lseek(fd, 0, SEEK_CUR);
  uint64_t held = at >= 0 ? uint64_t(status.st_size - at) : ~uint64_t(0);
  if (!isEmpty && (overflow || (S_ISREG(status.st_mode) && bytes > held)))
    return makeError("it is cut short: " + formatBytes(overflow ? ~uint64_t(0) : bytes) +
                     " of data are announced and " + formatBytes(held) + " are there");
  llvm::Expected<HostArray> array = HostArray::create(type, header->shape);
  if (!array)
    return array.takeError();
  if (!readFully(fd, array->buffer.data(), array->buffer.size()))
    return errno ? systemError() : makeError("it is cut short");
  return array;
}

llvm::Expected<HostArray> readNpy(llvm::StringRef path, DType type) {
  OpenFile file{::open(path.str().c_str(), O_RDONLY | O_CLOEXEC)};
  llvm::Expected<HostArray> array = file.fd >= 0      ? readOpened(file.fd, type)
                                    : errno == ENOENT ? makeError("there is no such file")
                                                      : systemError();
  if (!array)
    return addContext("cannot read '" + path + "'", array.takeError());
  return array;
}

static std::string makeHeader(const HostArray &array) {
  std::string shape;
  for (uint64_t extent : array.shape)
    shape += std::to_string(extent) + (array.shape.size() == 1 ? "," : ", ");
  if (array.shape.size() > 1)
    shape.resize(shape.size() - 2);
  std::string text = "{'descr': '" + typeCode(array.type) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Data begins at a multiple of 64 bytes, so that it can be mapped.
  bool isLong = text.size() > 60000;
  size_t before = isLong ? 12 : 10;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header = kMagic.str();
  header += isLong ? '\2' : '\1';
  header += '\0';
  char size[4];
  endian::write32le(size, uint32_t(text.size()));
  header.append(size, isLong ? 4 : 2);
  return header + text;
}

llvm::Error writeNpy(llvm::StringRef path, const HostArray &array) {
  llvm::Expected<PendingFile> file = PendingFile::open(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(makeHeader(array)))
    return error;
  if (llvm::Error error = file->write(llvm::StringRef(array.buffer.data(), array.bytes())))
    return error;
  return file->commit();
}

} // namespace tessera
