//===- Driver.cpp - the names and numbers of CUDA's driver ----------------===//
// From NVIDIA's documentation of the driver API. Names carry the version suffix that the
// library exports (cuMemAlloc_v2). Without LLVM: see ../GPU/DriverTable.h.
//===----------------------------------------------------------------------===//
#include "Driver.h"
#include <cstdio>
#include <dlfcn.h>
#include <iterator>

using namespace tessera;
using namespace tessera::gpu;

static constexpr DriverSymbol kSymbols[] = {
    // Functions every driver since CUDA 11 has.
    {Call::init, "cuInit"},
    {Call::driverGetVersion, "cuDriverGetVersion"},
    {Call::getErrorName, "cuGetErrorName"},
    {Call::getErrorString, "cuGetErrorString"},
    {Call::deviceGetCount, "cuDeviceGetCount"},
    {Call::deviceGet, "cuDeviceGet"},
    {Call::deviceGetName, "cuDeviceGetName"},
    {Call::deviceGetAttribute, "cuDeviceGetAttribute"},
    {Call::deviceTotalMem, "cuDeviceTotalMem_v2"},
    {Call::primaryContextRetain, "cuDevicePrimaryCtxRetain"},
    {Call::primaryContextRelease, "cuDevicePrimaryCtxRelease_v2"},
    {Call::contextGetCurrent, "cuCtxGetCurrent"},
    {Call::contextSetCurrent, "cuCtxSetCurrent"},
    {Call::contextGetDevice, "cuCtxGetDevice"},
    {Call::synchronize, "cuCtxSynchronize"},
    {Call::getLimit, "cuCtxGetLimit"},
    {Call::setLimit, "cuCtxSetLimit"},
    {Call::memGetInfo, "cuMemGetInfo_v2"},
    {Call::memAlloc, "cuMemAlloc_v2"},
    {Call::memFree, "cuMemFree_v2"},
    {Call::memcpyHtoD, "cuMemcpyHtoD_v2"},
    {Call::memcpyDtoH, "cuMemcpyDtoH_v2"},
    {Call::moduleLoadDataEx, "cuModuleLoadDataEx"},
    {Call::moduleUnload, "cuModuleUnload"},
    {Call::moduleGetFunction, "cuModuleGetFunction"},
    {Call::functionGetAttribute, "cuFuncGetAttribute"},
    {Call::functionSetAttribute, "cuFuncSetAttribute"},
    {Call::occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor"},
    {Call::streamSynchronize, "cuStreamSynchronize"},
    {Call::eventCreate, "cuEventCreate"},
    {Call::eventDestroy, "cuEventDestroy_v2"},
    {Call::eventRecord, "cuEventRecord"},
    {Call::eventSynchronize, "cuEventSynchronize"},
    {Call::eventElapsedTime, "cuEventElapsedTime"},
    {Call::launchKernel, "cuLaunchKernel"},
    // Functions of later drivers, or that we can do without.
    {Call::pointerGetAttribute, "cuPointerGetAttribute", /*isOptional=*/true},
    {Call::memAllocAsync, "cuMemAllocAsync", /*isOptional=*/true},                           // 11.2
    {Call::memFreeAsync, "cuMemFreeAsync", /*isOptional=*/true},                             // 11.2
    {Call::contextGetId, "cuCtxGetId", /*isOptional=*/true},                                 // 12.0
    {Call::occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters", /*isOptional=*/true}, // 11.8
    {Call::launchKernelEx, "cuLaunchKernelEx", /*isOptional=*/true},                         // 11.8
    {Call::tensorMapEncodeTiled, "cuTensorMapEncodeTiled", /*isOptional=*/true},             // 12.0
};

static void *openLibrary(const char *library, const char *&problem) {
  const char *name = *library ? library : "libcuda.so.1";
  void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle)
    return handle;
  const char *why = ::dlerror();
  problem = why ? why : name;
  return nullptr;
}

static Result describeDevice(const DriverTable &api, DeviceOrdinal device, DeviceChip &chip,
                             Call &failed) {
  failed = Call::deviceGetAttribute;
  if (Result result = api.getAttribute(&chip.major, DeviceAttribute::CapabilityMajor, device))
    return result;
  if (Result result = api.getAttribute(&chip.minor, DeviceAttribute::CapabilityMinor, device))
    return result;
  std::snprintf(chip.target, sizeof(chip.target), "cuda:%d", chip.major * 10 + chip.minor);
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Code for other chips
//===----------------------------------------------------------------------===//

/// 90 for "cuda:90"; 0 for anything else.
static unsigned capabilityOf(std::string_view target) {
  constexpr std::string_view kPrefix = "cuda:";
  if (!target.starts_with(kPrefix))
    return 0;
  target.remove_prefix(kPrefix.size());
  unsigned capability = 0;
  for (char c : target) {
    if (c < '0' || c > '9' || capability > 10000)
      return 0;
    capability = capability * 10 + unsigned(c - '0');
  }
  return capability;
}

/// Returns whether PTX is for one chip alone ("sm_90a") or for one family ("sm_100f"), neither of
/// which later chips take (PTX ISA, ".target"). Code whose PTX does not say counts as such.
static bool isForOneChip(std::string_view text) {
  constexpr std::string_view kDirective = ".target sm_";
  size_t found = text.find(kDirective);
  if (found == std::string_view::npos)
    return true;
  text.remove_prefix(found + kDirective.size());
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
    ++digits;
  return digits == text.size() || (text[digits] >= 'a' && text[digits] <= 'z');
}

/// CUDA C++ Programming Guide, "Binary compatibility" and "PTX compatibility".
static CodeFit fitChip(std::string_view chip, const ChipCode &code) {
  unsigned wanted = capabilityOf(chip), own = capabilityOf(code.target);
  if (wanted == 0 || own == 0 || own > wanted || (!code.hasBinary && code.text.empty()))
    return {};
  if (own == wanted)
    return {kFitsExactly, !code.hasBinary};
  if (isForOneChip(code.text))
    return {};
  if (code.hasBinary && own / 10 == wanted / 10)
    return {kFitsAsBinary + own, false};
  return {kFitsAsText + own, true};
}

const DriverFace &tessera::cudaDriver() {
  static constexpr DriverFace kFace = {
      .kind = "cuda",
      .label = "CUDA driver",
      .source = "it comes with NVIDIA's display driver",
      .needed = "a driver of CUDA 11 or later is needed",
      .extended = "the driver of CUDA 11.8 or later",
      .tensorMaps = "the driver of CUDA 12 or later",
      .leastVersion = 0,
      .binary = "cubin",
      .text = "ptx",
      .symbols = kSymbols,
      .symbolCount = std::size(kSymbols),
      // CUdevice_attribute, in the order of DeviceAttribute
      .attributes = {5, 6, 7, 10, 12, 13, 16, 36, 37, 38, 75, 76, 97},
      .hasDependentLaunch = true,
      .open = openLibrary,
      .describe = describeDevice,
      .isText =
          [](std::string_view image) {
            while (!image.empty() && std::string_view(" \t\r\n").find(image[0]) != image.npos)
              image.remove_prefix(1);
            return image.starts_with("//") || image.starts_with(".version");
          },
      .fit = fitChip,
  };
  return kFace;
}
