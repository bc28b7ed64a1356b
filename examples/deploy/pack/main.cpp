// Runs kernels of a pack on the CPU (docs/packs.md), with the header that `tessera pack header`
// writes.
//
//   tessera pack examples/deploy/kernels.toml --targets cpu -o demo.tpack
//   tessera pack header demo.tpack -o demo.tpack.h
//   c++ -I. -Iinclude examples/deploy/pack/main.cpp -Llib -ltessera_pack -o demo && ./demo
//   demo.tpack
#include "demo.tpack.h"
#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
  tessera_pack *pack = nullptr;
  if (argc != 2 || tessera_pack_open(argv[1], nullptr, &pack) != TESSERA_PACK_OK) {
    std::fprintf(stderr, "%s\n", argc == 2 ? tessera_pack_last_error() : "usage: demo PACK");
    return 1;
  }
  const int32_t n = 10000;
  std::vector<float> x(n), y(n), sum(n);
  for (int32_t i = 0; i < n; ++i) {
    x[i] = float(i);
    y[i] = float(2 * i);
  }
  const uint32_t grid[3] = {(n + 1023) / 1024, 1, 1};
  if (add(pack, grid, 0, x.data(), y.data(), sum.data(), n) != TESSERA_PACK_OK) {
    std::fprintf(stderr, "%s\n", tessera_pack_last_error());
    return 1;
  }
  int wrong = 0;
  for (int32_t i = 0; i < n; ++i)
    wrong += sum[i] != 3 * float(i);
  std::printf("add: %d of %d are wrong\n", wrong, n);
  tessera_pack_close(pack);
  return wrong != 0;
}
