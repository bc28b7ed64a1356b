/* Adds vectors and computes softmax with the kernels of ../kernels.toml.
 *
 *   program cpu|cuda
 *
 * One function a kernel: it chooses the signature that fits the arguments, and the code for the
 * chip. */
#include "../device.h"
#include <math.h>

enum { COUNT = 98432, ROWS = 300, COLUMNS = 1500 };

static float x[COUNT], y[COUNT], sum[COUNT];
static float matrix[ROWS][COLUMNS], result[ROWS][COLUMNS];

static void check(int32_t status) {
  if (status == TESSERA_KERNEL_OK)
    return;
  fprintf(stderr, "%s\n", demo_last_error());
  exit(1);
}

/* `offset` floats behind the arrays' begin: 1 is no multiple of 16 bytes, so that the signature
 * without :16 is taken. */
static void add_vectors(tessera_stream where, int offset) {
  int i, count = COUNT - offset;
  float *xs = device_array(where, x, COUNT), *ys = device_array(where, y, COUNT),
        *sums = device_array(where, sum, COUNT);
  check(add(where, xs + offset, ys + offset, sums + offset, count));
  device_take(where, sum, sums, COUNT);
  device_take(where, x, xs, COUNT);
  device_take(where, y, ys, COUNT);
  for (i = offset; i < COUNT; ++i)
    if (sum[i] != x[i] + y[i]) {
      fprintf(stderr, "sum[%d] is %g, not %g\n", i, (double)sum[i], (double)(x[i] + y[i]));
      exit(1);
    }
  printf("add: %d sums are right, %s\n", count, offset ? "unaligned" : "aligned");
}

static void softmax_of_rows(tessera_stream where) {
  int row, column;
  float *from = device_array(where, &matrix[0][0], ROWS * COLUMNS),
        *to = device_array(where, &result[0][0], ROWS * COLUMNS);
  check(softmax(where, to, from, COLUMNS, COLUMNS, ROWS, COLUMNS));
  device_take(where, &result[0][0], to, ROWS * COLUMNS);
  device_take(where, &matrix[0][0], from, ROWS * COLUMNS);
  for (row = 0; row < ROWS; ++row) {
    double total = 0;
    for (column = 0; column < COLUMNS; ++column)
      total += exp((double)matrix[row][column]);
    for (column = 0; column < COLUMNS; ++column)
      if (fabs((double)result[row][column] - exp((double)matrix[row][column]) / total) > 1e-6) {
        fprintf(stderr, "row %d, column %d is %g\n", row, column, (double)result[row][column]);
        exit(1);
      }
  }
  printf("softmax: %d rows of %d are right\n", ROWS, COLUMNS);
}

int main(int argc, char **argv) {
  tessera_stream where = device_open(argc > 1 ? argv[1] : "cpu");
  int i;
  for (i = 0; i < COUNT; ++i) {
    x[i] = (float)i;
    y[i] = (float)(i % 7) / 8;
  }
  for (i = 0; i < ROWS * COLUMNS; ++i)
    (&matrix[0][0])[i] = (float)(i % 991) / 250 - 2;
  demo_set_threads(0);
  add_vectors(where, 0);
  add_vectors(where, 1);
  softmax_of_rows(where);
  /* Rows that are longer than every signature's block are an error, not a wrong result. */
  if (softmax(where, NULL, NULL, 9000, 9000, 1, 9000) != TESSERA_KERNEL_NO_VARIANT)
    return 1;
  printf("%.48s\n", demo_last_error());
  return 0;
}
