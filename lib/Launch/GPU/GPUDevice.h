//===- GPUDevice.h - kernels on a GPU -------------------------------------===//
// One implementation for every vendor, over the names and numbers of its driver
// (DriverFace). On NVIDIA's it loads the `cubin` artifact, or lets the driver compile the
// `ptx`, and launches in the device's primary context, which every CUDA library in the
// process shares; on AMD's it loads the `hsaco` (docs/abi.md, "CUDA" and "HIP").
//===----------------------------------------------------------------------===//
#pragma once

#include "DriverAPI.h"
#include "tessera/Launch/Device.h"

namespace tessera {

/// An empty `library` is the vendor's own.
llvm::Expected<std::unique_ptr<Device>>
createGPUDevice(const gpu::DriverFace &face, unsigned ordinal, const std::string &library);

/// Lists the devices by ordinal, without creating contexts.
llvm::Expected<llvm::SmallVector<DeviceProperties>> listGPUDevices(const gpu::DriverFace &face,
                                                                   const std::string &library);

} // namespace tessera
