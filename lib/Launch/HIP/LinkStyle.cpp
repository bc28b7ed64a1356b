//===- LinkStyle.cpp - libraries and linked variants for HIP -------------===//
#include "LinkStyle.h"
#include "../LinkVariant.h"

using namespace tessera;

static aot::LinkStyle linkStyle() {
  return {.includes = R"(#include <stdint.h>
#ifndef TT_KERNEL_HIP_INCLUDES /* else a variant's header was here */
#if defined(__has_include)
#if __has_include(<hip/hip_runtime_api.h>)
#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>
#define TT_LINK_HAS_HIP_H 1
#endif
#endif
#ifndef TT_LINK_HAS_HIP_H
typedef int hipError_t;
typedef void *hipDeviceptr_t;
typedef struct ihipStream_t *hipStream_t;
#endif
#endif
#ifndef TT_LINK_HIP_CHIP
#define TT_LINK_HIP_CHIP 1
#include <stdlib.h>
#include <string.h>
#if !defined(TT_LINK_HAS_HIP_H) && !defined(TT_KERNEL_HAS_HIP_H)
#ifdef __cplusplus
extern "C" {
#endif
hipError_t hipGetDevice(int *);
hipError_t hipGetDevicePropertiesR0600(void *, int);
#ifdef __cplusplus
}
#endif
#define TT_LINK_PROPERTIES(buffer, device) hipGetDevicePropertiesR0600(buffer, device)
#else
#define TT_LINK_PROPERTIES(buffer, device) \
  hipGetDevicePropertiesR0600((hipDeviceProp_tR0600 *)(void *)(buffer), device)
#endif
/* The chip of the current device, 0x942 for gfx942; 0 if there is none. It is asked for once for
 * each device: the properties are slow to get. */
static inline int tt_link_hip_chip(void) {
  static int chips[64];
  union {
    char bytes[4096];
    long long aligned;
  } properties; /* with room for later versions; the name is at byte 1160 */
  const char *name = properties.bytes + 1160;
  int device = 0, chip = 0;
  if ((int)hipGetDevice(&device) != 0 || device < 0)
    return 0;
  if (device < 64)
    chip = __atomic_load_n(&chips[device], __ATOMIC_RELAXED);
  if (chip != 0)
    return chip;
  memset(properties.bytes, 0, sizeof properties.bytes);
  if ((int)TT_LINK_PROPERTIES(properties.bytes, device) != 0 || strncmp(name, "gfx", 3) != 0)
    return 0;
  chip = (int)strtoul(name + 3, 0, 16);
  if (device < 64)
    __atomic_store_n(&chips[device], chip, __ATOMIC_RELAXED);
  return chip;
}
#endif
)",
          .result = "hipError_t",
          .firstType = "hipStream_t",
          .firstName = "stream",
          .invalidValue = "(hipError_t)1 /* hipErrorInvalidValue */",
          .noBinary = "(hipError_t)209 /* hipErrorNoBinaryForGpu */",
          .addressType = "hipDeviceptr_t",
          .findChip = "tt_link_hip_chip",
          .servesGeneration = false,
          .loads = true,
          .forms = {""},
          .extraType = "",
          .extraName = ""};
}

/// "gfx942" is 0x942.
static aot::LibraryDriver::Chip readChip(llvm::StringRef chip) {
  aot::LibraryDriver::Chip read;
  read.isExact = true;
  chip.consume_front("gfx");
  chip.getAsInteger(16, read.number);
  return read;
}

aot::LibraryDriver aot::hipLibraryDriver() {
  return {"hip", "HIP/LibraryRuntime.c", /*servesLaterChips=*/false, readChip, linkStyle};
}
