//===- ThreadPool.h - one loop on all processors --------------------------===//
// Workers are started by the first loop that can use them and then stay. A
// loop is a range [0, n) cut into contiguous chunks that the caller and the
// workers take as they become free; the caller works too and returns when all
// is done. Idle workers spin for some microseconds and then sleep on a futex,
// so back-to-back launches find them awake.
//
//   pool.parallelFor(n, 64, [&](uint64_t begin, uint64_t end) { ... });
//
// Ensures: safe to call from several threads, from inside a loop's body, and
// in a forked child (which gets workers of its own). Workers take no signals.
// Cost: about 2 us to hand out a loop to awake workers, 10 us to sleeping ones.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <cstdint>

namespace tessera {

/// Processors this process may use: affinity mask and control-group quota; at least 1.
unsigned countUsableProcessors();

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
  /// are [0, n) exactly once. A pool of one calls it once, for all.
  void parallelFor(uint64_t n, uint64_t chunk, Body body);

private:
  class Workers;
  Workers &workersOfThisProcess();

  const unsigned threads;
  std::atomic<Workers *> workers{nullptr};
};

} // namespace tessera
