//===- PackLibrary.cpp - tessera_pack.h ------------------------------------===//
// Neither LLVM nor C++'s library is linked: memory comes from malloc, threads from
// pthreads. A kernel is loaded at its first launch in a process, or in a GPU's context.
//===----------------------------------------------------------------------===//
#include "PackState.h"
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tessera;

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static thread_local char lastError[512];

const char *tessera_pack_last_error(void) { return lastError; }

tessera_pack_status tessera::fail(tessera_pack_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(lastError, sizeof(lastError), format, arguments);
  va_end(arguments);
  return status;
}

static tessera_pack_status noMemory() { return fail(TESSERA_PACK_NO_MEMORY, "there is no memory"); }

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

/// A table of null pointers, or of zeros.
template <typename T> static T *makeTable(uint32_t count) {
  return static_cast<T *>(std::calloc(size_t(count) + 1, sizeof(T)));
}

/// The tables of names and of what is loaded; false if there is no memory.
static bool addTables(tessera_pack &pack) {
  uint32_t count = pack.view.size(), buckets = 16;
  while (buckets < count && buckets < 1u << 30)
    buckets *= 2;
  pack.mask = buckets - 1;
  pack.heads = makeTable<uint32_t>(buckets);
  pack.next = makeTable<uint32_t>(count);
  pack.variants = makeTable<std::atomic<PackVariant *>>(count);
  pack.kernels = makeTable<std::atomic<PackKernel *>>(buckets);
  if (!pack.heads || !pack.next || !pack.variants || !pack.kernels)
    return false;
  for (uint32_t i = count; i-- > 0;) { // so that a list begins with its first entry
    uint32_t &head = pack.heads[hashName(pack.view.entry(i).name) & pack.mask];
    pack.next[i] = head;
    head = i + 1;
  }
  return true;
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
  return addTables(pack) ? TESSERA_PACK_OK : noMemory();
}

tessera_pack_status tessera_pack_open(const char *path, const unsigned char *publicKey,
                                      tessera_pack **pack) {
  if (!path || !pack)
    return misuse("tessera_pack_open: a null argument");
  *pack = nullptr;
  auto *made = makePlain<tessera_pack>();
  if (!made)
    return noMemory();
  tessera_pack_status status = openInto(*made, path, publicKey);
  if (status == TESSERA_PACK_OK)
    *pack = made;
  else
    tessera_pack_close(made);
  return status;
}

void tessera_pack_close(tessera_pack *pack) {
  if (!pack)
    return;
  for (uint32_t i = 0; pack->variants && i < pack->view.size(); ++i)
    if (PackVariant *variant = pack->variants[i].load(std::memory_order_acquire)) {
      unloadFromGPUs(*variant);
      destroyPlain(variant->image.load(std::memory_order_acquire));
      destroyPlain(variant);
    }
  for (uint32_t i = 0; pack->kernels && i <= pack->mask; ++i)
    for (PackKernel *each = pack->kernels[i].load(std::memory_order_acquire); each;) {
      PackKernel *next = each->next;
      destroyPlain(each);
      each = next;
    }
  std::free(pack->heads);
  std::free(pack->next);
  std::free(static_cast<void *>(pack->variants));
  std::free(static_cast<void *>(pack->kernels));
  if (pack->memory)
    ::munmap(pack->memory, pack->size);
  ::pthread_mutex_destroy(&pack->lock);
  ::pthread_mutex_destroy(&pack->loading);
  destroyPlain(pack);
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
// Launching
//===----------------------------------------------------------------------===//

static std::string_view kindOf(const tessera_pack_place *place) {
  return place && place->device ? place->device : "cpu";
}

tessera_pack_status tessera_pack_target(const tessera_pack_place *place, char *target,
                                        size_t size) {
  if (!target || size == 0)
    return misuse("tessera_pack_target: a null argument");
  PackGPU gpu;
  gpu.target = "cpu";
  if (kindOf(place) != "cpu")
    if (tessera_pack_status status = findGPU(kindOf(place), gpu))
      return status;
  if (std::strlen(gpu.target) >= size)
    return misuse("tessera_pack_target: the target is longer than that");
  std::strcpy(target, gpu.target);
  return TESSERA_PACK_OK;
}

static constexpr uint32_t kAnyShared = ~0u;

tessera_pack_status tessera_pack_select(tessera_pack *pack, const char *kernel, const char *target,
                                        const void *const *values, uint32_t count,
                                        uint32_t *number) {
  if (!pack || !kernel || !target || (!values && count) || !number)
    return misuse("tessera_pack_select: a null argument");
  const PackKernel *found = nullptr;
  PackVariant *variant = nullptr;
  if (tessera_pack_status status = findKernel(*pack, kernel, target, kAnyShared, found))
    return status;
  if (tessera_pack_status status = chooseVariant(*pack, *found, values, count, variant))
    return status;
  *number = variant->number;
  return TESSERA_PACK_OK;
}

static tessera_pack_status checkGrid(const uint32_t grid[3]) {
  for (int i = 0; i < 3; ++i)
    if (grid[i] > 0x7fffffff)
      return misuse("tessera_pack_launch: an extent of the grid is above 2^31 - 1");
  if (grid[0] && grid[1] && grid[2] && uint64_t(grid[0]) * grid[1] > (uint64_t(1) << 62) / grid[2])
    return misuse("tessera_pack_launch: the grid has too many programs");
  return TESSERA_PACK_OK;
}

tessera_pack_status tessera_pack_launch(tessera_pack *pack, const char *kernel,
                                        const uint32_t grid[3], const void *const *values,
                                        uint32_t count, const tessera_pack_place *place) {
  if (!pack || !kernel || !grid || (!values && count))
    return misuse("tessera_pack_launch: a null argument");
  if (tessera_pack_status status = checkGrid(grid))
    return status;
  bool isCPU = kindOf(place) == "cpu";
  PackGPU gpu;
  gpu.target = "cpu";
  gpu.maxShared = kAnyShared;
  if (!isCPU)
    if (tessera_pack_status status = findGPU(kindOf(place), gpu))
      return status;
  const PackKernel *found = nullptr;
  PackVariant *variant = nullptr;
  if (tessera_pack_status status = findKernel(*pack, kernel, gpu.target, gpu.maxShared, found))
    return status;
  if (tessera_pack_status status = chooseVariant(*pack, *found, values, count, variant))
    return status;
  PackLaunch launch{grid, values, place};
  return isCPU ? launchOnCPU(*pack, *variant, launch) : launchOnGPU(*pack, *variant, gpu, launch);
}

tessera_pack_status tessera_pack_launch_variant(tessera_pack *pack, uint32_t number,
                                                const uint32_t grid[3], const void *const *values,
                                                uint32_t count, const tessera_pack_place *place) {
  if (!pack || !grid || (!values && count) || number >= pack->view.size())
    return misuse("tessera_pack_launch_variant: a null argument, or no such entry");
  if (tessera_pack_status status = checkGrid(grid))
    return status;
  PackVariant *variant = variantOf(*pack, number);
  if (!variant)
    return noMemory();
  if (!variant->isReadable || variant->record.parameters.size() != count)
    return fail(TESSERA_PACK_NO_VARIANT, "entry %u cannot be launched with %u arguments", number,
                count);
  for (uint32_t i = 0; i < count; ++i)
    if (!values[i] && !variant->record.parameters[i].hasConstant)
      return misuse("tessera_pack_launch_variant: an argument is NULL that the kernel reads");
  PackLaunch launch{grid, values, place};
  if (kindOf(place) == "cpu")
    return launchOnCPU(*pack, *variant, launch);
  PackGPU gpu;
  if (tessera_pack_status status = findGPU(kindOf(place), gpu))
    return status;
  return launchOnGPU(*pack, *variant, gpu, launch);
}

/// Loads the variants of a kernel that run there.
static tessera_pack_status loadKernel(tessera_pack &pack, std::string_view name, bool isCPU,
                                      const PackGPU &gpu) {
  const PackKernel *kernel = nullptr;
  if (tessera_pack_status status = findKernel(pack, name, gpu.target, gpu.maxShared, kernel))
    return status;
  uint32_t loadable = 0;
  for (const PackShape *shape = kernel->shapes; shape; shape = shape->next)
    for (uint32_t i = 0; i < shape->size(); ++i) {
      PackVariant *variant = readMember(pack, *kernel, *shape, i);
      if (!variant)
        continue;
      ++loadable;
      const PackModule *loaded = nullptr;
      if (tessera_pack_status status =
              isCPU ? loadOnCPU(pack, *variant) : loadOnGPU(pack, *variant, gpu, loaded))
        return status;
    }
  return loadable
             ? TESSERA_PACK_OK
             : fail(TESSERA_PACK_NO_BINARY,
                    "the variants of '%.*s' are damaged, of a later version, or too large for %s",
                    int(name.size() < 100 ? name.size() : 100), name.data(), gpu.target);
}

tessera_pack_status tessera_pack_load(tessera_pack *pack, const char *kernel,
                                      const tessera_pack_place *place) {
  if (!pack)
    return misuse("tessera_pack_load: a null argument");
  bool isCPU = kindOf(place) == "cpu";
  PackGPU gpu;
  gpu.target = "cpu";
  gpu.maxShared = kAnyShared;
  if (!isCPU)
    if (tessera_pack_status status = findGPU(kindOf(place), gpu))
      return status;
  if (kernel)
    return loadKernel(*pack, kernel, isCPU, gpu);
  bool isSome = false;
  for (uint32_t i = 0; i < pack->view.size(); ++i) {
    PackEntry entry = pack->view.entry(i);
    if (entry.kind != PackEntryKind::Kernel || !fitCode(gpu.target, codeOf(*pack, entry)))
      continue;
    if (tessera_pack_status status = loadKernel(*pack, entry.name, isCPU, gpu))
      return status;
    isSome = true;
  }
  return isSome ? TESSERA_PACK_OK
                : fail(TESSERA_PACK_NO_KERNEL, "the pack has no kernel for %.60s", gpu.target);
}
