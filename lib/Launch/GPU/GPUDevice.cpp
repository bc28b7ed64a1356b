//===- GPUDevice.cpp - kernels on a GPU -----------------------------------===//
// Requires: every call runs with the device's primary context current, or the device
// where there are no contexts. DeviceScope sets it where it is not and puts the caller's
// back, so that a host with contexts of its own does not notice us.
//===----------------------------------------------------------------------===//
#include "GPUDevice.h"
#include "DriverAPI.h"
#include "GPUKernel.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/StringSwitch.h"
#include <atomic>
#include <mutex>
#include <optional>
#include <set>

namespace tessera {

using namespace gpu;

//===----------------------------------------------------------------------===//
// What the device is
//===----------------------------------------------------------------------===//

static llvm::Expected<DeviceProperties> describeGPU(const DriverAPI &api, DeviceOrdinal device) {
  DeviceProperties properties;
  char name[256] = {};
  if (llvm::Error error =
          api.check(api.deviceGetName(name, sizeof(name) - 1, device), Call::deviceGetName))
    return error;
  properties.name = name;
  size_t memory = 0;
  if (llvm::Error error = api.check(api.deviceTotalMem(&memory, device), Call::deviceTotalMem))
    return error;
  properties.memoryBytes = memory;
  Result failed = kSuccess;
  auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    if (Result result = api.getAttribute(&value, which, device); result != kSuccess)
      failed = result;
    return value;
  };
  properties.processors = unsigned(attribute(DeviceAttribute::MultiprocessorCount));
  properties.maxSharedBytes = uint32_t(attribute(DeviceAttribute::MaxSharedMemoryPerBlock));
  properties.lastLevelCacheBytes = uint64_t(attribute(DeviceAttribute::L2CacheSize));
  properties.gridLimits = {uint32_t(attribute(DeviceAttribute::MaxGridX)),
                           uint32_t(attribute(DeviceAttribute::MaxGridY)),
                           uint32_t(attribute(DeviceAttribute::MaxGridZ))};
  if (llvm::Error error = api.check(failed, Call::deviceGetAttribute))
    return error;
  DeviceChip chip;
  Call call = Call::deviceGetAttribute;
  if (Result result = api.face.describe(api, device, chip, call); result != kSuccess)
    return api.check(result, call);
  properties.target = chip.target;
  properties.majorCapability = chip.major;
  properties.minorCapability = chip.minor;
  return properties;
}

llvm::Expected<llvm::SmallVector<DeviceProperties>> listGPUDevices(const DriverFace &face,
                                                                   const std::string &library) {
  llvm::Expected<std::shared_ptr<const DriverAPI>> api = DriverAPI::open(face, library);
  if (!api)
    return api.takeError();
  int count = 0;
  if (llvm::Error error = (*api)->check((*api)->deviceGetCount(&count), Call::deviceGetCount))
    return error;
  llvm::SmallVector<DeviceProperties> all;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceOrdinal device = 0;
    if (llvm::Error error = (*api)->check((*api)->deviceGet(&device, ordinal), Call::deviceGet))
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

class GPUEvent : public Event {
public:
  GPUEvent(const GPUContext &context, DriverEvent event) : context(context), event(event) {}
  ~GPUEvent() override {
    DeviceScope scope(context);
    context.api->eventDestroy(event);
  }
  const GPUContext &context;
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

class GPUDevice : public Device {
public:
  GPUDevice(std::shared_ptr<const DriverAPI> api, DeviceOrdinal device, Context primary,
            DeviceProperties properties)
      : context{std::move(api), primary, device}, ordinal(device),
        description(std::move(properties)) {}

  ~GPUDevice() override {
    {
      DeviceScope scope(context);
      for (auto &[stream, block] : scratchBlocks)
        context.api->memFree(block.first);
    }
    if (context.primary)
      context.api->primaryContextRelease(ordinal);
  }

  const DeviceProperties &properties() const override { return description; }

  int64_t property(llvm::StringRef name) const override {
    if (std::optional<Limit> limit = limitNamed(name)) {
      DeviceScope scope(context);
      size_t bytes = 0;
      return context.api->getLimit(&bytes, *limit) == kSuccess ? int64_t(bytes) : -1;
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
    return context.api->getAttribute(&value, *attribute, ordinal) == kSuccess ? value : -1;
  }

  bool canAccess(DeviceAddress address) const override {
    if (!context.api->pointerGetAttribute)
      return true; // nobody to ask: the launch will tell
    DeviceScope scope(context);
    DevicePointer seen = 0;
    return context.api->pointerGetAttribute(&seen, PointerAttribute::DevicePointer, address) ==
           kSuccess;
  }

  llvm::Expected<DeviceMemory> allocate(uint64_t bytes) override {
    if (bytes == 0)
      return DeviceMemory(*this, 0, 0);
    DeviceScope scope(context);
    DevicePointer address = 0;
    Result result = context.api->memAlloc(&address, bytes);
    if (result == kOutOfMemory) {
      size_t available = 0, total = 0;
      context.api->memGetInfo(&available, &total);
      return makeError("not enough memory on " + description.name + ": " + formatBytes(bytes) +
                       " are needed and " + formatBytes(available) + " of " + formatBytes(total) +
                       " are free");
    }
    if (llvm::Error error =
            context.api->check(result, Call::memAlloc, "for " + llvm::Twine(formatBytes(bytes))))
      return error;
    return DeviceMemory(*this, address, bytes);
  }

  llvm::Error copyToDevice(DeviceAddress to, const void *from, uint64_t bytes) override {
    DeviceScope scope(context);
    return bytes ? explain(context.api->memcpyHtoD(to, from, bytes), Call::memcpyHtoD)
                 : llvm::Error::success();
  }
  llvm::Error copyToHost(void *to, DeviceAddress from, uint64_t bytes) override {
    DeviceScope scope(context);
    return bytes ? explain(context.api->memcpyDtoH(to, from, bytes), Call::memcpyDtoH)
                 : llvm::Error::success();
  }

  llvm::StringRef artifactOf(llvm::StringRef image) const override {
    const DriverFace &face = context.api->face;
    return face.isText({image.data(), image.size()}) ? face.text : face.binary;
  }

  llvm::Expected<std::unique_ptr<LoadedKernel>> load(const CompiledKernel &kernel) override {
    llvm::Expected<std::unique_ptr<LoadedKernel>> loaded =
        GPUKernel::load(context, description, kernel);
    if (!loaded)
      return loaded.takeError();
    std::lock_guard<std::mutex> guard(lock);
    static_cast<GPUKernel &>(**loaded).name = &*kernelNames.insert(kernel.record.kernelName).first;
    return loaded;
  }

  llvm::Error launch(const LoadedKernel &loaded, const Grid &grid, llvm::ArrayRef<void *> args,
                     const LaunchOptions &options) override {
    auto &kernel = static_cast<const GPUKernel &>(loaded);
    if (grid.empty())
      return llvm::Error::success();
    DeviceScope scope(context);
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
    DeviceScope scope(context);
    return static_cast<const GPUKernel &>(loaded).occupancy(sharedBytes, clusterBlocks);
  }

  llvm::Error setLimit(llvm::StringRef name, uint64_t bytes) override {
    std::optional<Limit> limit = limitNamed(name);
    if (!limit)
      return Device::setLimit(name, bytes);
    DeviceScope scope(context);
    // A driver refuses to change the printf buffer once a kernel that prints was loaded, even to
    // what it is already.
    size_t before = 0;
    if (context.api->getLimit(&before, *limit) == kSuccess && before == bytes)
      return llvm::Error::success();
    return explain(context.api->setLimit(*limit, bytes), Call::setLimit);
  }

  llvm::Error synchronize() override {
    DeviceScope scope(context);
    return explain(context.api->synchronize(), Call::synchronize);
  }

  llvm::Expected<std::unique_ptr<Event>> record(void *stream) override {
    DeviceScope scope(context);
    DriverEvent event = nullptr;
    if (llvm::Error error =
            context.api->check(context.api->eventCreate(&event, 0), Call::eventCreate))
      return error;
    auto owner = std::make_unique<GPUEvent>(context, event);
    if (llvm::Error error = context.api->check(
            context.api->eventRecord(event, static_cast<Stream>(stream)), Call::eventRecord))
      return error;
    return owner;
  }

  llvm::Expected<double> secondsBetween(const Event &begin, const Event &end) override {
    DeviceScope scope(context);
    DriverEvent first = static_cast<const GPUEvent &>(begin).event;
    DriverEvent second = static_cast<const GPUEvent &>(end).event;
    if (llvm::Error error = explain(context.api->eventSynchronize(second), Call::eventSynchronize))
      return error;
    float milliseconds = 0;
    if (llvm::Error error = context.api->check(
            context.api->eventElapsedTime(&milliseconds, first, second), Call::eventElapsedTime))
      return error;
    return double(milliseconds) * 1e-3;
  }

protected:
  void free(DeviceAddress address, uint64_t) override {
    DeviceScope scope(context);
    context.api->memFree(address); // nothing can be done about a failure
  }

private:
  /// Errors of kernels surface in later calls: say which kernel ran last.
  llvm::Error explain(Result result, Call call) {
    if (result == kSuccess)
      return llvm::Error::success();
    return context.api->check(result, call, last.describe());
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
              context.api->check(context.api->streamSynchronize(stream), Call::streamSynchronize))
        return error;
      if (address)
        context.api->memFree(address);
      address = size = 0;
      if (llvm::Error error =
              context.api->check(context.api->memAlloc(&address, bytes), Call::memAlloc,
                                 "scratch memory of " + llvm::Twine(formatBytes(bytes)) +
                                     " for kernel " + record.kernelName))
        return error;
      size = bytes;
    }
    scratch = address;
    return llvm::Error::success();
  }

  const GPUContext context;
  const DeviceOrdinal ordinal;
  const DeviceProperties description;
  LastLaunch last;
  std::mutex lock; // guards what follows
  std::map<Stream, std::pair<DevicePointer, uint64_t>> scratchBlocks;
  std::set<std::string> kernelNames; // kept for messages; kernels point to theirs
};

} // namespace

llvm::Expected<std::unique_ptr<Device>> createGPUDevice(const DriverFace &face, unsigned ordinal,
                                                        const std::string &library) {
  llvm::Expected<std::shared_ptr<const DriverAPI>> opened = DriverAPI::open(face, library);
  if (!opened)
    return opened.takeError();
  const DriverAPI &api = **opened;
  int count = 0;
  if (llvm::Error error = api.check(api.deviceGetCount(&count), Call::deviceGetCount))
    return error;
  if (ordinal >= unsigned(count))
    return makeError(llvm::Twine("there is no device ") + face.kind + ":" + llvm::Twine(ordinal) +
                     ": this machine has " + llvm::Twine(count) + (count == 1 ? " GPU" : " GPUs"));
  DeviceOrdinal device = 0;
  if (llvm::Error error = api.check(api.deviceGet(&device, int(ordinal)), Call::deviceGet))
    return error;
  llvm::Expected<DeviceProperties> properties = describeGPU(api, device);
  if (!properties)
    return properties.takeError();
  Context primary = nullptr;
  if (api.primaryContextRetain)
    if (llvm::Error error = api.check(api.primaryContextRetain(&primary, device),
                                      Call::primaryContextRetain, "on " + properties->name))
      return error;
  return std::make_unique<GPUDevice>(*opened, device, primary, std::move(*properties));
}

} // namespace tessera
