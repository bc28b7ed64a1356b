//===- FakeDriver.cpp - a driver that keeps notes -------------------------===//
// Exports the functions that lib/Launch opens: CUDA's, and at the end HIP's, which do the
// same. Memory is host memory; a launch writes down its configuration and parameters.
// Environment variables choose failures of both:
//
//   FAKE_CUDA_INIT=100        what cuInit answers
//   FAKE_CUDA_INIT_MS=500     how long it takes
//   FAKE_CUDA_LAUNCH=1        what launches answer
//   FAKE_CUDA_LIMIT=1         what cuCtxSetLimit answers
//   FAKE_CUDA_ENCODE=1        what cuTensorMapEncodeTiled answers
//   FAKE_CUDA_REJECT_CUBIN=1  images that are not PTX are for another chip
//   FAKE_CUDA_CHIP=86         the compute capability; 90 by default
//   FAKE_CUDA_SHARED=101376   the shared memory of a CTA
//===----------------------------------------------------------------------===//
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock; // of the notes: any thread may call a driver
static std::string notes;
static thread_local void *current; // as a driver's context is
static char contexts[2];

static void note(const std::string &line) {
  std::lock_guard<std::mutex> guard(lock);
  notes += line + "\n";
}
static int setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? std::atoi(value) : 0;
}
static int chip() { return setting("FAKE_CUDA_CHIP") ? setting("FAKE_CUDA_CHIP") : 90; }

extern "C" {

const char *fakeNotes() { return notes.c_str(); } // while nobody calls
void fakeForget() {
  std::lock_guard<std::mutex> guard(lock);
  notes.clear();
}
void *fakeOtherContext() { return &contexts[1]; }

int cuInit(unsigned) {
  std::this_thread::sleep_for(std::chrono::milliseconds(setting("FAKE_CUDA_INIT_MS")));
  return setting("FAKE_CUDA_INIT");
}
int cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
int cuGetErrorName(int error, const char **text) {
  *text = error == 1     ? "CUDA_ERROR_INVALID_VALUE"
          : error == 209 ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
          : error == 218 ? "CUDA_ERROR_INVALID_PTX"
                         : nullptr;
  return *text ? 0 : 1;
}
int cuGetErrorString(int error, const char **text) {
  *text = error == 1     ? "invalid argument"
          : error == 218 ? "a PTX JIT compilation failed"
                         : "no kernel image";
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = 2;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int size, int) {
  std::snprintf(name, size_t(size), "Fake GPU");
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case 5:
    *value = 0x7fffffff;
    return 0;
  case 10:
    *value = 32;
    return 0;
  case 12:
    *value = 65536;
    return 0;
  case 6:
  case 7:
    *value = 65535;
    return 0;
  case 16:
    *value = 132;
    return 0;
  case 38:
    *value = 50 << 20;
    return 0;
  case 75:
    *value = chip() / 10;
    return 0;
  case 76:
    *value = chip() % 10;
    return 0;
  case 97:
    *value = setting("FAKE_CUDA_SHARED") ? setting("FAKE_CUDA_SHARED") : 232448;
    return 0;
  }
  return 1;
}
/// Everything below 4096 is the host's.
int cuPointerGetAttribute(void *result, int attribute, uint64_t address) {
  if (attribute != 3 || address < 4096)
    return 1;
  *static_cast<uint64_t *>(result) = address;
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(1) << 30;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &contexts[0];
  note("retain");
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  note("release");
  return 0;
}
int cuCtxGetCurrent(void **context) {
  *context = current;
  return 0;
}
int cuCtxSetCurrent(void *context) {
  current = context;
  return 0;
}
int cuCtxSynchronize() { return setting("FAKE_CUDA_SYNC"); }
static size_t limits[3] = {1024, 1 << 20, 8 << 20};
int cuCtxGetLimit(size_t *bytes, int which) {
  *bytes = limits[which];
  return 0;
}
int cuCtxSetLimit(int which, size_t bytes) {
  note("limit " + std::to_string(which) + " = " + std::to_string(bytes));
  if (setting("FAKE_CUDA_LIMIT"))
    return setting("FAKE_CUDA_LIMIT");
  limits[which] = bytes;
  return 0;
}
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = 1000;
  *total = size_t(1) << 30;
  return 0;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (bytes > size_t(1) << 30)
    return 2;
  *address = uint64_t(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return 0;
}
int cuMemFree_v2(uint64_t address) {
  std::free(reinterpret_cast<void *>(address));
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values) {
  std::string text(static_cast<const char *>(image));
  bool isPtx = text.find(".version") != std::string::npos;
  note(isPtx ? "load ptx" : "load cubin");
  if (!isPtx && setting("FAKE_CUDA_REJECT_CUBIN"))
    return 209;
  if (text.find("syntax error") != std::string::npos) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "ptxas application ptx input, line 3; fatal\n");
    return 218;
  }
  *module = std::malloc(1);
  return 0;
}
int cuModuleLoadData(void **module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
int cuCtxGetDevice(int *device) {
  *device = current == &contexts[1] ? 1 : 0;
  return 0;
}
int cuCtxGetId(void *context, unsigned long long *id) {
  *id = static_cast<unsigned long long>(static_cast<char *>(context) - contexts) + 100;
  return 0;
}
int cuMemAllocAsync(uint64_t *address, size_t bytes, void *) {
  note("allocate " + std::to_string(bytes));
  *address = 4096;
  return bytes > size_t(1) << 30 ? 2 : 0;
}
int cuMemFreeAsync(uint64_t, void *) {
  note("free");
  return 0;
}
int cuModuleUnload(void *module) {
  note("unload");
  std::free(module);
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return std::strcmp(name, "missing") == 0 ? 1 : 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 0 ? 512 : attribute == 4 ? 40 : 0;
  return 0;
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  note("attribute " + std::to_string(attribute) + " = " + std::to_string(value));
  return 0;
}
int cuStreamSynchronize(void *) { return 0; }
int cuEventCreate(void **event, unsigned) {
  *event = std::malloc(1);
  return 0;
}
int cuEventDestroy_v2(void *event) {
  std::free(event);
  return 0;
}
int cuEventRecord(void *, void *) { return 0; }
int cuEventSynchronize(void *) { return 0; }
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 2.5f;
  return 0;
}

/// The first word of a tensor map, by which a launch knows one.
static constexpr uint64_t kTensorMap = 0x70616d726f736e65;

int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
                           const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                           const uint32_t *, int, int swizzle, int promotion, int fill) {
  std::string line = "encode type " + std::to_string(type) + " at " +
                     std::to_string(reinterpret_cast<uint64_t>(address));
  for (uint32_t dim = 0; dim < rank; ++dim)
    line += " extent " + std::to_string(extents[dim]) + " box " + std::to_string(box[dim]);
  for (uint32_t dim = 0; dim + 1 < rank; ++dim)
    line += " stride " + std::to_string(strides[dim]);
  note(line + " swizzle " + std::to_string(swizzle) + " l2 " + std::to_string(promotion) +
       " fill " + std::to_string(fill));
  std::memset(map, 0, 128);
  std::memcpy(map, &kTensorMap, sizeof(kTensorMap));
  std::memcpy(static_cast<char *>(map) + 8, extents, 8);
  return reinterpret_cast<uint64_t>(map) % 64 ? 1 : setting("FAKE_CUDA_ENCODE");
}

/// Parameters: a pointer, an i32, tensor maps, then the two hidden pointers.
static void noteLaunch(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned shared,
                       void **parameters) {
  char line[256];
  std::string maps;
  void **hidden = parameters + 2;
  for (; *static_cast<uint64_t *>(*hidden) == kTensorMap; ++hidden)
    maps += " map of " + std::to_string(static_cast<uint64_t *>(*hidden)[1]);
  std::snprintf(line, sizeof(line), "launch %u %u %u x %u shared %u n %d%s scratch %s profile %s",
                gx, gy, gz, bx, shared, *static_cast<int *>(parameters[1]), maps.c_str(),
                *static_cast<uint64_t *>(hidden[0]) ? "given" : "null",
                *static_cast<uint64_t *>(hidden[1]) ? "given" : "null");
  note(line);
}
int cuLaunchKernel(void *, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned, unsigned,
                   unsigned shared, void *, void **parameters, void **) {
  noteLaunch(gx, gy, gz, bx, shared, parameters);
  return setting("FAKE_CUDA_LAUNCH");
}
struct Config {
  unsigned gx, gy, gz, bx, by, bz, shared;
  void *stream;
  struct Attribute {
    int id, pad;
    unsigned value[16];
  } *attributes;
  unsigned count;
};
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, void *, int threads, size_t shared) {
  note("occupancy of " + std::to_string(threads) + " threads, shared " + std::to_string(shared));
  *count = 2048 / threads;
  return 0;
}
int cuOccupancyMaxActiveClusters(int *count, void *, const Config *config) {
  note("occupancy of " + std::to_string(config->bx) + " threads, shared " +
       std::to_string(config->shared) + ", grid " + std::to_string(config->gx) + " with " +
       std::to_string(config->attributes[0].id) + " = " +
       std::to_string(config->attributes[0].value[0]));
  if (config->attributes[0].value[0] > 16)
    return 1;
  *count = 132 / int(config->attributes[0].value[0]);
  return 0;
}
int cuLaunchKernelEx(const Config *config, void *, void **parameters, void **) {
  noteLaunch(config->gx, config->gy, config->gz, config->bx, config->shared, parameters);
  for (unsigned i = 0; i < config->count; ++i)
    note("with " + std::to_string(config->attributes[i].id) + " = " +
         std::to_string(config->attributes[i].value[0]));
  return setting("FAKE_CUDA_LAUNCH");
}

//===----------------------------------------------------------------------===//
// HIP
//===----------------------------------------------------------------------===//

static thread_local int currentDevice = 0;

int hipInit(unsigned flags) { return cuInit(flags); }
int hipDriverGetVersion(int *version) {
  *version = setting("FAKE_HIP_VERSION") ? setting("FAKE_HIP_VERSION") : 70126015;
  return 0;
}
int hipDrvGetErrorName(int error, const char **text) {
  *text = error == 1 ? "hipErrorInvalidValue" : error == 209 ? "hipErrorNoBinaryForGpu" : nullptr;
  return *text ? 0 : 1;
}
int hipDrvGetErrorString(int error, const char **text) { return cuGetErrorString(error, text); }
int hipGetDeviceCount(int *count) { return cuDeviceGetCount(count); }
int hipDeviceGet(int *device, int ordinal) { return cuDeviceGet(device, ordinal); }
int hipDeviceGetName(char *name, int size, int device) {
  return cuDeviceGetName(name, size, device);
}
/// hipDeviceAttribute_t has other numbers than CUDA.
int hipDeviceGetAttribute(int *value, int attribute, int) {
  static const int kValues[][2] = {
      {29, 0x7fffffff}, {30, 65535}, {31, 65535}, {87, 64}, {71, 65536}, {5, 2100},  {63, 304},
      {60, 1300},       {59, 8192},  {19, 4096},  {23, 9},  {61, 4},     {74, 65536}};
  for (const auto &[number, answer] : kValues)
    if (number == attribute) {
      *value = answer;
      return 0;
    }
  return 1;
}
int hipGetDevicePropertiesR0600(void *properties, int) {
  std::memset(properties, 0, 1472);
  std::strcpy(static_cast<char *>(properties) + 1160, "gfx942:sramecc+:xnack-");
  return 0;
}
int hipDeviceTotalMem(size_t *bytes, int device) { return cuDeviceTotalMem_v2(bytes, device); }
int hipGetDevice(int *device) {
  *device = currentDevice;
  return 0;
}
int hipSetDevice(int device) {
  note("device " + std::to_string(device));
  currentDevice = device;
  return 0;
}
int hipDeviceSynchronize() { return cuCtxSynchronize(); }
int hipDeviceGetLimit(size_t *bytes, int which) { return cuCtxGetLimit(bytes, which); }
int hipDeviceSetLimit(int which, size_t bytes) { return cuCtxSetLimit(which, bytes); }
int hipMemGetInfo(size_t *available, size_t *total) { return cuMemGetInfo_v2(available, total); }
int hipMalloc(uint64_t *address, size_t bytes) { return cuMemAlloc_v2(address, bytes); }
int hipMallocAsync(uint64_t *address, size_t bytes, void *stream) {
  return cuMemAllocAsync(address, bytes, stream);
}
int hipFreeAsync(uint64_t address, void *stream) { return cuMemFreeAsync(address, stream); }
int hipFree(uint64_t address) { return cuMemFree_v2(address); }
int hipMemcpyHtoD(uint64_t to, const void *from, size_t bytes) {
  return cuMemcpyHtoD_v2(to, from, bytes);
}
int hipMemcpyDtoH(void *to, uint64_t from, size_t bytes) {
  return cuMemcpyDtoH_v2(to, from, bytes);
}
int hipModuleLoadDataEx(void **module, const void *image, unsigned, int *, void **) {
  note(std::string("load ") + static_cast<const char *>(image));
  *module = std::malloc(1);
  return setting("FAKE_CUDA_REJECT_CUBIN") ? 209 : 0;
}
int hipModuleLoadData(void **module, const void *image) {
  return hipModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
int hipModuleUnload(void *module) { return cuModuleUnload(module); }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  return cuModuleGetFunction(function, module, name);
}
/// The kernel has 40,000 bytes of shared memory of its own.
int hipFuncGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 0 ? 1024 : attribute == 4 ? 96 : attribute == 1 ? 40000 : 0;
  return 0;
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *count, void *function, int threads,
                                                       size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(count, function, threads, shared);
}
int hipStreamSynchronize(void *) { return 0; }
int hipEventCreateWithFlags(void **event, unsigned flags) { return cuEventCreate(event, flags); }
int hipEventDestroy(void *event) { return cuEventDestroy_v2(event); }
int hipEventRecord(void *, void *) { return 0; }
int hipEventSynchronize(void *) { return 0; }
int hipEventElapsedTime(float *milliseconds, void *begin, void *end) {
  return cuEventElapsedTime(milliseconds, begin, end);
}
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream,
                          void **parameters, void **extra) {
  note("on device " + std::to_string(currentDevice));
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
}
int hipModuleLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                     unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                     void *stream, void **parameters) {
  note("cooperative");
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, nullptr);
}
int hipPointerGetAttribute(void *result, int attribute, uint64_t address) {
  return cuPointerGetAttribute(result, attribute, address);
}

} // extern "C"
