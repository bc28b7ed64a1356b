//===- ThreadPool.cpp - one loop on all processors ------------------------===//
// The pool keeps a list of running loops. A loop lives on its caller's stack:
//
//   caller: put the loop on the list, bump `epoch`, wake sleepers;
//           take chunks until none is left; take the loop off the list;
//           wait until no worker is inside it
//   worker: when `epoch` changes, look for a loop with chunks left, enter it
//           (counted, under the lock), take chunks, leave
//
// The caller can always finish a loop alone, so loops inside loops and loops
// from many threads cannot block each other. After fork the child has no
// workers: the pool notices the new process id and starts anew, leaving the
// parent's state (whose lock may be held) untouched.
//===----------------------------------------------------------------------===//
#include "tessera/Support/ThreadPool.h"
#include "tessera/Support/StackSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tessera {

//===----------------------------------------------------------------------===//
// Processors
//===----------------------------------------------------------------------===//

/// "max 100000" or "150000 100000": microseconds per period.
static unsigned quotaProcessors() {
  FILE *file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (!file)
    return UINT_MAX;
  unsigned long long quota = 0, period = 0;
  int read = std::fscanf(file, "%llu %llu", &quota, &period);
  std::fclose(file);
  if (read != 2 || period == 0)
    return UINT_MAX;
  return unsigned(std::clamp<unsigned long long>((quota + period - 1) / period, 1, UINT_MAX));
}

unsigned countUsableProcessors() {
  // More than 1024 processors do not fit a cpu_set_t; then ask for the number online.
  cpu_set_t set;
  unsigned allowed = ::sched_getaffinity(0, sizeof(set), &set) == 0
                         ? unsigned(CPU_COUNT(&set))
                         : unsigned(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  return std::max(1u, std::min(allowed, quotaProcessors()));
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

static void futexWait(std::atomic<uint32_t> &word, uint32_t value) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

static void futexWake(std::atomic<uint32_t> &word, int count) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// How long to spin before sleeping: pause takes 10 to 50 ns, so this is about
/// 20 us, which is what a sleep and a wake-up cost together.
static constexpr int kSpins = 800;

/// The i-th turn of a spinning loop. Now and then it lets others run: on a busy
/// machine the thread that is waited for may need this very processor.
static void relax(int turn) {
  if (turn % 64 == 63) {
    ::sched_yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
struct Loop {
  uint64_t n, chunk;
  ThreadPool::Body body;
  const uint32_t seats;            // workers that may be in this loop at once
  std::atomic<uint64_t> next{0};   // first index nobody took
  std::atomic<uint32_t> inside{0}; // workers in this loop

  Loop(uint64_t n, uint64_t chunk, ThreadPool::Body body, uint32_t seats)
      : n(n), chunk(chunk), body(body), seats(seats) {}

  bool hasWork() const {
    return next.load(std::memory_order_relaxed) < n &&
           inside.load(std::memory_order_relaxed) < seats;
  }
  void takeChunks() {
    // A thread adds at most once beyond n, and n + threads * chunk fits: see parallelFor.
    while (true) {
      uint64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= n)
        return;
      body(begin, std::min(begin + chunk, n));
    }
  }
};
} // namespace

class ThreadPool::Workers {
public:
  Workers() : process(::getpid()) {}

  ~Workers() {
    if (process != ::getpid()) // the parent's threads are not ours to join
      return;
    {
      std::lock_guard<std::mutex> guard(lock);
      stopping = true;
    }
    announce(INT_MAX);
    for (pthread_t thread : threads)
      ::pthread_join(thread, nullptr);
  }

  void run(Loop &loop) {
    {
      std::lock_guard<std::mutex> guard(lock);
      startThreads(loop.seats);
      loops.push_back(&loop);
    }
    uint64_t chunks = (loop.n + loop.chunk - 1) / loop.chunk;
    announce(int(std::min<uint64_t>(chunks - 1, loop.seats)));
    loop.takeChunks();
    {
      std::lock_guard<std::mutex> guard(lock);
      llvm::erase(loops, &loop);
    }
    waitUntilLeft(loop);
  }

  const pid_t process;

private:
  /// Under the lock. A system that gives no more threads leaves us with fewer.
  void startThreads(unsigned wanted) {
    if (asked >= wanted)
      return;
    unsigned missing = wanted - asked;
    asked = wanted;
    sigset_t all, before;
    sigfillset(&all);
    // A thread's own faults: blocked, they would end the process whatever its handlers say.
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
      sigdelset(&all, fault);
    ::pthread_sigmask(SIG_SETMASK, &all, &before); // inherited: our host gets the signals
    for (unsigned i = 0; i < missing; ++i) {
      pthread_t thread;
      if (::pthread_create(&thread, nullptr, &Workers::entry, this) != 0)
        break;
      threads.push_back(thread);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void announce(int sleepersToWake) {
    epoch.fetch_add(1, std::memory_order_seq_cst);
    if (sleepersToWake > 0 && sleeping.load(std::memory_order_seq_cst) > 0)
      futexWake(epoch, sleepersToWake);
  }

  static void waitUntilLeft(Loop &loop) {
    for (int spin = 0;; ++spin) {
      uint32_t inside = loop.inside.load(std::memory_order_acquire);
      if (inside == 0)
        return;
      if (spin < kSpins)
        relax(spin);
      else
        futexWait(loop.inside, inside);
    }
  }

  static void *entry(void *self) {
    static_cast<Workers *>(self)->work();
    return nullptr;
  }

  void work() {
    while (true) {
      uint32_t seen = epoch.load(std::memory_order_seq_cst);
      Loop *loop = enterLoop();
      if (!loop) {
        if (isStopping())
          return;
        sleepWhile(seen);
        continue;
      }
      loop->takeChunks();
      leave(*loop);
    }
  }

  Loop *enterLoop() {
    std::lock_guard<std::mutex> guard(lock);
    for (Loop *loop : loops)
      if (loop->hasWork()) {
        loop->inside.fetch_add(1, std::memory_order_relaxed);
        return loop;
      }
    return nullptr;
  }

  /// The loop may be gone once `inside` is 0, so the address is only passed to
  /// the kernel afterwards, where waking nobody is harmless.
  static void leave(Loop &loop) {
    std::atomic<uint32_t> &inside = loop.inside;
    if (inside.fetch_sub(1, std::memory_order_release) == 1)
      futexWake(inside, 1);
  }

  bool isStopping() {
    std::lock_guard<std::mutex> guard(lock);
    return stopping;
  }

  void sleepWhile(uint32_t seen) {
    for (int spin = 0; spin < kSpins; ++spin) {
      if (epoch.load(std::memory_order_relaxed) != seen)
        return;
      relax(spin);
    }
    sleeping.fetch_add(1, std::memory_order_seq_cst);
    if (epoch.load(std::memory_order_seq_cst) == seen)
      futexWait(epoch, seen);
    sleeping.fetch_sub(1, std::memory_order_seq_cst);
  }

  std::mutex lock;    // guards all up to `threads`
  unsigned asked = 0; // how many threads were asked for
  bool stopping = false;
  llvm::SmallVector<Loop *, 8> loops;
  llvm::SmallVector<pthread_t> threads;
  std::atomic<uint32_t> epoch{0}; // changes when a loop is added
  std::atomic<uint32_t> sleeping{0};
};

ThreadPool::ThreadPool(unsigned threads) : threads(threads ? threads : countUsableProcessors()) {}

ThreadPool::~ThreadPool() { delete workers.load(); }

ThreadPool::Workers &ThreadPool::workersOfThisProcess() {
  Workers *current = workers.load(std::memory_order_acquire);
  while (!current || current->process != ::getpid()) {
    auto *fresh = new Workers();
    if (workers.compare_exchange_strong(current, fresh, std::memory_order_acq_rel))
      return *fresh; // the parent's, if any, is left alone: its lock may be held for ever
    delete fresh;
  }
  return *current;
}

/// Returns whether a loop is worth sharing; `chunk` is made at least 1 and at most n.
static bool canShare(uint64_t n, uint64_t &chunk, uint64_t threads) {
  chunk = std::clamp<uint64_t>(chunk, 1, n);
  // Counting past the end must not wrap around; no real loop is so long.
  bool countable = n < (uint64_t(1) << 62) && chunk < (uint64_t(1) << 62) / (threads + 1);
  return threads > 1 && chunk < n && countable;
}

void ThreadPool::parallelFor(uint64_t n, uint64_t chunk, Body body, unsigned most) {
  if (n == 0)
    return;
  unsigned count = most ? most : threads;
  if (!canShare(n, chunk, count))
    return body(0, n);
  Loop loop(n, chunk, body, count - 1);
  workersOfThisProcess().run(loop);
}

void parallelForOn(HostThreads host, unsigned threads, size_t stackBytes, uint64_t n,
                   uint64_t chunk, ThreadPool::Body body) {
  if (n == 0)
    return;
  if (!canShare(n, chunk, threads))
    return body(0, n);
  struct Shared {
    Loop loop;
    size_t stackBytes;
  } shared{{n, chunk, body, 0}, stackBytes};
  host(
      [](void *data) {
        auto *shared = static_cast<Shared *>(data);
        callWithStack(shared->stackBytes, [shared] { shared->loop.takeChunks(); });
      },
      &shared, unsigned(std::min<uint64_t>(threads, (n + chunk - 1) / chunk)));
}

} // namespace tessera
