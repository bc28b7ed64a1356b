/* Rows of softmax against one in double precision. C and C++. */
#include "kernel.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 37, COLS = 781, STRIDE = 800 };

static float in[ROWS * STRIDE], out[ROWS * STRIDE];

int main(void) {
  int failures = 0;
  for (int i = 0; i < ROWS * STRIDE; ++i)
    in[i] = (float)((i * 7919) % 1000) * 0.02f - 10;
  /* Fewer programs than rows: each takes several. */
  failures += softmax_kernel_parallel(2, 5, 1, 1, out, in, STRIDE, STRIDE, ROWS, COLS) != 0;
  for (int row = 0; row < ROWS; ++row) {
    double sum = 0;
    for (int col = 0; col < COLS; ++col)
      sum += exp((double)in[row * STRIDE + col]);
    for (int col = 0; col < COLS; ++col) {
      double expected = exp((double)in[row * STRIDE + col]) / sum;
      failures += fabs(out[row * STRIDE + col] - expected) > 1e-5 * expected + 1e-12;
    }
    for (int col = COLS; col < STRIDE; ++col)
      failures += out[row * STRIDE + col] != 0;
  }
  printf("%d failures\n", failures);
  return failures != 0;
}
