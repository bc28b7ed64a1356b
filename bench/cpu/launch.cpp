//===- launch.cpp - what a launch costs -----------------------------------===//
// Times launches through the C interface, as a program outside this repository
// makes them. Prints one JSON object, all times in nanoseconds:
//
//   launch-latency bench/cpu/kernels.py          (bench/cpu/run builds and runs it)
//   {"threads": 2, "launches": [{"kernel": "empty_kernel", "grid": 1, "median": 61, ...}, ...]}
//
// A launch is timed by itself; the clock's own cost (two readings with nothing
// between) is reported and not subtracted. Medians: a shared machine interrupts
// now and then, and the fastest would hide what a launch usually costs.
//===----------------------------------------------------------------------===//
#include "tessera.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

static void check(tessera_status status, char *message) {
  if (status == TESSERA_DONE)
    return;
  std::fprintf(stderr, "launch-latency: %s\n", message ? message : "failed");
  std::exit(1);
}

struct Times {
  double median, fastest, slowest; // slowest: the 99th percentile
};

template <typename Function> static Times measure(unsigned repeats, Function function) {
  std::vector<double> times(repeats);
  for (double &time : times) {
    Clock::time_point start = Clock::now();
    function();
    time = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  }
  std::sort(times.begin(), times.end());
  return {times[repeats / 2], times.front(), times[repeats * 99 / 100]};
}

class Bench {
public:
  explicit Bench(const char *path) : path(path) {
    char *message = nullptr;
    check(tessera_device_open("cpu", &device, &message), message);
  }
  ~Bench() {
    for (tessera_loaded_kernel *kernel : loaded)
      tessera_loaded_kernel_free(kernel);
    tessera_device_free(device);
    tessera_session_free(session);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  tessera_loaded_kernel *load(const char *name, const char *signature) {
    tessera_compile_request request = TESSERA_COMPILE_REQUEST;
    request.path = path;
    request.kernel_name = name;
    request.signature = signature;
    request.target = "cpu";
    tessera_kernel *kernel = nullptr;
    char *message = nullptr;
    check(tessera_compile(session, &request, &kernel, &message), message);
    tessera_loaded_kernel *made = nullptr;
    check(tessera_load(device, kernel, &made, &message), message);
    tessera_kernel_free(kernel);
    loaded.push_back(made);
    return made;
  }

  void report(const char *name, tessera_loaded_kernel *kernel, unsigned grid,
              std::vector<void *> arguments, unsigned repeats = 20001) {
    auto launch = [&] {
      char *message = nullptr;
      check(
          tessera_launch(kernel, grid, 1, 1, arguments.data(), arguments.size(), nullptr, &message),
          message);
    };
    measure(repeats / 10 + 1, launch); // warm
    print(name, grid, arguments.size(), measure(repeats, launch));
  }

  void print(const char *name, unsigned grid, size_t arguments, Times times) {
    std::printf("%s\n  {\"kernel\": \"%s\", \"grid\": %u, \"arguments\": %zu, \"median\": %.0f, "
                "\"fastest\": %.0f, \"p99\": %.0f}",
                first ? "" : ",", name, grid, arguments, times.median, times.fastest,
                times.slowest);
    first = false;
  }

private:
  const char *path;
  bool first = true;
  tessera_session *session = tessera_session_create();
  tessera_device *device = nullptr;
  std::vector<tessera_loaded_kernel *> loaded;
};

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: launch-latency KERNELS.py\n");
    return 2;
  }
  Bench bench(argv[1]);
  tessera_loaded_kernel *empty = bench.load("empty_kernel", "");
  tessera_loaded_kernel *unused =
      bench.load("unused_arguments_kernel", "*fp32,*fp32,*fp32,i32,i32,fp32");
  tessera_loaded_kernel *tiny = bench.load("tiny_kernel", "*fp32,*fp32");

  std::vector<float> x(1 << 20, 1.0f), y(1 << 20);
  float *from = x.data(), *to = y.data(), scale = 1;
  int n = 1;
  std::printf("{\"tessera\": \"%s\", \"processors\": %u, \"launches\": [", tessera_version(),
              std::thread::hardware_concurrency());
  bench.print("(the clock alone)", 0, 0, measure(20001, [] {}));
  bench.report("empty_kernel", empty, 1, {});
  bench.report("unused_arguments_kernel", unused, 1, {&from, &from, &to, &n, &n, &scale});
  for (unsigned grid : {1, 2, 4, 8, 16, 256})
    bench.report("tiny_kernel", tiny, grid, {&from, &to});
  for (unsigned grid : {4096, 65536, 1 << 20})
    bench.report("tiny_kernel", tiny, grid, {&from, &to}, 2001);
  std::printf("\n]}\n");
  return 0;
}
