/* ---- on the CPU ---- */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned tessera_rt_threads = 1;

struct tessera_rt_work {
  tessera_rt_function *function;
  const void *const *args;
  const uint32_t *grid;
  uint64_t next, chunk, count;
  int32_t status;
};

/* Threads take chunks from a common counter. */
static void *tessera_rt_worker(void *opaque) {
  struct tessera_rt_work *work = (struct tessera_rt_work *)opaque;
  for (;;) {
    uint64_t begin = __atomic_fetch_add(&work->next, work->chunk, __ATOMIC_RELAXED), left;
    int32_t status;
    if (begin >= work->count)
      return NULL;
    left = work->count - begin;
    status = work->function(work->args, work->grid, begin,
                            begin + (left < work->chunk ? left : work->chunk));
    if (status != 0)
      __atomic_store_n(&work->status, status, __ATOMIC_RELAXED);
  }
}

static int32_t tessera_rt_share(struct tessera_rt_work *work) {
  pthread_t *started = NULL;
  unsigned threads = __atomic_load_n(&tessera_rt_threads, __ATOMIC_RELAXED), count = 0, i;
  if (threads == 0) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    threads = online > 0 ? (unsigned)online : 1;
  }
  if (threads > work->count)
    threads = (unsigned)work->count;
  if (threads <= 1)
    return work->function(work->args, work->grid, 0, work->count);
  work->chunk = work->count / ((uint64_t)threads * 8) + 1;
  started = (pthread_t *)malloc((threads - 1) * sizeof(pthread_t));
  while (started && count < threads - 1 &&
         pthread_create(&started[count], NULL, tessera_rt_worker, work) == 0)
    ++count;
  tessera_rt_worker(work);
  for (i = 0; i < count; ++i)
    pthread_join(started[i], NULL);
  free(started);
  return work->status;
}

static int32_t tessera_rt_run_on_cpu(const struct tessera_rt_variant *variant,
                                     const uint32_t grid[3], uint64_t programs, void **args) {
  struct tessera_rt_work work;
  int32_t status;
  if (!variant->cpu)
    return tessera_rt_fail(TESSERA_KERNEL_NO_BINARY, variant->kernel,
                           "the library has no code for the CPU",
                           "; build it with the target \"cpu\"");
  memset(&work, 0, sizeof work);
  work.function = variant->cpu;
  work.args = (const void *const *)args;
  work.grid = grid;
  work.count = programs;
  status = tessera_rt_share(&work);
  if (status == TESSERA_KERNEL_NO_MEMORY)
    return tessera_rt_fail(status, variant->kernel, "no memory for a temporary tile", "");
  if (status == TESSERA_KERNEL_ASSERTION)
    return tessera_rt_fail(status, variant->kernel, "a tl.device_assert failed",
                           "; standard error has its message");
  return status;
}
