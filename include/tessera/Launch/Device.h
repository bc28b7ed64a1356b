//===- Device.h - something that runs kernels -----------------------------===//
// Memory, loading, launching and timing, the same for a GPU and for the CPU.
//
//   auto device = createDevice("cuda:0");
//   auto memory = (*device)->allocate(bytes);
//   auto kernel = (*device)->load(compiled);
//   void *args[] = {&pointer, &n};                 // as for cuLaunchKernel
//   (*device)->launch(**kernel, grid, args);
//   (*device)->synchronize();
//
// Errors are sentences: what was asked of the driver, what it answered, the
// kernel and the launch. Devices are safe to use from several threads.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/CompiledKernel.h"
#include "tessera/Launch/Grid.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace tessera {

class Sanitizer;
class ThreadPool;

struct DeviceProperties {
  std::string name;                             // "NVIDIA H200", or the processor's
  std::string target;                           // what to compile for: "cuda:90", "cpu"
  int majorCapability = 0, minorCapability = 0; // 0 on the CPU
  uint64_t memoryBytes = 0;
  unsigned processors = 0; // multiprocessors, or threads
  uint32_t maxSharedBytes = 0;
  uint64_t lastLevelCacheBytes = 0;
  GridLimits gridLimits;
  bool sharesHostMemory = false; // host pointers may be passed as arguments
};

/// An address on the device; for the CPU, a host address.
using DeviceAddress = uint64_t;

class Device;

/// Memory that is freed with its owner; the device must outlive it.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(Device &device, DeviceAddress address, uint64_t bytes)
      : device(&device), start(address), length(bytes) {}
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  ~DeviceMemory();

  DeviceAddress address() const { return start; }
  uint64_t size() const { return length; }

private:
  Device *device = nullptr;
  DeviceAddress start = 0;
  uint64_t length = 0;
};

/// What the loader found out; -1 where a device does not know.
struct KernelResources {
  int registers = -1;
  int localBytes = -1; // per thread: spills and stack
  int staticSharedBytes = -1;
  int maxThreadsPerBlock = -1;
};

/// A kernel that is ready to launch; the device must outlive it.
class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
  virtual KernelResources resources() const { return {}; }
  /// The driver's own: "module" or "function"; null where there is none.
  virtual void *handle(llvm::StringRef) const { return nullptr; }

  const KernelRecord record;

protected:
  explicit LoadedKernel(KernelRecord record) : record(std::move(record)) {}
};

/// A point in a stream's work.
class Event {
public:
  virtual ~Event() = default;
};

struct LaunchOptions {
  void *stream = nullptr;    // a CUstream; null is the default stream; the CPU has none
  DeviceAddress scratch = 0; // the caller's global scratch; 0 lets the device provide it
  DeviceAddress profile = 0; // the caller's profile scratch
  /// Watches the launch; for kernels that were compiled with `sanitize`, on the CPU.
  Sanitizer *sanitizer = nullptr;
  /// Asked by the calling thread between programs, some times a second; true ends the launch with
  /// an error. On the CPU only: elsewhere a launch does not wait for its programs.
  llvm::function_ref<bool()> isInterrupted = nullptr;
};

class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceProperties &properties() const = 0;
  /// What tessera.h lists for tessera_device_property; -1 if the device does not know.
  virtual int64_t property(llvm::StringRef name) const;
  /// Whether kernels may use what lies at a host's or device's address; null is nobody's.
  virtual bool canAccess(DeviceAddress) const { return true; }

  /// At least 256-byte aligned; contents undefined. Zero bytes give address 0.
  virtual llvm::Expected<DeviceMemory> allocate(uint64_t bytes) = 0;
  virtual llvm::Error copyToDevice(DeviceAddress to, const void *from, uint64_t bytes) = 0;
  virtual llvm::Error copyToHost(void *to, DeviceAddress from, uint64_t bytes) = 0;

  /// The artifact that an image is which was not compiled by Tessera: by its first bytes.
  virtual llvm::StringRef artifactOf(llvm::StringRef image) const = 0;
  /// Takes the best form in the kernel's artifacts: machine code before assembly.
  virtual llvm::Expected<std::unique_ptr<LoadedKernel>> load(const CompiledKernel &kernel) = 0;

  /// `args[i]` points to the value of the i-th passed argument (docs/abi.md).
  /// Hidden arguments are added here. Returns when the work is queued.
  virtual llvm::Error launch(const LoadedKernel &kernel, const Grid &grid,
                             llvm::ArrayRef<void *> args, const LaunchOptions &options = {}) = 0;

  /// How many blocks of the kernel one multiprocessor holds at once, each with `sharedBytes` of
  /// dynamic shared memory; with `clusterBlocks`, how many clusters of so many the device holds.
  virtual llvm::Expected<int> occupancy(const LoadedKernel &kernel, uint32_t sharedBytes,
                                        uint32_t clusterBlocks = 0) const;

  /// "printf_bytes", "heap_bytes", "stack_bytes": what a GPU sets aside for printing, allocations
  /// and calls in kernels. property() tells them.
  virtual llvm::Error setLimit(llvm::StringRef name, uint64_t bytes);

  /// Waits for all queued work and reports what went wrong in it.
  virtual llvm::Error synchronize() = 0;

  virtual llvm::Expected<std::unique_ptr<Event>> record(void *stream = nullptr) = 0;
  /// Waits for `end`; both events are from this device.
  virtual llvm::Expected<double> secondsBetween(const Event &begin, const Event &end) = 0;

protected:
  friend class DeviceMemory;
  virtual void free(DeviceAddress address, uint64_t bytes) = 0;
};

struct DeviceOptions {
  std::shared_ptr<ThreadPool> threads; // for the CPU; made when null
  /// On the CPU: write a jitdump file, from which perf learns of kernels' code and lines.
  bool tellProfiler = false;
  std::string cudaLibrary = "libcuda.so.1";
};

/// What a device's name starts with, before a colon and a number.
llvm::ArrayRef<llvm::StringRef> deviceKinds();
/// For errors: "the devices are cpu, ...".
std::string describeDeviceNames();

/// "cpu", "cuda" (the first) or "cuda:N". The error says what is missing:
/// no driver library, no such device, a driver that does not answer.
llvm::Expected<std::unique_ptr<Device>> createDevice(llvm::StringRef text,
                                                     const DeviceOptions &options = {});
/// The first GPU, or the CPU if there is none.
llvm::Expected<std::unique_ptr<Device>> createDefaultDevice(const DeviceOptions &options = {});

/// Every device there is, GPUs first, the CPU last. Never fails; a GPU whose
/// driver is missing or broken is left out, and `note` says why.
struct DeviceList {
  llvm::SmallVector<std::pair<std::string, DeviceProperties>> devices; // "cuda:0", ...
  std::string note;
};
DeviceList listDevices(const DeviceOptions &options = {});

/// Seconds of each of `repeats` launches, after `warmups` that are not counted.
struct LaunchTimes {
  llvm::SmallVector<double> seconds; // in launch order
  double best() const;
  double median() const;
};
llvm::Expected<LaunchTimes> timeLaunches(Device &device, const LoadedKernel &kernel,
                                         const Grid &grid, llvm::ArrayRef<void *> args,
                                         unsigned repeats, unsigned warmups = 3,
                                         const LaunchOptions &options = {});

} // namespace tessera
