/* The part of NVIDIA's driver that a library of kernels calls. It finds a GPU of the chip FAKE_CHIP
 * (90 for 9.0), none if that is "none", and prints what it is asked to launch: the kernel, the size
 * of its binary's ELF class, the grid, the block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int chip(void) { return atoi(getenv("FAKE_CHIP")); }
static int modules;
static __thread void *current;

int cuInit(unsigned flags) {
  (void)flags;
  return strcmp(getenv("FAKE_CHIP"), "none") == 0 ? 100 : 0;
}
int cuGetErrorString(int status, const char **text) {
  *text = status == 100 ? "no CUDA-capable device is detected" : "fake error";
  return 0;
}
int cuCtxGetCurrent(void **context) {
  *context = current;
  return 0;
}
int cuCtxSetCurrent(void *context) {
  current = context;
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? chip() / 10 : chip() % 10;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  (void)device;
  *context = &modules;
  return 0;
}
/* A module is the chip that its CUBIN or PTX is for, as text. */
int cuModuleLoadData(void **module, const void *image) {
  const char *text = (const char *)image, *target = NULL;
  char *chip = (char *)malloc(64);
  unsigned flags, low, high;
  *module = chip;
  __atomic_add_fetch(&modules, 1, __ATOMIC_RELAXED);
  if (memcmp(image, "\177ELF", 4) == 0) {
    /* e_flags of the ELF header hold the chip: bits 8 to 15 since CUDA 13, 0 to 7 before. */
    memcpy(&flags, text + 48, 4);
    low = flags & 255;
    high = flags >> 8 & 255;
    snprintf(chip, 64, "sm_%u", high >= 50 ? high : low);
    return 0;
  }
  target = strstr(text, ".target ");
  if (!target)
    return 200;
  snprintf(chip, 64, "PTX for %.*s", (int)strcspn(target + 8, ", \n"), target + 8);
  return 0;
}
int cuModuleUnload(void *module) {
  free(module);
  printf("unloaded, %d left\n", __atomic_sub_fetch(&modules, 1, __ATOMIC_RELAXED));
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  char *text = (char *)malloc(128);
  snprintf(text, 128, "%s of %s", name, (char *)module);
  *function = text;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  printf("%s: attribute %d is %d\n", (char *)function, attribute, value);
  return 0;
}
int cuMemAllocAsync(void *address, size_t bytes, void *stream) {
  (void)address;
  (void)bytes;
  (void)stream;
  return 2;
}
int cuMemFreeAsync(unsigned long long address, void *stream) {
  (void)address;
  (void)stream;
  return 0;
}
/* Prints the map, and refuses bases that are multiples of 2^20. */
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address,
                           const unsigned long *extents, const unsigned long *strides,
                           const unsigned *box, const unsigned *steps, int interleave, int swizzle,
                           int promotion, int fill) {
  (void)steps;
  (void)interleave;
  printf("map of type %d, rank %u, at %p, %lu x %lu, stride %lu, box %u x %u, %d %d %d\n", type,
         rank, address, extents[0], extents[1], strides[0], box[0], box[1], swizzle, promotion,
         fill);
  memset(map, 0x11, 128);
  return (unsigned long)address % (1 << 20) == 0;
}
int cuLaunchKernelEx(const void *config, void *function, void **args, void **more) {
  (void)config;
  (void)args;
  (void)more;
  printf("%s with attributes\n", (char *)function);
  return 0;
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **args, void **more) {
  (void)more;
  (void)by;
  (void)bz;
  printf("%s on stream %p: grid %u %u %u, %u threads, %u bytes, first argument %p\n",
         (char *)function, stream, x, y, z, bx, shared, *(void **)args[0]);
  return getenv("FAKE_ERROR") ? atoi(getenv("FAKE_ERROR")) : 0;
}
