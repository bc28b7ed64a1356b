//===- PackLibrary.cpp - tessera_pack.h ------------------------------------===//
// Neither LLVM nor C++'s library is linked: memory comes from malloc, threads from
// pthreads. Kernels for the CPU are linked into the process at their first launch.
//===----------------------------------------------------------------------===//
#include "PackRecord.h"
#include "tessera_pack.h"
#include "tessera/Binary/PackView.h"
#include "../CPU/PackImage.h"
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tessera;

struct tessera_pack {
  void *memory = nullptr;
  size_t size = 0;
  PackView view;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the images
  PackImage **images = nullptr;                     // by entry; null: not loaded
};

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static thread_local char lastError[512];

const char *tessera_pack_last_error(void) { return lastError; }

[[gnu::format(printf, 2, 3)]] static tessera_pack_status fail(tessera_pack_status status,
                                                              const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(lastError, sizeof(lastError), format, arguments);
  va_end(arguments);
  return status;
}

static tessera_pack_status misuse(const char *what) {
  return fail(TESSERA_PACK_WRONG_CALL, "%s", what);
}

//===----------------------------------------------------------------------===//
// Packs
//===----------------------------------------------------------------------===//

static tessera_pack_status mapFile(const char *path, tessera_pack &pack) {
  int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    int code = fd < 0 ? errno : EINVAL;
    if (fd >= 0)
      ::close(fd);
    return fail(TESSERA_PACK_NO_FILE, "cannot open the pack '%.300s': %s", path,
                std::strerror(code));
  }
  pack.size = size_t(status.st_size);
  void *mapped = pack.size ? ::mmap(nullptr, pack.size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (mapped == MAP_FAILED)
    return fail(TESSERA_PACK_NO_FILE, "the pack '%.300s' cannot be mapped", path);
  pack.memory = mapped;
  return TESSERA_PACK_OK;
}

static tessera_pack_status openInto(tessera_pack &pack, const char *path,
                                    const unsigned char *publicKey) {
  if (tessera_pack_status status = mapFile(path, pack))
    return status;
  const char *problem =
      PackView::open({static_cast<const char *>(pack.memory), pack.size}, pack.view);
  if (problem)
    return fail(TESSERA_PACK_NO_PACK, "the pack '%.300s' is not used: %s", path, problem);
  if (publicKey && !pack.view.isSignedBy(publicKey))
    return fail(TESSERA_PACK_NO_TRUST, "the pack '%.300s' is not used: %s", path,
                pack.view.isSigned() ? "it was signed with another key, or its signature is wrong"
                                     : "it is not signed");
  pack.images = static_cast<PackImage **>(std::calloc(pack.view.size() + 1, sizeof(PackImage *)));
  if (!pack.images)
    return fail(TESSERA_PACK_NO_MEMORY, "there is no memory");
  return TESSERA_PACK_OK;
}

tessera_pack_status tessera_pack_open(const char *path, const unsigned char *publicKey,
                                      tessera_pack **pack) {
  if (!path || !pack)
    return misuse("tessera_pack_open: a null argument");
  *pack = nullptr;
  void *memory = std::malloc(sizeof(tessera_pack));
  if (!memory)
    return fail(TESSERA_PACK_NO_MEMORY, "there is no memory");
  auto *made = new (memory) tessera_pack();
  tessera_pack_status status = openInto(*made, path, publicKey);
  if (status == TESSERA_PACK_OK)
    *pack = made;
  else
    tessera_pack_close(made);
  return status;
}

static void destroy(PackImage *image) {
  if (!image)
    return;
  image->~PackImage();
  std::free(image);
}

void tessera_pack_close(tessera_pack *pack) {
  if (!pack)
    return;
  if (pack->images)
    for (uint32_t i = 0; i < pack->view.size(); ++i)
      destroy(pack->images[i]);
  std::free(pack->images);
  if (pack->memory)
    ::munmap(pack->memory, pack->size);
  ::pthread_mutex_destroy(&pack->lock);
  std::free(pack);
}

uint32_t tessera_pack_count(const tessera_pack *pack) { return pack ? pack->view.size() : 0; }

static tessera_pack_text textOf(std::string_view text) { return {text.data(), text.size()}; }

tessera_pack_status tessera_pack_get(const tessera_pack *pack, uint32_t number,
                                     tessera_pack_variant *variant) {
  if (!pack || !variant || number >= pack->view.size())
    return misuse("tessera_pack_get: a null argument, or no such entry");
  PackEntry entry = pack->view.entry(number);
  *variant = {textOf(entry.name),
              textOf(entry.signature),
              textOf(entry.target),
              textOf(entry.options),
              entry.key,
              (entry.flags & kPackLaunched) != 0,
              (entry.flags & kPackTuned) != 0};
  return TESSERA_PACK_OK;
}

tessera_pack_status tessera_pack_output(const tessera_pack *pack, uint32_t number, const char *name,
                                        const void **bytes, size_t *size) {
  if (!pack || !name || !bytes || !size || number >= pack->view.size())
    return misuse("tessera_pack_output: a null argument, or no such entry");
  PackArtifact artifact;
  if (!pack->view.find(pack->view.entry(number), name, artifact))
    return fail(TESSERA_PACK_NO_BINARY, "entry %u has no '%.40s'", number, name);
  if (!PackView::isIntact(artifact))
    return fail(TESSERA_PACK_NO_BINARY, "'%.40s' of entry %u is damaged", name, number);
  *bytes = artifact.bytes.data();
  *size = artifact.bytes.size();
  return TESSERA_PACK_OK;
}

//===----------------------------------------------------------------------===//
// Choosing a variant
//===----------------------------------------------------------------------===//

/// The value of an integer or a pointer; false for other types.
static bool readInteger(std::string_view type, const void *value, uint64_t &number) {
  number = 0;
  if (type.empty())
    return false;
  bool isSigned = type[0] == 'i';
  if (type[0] == '*') {
    std::memcpy(&number, value, 8);
    return true;
  }
  if (type == "u1" || type == "i1" || (type[0] != 'i' && type[0] != 'u'))
    return false;
  std::string_view digits = type;
  digits.remove_prefix(1);
  unsigned bits = digits == "8" ? 8 : digits == "16" ? 16 : digits == "32" ? 32 : 64;
  std::memcpy(&number, value, bits / 8);
  if (isSigned && bits < 64) // extends the sign
    number = uint64_t(int64_t(number << (64 - bits)) >> (64 - bits));
  return true;
}

/// Whether a literal such as 64 or -1 is the number; true and false for True and False.
static bool isLiteral(std::string_view text, uint64_t number) {
  if (text == "True" || text == "False")
    return (number != 0) == (text == "True");
  if (text == "None")
    return number == 0;
  bool isNegative = !text.empty() && text[0] == '-';
  uint64_t value = 0;
  text.remove_prefix(isNegative);
  for (char c : text) {
    if (c < '0' || c > '9')
      return false;
    value = value * 10 + uint64_t(c - '0');
  }
  return !text.empty() && (isNegative ? 0 - value : value) == number;
}

/// The type of a parameter in a variant where it is passed; "i64" if it is constant in all.
static std::string_view typeOf(const tessera_pack &pack, std::string_view kernel, uint32_t place) {
  for (uint32_t i = 0; i < pack.view.size(); ++i) {
    PackEntry entry = pack.view.entry(i);
    PackArtifact record;
    PackRecord read;
    if (entry.name != kernel || !pack.view.find(entry, "record", record) ||
        !read.read(record.bytes) || place >= read.count)
      continue;
    if (!read.parameters[place].hasConstant)
      return read.parameters[place].type;
  }
  return "i64";
}

/// -1 if the variant does not fit the values; else how many promises it relies on.
static int fit(const tessera_pack &pack, const PackEntry &entry, const PackRecord &record,
               const void *const *values) {
  int promises = 0;
  for (uint32_t i = 0; i < record.count; ++i) {
    const PackParameter &parameter = record.parameters[i];
    uint64_t number;
    if (parameter.hasConstant) {
      if (!values[i])
        continue;
      std::string_view type = parameter.type.empty() || parameter.type == "constexpr"
                                  ? typeOf(pack, entry.name, i)
                                  : parameter.type;
      if (!readInteger(type, values[i], number) || !isLiteral(parameter.constant, number))
        return -1;
      promises += 2;
      continue;
    }
    if (!values[i])
      return -1;
    if (parameter.divisibility <= 1 || !readInteger(parameter.type, values[i], number))
      continue;
    if (number % parameter.divisibility != 0)
      return -1;
    ++promises;
  }
  return promises;
}

tessera_pack_status tessera_pack_select(tessera_pack *pack, const char *kernel, const char *target,
                                        const void *const *values, uint32_t count,
                                        uint32_t *number) {
  if (!pack || !kernel || !target || (!values && count) || !number)
    return misuse("tessera_pack_select: a null argument");
  int best = -1;
  bool isKnown = false, hasCount = false;
  for (uint32_t i = 0; i < pack->view.size(); ++i) {
    PackEntry entry = pack->view.entry(i);
    PackArtifact artifact;
    PackRecord record;
    if (entry.kind != PackEntryKind::Kernel || entry.name != kernel || entry.target != target)
      continue;
    isKnown = true;
    if (!pack->view.find(entry, "record", artifact) || !record.read(artifact.bytes) ||
        record.count != count)
      continue;
    hasCount = true;
    int promises = fit(*pack, entry, record, values);
    if (promises > best) {
      best = promises;
      *number = i;
    }
  }
  if (best >= 0)
    return TESSERA_PACK_OK;
  if (!isKnown)
    return fail(TESSERA_PACK_NO_KERNEL, "the pack has no kernel '%.100s' for %.40s", kernel,
                target);
  return fail(TESSERA_PACK_NO_VARIANT, "no variant of '%.100s' for %.40s fits %s", kernel, target,
              hasCount ? "the arguments" : "the number of arguments");
}

//===----------------------------------------------------------------------===//
// Running on the CPU
//===----------------------------------------------------------------------===//

static tessera_pack_status loadImage(tessera_pack &pack, uint32_t number, const PackRecord &record,
                                     PackImage::Function &function) {
  ::pthread_mutex_lock(&pack.lock);
  tessera_pack_status status = TESSERA_PACK_OK;
  PackImage *image = pack.images[number];
  if (!image) {
    const void *bytes = nullptr;
    size_t size = 0;
    status = tessera_pack_output(&pack, number, "obj", &bytes, &size);
    void *memory = status ? nullptr : std::malloc(sizeof(PackImage));
    if (!status && !memory)
      status = fail(TESSERA_PACK_NO_MEMORY, "there is no memory");
    if (!status) {
      image = new (memory) PackImage();
      if (const char *problem =
              image->load({static_cast<const char *>(bytes), size}, record.symbol)) {
        status = fail(TESSERA_PACK_NO_BINARY, "the object of entry %u is not loaded: %s", number,
                      problem);
        destroy(image);
      } else {
        pack.images[number] = image;
      }
    }
  }
  if (!status)
    function = image->function();
  ::pthread_mutex_unlock(&pack.lock);
  return status;
}

namespace {
struct Work {
  PackImage::Function function;
  const void *const *arguments;
  const uint32_t *grid;
  uint64_t begin, end;
  int32_t result;
  pthread_t thread;
  bool isStarted;
};
} // namespace

static void *runWork(void *data) {
  auto *work = static_cast<Work *>(data);
  work->result = work->function(work->arguments, work->grid, work->begin, work->end);
  return nullptr;
}

/// Splits the programs into contiguous ranges; the calling thread takes the first.
static int32_t runAll(PackImage::Function function, const void *const *arguments,
                      const uint32_t grid[3], unsigned threads) {
  constexpr unsigned kMost = 256;
  uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
  if (threads == 0) {
    long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
    threads = processors > 0 ? unsigned(processors) : 1;
  }
  if (threads > kMost)
    threads = kMost;
  if (threads > programs)
    threads = unsigned(programs);
  Work work[kMost];
  uint64_t share = programs / threads, rest = programs % threads, begin = 0;
  for (unsigned i = 0; i < threads; ++i) {
    uint64_t end = begin + share + (i < rest);
    work[i] = {function, arguments, grid, begin, end, 0, {}, false};
    begin = end;
    work[i].isStarted = i > 0 && ::pthread_create(&work[i].thread, nullptr, runWork, &work[i]) == 0;
  }
  for (unsigned i = 0; i < threads; ++i)
    if (!work[i].isStarted)
      runWork(&work[i]);
  int32_t result = 0;
  for (unsigned i = 0; i < threads; ++i) {
    if (work[i].isStarted)
      ::pthread_join(work[i].thread, nullptr);
    result = work[i].result ? work[i].result : result;
  }
  return result;
}

tessera_pack_status tessera_pack_launch_variant(tessera_pack *pack, uint32_t number,
                                                const uint32_t grid[3], const void *const *values,
                                                uint32_t count, unsigned threads) {
  if (!pack || !grid || (!values && count) || number >= pack->view.size())
    return misuse("tessera_pack_launch: a null argument, or no such entry");
  for (int i = 0; i < 3; ++i)
    if (grid[i] > 0x7fffffff)
      return misuse("tessera_pack_launch: an extent of the grid is above 2^31 - 1");
  if (grid[0] && grid[1] && grid[2] && uint64_t(grid[0]) * grid[1] > (uint64_t(1) << 62) / grid[2])
    return misuse("tessera_pack_launch: the grid has too many programs");
  const void *text = nullptr;
  size_t size = 0;
  if (tessera_pack_status status = tessera_pack_output(pack, number, "record", &text, &size))
    return status;
  PackRecord record;
  if (!record.read({static_cast<const char *>(text), size}) || record.count != count ||
      record.hasHidden)
    return fail(TESSERA_PACK_NO_VARIANT, "entry %u cannot be launched with %u arguments", number,
                count);
  const void *passed[PackRecord::kMaxParameters];
  unsigned passedCount = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (record.parameters[i].hasConstant)
      continue;
    if (!values[i])
      return misuse("tessera_pack_launch: an argument is NULL that the kernel reads");
    passed[passedCount++] = values[i];
  }
  PackImage::Function function = nullptr;
  if (tessera_pack_status status = loadImage(*pack, number, record, function))
    return status;
  if (!grid[0] || !grid[1] || !grid[2])
    return TESSERA_PACK_OK; // nothing to do
  int32_t result = runAll(function, passed, grid, threads);
  if (result == 0)
    return TESSERA_PACK_OK;
  return fail(TESSERA_PACK_KERNEL_FAILED,
              result == 1 ? "the kernel ran out of memory" : "an assertion of the kernel failed");
}

tessera_pack_status tessera_pack_launch(tessera_pack *pack, const char *kernel,
                                        const uint32_t grid[3], const void *const *values,
                                        uint32_t count, unsigned threads) {
  uint32_t number = 0;
  if (tessera_pack_status status = tessera_pack_select(pack, kernel, "cpu", values, count, &number))
    return status;
  return tessera_pack_launch_variant(pack, number, grid, values, count, threads);
}
