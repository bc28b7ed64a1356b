//===- DriverAPI.h - the part of the CUDA driver API that we call ---------===//
// Declared from NVIDIA's public documentation of the driver API, so that
// building needs no toolkit; opened with dlopen when a launch needs it, so that
// running needs no toolkit either. Function names carry the version suffix
// that the library exports (cuMemAlloc_v2).
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera::cuda {

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

/// CUdevice_attribute
enum class DeviceAttribute : int {
  MaxGridX = 5,
  MaxGridY = 6,
  MaxGridZ = 7,
  WarpSize = 10,
  MaxRegistersPerBlock = 12,
  ClockRate = 13, // kHz
  MultiprocessorCount = 16,
  MemoryClockRate = 36, // kHz
  GlobalMemoryBusWidth = 37,
  L2CacheSize = 38,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
};

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

/// X(name, parameters): functions every driver since CUDA 11 has.
#define TESSERA_CUDA_FUNCTIONS(X)                                                                  \
  X(cuInit, (unsigned flags))                                                                      \
  X(cuDriverGetVersion, (int *version))                                                            \
  X(cuGetErrorName, (Result, const char **))                                                       \
  X(cuGetErrorString, (Result, const char **))                                                     \
  X(cuDeviceGetCount, (int *))                                                                     \
  X(cuDeviceGet, (DeviceOrdinal *, int ordinal))                                                   \
  X(cuDeviceGetName, (char *name, int size, DeviceOrdinal))                                        \
  X(cuDeviceGetAttribute, (int *, DeviceAttribute, DeviceOrdinal))                                 \
  X(cuDeviceTotalMem_v2, (size_t *, DeviceOrdinal))                                                \
  X(cuDevicePrimaryCtxRetain, (Context *, DeviceOrdinal))                                          \
  X(cuDevicePrimaryCtxRelease_v2, (DeviceOrdinal))                                                 \
  X(cuCtxGetCurrent, (Context *))                                                                  \
  X(cuCtxSetCurrent, (Context))                                                                    \
  X(cuCtxSynchronize, ())                                                                          \
  X(cuCtxGetLimit, (size_t *, Limit))                                                              \
  X(cuCtxSetLimit, (Limit, size_t))                                                                \
  X(cuMemGetInfo_v2, (size_t *available, size_t *total))                                           \
  X(cuMemAlloc_v2, (DevicePointer *, size_t))                                                      \
  X(cuMemFree_v2, (DevicePointer))                                                                 \
  X(cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                                        \
  X(cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                                              \
  X(cuModuleLoadDataEx, (Module *, const void *, unsigned count, JitOption *, void **values))      \
  X(cuModuleUnload, (Module))                                                                      \
  X(cuModuleGetFunction, (Function *, Module, const char *))                                       \
  X(cuFuncGetAttribute, (int *, FunctionAttribute, Function))                                      \
  X(cuFuncSetAttribute, (Function, FunctionAttribute, int))                                        \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                   \
    (int *, Function, int threads, size_t sharedBytes))                                            \
  X(cuStreamSynchronize, (Stream))                                                                 \
  X(cuEventCreate, (DriverEvent *, unsigned flags))                                                \
  X(cuEventDestroy_v2, (DriverEvent))                                                              \
  X(cuEventRecord, (DriverEvent, Stream))                                                          \
  X(cuEventSynchronize, (DriverEvent))                                                             \
  X(cuEventElapsedTime, (float *milliseconds, DriverEvent begin, DriverEvent end))                 \
  X(cuLaunchKernel,                                                                                \
    (Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,   \
     unsigned blockZ, unsigned sharedBytes, Stream, void **parameters, void **extra))

/// Functions of later drivers, or that we can do without; null where the driver has none.
#define TESSERA_CUDA_OPTIONAL_FUNCTIONS(X)                                                         \
  X(cuPointerGetAttribute, (void *, PointerAttribute, DevicePointer))                              \
  X(cuOccupancyMaxActiveClusters, (int *, Function, const LaunchConfig *)) /* 11.8 */              \
  X(cuLaunchKernelEx, (const LaunchConfig *, Function, void **parameters, void **extra)) /* 11.8   \
                                                                                          */       \
  X(cuTensorMapEncodeTiled,                                                                        \
    (EncodedTensorMap *, int type, uint32_t rank, void *address, const uint64_t *extents,          \
     const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides, int interleave, \
     int swizzle, int promotion, int fill)) /* 12.0 */

class DriverAPI {
public:
  /// Opens the library, finds the functions and calls cuInit.
  static llvm::Expected<std::shared_ptr<const DriverAPI>> open(const std::string &library);
  ~DriverAPI();
  DriverAPI(const DriverAPI &) = delete;
  DriverAPI &operator=(const DriverAPI &) = delete;

#define TESSERA_DECLARE(name, parameters) Result(*name) parameters = nullptr;
  TESSERA_CUDA_FUNCTIONS(TESSERA_DECLARE)
  TESSERA_CUDA_OPTIONAL_FUNCTIONS(TESSERA_DECLARE)
#undef TESSERA_DECLARE

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
  std::string describe(Result result) const;

  /// Success, or "cuMemAlloc failed: CUDA_ERROR_... (...); <context>".
  llvm::Error check(Result result, llvm::StringRef function,
                    const llvm::Twine &context = "") const {
    return result == kSuccess ? llvm::Error::success() : failure(result, function, context);
  }

private:
  DriverAPI() = default;
  llvm::Error failure(Result result, llvm::StringRef function, const llvm::Twine &context) const;
  void *handle = nullptr;
};

} // namespace tessera::cuda
