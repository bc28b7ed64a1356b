/* What the headers of all libraries of kernels begin with. */
#include <stdint.h>

#ifndef TESSERA_KERNELS
#define TESSERA_KERNELS 1
/* Where a kernel runs: a stream of the GPU's driver (CUstream, cudaStream_t or hipStream_t; NULL
 * for the default one), or TESSERA_ON_CPU. On a GPU arrays are in its memory, and a call returns
 * before the kernel has ended; on the CPU it returns when all is done. */
typedef void *tessera_stream;
#define TESSERA_ON_CPU ((tessera_stream)(intptr_t)-1)

/* What functions of kernels return. */
enum {
  TESSERA_KERNEL_OK = 0,
  TESSERA_KERNEL_NO_MEMORY = 1, /* for a temporary tile */
  TESSERA_KERNEL_ASSERTION = 2, /* a tl.device_assert failed, on the CPU */
  TESSERA_KERNEL_GRID = 3,      /* no such grid: negative, or too large */
  TESSERA_KERNEL_NO_VARIANT =
      4, /* no signature takes these arguments: alignment, divisibility, values */
  TESSERA_KERNEL_NO_BINARY = 5, /* the library has no code for this GPU, or for the CPU */
  TESSERA_KERNEL_NO_DRIVER = 6, /* no GPU, or no driver for it */
  TESSERA_KERNEL_DRIVER = 7     /* the GPU's driver reported an error */
};
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Why the last call on this thread that returned anything but 0 did; a sentence. */
const char *LIBRARY_last_error(void);
/* The number of threads that a call on the CPU uses: 1 unless set, 0 for one per processor. They
 * are started and ended by each call, which pays from about a millisecond of work on. */
void LIBRARY_set_threads(unsigned threads);
/* Loads all kernels onto the current GPU; otherwise the first launch of each does. */
int32_t LIBRARY_load(void);
/* Unloads them from all GPUs. None may be running. */
void LIBRARY_unload(void);
