//===- LinkStyle.cpp - libraries and linked variants for the CUDA driver -===//
#include "LinkStyle.h"
#include "../LinkVariant.h"

using namespace tessera;

static aot::LinkStyle linkStyle() {
  return {.includes = R"(#include <stdint.h>
#ifndef TT_KERNEL_INCLUDES /* else a variant's header was here */
#if defined(__has_include)
#if !__has_include(<cuda.h>)
#define TT_LINK_WITHOUT_CUDA_H 1
#endif
#endif
#ifdef TT_LINK_WITHOUT_CUDA_H
typedef int CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct CUstream_st *CUstream;
#else
#include <cuda.h>
#endif
#endif
#ifndef TT_LINK_CHIP
#define TT_LINK_CHIP 1
#if defined(TT_LINK_WITHOUT_CUDA_H) || (defined(TT_KERNEL_INCLUDES) && !defined(TT_KERNEL_HAS_CUDA_H))
#ifdef __cplusplus
extern "C" {
#endif
CUresult cuCtxGetDevice(int *);
CUresult cuDeviceGetAttribute(int *, int, int);
#ifdef __cplusplus
}
#endif
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR 75
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR 76
#endif
/* The compute capability of the current context's GPU, 90 for 9.0; 0 if there is none. */
static inline int tt_link_chip(void) {
  int device = 0, major = 0, minor = 0;
  if ((int)cuCtxGetDevice(&device) != 0 ||
      (int)cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != 0 ||
      (int)cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != 0)
    return 0;
  return major * 10 + minor;
}
#endif
)",
          .result = "CUresult",
          .firstType = "CUstream",
          .firstName = "stream",
          .invalidValue = "(CUresult)1 /* CUDA_ERROR_INVALID_VALUE */",
          .noBinary = "(CUresult)209 /* CUDA_ERROR_NO_BINARY_FOR_GPU */",
          .addressType = "",
          .findChip = "tt_link_chip",
          .servesGeneration = true,
          .loads = true,
          .forms = {""},
          .extraType = "",
          .extraName = ""};
}

/// "sm_90a" is 90, and runs on 9.0 alone: PTX ISA, "architecture-specific features".
static aot::LibraryDriver::Chip readChip(llvm::StringRef chip) {
  aot::LibraryDriver::Chip read;
  chip.consume_front("sm_");
  read.isExact = chip.consume_back("a");
  chip.getAsInteger(10, read.number);
  return read;
}

aot::LibraryDriver aot::cudaLibraryDriver() {
  return {"cuda", "CUDA/LibraryRuntime.c", /*servesLaterChips=*/true, readChip, linkStyle};
}
