//===- CPUDevice.h - kernels on this machine's processors -----------------===//
// Loads the `obj` artifact and runs the grid's programs on a thread pool
// (docs/abi.md, "The CPU"). Launches return when the kernel is done.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/Device.h"

namespace tessera {

/// Null `threads` makes a pool with one thread per usable processor.
std::unique_ptr<Device> createCPUDevice(std::shared_ptr<ThreadPool> threads,
                                        bool tellProfiler = false);

/// Returns the CPU's properties without creating a device; null `threads` means one thread per
/// usable processor.
DeviceProperties describeCPU(const ThreadPool *threads);

} // namespace tessera
