//===- ThreadPoolTest.cpp - one loop on all processors --------------------===//
#include "tessera/Support/ThreadPool.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <numeric>
#include <pthread.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tessera;

/// Every index once, whatever n, chunk and the number of threads.
TEST(ThreadPool, CoversTheRangeOnce) {
  for (unsigned threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (uint64_t n : {0, 1, 2, 7, 64, 1000})
      for (uint64_t chunk : {0, 1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> hits(n);
        pool.parallelFor(n, chunk, [&](uint64_t begin, uint64_t end) {
          EXPECT_LT(begin, end);
          for (uint64_t i = begin; i < end; ++i)
            hits[i].fetch_add(1);
        });
        for (auto &hit : hits)
          EXPECT_EQ(1, hit.load());
      }
  }
}

TEST(ThreadPool, SizeCountsTheCaller) {
  EXPECT_EQ(3u, ThreadPool(3).size());
  EXPECT_EQ(countUsableProcessors(), ThreadPool().size());
}

/// Returns when `count` threads are inside, or after a long time.
static void meet(std::atomic<unsigned> &inside, unsigned count) {
  ++inside;
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(100);
  while (inside < count && std::chrono::steady_clock::now() < limit)
    std::this_thread::yield();
}

TEST(ThreadPool, AllThreadsTakePart) {
  ThreadPool pool(4);
  std::atomic<unsigned> inside{0};
  std::mutex lock;
  std::set<std::thread::id> seen;
  pool.parallelFor(4, 1, [&](uint64_t, uint64_t) {
    meet(inside, 4);
    std::lock_guard<std::mutex> guard(lock);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(4u, seen.size());
}

TEST(ThreadPool, LoopsInsideLoops) {
  ThreadPool pool(4);
  std::atomic<uint64_t> sum{0};
  pool.parallelFor(20, 1, [&](uint64_t, uint64_t) {
    pool.parallelFor(50, 3, [&](uint64_t begin, uint64_t end) {
      pool.parallelFor(end - begin, 1, [&](uint64_t b, uint64_t e) { sum += e - b; });
    });
  });
  EXPECT_EQ(1000u, sum.load());
}

TEST(ThreadPool, ManyCallers) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<uint64_t> sum{0};
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round)
        pool.parallelFor(100, 7, [&](uint64_t begin, uint64_t end) { sum += end - begin; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(8u * 300 * 100, sum.load());
}

TEST(ThreadPool, ResultsAreVisibleToTheCaller) {
  ThreadPool pool(4);
  std::vector<uint64_t> values(1 << 12);
  for (int round = 0; round < 200; ++round) {
    pool.parallelFor(values.size(), 16, [&](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; ++i)
        values[i] = i + round;
    });
    uint64_t n = values.size();
    ASSERT_EQ(n * (n - 1) / 2 + n * round, std::accumulate(values.begin(), values.end(), 0ull));
  }
}

TEST(ThreadPool, AForkedChildHasWorkersOfItsOwn) {
  ThreadPool pool(3);
  std::atomic<uint64_t> sum{0};
  auto body = [&](uint64_t begin, uint64_t end) { sum += end - begin; };
  pool.parallelFor(100, 1, body);
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    sum = 0;
    for (int i = 0; i < 50; ++i)
      pool.parallelFor(100, 1, body);
    ::_exit(sum == 5000 ? 0 : 1);
  }
  pool.parallelFor(100, 1, body);
  int status = 0;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  EXPECT_EQ(0, status);
  EXPECT_EQ(200u, sum.load());
}

TEST(ThreadPool, WorkersTakeNoSignals) {
  ThreadPool pool(2);
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<unsigned> inside{0};
  std::atomic<int> blocked{-1};
  pool.parallelFor(2, 1, [&](uint64_t, uint64_t) {
    meet(inside, 2);
    if (std::this_thread::get_id() == caller)
      return;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocked = sigismember(&mask, SIGINT);
  });
  EXPECT_EQ(1, blocked.load());
}

TEST(ThreadPool, TheNumberOfThreadsCanBeLimitedAndRaised) {
  ThreadPool pool(3);
  for (unsigned most : {1u, 2u, 5u, 3u}) {
    std::mutex lock;
    std::set<std::thread::id> seen;
    std::atomic<uint64_t> sum = 0;
    pool.parallelFor(
        200, 1,
        [&](uint64_t begin, uint64_t end) {
          std::this_thread::sleep_for(std::chrono::microseconds(100));
          sum += end - begin;
          std::lock_guard<std::mutex> guard(lock);
          seen.insert(std::this_thread::get_id());
        },
        most);
    EXPECT_EQ(200u, sum);
    EXPECT_LE(seen.size(), most);
  }
}

/// A pool of the host program: threads that are made for each loop.
static void runOnNewThreads(void (*work)(void *), void *data, unsigned threads) {
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work, data);
  work(data);
  for (std::thread &other : others)
    other.join();
}

TEST(ThreadPool, TheHostsThreadsRunLoops) {
  for (uint64_t n : {uint64_t(0), uint64_t(1), uint64_t(7), uint64_t(1000)})
    for (unsigned threads : {1u, 4u}) {
      std::vector<std::atomic<int>> visits(n);
      parallelForOn(runOnNewThreads, threads, /*stackBytes=*/1 << 16, n, 3,
                    [&](uint64_t begin, uint64_t end) {
                      for (uint64_t i = begin; i < end; ++i)
                        ++visits[i];
                    });
      for (const std::atomic<int> &count : visits)
        EXPECT_EQ(1, count);
    }
}
