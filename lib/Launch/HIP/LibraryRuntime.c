/* ---- AMD's HIP ---- */
static int tessera_rt_open_hip(void);
static void tessera_rt_name_hip_chip(char *text, size_t bytes, unsigned chip) {
  snprintf(text, bytes, "gfx%x", chip);
}
static struct tessera_rt_driver tessera_rt_hip = {
    .open = tessera_rt_open_hip, .name_chip = tessera_rt_name_hip_chip, .chip_label = ""};
static struct {
  int (*hipInit)(unsigned);
  int (*hipDrvGetErrorString)(int, const char **);
  int (*hipGetDeviceCount)(int *);
  int (*hipGetDevice)(int *);
  int (*hipSetDevice)(int);
  int (*hipGetDevicePropertiesR0600)(void *, int);
} tessera_rt_hip_functions;
static unsigned tessera_rt_hip_chips[64]; /* of the devices that were asked, else 0 */

/* "gfx942:sramecc+:xnack-" is 0x942; hipDeviceProp_tR0600 has the name at byte 1160. */
static int tessera_rt_ask_hip(int device, unsigned *chip) {
  char properties[4096] = "", *end = properties; /* with room for later versions */
  const char *name = properties + 1160;
  int status = tessera_rt_hip_functions.hipGetDevicePropertiesR0600(properties, device);
  if (status != 0)
    return status;
  *chip = strncmp(name, "gfx", 3) == 0 ? (unsigned)strtoul(name + 3, &end, 16) : 0;
  return *chip != 0 && (*end == ':' || *end == 0) ? 0 : 101; /* hipErrorInvalidDevice */
}

static int tessera_rt_find_hip(void **context, unsigned *chip) {
  int device = 0, status = tessera_rt_hip_functions.hipGetDevice(&device);
  if (status != 0)
    return status;
  *context = (void *)(intptr_t)(device + 1);
  if (device < 0 || device >= 64)
    return tessera_rt_ask_hip(device, chip);
  *chip = __atomic_load_n(&tessera_rt_hip_chips[device], __ATOMIC_RELAXED);
  if (*chip == 0) {
    status = tessera_rt_ask_hip(device, chip);
    if (status == 0)
      __atomic_store_n(&tessera_rt_hip_chips[device], *chip, __ATOMIC_RELAXED);
  }
  return status;
}

static void *tessera_rt_enter_hip(void *context) {
  int before = 0;
  (void)tessera_rt_hip_functions.hipGetDevice(&before);
  (void)tessera_rt_hip_functions.hipSetDevice((int)(intptr_t)context - 1);
  return (void *)(intptr_t)(before + 1);
}

#define TESSERA_RT_FIND(name) tessera_rt_find(library, #name, &tessera_rt_hip_functions.name)
static int tessera_rt_find_functions_of_hip(void *library) {
  tessera_rt_find(library, "hipModuleLaunchCooperativeKernel", &tessera_rt_hip.launch_cooperative);
  tessera_rt_find(library, "hipMallocAsync", &tessera_rt_hip.allocate);
  tessera_rt_find(library, "hipFreeAsync", &tessera_rt_hip.release);
  return TESSERA_RT_FIND(hipInit) && TESSERA_RT_FIND(hipDrvGetErrorString) &&
         TESSERA_RT_FIND(hipGetDeviceCount) && TESSERA_RT_FIND(hipGetDevice) &&
         TESSERA_RT_FIND(hipSetDevice) && TESSERA_RT_FIND(hipGetDevicePropertiesR0600) &&
         tessera_rt_find(library, "hipModuleLoadData", &tessera_rt_hip.load) &&
         tessera_rt_find(library, "hipModuleUnload", &tessera_rt_hip.unload) &&
         tessera_rt_find(library, "hipModuleGetFunction", &tessera_rt_hip.get_function) &&
         tessera_rt_find(library, "hipModuleLaunchKernel", &tessera_rt_hip.launch);
}
#undef TESSERA_RT_FIND

/* A process must not have two copies of HIP: one that is there already is taken. */
static void *tessera_rt_open_library_of_hip(void) {
  static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                                      "/opt/rocm/lib/libamdhip64.so"};
  void *library = NULL;
  unsigned i;
  for (i = 0; i < 3 && !library; ++i)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  for (i = 1; i < 4 && !library; ++i)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  return library;
}

/* Whether there is a GPU. */
static int tessera_rt_open_hip(void) {
  void *library = tessera_rt_open_library_of_hip();
  const char *reason = NULL;
  int count = 0, status;
  if (!library || !tessera_rt_find_functions_of_hip(library)) {
    tessera_rt_add_problem("no HIP runtime on this machine",
                           library ? "libamdhip64.so is older than HIP 6"
                                   : "there is no libamdhip64.so.7 or .6");
    return 0;
  }
  status = tessera_rt_hip_functions.hipInit(0);
  if (status == 0)
    status = tessera_rt_hip_functions.hipGetDeviceCount(&count);
  if (status == 0 && count == 0)
    status = 100; /* hipErrorNoDevice */
  if (status != 0) {
    (void)tessera_rt_hip_functions.hipDrvGetErrorString(status, &reason);
    tessera_rt_add_problem("HIP finds no GPU", reason ? reason : "hipInit failed");
    return 0;
  }
  tessera_rt_hip.error_text = tessera_rt_hip_functions.hipDrvGetErrorString;
  tessera_rt_hip.enter = tessera_rt_enter_hip;
  tessera_rt_hip.load_name = "hipModuleLoadData";
  tessera_rt_hip.function_name = "hipModuleGetFunction";
  tessera_rt_hip.launch_name = "hipModuleLaunchKernel";
  tessera_rt_hip.allocate_name = "hipMallocAsync";
  tessera_rt_hip.find = tessera_rt_find_hip;
  tessera_rt_hip.has_allocate = tessera_rt_hip.has_attributes = "HIP 6 or later";
  return 1;
}
