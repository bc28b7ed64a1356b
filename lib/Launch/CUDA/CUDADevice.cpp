//===- CUDADevice.cpp - kernels on an NVIDIA GPU --------------------------===//
// Requires: every call runs with the primary context current. ContextScope
// sets it where it is not and puts the caller's back, so that a host with
// contexts of its own does not notice us.
//===----------------------------------------------------------------------===//
#include "CUDADevice.h"
#include "CUDAKernel.h"
#include "DriverAPI.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/StringSwitch.h"
#include <atomic>
#include <mutex>
#include <optional>
#include <set>

namespace tessera {

using namespace cuda;

//===----------------------------------------------------------------------===//
// What the device is
//===----------------------------------------------------------------------===//

static llvm::Expected<DeviceProperties> describeGPU(const DriverAPI &api, DeviceOrdinal device) {
  DeviceProperties properties;
  char name[256] = {};
  if (llvm::Error error =
          api.check(api.cuDeviceGetName(name, sizeof(name) - 1, device), "cuDeviceGetName"))
    return error;
  properties.name = name;
  size_t memory = 0;
  if (llvm::Error error = api.check(api.cuDeviceTotalMem_v2(&memory, device), "cuDeviceTotalMem"))
    return error;
  properties.memoryBytes = memory;
  Result failed = kSuccess;
  auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    if (Result result = api.cuDeviceGetAttribute(&value, which, device); result != kSuccess)
      failed = result;
    return value;
  };
  properties.majorCapability = attribute(DeviceAttribute::CapabilityMajor);
  properties.minorCapability = attribute(DeviceAttribute::CapabilityMinor);
  properties.target =
      "cuda:" + std::to_string(properties.majorCapability * 10 + properties.minorCapability);
  properties.processors = unsigned(attribute(DeviceAttribute::MultiprocessorCount));
  properties.maxSharedBytes = uint32_t(attribute(DeviceAttribute::MaxSharedMemoryPerBlockOptin));
  properties.lastLevelCacheBytes = uint64_t(attribute(DeviceAttribute::L2CacheSize));
  properties.gridLimits = {uint32_t(attribute(DeviceAttribute::MaxGridX)),
                           uint32_t(attribute(DeviceAttribute::MaxGridY)),
                           uint32_t(attribute(DeviceAttribute::MaxGridZ))};
  if (llvm::Error error = api.check(failed, "cuDeviceGetAttribute"))
    return error;
  return properties;
}

/// The driver's own library if the caller names none.
static llvm::Expected<std::shared_ptr<const DriverAPI>> openDriver(const std::string &library) {
  return DriverAPI::open(library.empty() ? "libcuda.so.1" : library);
}

llvm::Expected<llvm::SmallVector<DeviceProperties>> listCUDADevices(const std::string &library) {
  llvm::Expected<std::shared_ptr<const DriverAPI>> api = openDriver(library);
  if (!api)
    return api.takeError();
  int count = 0;
  if (llvm::Error error = (*api)->check((*api)->cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return error;
  llvm::SmallVector<DeviceProperties> all;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceOrdinal device = 0;
    if (llvm::Error error = (*api)->check((*api)->cuDeviceGet(&device, ordinal), "cuDeviceGet"))
      return error;
    llvm::Expected<DeviceProperties> properties = describeGPU(**api, device);
    if (!properties)
      return properties.takeError();
    all.push_back(std::move(*properties));
  }
  return all;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

static std::optional<Limit> limitNamed(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Limit>>(name)
      .Case("stack_bytes", Limit::StackBytes)
      .Case("printf_bytes", Limit::PrintfBytes)
      .Case("heap_bytes", Limit::HeapBytes)
      .Default(std::nullopt);
}

namespace {

class CUDAEvent : public Event {
public:
  CUDAEvent(const CUDAContext &context, DriverEvent event) : context(context), event(event) {}
  ~CUDAEvent() override {
    ContextScope scope(context);
    context.api->cuEventDestroy_v2(event);
  }
  const CUDAContext &context;
  const DriverEvent event;
};

/// The last launch, for error messages. Every launch writes it, and therefore without a lock: if
/// several threads launch at once, a message may name one thread's kernel with another's grid.
class LastLaunch {
public:
  void note(const std::string *launched, const Grid &grid) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    x.store(grid.x, kRelaxed);
    y.store(grid.y, kRelaxed);
    z.store(grid.z, kRelaxed);
    kernel.store(launched, std::memory_order_release);
  }
  std::string describe() const {
    const std::string *name = kernel;
    return name ? "the last kernel launched was " + *name + " with grid " + Grid{x, y, z}.toString()
                : "";
  }

private:
  std::atomic<const std::string *> kernel = nullptr;
  std::atomic<uint32_t> x = 0, y = 0, z = 0;
};

class CUDADevice : public Device {
public:
  CUDADevice(std::shared_ptr<const DriverAPI> api, DeviceOrdinal device, Context primary,
             DeviceProperties properties)
      : context{std::move(api), primary}, ordinal(device), description(std::move(properties)) {}

  ~CUDADevice() override {
    {
      ContextScope scope(context);
      for (auto &[stream, block] : scratchBlocks)
        context.api->cuMemFree_v2(block.first);
    }
    context.api->cuDevicePrimaryCtxRelease_v2(ordinal);
  }

  const DeviceProperties &properties() const override { return description; }

  int64_t property(llvm::StringRef name) const override {
    if (std::optional<Limit> limit = limitNamed(name)) {
      ContextScope scope(context);
      size_t bytes = 0;
      return context.api->cuCtxGetLimit(&bytes, *limit) == kSuccess ? int64_t(bytes) : -1;
    }
    auto attribute = llvm::StringSwitch<std::optional<DeviceAttribute>>(name)
                         .Case("max_num_regs", DeviceAttribute::MaxRegistersPerBlock)
                         .Case("warpSize", DeviceAttribute::WarpSize)
                         .Case("sm_clock_rate", DeviceAttribute::ClockRate)
                         .Case("mem_clock_rate", DeviceAttribute::MemoryClockRate)
                         .Case("mem_bus_width", DeviceAttribute::GlobalMemoryBusWidth)
                         .Default(std::nullopt);
    if (!attribute)
      return Device::property(name);
    int value = 0;
    return context.api->cuDeviceGetAttribute(&value, *attribute, ordinal) == kSuccess ? value : -1;
  }

  bool canAccess(DeviceAddress address) const override {
    if (!context.api->cuPointerGetAttribute)
      return true; // nobody to ask: the launch will tell
    ContextScope scope(context);
    DevicePointer seen = 0;
    return context.api->cuPointerGetAttribute(&seen, PointerAttribute::DevicePointer, address) ==
           kSuccess;
  }

  llvm::Expected<DeviceMemory> allocate(uint64_t bytes) override {
    if (bytes == 0)
      return DeviceMemory(*this, 0, 0);
    ContextScope scope(context);
    DevicePointer address = 0;
    Result result = context.api->cuMemAlloc_v2(&address, bytes);
    if (result == kOutOfMemory) {
      size_t available = 0, total = 0;
      context.api->cuMemGetInfo_v2(&available, &total);
      return makeError("not enough memory on " + description.name + ": " + formatBytes(bytes) +
                       " are needed and " + formatBytes(available) + " of " + formatBytes(total) +
                       " are free");
    }
    if (llvm::Error error =
            context.api->check(result, "cuMemAlloc", "for " + llvm::Twine(formatBytes(bytes))))
      return error;
    return DeviceMemory(*this, address, bytes);
  }

  llvm::Error copyToDevice(DeviceAddress to, const void *from, uint64_t bytes) override {
    ContextScope scope(context);
    return bytes ? explain(context.api->cuMemcpyHtoD_v2(to, from, bytes), "cuMemcpyHtoD")
                 : llvm::Error::success();
  }
  llvm::Error copyToHost(void *to, DeviceAddress from, uint64_t bytes) override {
    ContextScope scope(context);
    return bytes ? explain(context.api->cuMemcpyDtoH_v2(to, from, bytes), "cuMemcpyDtoH")
                 : llvm::Error::success();
  }

  llvm::StringRef artifactOf(llvm::StringRef image) const override {
    llvm::StringRef text = image.ltrim();
    return text.starts_with_insensitive("//") || text.starts_with(".version") ? "ptx" : "cubin";
  }

  llvm::Expected<std::unique_ptr<LoadedKernel>> load(const CompiledKernel &kernel) override {
    llvm::Expected<std::unique_ptr<LoadedKernel>> loaded =
        CUDAKernel::load(context, description, kernel);
    if (!loaded)
      return loaded.takeError();
    std::lock_guard<std::mutex> guard(lock);
    static_cast<CUDAKernel &>(**loaded).name = &*kernelNames.insert(kernel.record.kernelName).first;
    return loaded;
  }

  llvm::Error launch(const LoadedKernel &loaded, const Grid &grid, llvm::ArrayRef<void *> args,
                     const LaunchOptions &options) override {
    auto &kernel = static_cast<const CUDAKernel &>(loaded);
    if (grid.empty())
      return llvm::Error::success();
    ContextScope scope(context);
    DeviceAddress scratch = options.scratch;
    if (kernel.needsScratch() && !scratch) [[unlikely]]
      if (llvm::Error error = provideScratch(kernel.record, grid, options.stream, scratch))
        return error;
    last.note(kernel.name, grid);
    llvm::Error error =
        kernel.launch(description, grid, args, options.stream, scratch, options.profile);
    const LoadedKernel *other = kernel.variantWithoutMaps();
    if (!error || !other || !error.isA<TensorMapError>()) [[likely]]
      return error;
    llvm::consumeError(std::move(error));
    LaunchOptions anew = options;
    anew.scratch = 0; // the other kernel needs another amount
    return launch(*other, grid, args, anew);
  }

  llvm::Expected<int> occupancy(const LoadedKernel &loaded, uint32_t sharedBytes,
                                uint32_t clusterBlocks) const override {
    ContextScope scope(context);
    return static_cast<const CUDAKernel &>(loaded).occupancy(sharedBytes, clusterBlocks);
  }

  llvm::Error setLimit(llvm::StringRef name, uint64_t bytes) override {
    std::optional<Limit> limit = limitNamed(name);
    if (!limit)
      return Device::setLimit(name, bytes);
    ContextScope scope(context);
    // A driver refuses to change the printf buffer once a kernel that prints was loaded, even to
    // what it is already.
    size_t before = 0;
    if (context.api->cuCtxGetLimit(&before, *limit) == kSuccess && before == bytes)
      return llvm::Error::success();
    return explain(context.api->cuCtxSetLimit(*limit, bytes), "cuCtxSetLimit");
  }

  llvm::Error synchronize() override {
    ContextScope scope(context);
    return explain(context.api->cuCtxSynchronize(), "cuCtxSynchronize");
  }

  llvm::Expected<std::unique_ptr<Event>> record(void *stream) override {
    ContextScope scope(context);
    DriverEvent event = nullptr;
    if (llvm::Error error =
            context.api->check(context.api->cuEventCreate(&event, 0), "cuEventCreate"))
      return error;
    auto owner = std::make_unique<CUDAEvent>(context, event);
    if (llvm::Error error = context.api->check(
            context.api->cuEventRecord(event, static_cast<Stream>(stream)), "cuEventRecord"))
      return error;
    return owner;
  }

  llvm::Expected<double> secondsBetween(const Event &begin, const Event &end) override {
    ContextScope scope(context);
    DriverEvent first = static_cast<const CUDAEvent &>(begin).event;
    DriverEvent second = static_cast<const CUDAEvent &>(end).event;
    if (llvm::Error error = explain(context.api->cuEventSynchronize(second), "cuEventSynchronize"))
      return error;
    float milliseconds = 0;
    if (llvm::Error error = context.api->check(
            context.api->cuEventElapsedTime(&milliseconds, first, second), "cuEventElapsedTime"))
      return error;
    return double(milliseconds) * 1e-3;
  }

protected:
  void free(DeviceAddress address, uint64_t) override {
    ContextScope scope(context);
    context.api->cuMemFree_v2(address); // nothing can be done about a failure
  }

private:
  /// Errors of kernels surface in later calls: say which kernel ran last.
  llvm::Error explain(Result result, llvm::StringRef function) {
    if (result == kSuccess)
      return llvm::Error::success();
    return context.api->check(result, function, last.describe());
  }

  /// Kernels of one stream run one after another and share a block; a larger
  /// one replaces it once the stream is idle.
  llvm::Error provideScratch(const KernelRecord &record, const Grid &grid, void *where,
                             DeviceAddress &scratch) {
    uint64_t blocks = grid.count() * record.numCTAs, bytes = 0;
    if (__builtin_mul_overflow(blocks, record.globalScratch.bytes, &bytes))
      return makeError("kernel " + record.kernelName + " needs more scratch memory than exists");
    auto stream = static_cast<Stream>(where);
    std::lock_guard<std::mutex> guard(lock);
    auto &[address, size] = scratchBlocks[stream];
    if (size < bytes) {
      if (llvm::Error error =
              context.api->check(context.api->cuStreamSynchronize(stream), "cuStreamSynchronize"))
        return error;
      if (address)
        context.api->cuMemFree_v2(address);
      address = size = 0;
      if (llvm::Error error =
              context.api->check(context.api->cuMemAlloc_v2(&address, bytes), "cuMemAlloc",
                                 "scratch memory of " + llvm::Twine(formatBytes(bytes)) +
                                     " for kernel " + record.kernelName))
        return error;
      size = bytes;
    }
    scratch = address;
    return llvm::Error::success();
  }

  const CUDAContext context;
  const DeviceOrdinal ordinal;
  const DeviceProperties description;
  LastLaunch last;
  std::mutex lock; // guards what follows
  std::map<Stream, std::pair<DevicePointer, uint64_t>> scratchBlocks;
  std::set<std::string> kernelNames; // kept for messages; kernels point to theirs
};

} // namespace

llvm::Expected<std::unique_ptr<Device>> createCUDADevice(unsigned ordinal,
                                                         const std::string &library) {
  llvm::Expected<std::shared_ptr<const DriverAPI>> opened = openDriver(library);
  if (!opened)
    return opened.takeError();
  const DriverAPI &api = **opened;
  int count = 0;
  if (llvm::Error error = api.check(api.cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return error;
  if (ordinal >= unsigned(count))
    return makeError("there is no device cuda:" + llvm::Twine(ordinal) + ": this machine has " +
                     llvm::Twine(count) + (count == 1 ? " GPU" : " GPUs"));
  DeviceOrdinal device = 0;
  if (llvm::Error error = api.check(api.cuDeviceGet(&device, int(ordinal)), "cuDeviceGet"))
    return error;
  llvm::Expected<DeviceProperties> properties = describeGPU(api, device);
  if (!properties)
    return properties.takeError();
  Context primary = nullptr;
  if (llvm::Error error = api.check(api.cuDevicePrimaryCtxRetain(&primary, device),
                                    "cuDevicePrimaryCtxRetain", "on " + properties->name))
    return error;
  return std::make_unique<CUDADevice>(*opened, device, primary, std::move(*properties));
}

} // namespace tessera
