/* Calls the add kernel in every way there is and counts what is wrong. C and C++. */
#include "kernel.h"
#include <stdio.h>
#include <stdlib.h>

enum { N = 98432, BLOCK = 1024, PROGRAMS = (N + BLOCK - 1) / BLOCK };

static float x[N], y[N], out[N + BLOCK];

static int clear(void) {
  for (int i = 0; i < N + BLOCK; ++i)
    out[i] = -1;
  return 0;
}

static int wrong(void) {
  int count = 0;
  for (int i = 0; i < N; ++i)
    count += out[i] != x[i] + y[i];
  for (int i = N; i < N + BLOCK; ++i)
    count += out[i] != -1;
  return count;
}

int main(void) {
  int failures = clear();
  for (int i = 0; i < N; ++i) {
    x[i] = (float)i * 0.5f;
    y[i] = (float)(3 * i % 1001);
  }
  failures += add_kernel(PROGRAMS, 1, 1, x, y, out, N) != 0 || wrong();
  clear();
  failures += add_kernel_range(PROGRAMS, 1, 1, x, y, out, N, 40, PROGRAMS) != 0 ||
              add_kernel_range(PROGRAMS, 1, 1, x, y, out, N, 0, 40) != 0 || wrong();
  clear();
  failures += add_kernel_parallel(3, PROGRAMS, 1, 1, x, y, out, N) != 0 || wrong();
  clear();
  failures += add_kernel_parallel(0, PROGRAMS, 1, 1, x, y, out, N) != 0 || wrong();
  /* No programs, too many of them, programs that are not in the grid. */
  clear();
  failures += add_kernel(0, 7, 7, x, y, out, N) != 0 || out[0] != -1;
  failures += add_kernel_range(PROGRAMS, 1, 1, x, y, out, N, 5, 5) != 0 || out[5 * BLOCK] != -1;
  failures += add_kernel(1u << 31, 1, 1, x, y, out, N) != 3;
  failures += add_kernel_parallel(2, 2147483647, 2147483647, 3, x, y, out, N) != 3;
  failures += add_kernel_range(PROGRAMS, 1, 1, x, y, out, N, 3, PROGRAMS + 1) != 3;
  failures += add_kernel_range(PROGRAMS, 1, 1, x, y, out, N, 4, 3) != 3;
  printf("%d failures\n", failures);
  return failures != 0;
}
