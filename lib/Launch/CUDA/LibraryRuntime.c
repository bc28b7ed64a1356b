/* ---- on a GPU, through NVIDIA's driver, which is opened at the first launch ---- */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* A binary in one context of the driver. */
struct tessera_rt_loaded {
  struct tessera_rt_loaded *next;
  void *context, *module, *function;
};

struct tessera_rt_binary {
  const unsigned char *image;
  const char *symbol;
  unsigned capability; /* 90: compute capability 9.0 */
  unsigned exact;      /* it runs on no later chip */
  unsigned text;       /* PTX, which the driver compiles for the chip or for any later one */
  unsigned threads, shared, ctas, cluster[3], cooperative, dependent, hidden;
  unsigned long long scratch; /* bytes for each CTA */
  struct tessera_rt_loaded *loaded;
  unsigned maps; /* tensor maps, which are hidden arguments before the others */
  int (*build)(void *const *args, struct tessera_rt_map *maps);
  struct tessera_rt_binary *plain; /* for launches whose maps cannot be built */
};

struct tessera_rt_attribute {
  int id, pad;
  union {
    char bytes[64];
    int flag;
    unsigned extents[3];
  } value;
};

struct tessera_rt_config {
  unsigned grid[3], block[3], shared;
  void *stream;
  struct tessera_rt_attribute *attributes;
  unsigned count;
};

static struct {
  int (*cuInit)(unsigned);
  int (*cuGetErrorString)(int, const char **);
  int (*cuCtxGetCurrent)(void **);
  int (*cuCtxSetCurrent)(void *);
  int (*cuCtxGetDevice)(int *);
  int (*cuDeviceGet)(int *, int);
  int (*cuDeviceGetAttribute)(int *, int, int);
  int (*cuDevicePrimaryCtxRetain)(void **, int);
  int (*cuModuleLoadData)(void **, const void *);
  int (*cuModuleUnload)(void *);
  int (*cuModuleGetFunction)(void **, void *, const char *);
  int (*cuFuncSetAttribute)(void *, int, int);
  int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, void *, void **, void **);
  int (*cuLaunchKernelEx)(const struct tessera_rt_config *, void *, void **, void **);
  int (*cuMemAllocAsync)(unsigned long long *, size_t, void *);
  int (*cuMemFreeAsync)(unsigned long long, void *);
  char problem[256]; /* why there is no driver */
} tessera_rt_cuda;
static pthread_once_t tessera_rt_opened = PTHREAD_ONCE_INIT;
static pthread_mutex_t tessera_rt_lock = PTHREAD_MUTEX_INITIALIZER;

/* Puts the driver's function into a pointer to one. */
static int tessera_rt_find(void *library, const char *name, void *slot) {
  void *found = dlsym(library, name);
  memcpy(slot, &found, sizeof found);
  return found != NULL;
}
#define TESSERA_RT_FIND(name) tessera_rt_find(library, #name, &tessera_rt_cuda.name)

static int tessera_rt_find_all(void *library) {
  /* Drivers before CUDA 11.8 lack some of these, which only certain kernels need. */
  TESSERA_RT_FIND(cuLaunchKernelEx);
  TESSERA_RT_FIND(cuMemAllocAsync);
  TESSERA_RT_FIND(cuMemFreeAsync);
  tessera_rt_find(library, "cuTensorMapEncodeTiled", &tessera_rt_encode_tiled);
  return TESSERA_RT_FIND(cuInit) && TESSERA_RT_FIND(cuGetErrorString) &&
         TESSERA_RT_FIND(cuCtxGetCurrent) && TESSERA_RT_FIND(cuCtxSetCurrent) &&
         TESSERA_RT_FIND(cuCtxGetDevice) && TESSERA_RT_FIND(cuDeviceGet) &&
         TESSERA_RT_FIND(cuDeviceGetAttribute) && TESSERA_RT_FIND(cuDevicePrimaryCtxRetain) &&
         TESSERA_RT_FIND(cuModuleLoadData) && TESSERA_RT_FIND(cuModuleUnload) &&
         TESSERA_RT_FIND(cuModuleGetFunction) && TESSERA_RT_FIND(cuFuncSetAttribute) &&
         TESSERA_RT_FIND(cuLaunchKernel);
}

static void tessera_rt_open(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const char *reason = library ? NULL : dlerror();
  int status;
  if (library && !tessera_rt_find_all(library)) {
    library = NULL;
    reason = "libcuda.so.1 is older than CUDA 11";
  }
  if (!library) {
    snprintf(tessera_rt_cuda.problem, sizeof tessera_rt_cuda.problem,
             "no CUDA driver on this machine (%.180s)", reason ? reason : "libcuda.so.1");
    return;
  }
  status = tessera_rt_cuda.cuInit(0);
  if (status == 0)
    return;
  reason = NULL;
  tessera_rt_cuda.cuGetErrorString(status, &reason);
  snprintf(tessera_rt_cuda.problem, sizeof tessera_rt_cuda.problem,
           "the CUDA driver finds no GPU (%.180s)", reason ? reason : "cuInit failed");
}

static int32_t tessera_rt_cuda_failed(const char *kernel, const char *function, int status) {
  const char *text = NULL;
  char what[256];
  tessera_rt_cuda.cuGetErrorString(status, &text);
  snprintf(what, sizeof what, "%s failed with %d: ", function, status);
  return tessera_rt_fail(TESSERA_KERNEL_DRIVER, kernel, what, text ? text : "unknown error");
}

/* The context of the calling thread, which is that of the first GPU if it has none, and its chip.
 */
static int32_t tessera_rt_find_gpu(const char *kernel, void **context, unsigned *capability) {
  int device = 0, major = 0, minor = 0, status;
  pthread_once(&tessera_rt_opened, tessera_rt_open);
  if (tessera_rt_cuda.problem[0])
    return tessera_rt_fail(TESSERA_KERNEL_NO_DRIVER, kernel, tessera_rt_cuda.problem,
                           "; TESSERA_ON_CPU needs none");
  status = tessera_rt_cuda.cuCtxGetCurrent(context);
  if (status == 0 && !*context) {
    status = tessera_rt_cuda.cuDeviceGet(&device, 0);
    if (status == 0)
      status = tessera_rt_cuda.cuDevicePrimaryCtxRetain(context, device);
    if (status == 0)
      status = tessera_rt_cuda.cuCtxSetCurrent(*context);
  }
  if (status == 0)
    status = tessera_rt_cuda.cuCtxGetDevice(&device);
  if (status == 0)
    status =
        tessera_rt_cuda.cuDeviceGetAttribute(&major, 75, device); /* COMPUTE_CAPABILITY_MAJOR */
  if (status == 0)
    status = tessera_rt_cuda.cuDeviceGetAttribute(&minor, 76, device);
  if (status != 0)
    return tessera_rt_cuda_failed(kernel, "choosing a GPU", status);
  *capability = (unsigned)(major * 10 + minor);
  return TESSERA_KERNEL_OK;
}

/* A CUBIN runs on the chip that it was made for and on later ones of the same generation. */
static int tessera_rt_fits(const struct tessera_rt_binary *binary, unsigned capability) {
  if (binary->exact || capability <= binary->capability)
    return binary->capability == capability;
  return binary->text || binary->capability / 10 == capability / 10;
}

/* The best one: a CUBIN, and for the latest chip. */
static struct tessera_rt_binary *tessera_rt_choose(const struct tessera_rt_variant *variant,
                                                   unsigned capability) {
  struct tessera_rt_binary *best = NULL;
  unsigned i;
  for (i = 0; i < variant->count; ++i) {
    struct tessera_rt_binary *each = &variant->binaries[i];
    int isBetter = !best || each->text < best->text ||
                   (each->text == best->text && each->capability > best->capability);
    if (tessera_rt_fits(each, capability) && isBetter)
      best = each;
  }
  return best;
}

static int32_t tessera_rt_no_binary(const struct tessera_rt_variant *variant, unsigned capability) {
  char what[96], known[192] = "";
  unsigned i;
  snprintf(what, sizeof what, "the library has no code for compute capability %u.%u",
           capability / 10, capability % 10);
  for (i = 0; i < variant->count && strlen(known) < sizeof known - 32; ++i)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%u.%u",
             i ? ", " : ", only for ", variant->binaries[i].capability / 10,
             variant->binaries[i].capability % 10);
  return tessera_rt_fail(TESSERA_KERNEL_NO_BINARY, variant->kernel, what,
                         variant->count ? known
                                        : "; it was built for the CPU: pass TESSERA_ON_CPU");
}

static int32_t tessera_rt_load(struct tessera_rt_binary *binary, const char *kernel, void *context,
                               void **function) {
  struct tessera_rt_loaded *entry = __atomic_load_n(&binary->loaded, __ATOMIC_ACQUIRE);
  const char *step = "cuModuleLoadData";
  int status;
  for (; entry; entry = entry->next)
    if (entry->context == context) {
      *function = entry->function;
      return TESSERA_KERNEL_OK;
    }
  entry = (struct tessera_rt_loaded *)calloc(1, sizeof *entry);
  if (!entry)
    return tessera_rt_fail(TESSERA_KERNEL_NO_MEMORY, kernel, "no memory", "");
  entry->context = context;
  status = tessera_rt_cuda.cuModuleLoadData(&entry->module, binary->image);
  if (status == 0) {
    step = "cuModuleGetFunction";
    status = tessera_rt_cuda.cuModuleGetFunction(&entry->function, entry->module, binary->symbol);
  }
  if (status == 0 && binary->shared > 48 * 1024) {
    step = "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)";
    status = tessera_rt_cuda.cuFuncSetAttribute(entry->function, 8, (int)binary->shared);
  }
  if (status == 0 && binary->ctas > 8) {
    step = "cuFuncSetAttribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED)";
    status = tessera_rt_cuda.cuFuncSetAttribute(entry->function, 14, 1);
  }
  if (status != 0) {
    free(entry);
    return tessera_rt_cuda_failed(kernel, step, status);
  }
  *function =
      entry->function; /* two threads may both load it, which costs memory and nothing else */
  pthread_mutex_lock(&tessera_rt_lock);
  entry->next = binary->loaded;
  __atomic_store_n(&binary->loaded, entry, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&tessera_rt_lock);
  return TESSERA_KERNEL_OK;
}

static unsigned tessera_rt_set_attributes(const struct tessera_rt_binary *binary,
                                          struct tessera_rt_attribute *attributes) {
  unsigned count = 0;
  memset(attributes, 0, 4 * sizeof *attributes);
  if (binary->ctas != 1) {
    attributes[count].id = 4; /* CLUSTER_DIMENSION */
    memcpy(attributes[count++].value.extents, binary->cluster, sizeof binary->cluster);
    attributes[count].id = 5; /* CLUSTER_SCHEDULING_POLICY_PREFERENCE: spread */
    attributes[count++].value.flag = 1;
  }
  if (binary->cooperative) {
    attributes[count].id = 2; /* COOPERATIVE */
    attributes[count++].value.flag = 1;
  }
  if (binary->dependent) {
    attributes[count].id = 6; /* PROGRAMMATIC_STREAM_SERIALIZATION */
    attributes[count++].value.flag = 1;
  }
  return count;
}

/* Builds the tensor maps of a launch behind its `passed` arguments. Where that is impossible, the
 * launch takes the binary without them. */
static struct tessera_rt_binary *tessera_rt_build_maps(struct tessera_rt_binary *binary,
                                                       struct tessera_rt_map *maps, void **args,
                                                       unsigned *passed) {
  unsigned i;
  if (binary->maps == 0)
    return binary;
  if (!tessera_rt_encode_tiled || !binary->build(args, maps))
    return binary->plain;
  for (i = 0; i < binary->maps; ++i)
    args[(*passed)++] = &maps[i];
  return binary;
}

/* `args` has room for tensor maps and two more after the kernel's `passed` arguments. */
static int32_t tessera_rt_run_on_gpu(const struct tessera_rt_variant *variant, void *stream,
                                     const uint32_t grid[3], void **args, unsigned passed) {
  struct tessera_rt_attribute attributes[4];
  struct tessera_rt_config config;
  struct tessera_rt_map maps[TESSERA_RT_MAPS];
  struct tessera_rt_binary *binary;
  void *context = NULL, *function = NULL;
  unsigned long long scratch = 0;
  unsigned capability = 0, i;
  int status = 0;
  int32_t problem = tessera_rt_find_gpu(variant->kernel, &context, &capability);
  if (problem != TESSERA_KERNEL_OK)
    return problem;
  binary = tessera_rt_choose(variant, capability);
  if (!binary)
    return tessera_rt_no_binary(variant, capability);
  binary = tessera_rt_build_maps(binary, maps, args, &passed);
  if (!binary)
    return tessera_rt_fail(TESSERA_KERNEL_NO_VARIANT, variant->kernel,
                           "no tensor map can be built for these arguments", "");
  if (grid[1] > 65535 || grid[2] > 65535 || (uint64_t)grid[0] * binary->ctas > INT32_MAX)
    return tessera_rt_fail(TESSERA_KERNEL_GRID, variant->kernel, "the grid is too large for a GPU",
                           "");
  problem = tessera_rt_load(binary, variant->kernel, context, &function);
  if (problem != TESSERA_KERNEL_OK)
    return problem;
  if (binary->scratch) {
    if (!tessera_rt_cuda.cuMemAllocAsync || !tessera_rt_cuda.cuMemFreeAsync)
      return tessera_rt_fail(TESSERA_KERNEL_NO_DRIVER, variant->kernel,
                             "the kernel needs a driver of CUDA 11.2 or later", "");
    status = tessera_rt_cuda.cuMemAllocAsync(
        &scratch, (size_t)grid[0] * grid[1] * grid[2] * binary->ctas * binary->scratch, stream);
    if (status != 0)
      return tessera_rt_cuda_failed(variant->kernel, "cuMemAllocAsync", status);
  }
  for (i = 0; i < binary->hidden; ++i)
    args[passed + i] = &scratch;
  memset(&config, 0, sizeof config);
  config.count = tessera_rt_set_attributes(binary, attributes);
  config.attributes = attributes;
  memcpy(config.grid, grid, sizeof config.grid);
  config.grid[0] *= binary->ctas;
  config.block[0] = binary->threads;
  config.block[1] = config.block[2] = 1;
  config.shared = binary->shared;
  config.stream = stream;
  if (config.count == 0)
    status =
        tessera_rt_cuda.cuLaunchKernel(function, config.grid[0], grid[1], grid[2], binary->threads,
                                       1, 1, binary->shared, stream, args, NULL);
  else if (tessera_rt_cuda.cuLaunchKernelEx)
    status = tessera_rt_cuda.cuLaunchKernelEx(&config, function, args, NULL);
  else
    problem = tessera_rt_fail(TESSERA_KERNEL_NO_DRIVER, variant->kernel,
                              "the kernel needs a driver of CUDA 11.8 or later", "");
  if (binary->scratch)
    tessera_rt_cuda.cuMemFreeAsync(scratch, stream);
  return status != 0 ? tessera_rt_cuda_failed(variant->kernel, "cuLaunchKernel", status) : problem;
}

static int32_t tessera_rt_load_variant(const struct tessera_rt_variant *variant) {
  void *context = NULL, *function = NULL;
  unsigned capability = 0;
  struct tessera_rt_binary *binary;
  int32_t problem = tessera_rt_find_gpu(variant->kernel, &context, &capability);
  if (problem != TESSERA_KERNEL_OK)
    return problem;
  binary = tessera_rt_choose(variant, capability);
  if (!binary)
    return tessera_rt_no_binary(variant, capability);
  problem = tessera_rt_load(binary, variant->kernel, context, &function);
  if (problem == TESSERA_KERNEL_OK && binary->plain)
    problem = tessera_rt_load(binary->plain, variant->kernel, context, &function);
  return problem;
}

static void tessera_rt_unload_binary(struct tessera_rt_binary *binary) {
  void *current = NULL;
  struct tessera_rt_loaded *entry = __atomic_exchange_n(&binary->loaded, NULL, __ATOMIC_ACQ_REL);
  while (entry) {
    struct tessera_rt_loaded *next = entry->next;
    tessera_rt_cuda.cuCtxGetCurrent(&current);
    tessera_rt_cuda.cuCtxSetCurrent(entry->context);
    tessera_rt_cuda.cuModuleUnload(entry->module);
    tessera_rt_cuda.cuCtxSetCurrent(current);
    free(entry);
    entry = next;
  }
}

static void tessera_rt_unload_variant(const struct tessera_rt_variant *variant) {
  unsigned i;
  for (i = 0; i < variant->count; ++i) {
    tessera_rt_unload_binary(&variant->binaries[i]);
    if (variant->binaries[i].plain)
      tessera_rt_unload_binary(variant->binaries[i].plain);
  }
}
