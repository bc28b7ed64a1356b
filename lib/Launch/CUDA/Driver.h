//===- Driver.h - CUDA's driver -------------------------------------------===//
#pragma once

#include "../GPU/DriverTable.h"

namespace tessera {

/// The driver of NVIDIA's GPUs (docs/abi.md, "CUDA").
const gpu::DriverFace &cudaDriver();

} // namespace tessera
