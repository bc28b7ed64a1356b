//===- Driver.cpp - the names and numbers of CUDA's driver ----------------===//
// From NVIDIA's documentation of the driver API. Names carry the version suffix that the
// library exports (cuMemAlloc_v2).
//===----------------------------------------------------------------------===//
#include "Driver.h"
#include <dlfcn.h>

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
    {Call::occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters", /*isOptional=*/true}, // 11.8
    {Call::launchKernelEx, "cuLaunchKernelEx", /*isOptional=*/true},                         // 11.8
    {Call::tensorMapEncodeTiled, "cuTensorMapEncodeTiled", /*isOptional=*/true},             // 12.0
};

static void *openLibrary(const std::string &library, std::string &problem) {
  const char *name = library.empty() ? "libcuda.so.1" : library.c_str();
  void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle)
    return handle;
  const char *why = ::dlerror();
  problem = why ? why : name;
  return nullptr;
}

static llvm::Error describeDevice(const DriverAPI &api, DeviceOrdinal device,
                                  DeviceProperties &properties) {
  Result failed = kSuccess;
  auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    if (Result result = api.getAttribute(&value, which, device); result != kSuccess)
      failed = result;
    return value;
  };
  properties.majorCapability = attribute(DeviceAttribute::CapabilityMajor);
  properties.minorCapability = attribute(DeviceAttribute::CapabilityMinor);
  properties.target =
      "cuda:" + std::to_string(properties.majorCapability * 10 + properties.minorCapability);
  return api.check(failed, Call::deviceGetAttribute);
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
      // CUdevice_attribute, in the order of DeviceAttribute
      .attributes = {5, 6, 7, 10, 12, 13, 16, 36, 37, 38, 75, 76, 97},
      .hasDependentLaunch = true,
      .open = openLibrary,
      .describe = describeDevice,
      .isText =
          [](llvm::StringRef image) {
            llvm::StringRef text = image.ltrim();
            return text.starts_with_insensitive("//") || text.starts_with(".version");
          },
  };
  return kFace;
}
