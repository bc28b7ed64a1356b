//===- Device.cpp - choosing, listing and timing devices ------------------===//
#include "tessera/Launch/Device.h"
#include "Drivers.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringSwitch.h"
#include "CPU/CPUDevice.h"
#include "GPU/GPUDevice.h"
#include <algorithm>

namespace tessera {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : device(std::exchange(other.device, nullptr)), start(std::exchange(other.start, 0)),
      length(std::exchange(other.length, 0)) {}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(device, other.device);
  std::swap(start, other.start);
  std::swap(length, other.length);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (device && start)
    device->free(start, length);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

char TensorMapError::ID = 0;

llvm::Error LoadedKernel::setVariantWithoutMaps(const LoadedKernel &kernel) {
  auto typesOf = [](const LoadedKernel &of) {
    std::vector<std::string> types;
    for (const KernelArgument *argument : of.record.passedArguments())
      types.push_back(argument->type);
    return types;
  };
  if (!kernel.record.tensorMaps.empty())
    return makeError("kernel " + kernel.record.kernelName +
                     " has tensor maps itself; compile it with tma = off, from its source");
  if (typesOf(kernel) != typesOf(*this))
    return makeError("kernel " + kernel.record.kernelName +
                     " has other arguments than the kernel that it stands in for");
  other.store(&kernel, std::memory_order_release);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Describing
//===----------------------------------------------------------------------===//

int64_t Device::property(llvm::StringRef name) const {
  const DeviceProperties &known = properties();
  return llvm::StringSwitch<int64_t>(name)
      .Case("max_shared_mem", known.maxSharedBytes)
      .Case("multiprocessor_count", known.processors)
      .Case("memory_bytes", int64_t(known.memoryBytes))
      .Case("capability", known.majorCapability * 10 + known.minorCapability)
      .Default(-1);
}

llvm::Expected<int> Device::occupancy(const LoadedKernel &, uint32_t, uint32_t) const {
  return makeError(properties().name + " has no multiprocessors that blocks share");
}

llvm::Error Device::setLimit(llvm::StringRef name, uint64_t) {
  return makeError(properties().name + " has no limit '" + name + "'");
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

llvm::ArrayRef<llvm::StringRef> deviceKinds() {
  static constexpr llvm::StringRef kKinds[] = {"cpu", "cuda", "hip"};
  return kKinds;
}

std::string describeDeviceNames() { return "the devices are cpu, cuda and cuda:N, hip and hip:N"; }

llvm::Expected<std::unique_ptr<Device>> createDefaultDevice(const DeviceOptions &options) {
  for (const gpu::DriverFace *driver : allDrivers()) {
    llvm::Expected<std::unique_ptr<Device>> gpu =
        createGPUDevice(*driver, 0, options.driverLibrary);
    if (gpu)
      return gpu;
    llvm::consumeError(gpu.takeError());
  }
  return createDevice("cpu", options);
}

llvm::Expected<std::unique_ptr<Device>> createDevice(llvm::StringRef text,
                                                     const DeviceOptions &options) {
  if (text == "cpu")
    return createCPUDevice(options.threads, options.tellProfiler);
  auto [kind, number] = text.split(':');
  unsigned ordinal = 0;
  bool isNumbered = text.size() > kind.size();
  for (const gpu::DriverFace *driver : allDrivers())
    if (kind == driver->kind && (!isNumbered || !number.getAsInteger(10, ordinal)))
      return createGPUDevice(*driver, ordinal, options.driverLibrary);
  return makeError("unknown device '" + text + "': " + describeDeviceNames());
}

DeviceList listDevices(const DeviceOptions &options) {
  DeviceList list;
  std::string note;
  for (const gpu::DriverFace *driver : allDrivers()) {
    llvm::Expected<llvm::SmallVector<DeviceProperties>> gpus =
        listGPUDevices(*driver, options.driverLibrary);
    if (!gpus) {
      std::string problem = llvm::toString(gpus.takeError());
      note = note.empty() ? problem : note;
      continue;
    }
    for (auto [ordinal, properties] : llvm::enumerate(*gpus))
      list.devices.emplace_back(driver->kind + (":" + std::to_string(ordinal)), properties);
  }
  if (list.devices.empty()) // who has one vendor's GPU need not hear of the other's driver
    list.note = std::move(note);
  list.devices.emplace_back("cpu", describeCPU(options.threads.get()));
  return list;
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

double LaunchTimes::best() const {
  return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end());
}

double LaunchTimes::median() const {
  if (seconds.empty())
    return 0;
  llvm::SmallVector<double> sorted(seconds);
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

llvm::Expected<LaunchTimes> timeLaunches(Device &device, const LoadedKernel &kernel,
                                         const Grid &grid, llvm::ArrayRef<void *> args,
                                         unsigned repeats, unsigned warmups,
                                         const LaunchOptions &options) {
  for (unsigned i = 0; i < warmups; ++i)
    if (llvm::Error error = device.launch(kernel, grid, args, options))
      return error;
  if (llvm::Error error = device.synchronize())
    return error;
  // All launches are queued before any time is read, so that the host's part
  // of one overlaps the device's part of another.
  std::vector<std::unique_ptr<Event>> events;
  auto mark = [&]() -> llvm::Error {
    llvm::Expected<std::unique_ptr<Event>> event = device.record();
    if (!event)
      return event.takeError();
    events.push_back(std::move(*event));
    return llvm::Error::success();
  };
  for (unsigned i = 0; i < repeats; ++i) {
    if (llvm::Error error = mark())
      return error;
    if (llvm::Error error = device.launch(kernel, grid, args, options))
      return error;
    if (llvm::Error error = mark())
      return error;
  }
  if (llvm::Error error = device.synchronize())
    return error;
  LaunchTimes times;
  for (unsigned i = 0; i < repeats; ++i) {
    llvm::Expected<double> seconds = device.secondsBetween(*events[2 * i], *events[2 * i + 1]);
    if (!seconds)
      return seconds.takeError();
    times.seconds.push_back(*seconds);
  }
  return times;
}

} // namespace tessera
