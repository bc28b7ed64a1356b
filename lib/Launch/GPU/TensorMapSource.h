//===- TensorMapSource.h - C code that builds tensor maps -----------------===//
// What generated C launchers and libraries of kernels share: a function of each kernel with tensor
// maps, over the helpers of TensorMapRuntime.c.
//
//   static int NAME(void *const *args, struct tessera_rt_map *maps);   0: there are no such maps
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"
#include "llvm/Support/Error.h"

namespace tessera::aot {

/// The function `name` for the record's tensor maps. Fails for recipes that do not fit the kernel.
llvm::Expected<std::string> writeTensorMapFunction(const KernelRecord &record,
                                                   llvm::StringRef name);

} // namespace tessera::aot
