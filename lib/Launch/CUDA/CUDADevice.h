//===- CUDADevice.h - kernels on an NVIDIA GPU ----------------------------===//
// Loads the `cubin` artifact, or lets the driver compile the `ptx`, and
// launches in the device's primary context, which every CUDA library in the
// process shares (docs/abi.md, "CUDA").
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/Device.h"

namespace tessera {

/// An empty `library` is the driver's own.
llvm::Expected<std::unique_ptr<Device>> createCUDADevice(unsigned ordinal,
                                                         const std::string &library);

/// Lists the devices by ordinal, without creating contexts.
llvm::Expected<llvm::SmallVector<DeviceProperties>> listCUDADevices(const std::string &library);

} // namespace tessera
