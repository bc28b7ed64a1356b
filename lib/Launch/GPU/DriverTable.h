//===- DriverTable.h - the part of a GPU's driver that we call ------------===//
// CUDA's driver API and HIP have the same functions under other names, with the same
// structures and mostly the same numbers: CUDA's stand here, and a DriverFace says what
// a vendor does otherwise. All is declared from public documentation, so that building
// needs no toolkit, and opened with dlopen when a launch needs it, so that running needs
// no toolkit either.
//
// This file and DriverTable.cpp, LaunchPlan.cpp, CUDA/Driver.cpp and HIP/Driver.cpp use
// neither LLVM nor C++'s library: the library of packs (../Pack) has the same code.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/CodeFit.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera::gpu {

using Result = int; // 0 is success
using DeviceOrdinal = int;
using DevicePointer = uint64_t;
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using DriverEvent = struct EventHandle *;

inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kNoBinaryForGPU = 209;

/// CUlimit
enum class Limit : int { StackBytes = 0, PrintfBytes = 1, HeapBytes = 2 };

/// A property of a device; each driver has numbers of its own for them (DriverFace).
enum class DeviceAttribute : unsigned {
  MaxGridX,
  MaxGridY,
  MaxGridZ,
  WarpSize,
  MaxRegistersPerBlock,
  ClockRate, // kHz
  MultiprocessorCount,
  MemoryClockRate, // kHz
  GlobalMemoryBusWidth,
  L2CacheSize,
  CapabilityMajor,
  CapabilityMinor,
  MaxSharedMemoryPerBlock,
};
inline constexpr size_t kNumDeviceAttributes = size_t(DeviceAttribute::MaxSharedMemoryPerBlock) + 1;

/// CUpointer_attribute
enum class PointerAttribute : int { DevicePointer = 3 };

/// CUfunction_attribute
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  StaticSharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
  PreferredSharedCarveout = 9,
  NonPortableClusterAllowed = 14,
};

/// CUjit_option
enum class JitOption : int {
  InfoLogBuffer = 3,
  InfoLogBufferSize = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferSize = 6,
};

/// CUlaunchAttributeID
enum class LaunchAttributeId : int {
  Cooperative = 2,
  ClusterDimension = 4,
  ClusterSchedulingPreference = 5,
  ProgrammaticStreamSerialization = 6,
};

inline constexpr int kClusterSchedulingSpread = 1;

/// CUlaunchAttribute: the value is a union padded to 64 bytes.
struct LaunchAttribute {
  LaunchAttributeId id;
  int unused;
  union {
    char padding[64];
    int flag; // cooperative, serialization, scheduling preference
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

/// CUtensorMap: 128 opaque bytes.
struct alignas(64) EncodedTensorMap {
  uint64_t opaque[16];
};
static_assert(sizeof(EncodedTensorMap) == 128);

/// X(name, parameters): what we call. DriverFace maps the names to those of a driver.
#define TESSERA_DRIVER_FUNCTIONS(X)                                                                \
  X(init, (unsigned flags))                                                                        \
  X(driverGetVersion, (int *version))                                                              \
  X(getErrorName, (Result, const char **))                                                         \
  X(getErrorString, (Result, const char **))                                                       \
  X(deviceGetCount, (int *))                                                                       \
  X(deviceGet, (DeviceOrdinal *, int ordinal))                                                     \
  X(deviceGetName, (char *name, int size, DeviceOrdinal))                                          \
  X(deviceGetAttribute, (int *, int attribute, DeviceOrdinal))                                     \
  X(deviceGetProperties, (void *properties, int ordinal)) /* HIP */                                \
  X(deviceTotalMem, (size_t *, DeviceOrdinal))                                                     \
  X(primaryContextRetain, (Context *, DeviceOrdinal)) /* CUDA, with the three below */             \
  X(primaryContextRelease, (DeviceOrdinal))                                                        \
  X(contextGetCurrent, (Context *))                                                                \
  X(contextSetCurrent, (Context))                                                                  \
  X(contextGetDevice, (DeviceOrdinal *)) /* CUDA, with the one below */                            \
  X(contextGetId, (Context, unsigned long long *))                                                 \
  X(getCurrentDevice, (int *)) /* HIP, with the one below */                                       \
  X(setCurrentDevice, (int))                                                                       \
  X(synchronize, ())                                                                               \
  X(getLimit, (size_t *, Limit))                                                                   \
  X(setLimit, (Limit, size_t))                                                                     \
  X(memGetInfo, (size_t *available, size_t *total))                                                \
  X(memAlloc, (DevicePointer *, size_t))                                                           \
  X(memFree, (DevicePointer))                                                                      \
  X(memAllocAsync, (DevicePointer *, size_t, Stream))                                              \
  X(memFreeAsync, (DevicePointer, Stream))                                                         \
  X(memcpyHtoD, (DevicePointer, const void *, size_t))                                             \
  X(memcpyDtoH, (void *, DevicePointer, size_t))                                                   \
  X(moduleLoadDataEx, (Module *, const void *, unsigned count, JitOption *, void **values))        \
  X(moduleUnload, (Module))                                                                        \
  X(moduleGetFunction, (Function *, Module, const char *))                                         \
  X(functionGetAttribute, (int *, FunctionAttribute, Function))                                    \
  X(functionSetAttribute, (Function, FunctionAttribute, int))                                      \
  X(occupancyMaxActiveBlocks, (int *, Function, int threads, size_t sharedBytes))                  \
  X(occupancyMaxActiveClusters, (int *, Function, const LaunchConfig *))                           \
  X(streamSynchronize, (Stream))                                                                   \
  X(eventCreate, (DriverEvent *, unsigned flags))                                                  \
  X(eventDestroy, (DriverEvent))                                                                   \
  X(eventRecord, (DriverEvent, Stream))                                                            \
  X(eventSynchronize, (DriverEvent))                                                               \
  X(eventElapsedTime, (float *milliseconds, DriverEvent begin, DriverEvent end))                   \
  X(launchKernel,                                                                                  \
    (Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,   \
     unsigned blockZ, unsigned sharedBytes, Stream, void **parameters, void **extra))              \
  X(launchKernelEx, (const LaunchConfig *, Function, void **parameters, void **extra))             \
  X(launchCooperative,                                                                             \
    (Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,   \
     unsigned blockZ, unsigned sharedBytes, Stream, void **parameters)) /* HIP */                  \
  X(pointerGetAttribute, (void *, PointerAttribute, DevicePointer))                                \
  X(tensorMapEncodeTiled,                                                                          \
    (EncodedTensorMap *, int type, uint32_t rank, void *address, const uint64_t *extents,          \
     const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides, int interleave, \
     int swizzle, int promotion, int fill))

enum class Call : unsigned {
#define TESSERA_LIST(name, parameters) name,
  TESSERA_DRIVER_FUNCTIONS(TESSERA_LIST)
#undef TESSERA_LIST
};

/// A function as the driver's library exports it.
struct DriverSymbol {
  Call call;
  const char *name;
  /// We can do without it, or only later drivers have it.
  bool isOptional = false;
};

struct DriverTable;

/// The chip of a device, and its target: "cuda:90".
struct DeviceChip {
  char target[64] = {};
  int major = 0, minor = 0;
};

/// A vendor's driver: its names, numbers and words. CUDA/Driver.cpp and HIP/Driver.cpp have one
/// each.
struct DriverFace {
  const char *kind;       // of its devices' names: "cuda"
  const char *label;      // for people: "CUDA driver"
  const char *source;     // "it comes with NVIDIA's display driver"
  const char *needed;     // "a driver of CUDA 11 or later is needed"
  const char *extended;   // what launches with attributes need: "the driver of CUDA 11.8 or later"
  const char *tensorMaps; // what tensor maps need
  int leastVersion;       // as driverGetVersion counts; 0: any
  const char *binary;     // the artifact that is loaded: "cubin"
  const char *text;       // the one that the driver compiles; empty if it compiles none
  const DriverSymbol *symbols;
  size_t symbolCount;
  std::array<int, kNumDeviceAttributes> attributes; // -1: it has none
  bool hasDependentLaunch;
  /// Opens the library, the vendor's if `library` is empty. Null with a problem, a string that
  /// lives until the next call of dlopen, if there is none.
  void *(*open)(const char *library, const char *&problem);
  /// Tells the chip of a device; `failed` is the call of a result that is no success.
  Result (*describe)(const DriverTable &api, DeviceOrdinal device, DeviceChip &chip, Call &failed);
  /// Returns whether an image is the artifact that the driver compiles.
  bool (*isText)(std::string_view image);
  /// Returns how code for another target of the vendor runs on a chip (CodeFit.h).
  CodeFit (*fit)(std::string_view chip, const ChipCode &code);
};

/// The functions of a driver's library.
struct DriverTable {
  explicit constexpr DriverTable(const DriverFace &face) : face(face) {}
  DriverTable(const DriverTable &) = delete;

  const DriverFace &face;
  // Null where the driver has no such function.
#define TESSERA_DECLARE(name, parameters) Result(*name) parameters = nullptr;
  TESSERA_DRIVER_FUNCTIONS(TESSERA_DECLARE)
#undef TESSERA_DECLARE

  /// Sets the members whose functions the library has. Returns the name of one that must be there
  /// and is not; null if all are.
  const char *findFunctions(void *handle);
  /// Asks for an attribute of a device, which the driver may not have.
  Result getAttribute(int *value, DeviceAttribute which, DeviceOrdinal device) const {
    return deviceGetAttribute(value, face.attributes[size_t(which)], device);
  }
  /// "cuMemAlloc", as the driver's documentation calls the function.
  std::string_view nameOf(Call call) const;
};

} // namespace tessera::gpu
