//===- AotWords.cpp - C launchers in HIP's words --------------------------===//
#include "AotWords.h"
#include "llvm/ADT/StringExtras.h"
#include <utility>

using namespace tessera;

/// Calls whose results the templates ignore say so: HIP declares its results [[nodiscard]] in C++.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kWords[] = {
    {"CUresult", "hipError_t"},
    {"CUdeviceptr", "hipDeviceptr_t"},
    {"CUstream", "hipStream_t"},
    {"CUmodule", "hipModule_t"},
    {"CUfunction", "hipFunction_t"},
    {"CUDA_SUCCESS", "hipSuccess"},
    {"cuModuleLoadData", "hipModuleLoadData"},
    {"cuModuleUnload", "(void)hipModuleUnload"},
    {"cuModuleGetFunction", "hipModuleGetFunction"},
    {"cuLaunchKernel", "hipModuleLaunchKernel"},
    {"cuLaunchCooperativeKernel", "hipModuleLaunchCooperativeKernel"},
    {"cuMemAllocAsync", "hipMallocAsync"},
    {"cuMemFreeAsync", "(void)hipFreeAsync"},
    {"cuGetErrorString", "(void)hipDrvGetErrorString"},
    {"context", "device"},
};

std::string aot::sayInHIP(llvm::StringRef text) {
  std::string said;
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  while (!text.empty()) {
    llvm::StringRef word = text.take_while(isPart);
    if (word.empty()) {
      said += text.front();
      text = text.drop_front();
      continue;
    }
    llvm::StringRef other = word;
    for (const auto &[cuda, hip] : kWords)
      if (word == cuda)
        other = hip;
    said += other;
    text = text.drop_front(word.size());
  }
  return said;
}

const llvm::StringLiteral aot::kHIPIncludes = R"(
#ifndef TT_KERNEL_HIP_INCLUDES
#define TT_KERNEL_HIP_INCLUDES
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__has_include)
#if __has_include(<hip/hip_runtime_api.h>)
#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>
#define TT_KERNEL_HAS_HIP_H 1
#endif
#endif
#ifndef TT_KERNEL_HAS_HIP_H
/* The part of HIP used here, for machines without its header. */
#ifdef __cplusplus
extern "C" {
#endif
typedef int hipError_t;
typedef void *hipDeviceptr_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
#define hipSuccess 0
hipError_t hipModuleLoadData(hipModule_t *, const void *);
hipError_t hipModuleUnload(hipModule_t);
hipError_t hipModuleGetFunction(hipFunction_t *, hipModule_t, const char *);
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, hipStream_t, void **, void **);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned,
                                            unsigned, unsigned, unsigned, hipStream_t, void **);
hipError_t hipMallocAsync(void **, size_t, hipStream_t);
hipError_t hipFreeAsync(void *, hipStream_t);
hipError_t hipDrvGetErrorString(hipError_t, const char **);
#ifdef __cplusplus
}
#endif
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif
)";
