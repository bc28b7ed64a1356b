//===- CPUDevice.cpp - kernels on this machine's processors ---------------===//
// How a grid is spread. Waking sleeping threads costs about as much as running
// a small kernel, so it matters how long a program takes. A kernel's first
// launch does not know, and shares its programs with all threads; each launch
// measures, and the next one expects the same:
//
//   - if the whole grid would take less than waking the others, the caller
//     begins alone with a microsecond's worth, then twice that, four times,
//     ..., and measures again
//   - as soon as the rest would take more, it is cut into contiguous chunks of
//     at least some microseconds, about 16 for each thread, which all threads
//     take as they become free
//
// The caller never does more than its share alone, so programs that are slow
// only at the end of a grid are shared too.
//===----------------------------------------------------------------------===//
#include "CPUDevice.h"
#include "CrashNotes.h"
#include "ObjectLoader.h"
#include "tessera/Launch/Sanitizer.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/HostMemory.h"
#include "tessera/Support/StackSpace.h"
#include "tessera/Support/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace tessera {

using Clock = std::chrono::steady_clock;

/// docs/abi.md: runs programs begin <= id < end of the grid, x fastest. Not 0
/// when it could not (explainStatus).
using KernelEntry = int32_t (*)(const void *const *args, const uint32_t grid[3], uint64_t begin,
                                uint64_t end);

//===----------------------------------------------------------------------===//
// Spreading programs over threads
//===----------------------------------------------------------------------===//

/// Less work than this is done before the other threads would be awake.
static constexpr double kWorthWaking = 20e-6;
/// The seconds of work that the caller does before it reads the clock for the first time.
static constexpr double kShortLook = 1e-6;
/// Chunks shorter than this are dominated by taking them.
static constexpr double kShortestChunk = 5e-6;
/// The last chunk is what threads wait for: a sixteenth of a thread's share.
static constexpr uint64_t kChunksPerThread = 16;

namespace {
/// How long a program of a kernel took at last; from any thread.
class Pace {
public:
  bool isKnown() const { return get() >= 0; }
  double get() const { return seconds.load(std::memory_order_relaxed); }
  /// Returns whether `count` programs take long enough to wake other threads; true if unknown.
  bool isWorthWaking(uint64_t count) const {
    return !isKnown() || get() * double(count) > kWorthWaking;
  }
  /// At least 1.
  uint64_t programsIn(double span) const {
    double each = get();
    return each > 0 ? uint64_t(std::clamp(span / each, 1.0, 1e18)) : 1;
  }
  template <typename Run> void measure(uint64_t begin, uint64_t end, Run &run) {
    Clock::time_point start = Clock::now();
    run(begin, end);
    std::chrono::duration<double> elapsed = Clock::now() - start;
    seconds.store(elapsed.count() / double(end - begin), std::memory_order_relaxed);
  }

private:
  std::atomic<double> seconds = -1;
};
} // namespace

/// Tiles of up to 64 KiB each are on the stack of who runs a program (ConvertTTIRToLLIR.cpp).
static constexpr size_t kProgramStack = 1 << 20;

namespace {
/// The threads of one launch: the device's, or those of the host program.
struct Crew {
  ThreadPool &pool;
  unsigned threads;
  HostThreads hostThreads;

  Crew(ThreadPool &pool, const LaunchOptions &options)
      : pool(pool), threads(options.threads ? options.threads : pool.size()),
        hostThreads(options.hostThreads) {}
  void parallelFor(uint64_t n, uint64_t chunk, ThreadPool::Body body) {
    if (hostThreads)
      parallelForOn(hostThreads, threads, kProgramStack, n, chunk, body);
    else
      pool.parallelFor(n, chunk, body, threads);
  }
};
} // namespace

template <typename Run> static void spreadPrograms(uint64_t count, Crew crew, Pace &pace, Run run) {
  uint64_t threads = crew.threads;
  if (threads == 1 || count == 1) // a single program is not worth reading the clock for
    return run(0, count);
  uint64_t done = 0, batch = pace.programsIn(kShortLook);
  const uint64_t aloneAtMost = count / (2 * threads) + 1;
  while (!pace.isWorthWaking(count - done)) {
    batch = std::min({batch, aloneAtMost, count - done});
    pace.measure(done, done + batch, run);
    done += batch;
    if (done == count)
      return;
    batch *= 2;
  }
  uint64_t left = count - done;
  uint64_t chunk = std::max(pace.programsIn(kShortestChunk), left / (threads * kChunksPerThread));
  crew.parallelFor(left, chunk, [&](uint64_t begin, uint64_t end) {
    if (begin == 0)
      pace.measure(done, done + end, run);
    else
      run(done + begin, done + end);
  });
}

/// How long a host that wants to interrupt a launch may have to wait between programs.
static constexpr double kBetweenLooks = 50e-3;

namespace {
/// Asks now and then whether the launch shall end: only the thread that launched does, and only
/// between programs. Free while a range takes less than kBetweenLooks.
class Attention {
public:
  explicit Attention(llvm::function_ref<bool()> isInterrupted)
      : isInterrupted(isInterrupted), caller(::pthread_self()) {}

  /// Calls run(from, to) for pieces of the range, in order. False: the host wants an end.
  template <typename Run> bool cut(uint64_t begin, uint64_t end, const Pace &pace, Run run) {
    if (!isInterrupted)
      return run(begin, end), true;
    uint64_t step = pace.isKnown() ? pace.programsIn(kBetweenLooks) : 1;
    while (begin < end) {
      if (begin != 0 && shallEnd())
        return false;
      uint64_t piece = std::min(step, end - begin);
      run(begin, begin + piece);
      begin += piece;
      if (!isLong && step <= end / 2)
        step *= 2;
    }
    return true;
  }

private:
  bool shallEnd() {
    if (!::pthread_equal(caller, ::pthread_self()))
      return false;
    Clock::time_point now = Clock::now();
    if (last == Clock::time_point())
      last = now;
    if (std::chrono::duration<double>(now - last).count() < kBetweenLooks)
      return false;
    isLong = true;
    last = now;
    return isInterrupted();
  }

  const llvm::function_ref<bool()> isInterrupted;
  const pthread_t caller;
  Clock::time_point last;           // when the caller looked; none at first
  std::atomic<bool> isLong = false; // pieces need not grow any more
};
} // namespace

//===----------------------------------------------------------------------===//
// What the machine is
//===----------------------------------------------------------------------===//

/// "model name : Intel(R) Xeon(R) ..." of /proc/cpuinfo.
static std::string processorName() {
  FILE *file = std::fopen("/proc/cpuinfo", "re");
  std::string name = "CPU";
  char line[512];
  while (file && std::fgets(line, sizeof(line), file)) {
    auto [key, value] = llvm::StringRef(line).split(':');
    if (key.trim() != "model name")
      continue;
    name = value.trim().str();
    break;
  }
  if (file)
    std::fclose(file);
  return name;
}

DeviceProperties describeCPU(const ThreadPool *threads) {
  DeviceProperties properties;
  properties.name = processorName();
  properties.target = "cpu";
  long pages = ::sysconf(_SC_PHYS_PAGES), pageSize = ::sysconf(_SC_PAGESIZE);
  properties.memoryBytes = pages > 0 && pageSize > 0 ? uint64_t(pages) * uint64_t(pageSize) : 0;
  properties.processors = threads ? threads->size() : countUsableProcessors();
  long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  properties.lastLevelCacheBytes = cache > 0 ? uint64_t(cache) : 0;
  properties.gridLimits = {INT32_MAX, INT32_MAX, INT32_MAX};
  properties.sharesHostMemory = true;
  return properties;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// A status of ours, beside those of docs/abi.md.
static constexpr int32_t kInterrupted = -1;

/// Returns the error that a kernel function's status stands for (docs/abi.md).
static llvm::Error explainStatus(const KernelRecord &record, int32_t status) {
  std::string kernel = "kernel " + record.kernelName;
  switch (status) {
  case kInterrupted:
    return makeError(kernel + " was interrupted; its results are incomplete");
  case 1:
    return makeError(kernel +
                     " ran out of memory for its temporary tiles; its results are incomplete");
  case 2:
    return makeError(kernel + " stopped at a failed assertion, which it has reported on stderr "
                              "with its line and program; its results are incomplete");
  default:
    return makeError(kernel + " returned status " + llvm::Twine(status) +
                     "; its results are incomplete");
  }
}

namespace {

class CPUKernel : public LoadedKernel {
public:
  CPUKernel(KernelRecord compiled, std::unique_ptr<LoadedObject> object, CrashCode *crashCode)
      : LoadedKernel(std::move(compiled)), argumentCount(record.passedArguments().size()),
        isWatched(llvm::is_contained(record.hiddenArguments, HiddenArgument::Sanitizer)),
        entry(reinterpret_cast<KernelEntry>(object->entry())), crashCode(crashCode),
        object(std::move(object)) {}
  ~CPUKernel() override { forgetCode(crashCode); }

  const size_t argumentCount;
  const bool isWatched; // by a sanitizer, which it takes as one more argument
  const KernelEntry entry;
  CrashCode *const crashCode;
  mutable Pace pace;

private:
  std::unique_ptr<LoadedObject> object;
};

class CPUEvent : public Event {
public:
  const Clock::time_point time = Clock::now();
};

class CPUDevice : public Device {
public:
  CPUDevice(std::shared_ptr<ThreadPool> threads, bool tellProfiler)
      : tellProfiler(tellProfiler),
        pool(threads ? std::move(threads) : std::make_shared<ThreadPool>()),
        description(describeCPU(pool.get())) {}

  const DeviceProperties &properties() const override { return description; }

  llvm::Expected<DeviceMemory> allocate(uint64_t bytes) override {
    llvm::Expected<HostBuffer> buffer = HostBuffer::allocate(bytes);
    if (!buffer)
      return buffer.takeError();
    auto address = reinterpret_cast<DeviceAddress>(buffer->data());
    std::lock_guard<std::mutex> guard(lock);
    if (bytes)
      buffers[address] = std::move(*buffer);
    return DeviceMemory(*this, address, bytes);
  }
  llvm::Error copyToDevice(DeviceAddress to, const void *from, uint64_t bytes) override {
    copy(reinterpret_cast<char *>(to), static_cast<const char *>(from), bytes);
    return llvm::Error::success();
  }
  llvm::Error copyToHost(void *to, DeviceAddress from, uint64_t bytes) override {
    copy(static_cast<char *>(to), reinterpret_cast<const char *>(from), bytes);
    return llvm::Error::success();
  }

  /// The CPU loads only kernels that come with their record.
  llvm::StringRef artifactOf(llvm::StringRef) const override { return ""; }

  llvm::Expected<std::unique_ptr<LoadedKernel>> load(const CompiledKernel &kernel) override {
    const KernelRecord &record = kernel.record;
    const std::string *object = kernel.find("obj");
    if (record.target != "cpu" || !object)
      return makeError("kernel " + record.kernelName + " was compiled for " + record.target +
                       (object ? "" : " without object code") + ", and this device is the CPU");
    LoadOptions options{.tellDebugger = record.option("debug-info") == "true",
                        .tellProfiler = tellProfiler};
    llvm::Expected<std::unique_ptr<LoadedObject>> loaded =
        loadObject(*object, record.symbolInBinary(), options);
    if (!loaded)
      return addContext("cannot load kernel " + record.kernelName, loaded.takeError());
    CrashCode *crashCode = noteCode(record, *object, (*loaded)->entry());
    return std::make_unique<CPUKernel>(record, std::move(*loaded), crashCode);
  }

  llvm::Error launch(const LoadedKernel &loaded, const Grid &grid, llvm::ArrayRef<void *> args,
                     const LaunchOptions &options) override {
    auto &kernel = static_cast<const CPUKernel &>(loaded);
    if (args.size() != kernel.argumentCount)
      return makeError("kernel " + kernel.record.kernelName + " takes " +
                       llvm::Twine(kernel.argumentCount) + " arguments, and " +
                       llvm::Twine(args.size()) + " were passed");
    uint64_t yz = uint64_t(grid.y) * grid.z, count = 0;
    if (__builtin_mul_overflow(yz, uint64_t(grid.x), &count) || count > uint64_t(INT64_MAX))
      return makeError("the grid " + grid.toString() + " has too many programs");
    if (llvm::Error error = checkGrid(grid, description.gridLimits))
      return error;
    if (count == 0)
      return llvm::Error::success();
    llvm::SmallVector<void *> watched;
    void *sanitizer = nullptr;
    if (kernel.isWatched) {
      if (!options.sanitizer)
        return makeError("kernel " + kernel.record.kernelName +
                         " was compiled with --sanitize, and is launched without a sanitizer");
      options.sanitizer->beginLaunch(grid);
      sanitizer = options.sanitizer->handle();
      watched.assign(args.begin(), args.end());
      watched.push_back(&sanitizer);
      args = watched;
    }
    noteLaunch(kernel.crashCode);
    const uint32_t extents[3] = {grid.x, grid.y, grid.z};
    std::atomic<int32_t> status = 0;
    auto fail = [&](int32_t failed) { status.store(failed, std::memory_order_relaxed); };
    callWithStack(kProgramStack, [&] {
      Attention attention(options.isInterrupted);
      spreadPrograms(count, Crew(*pool, options), kernel.pace, [&](uint64_t begin, uint64_t end) {
        bool goesOn = attention.cut(begin, end, kernel.pace, [&](uint64_t from, uint64_t to) {
          if (status.load(std::memory_order_relaxed) != 0)
            return; // the launch has failed: what is not running need not begin
          if (int32_t failed = kernel.entry(args.data(), extents, from, to))
            fail(failed);
        });
        if (!goesOn)
          fail(kInterrupted);
      });
    });
    return status == 0 ? llvm::Error::success() : explainStatus(kernel.record, status);
  }

  llvm::Error synchronize() override { return llvm::Error::success(); }
  llvm::Expected<std::unique_ptr<Event>> record(void *) override {
    return std::make_unique<CPUEvent>();
  }
  llvm::Expected<double> secondsBetween(const Event &begin, const Event &end) override {
    std::chrono::duration<double> span =
        static_cast<const CPUEvent &>(end).time - static_cast<const CPUEvent &>(begin).time;
    return span.count();
  }

protected:
  void free(DeviceAddress address, uint64_t) override {
    std::lock_guard<std::mutex> guard(lock);
    buffers.erase(address);
  }

private:
  /// One thread does not reach the memory's bandwidth.
  void copy(char *to, const char *from, uint64_t bytes) {
    pool->parallelFor(bytes, uint64_t(4) << 20, [&](uint64_t begin, uint64_t end) {
      std::memcpy(to + begin, from + begin, end - begin);
    });
  }

  const bool tellProfiler;
  std::shared_ptr<ThreadPool> pool;
  const DeviceProperties description;
  std::mutex lock;
  std::map<DeviceAddress, HostBuffer> buffers;
};

} // namespace

std::unique_ptr<Device> createCPUDevice(std::shared_ptr<ThreadPool> threads, bool tellProfiler) {
  return std::make_unique<CPUDevice>(std::move(threads), tellProfiler);
}

} // namespace tessera
