// Runs a kernel of a pack (docs/packs.md), with the header that `tessera pack header` writes.
//
//   tessera pack examples/deploy/kernels.toml -o demo.tpack
//   tessera pack header demo.tpack -o demo.tpack.h
//   c++ -I. -Iinclude examples/deploy/pack/main.cpp -Llib -ltessera_pack -o demo
//   ./demo demo.tpack            on the CPU
//   ./demo demo.tpack cuda       on a GPU: NVIDIA's driver is opened by name, so that the program
//                                starts on any machine and builds without a CUDA toolkit
#include "demo.tpack.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <vector>

/// Memory on a GPU, or none: a program that uses the CUDA runtime has cudaMalloc instead.
struct Device {
  using Address = unsigned long long;
  int (*allocate)(Address *, size_t) = nullptr;
  int (*copyIn)(Address, const void *, size_t) = nullptr;
  int (*copyOut)(void *, Address, size_t) = nullptr;

  bool open() {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver && find(driver, "cuMemAlloc_v2", allocate) &&
           find(driver, "cuMemcpyHtoD_v2", copyIn) && find(driver, "cuMemcpyDtoH_v2", copyOut);
  }
  /// The array on the device; the array itself on the CPU.
  void *take(std::vector<float> &values) const {
    Address address = 0;
    size_t bytes = values.size() * sizeof(float);
    if (!allocate)
      return values.data();
    bool isThere = !allocate(&address, bytes) && !copyIn(address, values.data(), bytes);
    return isThere ? reinterpret_cast<void *>(address) : nullptr;
  }
  bool giveBack(std::vector<float> &values, void *array) const {
    return !copyOut || !copyOut(values.data(), Address(reinterpret_cast<uintptr_t>(array)),
                                values.size() * sizeof(float));
  }

private:
  template <typename F> static bool find(void *driver, const char *name, F &function) {
    void *found = dlsym(driver, name);
    std::memcpy(&function, &found, sizeof(found));
    return found;
  }
};

static int fail(const char *why) {
  std::fprintf(stderr, "%s\n", why);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return fail("usage: demo PACK [cpu|cuda]");
  tessera_pack *pack = nullptr;
  tessera_pack_place place = {argc > 2 ? argv[2] : "cpu", nullptr, 0};
  char target[64];
  // The second opens the driver, and makes a context current.
  if (tessera_pack_open(argv[1], nullptr, &pack) != TESSERA_PACK_OK ||
      tessera_pack_target(&place, target, sizeof(target)) != TESSERA_PACK_OK)
    return fail(tessera_pack_last_error());
  Device device;
  if (std::strcmp(place.device, "cpu") != 0 && !device.open())
    return fail("the driver has no memory functions");

  const int32_t n = 10000;
  std::vector<float> x(n), y(n), sum(n);
  for (int32_t i = 0; i < n; ++i) {
    x[i] = float(i);
    y[i] = float(2 * i);
  }
  void *result = device.take(sum);
  const uint32_t grid[3] = {(n + 1023) / 1024, 1, 1};
  if (add(pack, &place, grid, device.take(x), device.take(y), result, n) != TESSERA_PACK_OK)
    return fail(tessera_pack_last_error());
  if (!device.giveBack(sum, result))
    return fail("the kernel failed");
  int wrong = 0;
  for (int32_t i = 0; i < n; ++i)
    wrong += sum[i] != 3 * float(i);
  std::printf("add on %s: %d of %d are wrong\n", target, wrong, n);
  tessera_pack_close(pack);
  return wrong != 0;
}
