//===- Driver.h - HIP -----------------------------------------------------===//
#pragma once

#include "../GPU/DriverTable.h"

namespace tessera {

/// The driver of AMD's GPUs (docs/abi.md, "HIP").
const gpu::DriverFace &hipDriver();

} // namespace tessera
