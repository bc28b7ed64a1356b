/* ---- launching ---- */

/* `args` holds the addresses of the arguments, and room for tensor maps and two more. */
static int32_t tessera_rt_launch(const struct tessera_rt_variant *variant, tessera_stream stream,
                                 int64_t x, int64_t y, int64_t z, void **args, unsigned passed) {
  uint32_t grid[3];
  uint64_t rows;
  if (x < 0 || x > INT32_MAX || y < 0 || y > INT32_MAX || z < 0 || z > INT32_MAX)
    return tessera_rt_fail(TESSERA_KERNEL_GRID, variant->kernel,
                           "a grid has 0 to 2^31 - 1 programs along each axis", "");
  rows = (uint64_t)y * (uint64_t)z;
  if (rows != 0 && (uint64_t)x > INT64_MAX / rows)
    return tessera_rt_fail(TESSERA_KERNEL_GRID, variant->kernel, "the grid has too many programs",
                           "");
  if (x == 0 || rows == 0)
    return TESSERA_KERNEL_OK;
  grid[0] = (uint32_t)x;
  grid[1] = (uint32_t)y;
  grid[2] = (uint32_t)z;
  (void)passed;
  if (stream == TESSERA_ON_CPU) {
#if TESSERA_RT_HAS_CPU
    return tessera_rt_run_on_cpu(variant, grid, (uint64_t)x * rows, args);
#else
    return tessera_rt_fail(TESSERA_KERNEL_NO_BINARY, variant->kernel,
                           "the library has no code for the CPU",
                           "; build it with the target \"cpu\"");
#endif
  }
#if TESSERA_RT_HAS_GPU
  return tessera_rt_run_on_gpu(variant, stream, grid, args, passed);
#else
  return tessera_rt_fail(TESSERA_KERNEL_NO_BINARY, variant->kernel,
                         "the library was built for the CPU alone", "; pass TESSERA_ON_CPU");
#endif
}

const char *LIBRARY_last_error(void) { return tessera_rt_message; }

void LIBRARY_set_threads(unsigned threads) {
#if TESSERA_RT_HAS_CPU
  __atomic_store_n(&tessera_rt_threads, threads, __ATOMIC_RELAXED);
#else
  (void)threads;
#endif
}
