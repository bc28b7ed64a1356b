//===- Device.h - devices that run kernels --------------------------------===//
// Memory, loading, launching and timing, the same for a GPU and for the CPU.
//
//   auto device = createDevice("cuda:0");
//   auto memory = (*device)->allocate(bytes);
//   auto kernel = (*device)->load(compiled);
//   void *args[] = {&pointer, &n};                 // as for cuLaunchKernel
//   (*device)->launch(**kernel, grid, args);
//   (*device)->synchronize();
//
// An error names the driver's function and its error, the kernel and the launch. Devices may be
// used from several threads.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/CompiledKernel.h"
#include "tessera/Launch/Grid.h"
#include "tessera/Support/ThreadPool.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera {

class Sanitizer;

struct DeviceProperties {
  std::string name;   // "NVIDIA H200", or the processor's
  std::string target; // what to compile for: "cuda:90", "hip:gfx942", "cpu"
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

/// The resources of a loaded kernel; -1 if the device does not report them.
struct KernelResources {
  int registers = -1;
  int localBytes = -1; // per thread: spills and stack
  int staticSharedBytes = -1;
  int maxThreadsPerBlock = -1;
};

/// A launch whose arguments do not fit the kernel's tensor maps (docs/abi.md), if the kernel has no
/// variant without. Nothing was launched.
class TensorMapError : public llvm::ErrorInfo<TensorMapError> {
public:
  static char ID;
  TensorMapError(const std::string &kernel, const std::string &problem)
      : message("kernel " + kernel + ": no tensor map can be built for these arguments: " +
                problem + "; compile it with tma = off for them") {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string message;
};

/// A kernel that is ready to launch; the device must outlive it.
class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
  virtual KernelResources resources() const { return {}; }
  /// The driver's handle of the "module" or the "function"; null if there is none.
  virtual void *handle(llvm::StringRef) const { return nullptr; }

  /// The kernel that is launched instead where tensor maps cannot be built; null if there is none.
  /// It has the same arguments and no tensor maps.
  const LoadedKernel *variantWithoutMaps() const { return other.load(std::memory_order_acquire); }
  /// Sets it; it must outlive this kernel. Launches may be under way.
  llvm::Error setVariantWithoutMaps(const LoadedKernel &kernel);

  const KernelRecord record;

private:
  std::atomic<const LoadedKernel *> other = nullptr;

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
  /// Records the accesses of the launch; for kernels compiled with `sanitize`, on the CPU.
  Sanitizer *sanitizer = nullptr;
  /// The calling thread calls this function between programs, several times per second; if it
  /// returns true, the launch ends with an error. Only on the CPU, where a launch waits for its
  /// programs.
  llvm::function_ref<bool()> isInterrupted = nullptr;
  /// The number of threads that run programs on the CPU; 0 means the device's.
  unsigned threads = 0;
  /// The pool of the host program, which runs them instead of the device's pool.
  HostThreads hostThreads = nullptr;
};

class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceProperties &properties() const = 0;
  /// The properties that tessera.h lists for tessera_device_property; -1 if unknown.
  virtual int64_t property(llvm::StringRef name) const;
  /// Returns whether kernels may access memory at a host or device address; false for null.
  virtual bool canAccess(DeviceAddress) const { return true; }

  /// Allocates memory, aligned to 256 bytes or more and uninitialised. The address of an allocation
  /// of zero bytes is 0.
  virtual llvm::Expected<DeviceMemory> allocate(uint64_t bytes) = 0;
  virtual llvm::Error copyToDevice(DeviceAddress to, const void *from, uint64_t bytes) = 0;
  virtual llvm::Error copyToHost(void *to, DeviceAddress from, uint64_t bytes) = 0;

  /// Returns the kind of artifact of an image that another compiler made, by its first bytes.
  virtual llvm::StringRef artifactOf(llvm::StringRef image) const = 0;
  /// Loads the best of the kernel's artifacts: machine code rather than assembly.
  virtual llvm::Expected<std::unique_ptr<LoadedKernel>> load(const CompiledKernel &kernel) = 0;

  /// Launches a kernel; returns when the work is queued. `args[i]` points to the value of the i-th
  /// passed argument (docs/abi.md); hidden arguments are added here.
  virtual llvm::Error launch(const LoadedKernel &kernel, const Grid &grid,
                             llvm::ArrayRef<void *> args, const LaunchOptions &options = {}) = 0;

  /// Returns the number of CTAs of the kernel that fit on one multiprocessor at a time, each with
  /// `sharedBytes` of dynamic shared memory; with `clusterBlocks`, the number of clusters of that
  /// many CTAs that fit on the device.
  virtual llvm::Expected<int> occupancy(const LoadedKernel &kernel, uint32_t sharedBytes,
                                        uint32_t clusterBlocks = 0) const;

  /// Sets the memory that a GPU reserves for printf, allocations and calls in kernels:
  /// "printf_bytes", "heap_bytes" or "stack_bytes". property() returns the current values.
  virtual llvm::Error setLimit(llvm::StringRef name, uint64_t bytes);

  /// Waits for all queued work; returns its error, if there is one.
  virtual llvm::Error synchronize() = 0;

  virtual llvm::Expected<std::unique_ptr<Event>> record(void *stream = nullptr) = 0;
  /// Waits for `end`; both events are from this device.
  virtual llvm::Expected<double> secondsBetween(const Event &begin, const Event &end) = 0;

protected:
  friend class DeviceMemory;
  virtual void free(DeviceAddress address, uint64_t bytes) = 0;
};

struct DeviceOptions {
  std::shared_ptr<ThreadPool> threads; // for the CPU; null creates one
  /// Writes a jitdump file on the CPU, from which perf reads the code and lines of kernels.
  bool tellProfiler = false;
  /// The library of a GPU's driver, instead of the vendor's; empty means the vendor's.
  std::string driverLibrary = {};
};

/// The kinds of devices: the parts of their names before a colon and a number.
llvm::ArrayRef<llvm::StringRef> deviceKinds();
/// A sentence for errors: "the devices are cpu, ...".
std::string describeDeviceNames();

/// Creates the device "cpu", "cuda" (the first one), "cuda:N", "hip" or "hip:N". The error names
/// what is missing: a driver library, such a device, or a driver that works.
llvm::Expected<std::unique_ptr<Device>> createDevice(llvm::StringRef text,
                                                     const DeviceOptions &options = {});
/// The first GPU, or the CPU if there is none.
llvm::Expected<std::unique_ptr<Device>> createDefaultDevice(const DeviceOptions &options = {});

/// All devices of the machine, GPUs first, the CPU last. A GPU whose driver is missing or broken is
/// left out, and `note` gives the reason.
struct DeviceList {
  llvm::SmallVector<std::pair<std::string, DeviceProperties>> devices; // "cuda:0", ...
  std::string note;
};
DeviceList listDevices(const DeviceOptions &options = {});

/// Installs handlers of SIGSEGV, SIGBUS, SIGFPE and SIGABRT for the process. If it crashes in a
/// kernel on the CPU or after one, a line on standard error names the kernel and ends in `advice`;
/// the signal then goes to the handler that was there before. Only the first call has an effect.
void explainCrashes(llvm::StringRef advice);

/// Called by sanitized kernels at breakpoint(), on the thread that runs the program: `variables` is
/// the JSON that tessera.h describes, `values` has the address of each run-time variable. A result
/// other than 0 ends the launch.
using BreakpointHandler = int (*)(const char *variables, const char *file, uint32_t line,
                                  const void *const *values, size_t count,
                                  const uint32_t program[3]);
void setBreakpointHandler(BreakpointHandler handler);

/// The seconds of each of `repeats` launches, after `warmups` launches that are not timed.
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
