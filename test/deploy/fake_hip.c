/* The part of HIP that launchers and libraries of kernels call. It finds a GPU of the chip
 * FAKE_HIP_CHIP ("gfx942"), none if that is not set, and prints what it is asked to do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hipInit(unsigned flags) {
  (void)flags;
  return getenv("FAKE_HIP_CHIP") ? 0 : 100;
}
int hipDrvGetErrorString(int error, const char **text) {
  *text = error == 100 ? "no ROCm-capable device is detected" : "broken";
  return 0;
}
int hipGetDeviceCount(int *count) {
  *count = 1;
  return 0;
}
int hipGetDevice(int *device) {
  *device = 0;
  return 0;
}
int hipSetDevice(int device) {
  (void)device;
  return 0;
}
/* hipDeviceProp_tR0600 has the chip's name at byte 1160. */
int hipGetDevicePropertiesR0600(void *properties, int device) {
  (void)device;
  memset(properties, 0, 1472);
  sprintf((char *)properties + 1160, "%s:sramecc+:xnack-", getenv("FAKE_HIP_CHIP"));
  return 0;
}
/* A module is its chip: e_flags of the ELF header have the machine in bits 0 to 7. */
int hipModuleLoadData(void **module, const void *image) {
  unsigned machine = ((const unsigned char *)image)[48];
  const char *chip = machine == 0x4c   ? "gfx942"
                     : machine == 0x41 ? "gfx1100"
                     : machine == 0x3f ? "gfx90a"
                                       : "another chip";
  printf("load %s for %s\n", memcmp(image, "\177ELF", 4) ? "nonsense" : "ELF", chip);
  *module = (void *)chip;
  return 0;
}
int hipModuleUnload(void *module) {
  (void)module;
  puts("unload");
  return 0;
}
int hipModuleGetFunction(void **function, void *module, const char *name) {
  printf("find %s\n", name);
  *function = module;
  return 0;
}
int hipModuleLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream, void **arguments,
                          void **extra) {
  (void)function, (void)by, (void)bz, (void)stream, (void)extra;
  printf("launch %u %u %u x %u shared %u n %d\n", x, y, z, bx, shared, *(int *)arguments[3]);
  return getenv("FAKE_ERROR") ? atoi(getenv("FAKE_ERROR")) : 0;
}
int hipModuleLaunchCooperativeKernel(void *function, unsigned x, unsigned y, unsigned z,
                                     unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                     void *stream, void **arguments) {
  printf("cooperative ");
  return hipModuleLaunchKernel(function, x, y, z, bx, by, bz, shared, stream, arguments, 0);
}
