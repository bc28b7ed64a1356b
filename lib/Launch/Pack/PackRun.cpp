//===- PackRun.cpp - kernels of a pack on the CPU -------------------------===//
#include "PackState.h"
#include <unistd.h>

using namespace tessera;

tessera_pack_status tessera::loadOnCPU(tessera_pack &pack, PackVariant &variant) {
  if (variant.image.load(std::memory_order_acquire))
    return TESSERA_PACK_OK;
  PackLock guard(pack.loading);
  if (variant.image.load(std::memory_order_relaxed))
    return TESSERA_PACK_OK;
  const void *bytes = nullptr;
  size_t size = 0;
  if (tessera_pack_status status = tessera_pack_output(&pack, variant.number, "obj", &bytes, &size))
    return status;
  auto *image = makePlain<PackImage>();
  if (!image)
    return fail(TESSERA_PACK_NO_MEMORY, "there is no memory");
  if (const char *problem =
          image->load({static_cast<const char *>(bytes), size}, variant.record.symbol)) {
    destroyPlain(image);
    return fail(TESSERA_PACK_NO_BINARY, "the object of entry %u is not loaded: %s", variant.number,
                problem);
  }
  variant.image.store(image, std::memory_order_release);
  return TESSERA_PACK_OK;
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

tessera_pack_status tessera::launchOnCPU(tessera_pack &pack, PackVariant &variant,
                                         const PackLaunch &launch) {
  const PackRecord &record = variant.record;
  if (record.hiddenCount != 0 || record.maps.size() != 0)
    return fail(TESSERA_PACK_NO_VARIANT, "entry %u cannot be launched on the CPU", variant.number);
  const void *passed[PackRecord::kMaxParameters];
  unsigned count = 0;
  for (uint32_t i = 0; i < record.parameters.size(); ++i)
    if (!record.parameters[i].hasConstant)
      passed[count++] = launch.values[i];
  if (tessera_pack_status status = loadOnCPU(pack, variant))
    return status;
  const uint32_t *grid = launch.grid;
  if (!grid[0] || !grid[1] || !grid[2])
    return TESSERA_PACK_OK; // nothing to do
  PackImage *image = variant.image.load(std::memory_order_acquire);
  int32_t result =
      runAll(image->function(), passed, grid, launch.place ? launch.place->threads : 0);
  if (result == 0)
    return TESSERA_PACK_OK;
  return fail(TESSERA_PACK_KERNEL_FAILED,
              result == 1 ? "the kernel ran out of memory" : "an assertion of the kernel failed");
}
