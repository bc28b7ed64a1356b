/* ---- NVIDIA's driver ---- */
static int tessera_rt_open_cuda(void);
static void tessera_rt_name_cuda_chip(char *text, size_t bytes, unsigned chip) {
  snprintf(text, bytes, "%u.%u", chip / 10, chip % 10);
}
static struct tessera_rt_driver tessera_rt_cuda = {.open = tessera_rt_open_cuda,
                                                   .name_chip = tessera_rt_name_cuda_chip,
                                                   .chip_label = "compute capability "};
static struct {
  int (*cuInit)(unsigned);
  int (*cuGetErrorString)(int, const char **);
  int (*cuCtxGetCurrent)(void **);
  int (*cuCtxSetCurrent)(void *);
  int (*cuCtxGetDevice)(int *);
  int (*cuDeviceGet)(int *, int);
  int (*cuDeviceGetAttribute)(int *, int, int);
  int (*cuDevicePrimaryCtxRetain)(void **, int);
  int (*cuFuncSetAttribute)(void *, int, int);
} tessera_rt_cuda_functions;

static int tessera_rt_find_cuda(void **context, unsigned *chip) {
  int device = 0, major = 0, minor = 0;
  int status = tessera_rt_cuda_functions.cuCtxGetCurrent(context);
  if (status == 0 && !*context) {
    status = tessera_rt_cuda_functions.cuDeviceGet(&device, 0);
    if (status == 0)
      status = tessera_rt_cuda_functions.cuDevicePrimaryCtxRetain(context, device);
    if (status == 0)
      status = tessera_rt_cuda_functions.cuCtxSetCurrent(*context);
  }
  if (status == 0)
    status = tessera_rt_cuda_functions.cuCtxGetDevice(&device);
  if (status == 0)
    status = tessera_rt_cuda_functions.cuDeviceGetAttribute(&major, 75,
                                                            device); /* COMPUTE_CAPABILITY_MAJOR */
  if (status == 0)
    status = tessera_rt_cuda_functions.cuDeviceGetAttribute(&minor, 76, device);
  *chip = (unsigned)(major * 10 + minor);
  return status;
}

static void *tessera_rt_enter_cuda(void *context) {
  void *before = NULL;
  tessera_rt_cuda_functions.cuCtxGetCurrent(&before);
  tessera_rt_cuda_functions.cuCtxSetCurrent(context);
  return before;
}

static int tessera_rt_prepare_cuda(const struct tessera_rt_binary *binary, void *function,
                                   const char **step) {
  int status = 0;
  if (binary->shared > 48 * 1024) {
    *step = "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)";
    status = tessera_rt_cuda_functions.cuFuncSetAttribute(function, 8, (int)binary->shared);
  }
  if (status == 0 && binary->ctas > 8) {
    *step = "cuFuncSetAttribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED)";
    status = tessera_rt_cuda_functions.cuFuncSetAttribute(function, 14, 1);
  }
  return status;
}

#define TESSERA_RT_FIND(name) tessera_rt_find(library, #name, &tessera_rt_cuda_functions.name)
static int tessera_rt_find_functions_of_cuda(void *library) {
  /* Drivers before CUDA 11.8 lack some of these, which only certain kernels need. */
  tessera_rt_find(library, "cuLaunchKernelEx", &tessera_rt_cuda.launch_ex);
  tessera_rt_find(library, "cuMemAllocAsync", &tessera_rt_cuda.allocate);
  tessera_rt_find(library, "cuMemFreeAsync", &tessera_rt_cuda.release);
  tessera_rt_find(library, "cuTensorMapEncodeTiled", &tessera_rt_encode_tiled);
  return TESSERA_RT_FIND(cuInit) && TESSERA_RT_FIND(cuGetErrorString) &&
         TESSERA_RT_FIND(cuCtxGetCurrent) && TESSERA_RT_FIND(cuCtxSetCurrent) &&
         TESSERA_RT_FIND(cuCtxGetDevice) && TESSERA_RT_FIND(cuDeviceGet) &&
         TESSERA_RT_FIND(cuDeviceGetAttribute) && TESSERA_RT_FIND(cuDevicePrimaryCtxRetain) &&
         tessera_rt_find(library, "cuModuleLoadData", &tessera_rt_cuda.load) &&
         tessera_rt_find(library, "cuModuleUnload", &tessera_rt_cuda.unload) &&
         tessera_rt_find(library, "cuModuleGetFunction", &tessera_rt_cuda.get_function) &&
         TESSERA_RT_FIND(cuFuncSetAttribute) &&
         tessera_rt_find(library, "cuLaunchKernel", &tessera_rt_cuda.launch);
}
#undef TESSERA_RT_FIND

/* Whether there is a GPU. */
static int tessera_rt_open_cuda(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const char *reason = library ? "libcuda.so.1 is older than CUDA 11" : dlerror();
  int status;
  if (!library || !tessera_rt_find_functions_of_cuda(library)) {
    tessera_rt_add_problem("no CUDA driver on this machine", reason ? reason : "libcuda.so.1");
    return 0;
  }
  status = tessera_rt_cuda_functions.cuInit(0);
  if (status != 0) {
    reason = NULL;
    tessera_rt_cuda_functions.cuGetErrorString(status, &reason);
    tessera_rt_add_problem("the CUDA driver finds no GPU", reason ? reason : "cuInit failed");
    return 0;
  }
  tessera_rt_cuda.error_text = tessera_rt_cuda_functions.cuGetErrorString;
  tessera_rt_cuda.enter = tessera_rt_enter_cuda;
  tessera_rt_cuda.load_name = "cuModuleLoadData";
  tessera_rt_cuda.function_name = "cuModuleGetFunction";
  tessera_rt_cuda.launch_name = "cuLaunchKernel";
  tessera_rt_cuda.allocate_name = "cuMemAllocAsync";
  tessera_rt_cuda.find = tessera_rt_find_cuda;
  tessera_rt_cuda.prepare = tessera_rt_prepare_cuda;
  tessera_rt_cuda.generation = 10;
  tessera_rt_cuda.most_rows = 65535;
  tessera_rt_cuda.has_allocate = "a driver of CUDA 11.2 or later";
  tessera_rt_cuda.has_attributes = "a driver of CUDA 11.8 or later";
  return 1;
}
