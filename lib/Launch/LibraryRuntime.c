/* What all kernels of this library share. The functions of kernels choose a variant and its grid; a
 * variant is run by the CPU, or by the binary that fits the GPU. */
#include <stdio.h>
#include <string.h>

typedef int32_t tessera_rt_function(const void *const *args, const uint32_t grid[3], uint64_t begin,
                                    uint64_t end);
struct tessera_rt_binary;

/* A kernel for certain arguments, with its binaries. */
struct tessera_rt_variant {
  const char *kernel;
  tessera_rt_function *cpu; /* NULL: it was not compiled for the CPU */
  struct tessera_rt_binary *binaries;
  unsigned count;
};

static __thread char tessera_rt_message[512];

static int32_t tessera_rt_fail(int32_t status, const char *kernel, const char *what,
                               const char *more) {
  snprintf(tessera_rt_message, sizeof tessera_rt_message, "%s: %s%s", kernel, what, more);
  return status;
}

__attribute__((unused)) static int32_t tessera_rt_no_variant(const char *kernel) {
  return tessera_rt_fail(
      TESSERA_KERNEL_NO_VARIANT, kernel,
      "no variant takes these arguments: their alignment, divisibility or values are not those of "
      "any signature that the library was built for",
      "");
}
