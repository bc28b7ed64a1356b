/* Where the arrays of these programs are: in this process's memory, or on a GPU. A program that
 * uses the CUDA runtime has cudaMalloc and cudaMemcpy in the place of this; here NVIDIA's driver is
 * opened by name, so that the programs start on any machine and build without a CUDA toolkit. */
#ifndef DEPLOY_DEVICE_H
#define DEPLOY_DEVICE_H

#include "demo.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  int (*allocate)(unsigned long long *, size_t);
  int (*copy_in)(unsigned long long, const void *, size_t);
  int (*copy_out)(void *, unsigned long long, size_t);
  int (*free)(unsigned long long);
} device_driver;

static void *device_function(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found)
    fprintf(stderr, "libcuda.so.1 has no %s\n", name);
  return found;
}

/* "cpu" or "cuda"; ends the program if there is no such thing. A CUDA device has the driver's
 * default stream, NULL. */
static tessera_stream device_open(const char *name) {
  void *library, *found[4];
  unsigned i;
  static const char *const names[] = {"cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2",
                                      "cuMemFree_v2"};
  if (strcmp(name, "cpu") == 0)
    return TESSERA_ON_CPU;
  if (demo_load() != TESSERA_KERNEL_OK) { /* opens the driver and makes a context */
    fprintf(stderr, "%s\n", demo_last_error());
    exit(2);
  }
  library = dlopen("libcuda.so.1", RTLD_NOW);
  for (i = 0; i < 4; ++i)
    if (!library || !(found[i] = device_function(library, names[i])))
      exit(2);
  memcpy(&device_driver.allocate, &found[0], sizeof(void *));
  memcpy(&device_driver.copy_in, &found[1], sizeof(void *));
  memcpy(&device_driver.copy_out, &found[2], sizeof(void *));
  memcpy(&device_driver.free, &found[3], sizeof(void *));
  return NULL;
}

/* An array on the device that holds these floats. */
static float *device_array(tessera_stream where, const float *values, size_t count) {
  unsigned long long address = 0;
  float *copy;
  if (where == TESSERA_ON_CPU) {
    copy = (float *)malloc(count * sizeof(float));
    if (copy)
      memcpy(copy, values, count * sizeof(float));
    return copy;
  }
  if (device_driver.allocate(&address, count * sizeof(float)) ||
      device_driver.copy_in(address, values, count * sizeof(float))) {
    fprintf(stderr, "the GPU has no memory\n");
    exit(2);
  }
  return (float *)(uintptr_t)address;
}

/* Copies them back, after all that was launched on the default stream, and frees the array. */
static void device_take(tessera_stream where, float *values, float *array, size_t count) {
  if (where == TESSERA_ON_CPU) {
    memcpy(values, array, count * sizeof(float));
    free(array);
    return;
  }
  if (device_driver.copy_out(values, (unsigned long long)(uintptr_t)array, count * sizeof(float))) {
    fprintf(stderr, "the kernel failed\n");
    exit(2);
  }
  device_driver.free((unsigned long long)(uintptr_t)array);
}

#endif
