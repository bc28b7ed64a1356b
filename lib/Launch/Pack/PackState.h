//===- PackState.h - an open pack -----------------------------------------===//
// What the files of the library share. Records are read, and code is loaded, when a kernel
// is first used; both stay until the pack is closed. Readers take no lock: they follow
// pointers that are published once and never change.
//===----------------------------------------------------------------------===//
#pragma once

#include "PackRecord.h"
#include "PackShapes.h"
#include "tessera_pack.h"
#include "tessera/Binary/PackView.h"
#include "tessera/Launch/CodeFit.h"
#include "../CPU/PackImage.h"
#include <atomic>
#include <pthread.h>

namespace tessera {

/// A kernel in one context of a driver.
struct PackModule {
  PackModule *next = nullptr;
  const gpu::DriverTable *api = nullptr;
  gpu::Context context = nullptr; // null where threads have a current device instead
  uint64_t contextId = 0;         // other than that of every other context
  int device = 0;
  gpu::Module module = nullptr;
  gpu::Function function = nullptr;
};

/// An entry of the pack whose record was read.
struct PackVariant {
  uint32_t number = 0;
  PackEntry entry;
  PackRecord record;
  bool isReadable = false; // the record is intact and one that the library can launch
  std::atomic<PackImage *> image = nullptr;    // on the CPU
  std::atomic<PackModule *> modules = nullptr; // on GPUs
};

/// The variants of a kernel that run on the chips of a target.
struct PackKernel {
  PackKernel *next = nullptr;
  std::string_view name;
  char target[64] = {};
  uint32_t maxShared = 0; // bytes of shared memory that a CTA may have
  PackShape *shapes = nullptr;
  PackList<std::string_view> types; // of the parameters, in a variant that passes them
  ~PackKernel();
};

class PackLock {
public:
  explicit PackLock(pthread_mutex_t &mutex) : mutex(mutex) { ::pthread_mutex_lock(&mutex); }
  ~PackLock() { ::pthread_mutex_unlock(&mutex); }
  PackLock(const PackLock &) = delete;

private:
  pthread_mutex_t &mutex;
};

/// Allocates and makes a T; null if there is no memory.
template <typename T> T *makePlain() {
  void *memory = std::malloc(sizeof(T));
  return memory ? new (memory) T() : nullptr;
}
template <typename T> void destroyPlain(T *object) {
  if (!object)
    return;
  object->~T();
  std::free(static_cast<void *>(object));
}

/// Keeps the sentence for tessera_pack_last_error, and returns the status.
[[gnu::format(printf, 2, 3)]] tessera_pack_status fail(tessera_pack_status status,
                                                       const char *format, ...);

/// The variant of an entry; null if there is no memory.
PackVariant *variantOf(tessera_pack &pack, uint32_t number);
/// The driver's words of an entry: "cubin" and "ptx", as far as they are there.
ChipCode codeOf(const tessera_pack &pack, const PackEntry &entry);

/// The hash of names in the tables of a pack (FNV-1a).
inline uint32_t hashName(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name)
    hash = (hash ^ uint8_t(c)) * 16777619u;
  return hash;
}

/// The variants of a kernel for a target; null with a status if there are none.
tessera_pack_status findKernel(tessera_pack &pack, std::string_view name, const char *target,
                               uint32_t maxShared, const PackKernel *&kernel);
/// The best variant for the arguments.
tessera_pack_status chooseVariant(tessera_pack &pack, const PackKernel &kernel,
                                  const void *const *values, uint32_t count, PackVariant *&variant);
/// The variant of a shape's member, whose record is read; null if it cannot be launched.
PackVariant *readMember(tessera_pack &pack, const PackKernel &kernel, const PackShape &shape,
                        uint32_t place);
/// The variant of the same kernel without tensor maps, for launches that have none; null if the
/// pack does not have it.
PackVariant *variantWithoutMaps(tessera_pack &pack, const PackVariant &variant);

/// A launch: the passed arguments are behind the parameters that are constants.
struct PackLaunch {
  const uint32_t *grid;
  const void *const *values; // of all parameters
  const tessera_pack_place *place;
};
tessera_pack_status launchOnCPU(tessera_pack &pack, PackVariant &variant, const PackLaunch &launch);
tessera_pack_status loadOnCPU(tessera_pack &pack, PackVariant &variant);

/// A GPU that the calling thread uses.
struct PackGPU {
  const gpu::DriverTable *api = nullptr;
  const char *target = nullptr;
  uint32_t maxShared = 0, maxGrid[3] = {};
  gpu::Context context = nullptr;
  uint64_t contextId = 0;
  int device = 0;
};
/// The GPU of a kind of devices ("cuda") that the calling thread's current context or device is.
tessera_pack_status findGPU(std::string_view kind, PackGPU &gpu);
tessera_pack_status launchOnGPU(tessera_pack &pack, PackVariant &variant, const PackGPU &gpu,
                                const PackLaunch &launch);
tessera_pack_status loadOnGPU(tessera_pack &pack, PackVariant &variant, const PackGPU &gpu,
                              const PackModule *&loaded);
void unloadFromGPUs(PackVariant &variant);

} // namespace tessera

struct tessera_pack {
  void *memory = nullptr;
  size_t size = 0;
  tessera::PackView view;
  std::atomic<tessera::PackVariant *> *variants = nullptr; // by entry; null: not read yet
  /// Entries by the hash of the kernel's name: heads[hash & mask] and next[entry], 1 more than the
  /// entry's number each.
  uint32_t *heads = nullptr, *next = nullptr, mask = 0;
  std::atomic<tessera::PackKernel *> *kernels = nullptr; // by the same hash
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;      // of what is added to the above
  pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;   // of images and modules
};
