//===- ThreadPool.h - one loop on all processors --------------------------===//
// Workers are started by the first loop that can use them and then stay. A
// loop is a range [0, n) cut into contiguous chunks that the caller and the
// workers take as they become free; the caller works too and returns when all
// is done. Idle workers spin for some microseconds and then sleep on a futex,
// so back-to-back launches find them awake.
//
//   pool.parallelFor(n, 64, [&](uint64_t begin, uint64_t end) { ... });
//
// A host program that has a pool of its own, such as OpenMP's, may lend it
// (parallelForOn): two pools that spin on the same processors slow each other.
//
// Ensures: safe to call from several threads, from inside a loop's body, and
// in a forked child (which gets workers of its own). Workers take no signals.
// Cost: about 2 us to hand out a loop to awake workers, 10 us to sleeping ones.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// Processors this process may use: affinity mask and control-group quota; at least 1.
unsigned countUsableProcessors();

/// Calls `work(data)` on up to `threads` threads of the host program's own pool, of which the
/// caller is one, and returns when all calls have returned. OpenMP's parallel regions do that.
using HostThreads = void (*)(void (*work)(void *), void *data, unsigned threads);

class ThreadPool {
public:
  using Body = llvm::function_ref<void(uint64_t begin, uint64_t end)>;

  /// `threads` counts the caller; 0 means one per usable processor.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool(); // no loop may be running
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return threads; }

  /// Calls `body` for ranges of `chunk` (at least 1) indices, the last shorter, that together
  /// are [0, n) exactly once. A pool of one calls it once, for all. `most` limits the number of
  /// threads, or asks for more than the pool has, which are then started; 0 means size().
  void parallelFor(uint64_t n, uint64_t chunk, Body body, unsigned most = 0);

private:
  class Workers;
  Workers &workersOfThisProcess();

  const unsigned threads;
  std::atomic<Workers *> workers{nullptr};
};

/// parallelFor on threads of the host program, each of which gets `stackBytes` of stack.
void parallelForOn(HostThreads host, unsigned threads, size_t stackBytes, uint64_t n,
                   uint64_t chunk, ThreadPool::Body body);

} // namespace tessera
