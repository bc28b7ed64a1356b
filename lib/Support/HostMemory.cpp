//===- HostMemory.cpp - large blocks of memory that may fail politely -----===//
#include "tessera/Support/HostMemory.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tessera {

/// A small text file of /proc or /sys; empty when there is none.
static std::string readKernelFile(const char *path) {
  std::string text(8192, '\0');
  FILE *file = std::fopen(path, "re");
  if (!file)
    return "";
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

static std::optional<uint64_t> readNumber(const char *path) {
  std::string text = readKernelFile(path);
  uint64_t value = 0;
  if (llvm::StringRef(text).trim().getAsInteger(10, value)) // "max" is no number: no limit
    return std::nullopt;
  return value;
}

/// Returns the memory that the control group has left. It counts the page cache as used, which is
/// given back on demand, so inactive file pages are subtracted.
static std::optional<uint64_t> groupLeaves() {
  std::optional<uint64_t> limit = readNumber("/sys/fs/cgroup/memory.max");
  std::optional<uint64_t> used = readNumber("/sys/fs/cgroup/memory.current");
  if (!limit || !used)
    return std::nullopt;
  std::string statistics = readKernelFile("/sys/fs/cgroup/memory.stat");
  uint64_t reclaimable = 0;
  for (llvm::StringRef rest = statistics; !rest.empty();) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    uint64_t value = 0;
    if (line.consume_front("inactive_file ") && !line.trim().getAsInteger(10, value))
      reclaimable = value;
  }
  uint64_t held = *used - std::min(*used, reclaimable);
  return *limit - std::min(*limit, held);
}

uint64_t countAvailableMemory() {
  uint64_t available = ~uint64_t(0);
  std::string text = readKernelFile("/proc/meminfo");
  llvm::StringRef info = text;
  if (size_t at = info.find("MemAvailable:"); at != llvm::StringRef::npos) {
    info = info.drop_front(at + 13).ltrim();
    uint64_t kibibytes = 0;
    if (!info.consumeInteger(10, kibibytes))
      available = kibibytes * 1024;
  }
  if (std::optional<uint64_t> left = groupLeaves())
    available = std::min(available, *left);
  return available;
}

void keepFreedMemory() {
  // mallopt(3), M_MMAP_THRESHOLD: freeing a block that was mapped by itself raises that threshold
  // to the block's size, and the threshold for returning memory to twice that.
  constexpr size_t bytes = 8 << 20;
  void *volatile block = std::malloc(bytes);
  std::free(block);
}

static constexpr uint64_t kCanaryBytes = 64;
static constexpr char kCanary = char(0xA5);

/// The bytes of the last page that nobody asked for.
static uint64_t canaryBytes(uint64_t bytes) {
  static const uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  return std::min((page - bytes % page) % page, kCanaryBytes);
}

bool HostBuffer::isIntact() const {
  return std::all_of(bytes + length, bytes + length + canaryBytes(length),
                     [](char byte) { return byte == kCanary; });
}

llvm::Expected<HostBuffer> HostBuffer::allocate(uint64_t bytes) {
  constexpr uint64_t kSmall = uint64_t(16) << 20; // not worth reading /proc for
  HostBuffer buffer;
  if (bytes == 0)
    return buffer;
  if (bytes > kSmall)
    if (uint64_t available = countAvailableMemory(); bytes > available)
      return makeError("not enough memory: " + formatBytes(bytes) + " are needed and " +
                       formatBytes(available) + " are available");
  void *block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED)
    return makeError("not enough memory: " + formatBytes(bytes) + " were refused by the system");
  if (bytes > kSmall)
    (void)::madvise(block, bytes, MADV_HUGEPAGE);
  buffer.bytes = static_cast<char *>(block);
  buffer.length = bytes;
  std::memset(buffer.bytes + bytes, kCanary, canaryBytes(bytes));
  return buffer;
}

HostBuffer::HostBuffer(HostBuffer &&other) noexcept
    : bytes(std::exchange(other.bytes, nullptr)), length(std::exchange(other.length, 0)) {}

HostBuffer &HostBuffer::operator=(HostBuffer &&other) noexcept {
  std::swap(bytes, other.bytes);
  std::swap(length, other.length);
  return *this;
}

HostBuffer::~HostBuffer() {
  if (bytes)
    ::munmap(bytes, length);
}

} // namespace tessera
