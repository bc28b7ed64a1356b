//===- Driver.cpp - the names and numbers of HIP --------------------------===//
// From AMD's documentation of HIP 6 and 7, and checked against its headers where they are
// installed (test/amd). HIP has no contexts that a caller sees: a thread has a current
// device. Without LLVM: see ../GPU/DriverTable.h.
//===----------------------------------------------------------------------===//
#include "Driver.h"
#include <cstdio>
#include <dlfcn.h>
#include <iterator>

using namespace tessera;
using namespace tessera::gpu;

static constexpr DriverSymbol kSymbols[] = {
    {Call::init, "hipInit"},
    {Call::driverGetVersion, "hipDriverGetVersion"},
    {Call::getErrorName, "hipDrvGetErrorName"},
    {Call::getErrorString, "hipDrvGetErrorString"},
    {Call::deviceGetCount, "hipGetDeviceCount"},
    {Call::deviceGet, "hipDeviceGet"},
    {Call::deviceGetName, "hipDeviceGetName"},
    {Call::deviceGetAttribute, "hipDeviceGetAttribute"},
    {Call::deviceGetProperties, "hipGetDevicePropertiesR0600"},
    {Call::deviceTotalMem, "hipDeviceTotalMem"},
    {Call::getCurrentDevice, "hipGetDevice"},
    {Call::setCurrentDevice, "hipSetDevice"},
    {Call::synchronize, "hipDeviceSynchronize"},
    {Call::getLimit, "hipDeviceGetLimit"},
    {Call::setLimit, "hipDeviceSetLimit"},
    {Call::memGetInfo, "hipMemGetInfo"},
    {Call::memAlloc, "hipMalloc"},
    {Call::memFree, "hipFree"},
    {Call::memcpyHtoD, "hipMemcpyHtoD"},
    {Call::memcpyDtoH, "hipMemcpyDtoH"},
    {Call::moduleLoadDataEx, "hipModuleLoadDataEx"},
    {Call::moduleUnload, "hipModuleUnload"},
    {Call::moduleGetFunction, "hipModuleGetFunction"},
    {Call::functionGetAttribute, "hipFuncGetAttribute"},
    {Call::occupancyMaxActiveBlocks, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"},
    {Call::streamSynchronize, "hipStreamSynchronize"},
    {Call::eventCreate, "hipEventCreateWithFlags"},
    {Call::eventDestroy, "hipEventDestroy"},
    {Call::eventRecord, "hipEventRecord"},
    {Call::eventSynchronize, "hipEventSynchronize"},
    {Call::eventElapsedTime, "hipEventElapsedTime"},
    {Call::launchKernel, "hipModuleLaunchKernel"},
    {Call::launchCooperative, "hipModuleLaunchCooperativeKernel", /*isOptional=*/true},
    {Call::launchKernelEx, "hipDrvLaunchKernelEx", /*isOptional=*/true}, // HIP 6.5
    {Call::memAllocAsync, "hipMallocAsync", /*isOptional=*/true},
    {Call::memFreeAsync, "hipFreeAsync", /*isOptional=*/true},
    {Call::pointerGetAttribute, "hipPointerGetAttribute", /*isOptional=*/true},
};

/// A process must not have two copies of HIP, so one that is there is used: torch brings its own.
static void *openLibrary(const char *library, const char *&problem) {
  if (*library) {
    if (void *handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL))
      return handle;
    const char *why = ::dlerror();
    problem = why ? why : library;
    return nullptr;
  }
  static constexpr const char *kNames[] = {"libamdhip64.so", "libamdhip64.so.7",
                                           "libamdhip64.so.6"};
  for (const char *name : kNames)
    if (void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      return handle;
  for (const char *name : {"libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so"})
    if (void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return handle;
  problem = "there is no libamdhip64.so.7 or .6, nor one in /opt/rocm/lib";
  return nullptr;
}

/// "gfx942:sramecc+:xnack-" is a gfx942. hipDeviceProp_tR0600 has the name at this offset.
static Result describeDevice(const DriverTable &api, DeviceOrdinal device, DeviceChip &chip,
                             Call &failed) {
  constexpr size_t propertiesBytes = 1472, nameOffset = 1160, nameBytes = 256;
  alignas(16) char raw[2 * propertiesBytes] = {}; // with room for later versions
  failed = Call::deviceGetProperties;
  if (Result result = api.deviceGetProperties(raw, device))
    return result;
  raw[nameOffset + nameBytes - 1] = 0;
  std::string_view name = raw + nameOffset;
  name = name.substr(0, name.find(':'));
  std::snprintf(chip.target, sizeof(chip.target), "hip:%.*s", int(name.size()), name.data());
  failed = Call::deviceGetAttribute;
  if (Result result = api.getAttribute(&chip.major, DeviceAttribute::CapabilityMajor, device))
    return result;
  return api.getAttribute(&chip.minor, DeviceAttribute::CapabilityMinor, device);
}

const DriverFace &tessera::hipDriver() {
  static constexpr DriverFace kFace = {
      .kind = "hip",
      .label = "HIP runtime",
      .source = "it comes with ROCm 6 or later, or with torch for ROCm",
      .needed = "HIP 6 or later is needed",
      .extended = "hipModuleLaunchCooperativeKernel",
      .tensorMaps = "an NVIDIA GPU",
      .leastVersion = 60000000,
      .binary = "hsaco",
      .text = "",
      .symbols = kSymbols,
      .symbolCount = std::size(kSymbols),
      // hipDeviceAttribute_t, in the order of DeviceAttribute
      .attributes = {29, 30, 31, 87, 71, 5, 63, 60, 59, 19, 23, 61, 74},
      .hasDependentLaunch = false,
      .open = openLibrary,
      .describe = describeDevice,
      .isText = [](std::string_view) { return false; },
      // A code object runs on the chip that it was made for.
      .fit = [](std::string_view chip, const ChipCode &code) -> CodeFit {
        return {code.hasBinary && chip == code.target ? kFitsExactly : 0, false};
      },
  };
  return kFace;
}
