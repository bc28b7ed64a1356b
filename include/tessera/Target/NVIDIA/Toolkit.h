//===- Toolkit.h - where the CUDA toolkit's programs and libraries are ----===//
// Search order: a variable that names the file (TESSERA_PTXAS_PATH or
// TRITON_PTXAS_PATH), PATH, the toolkits of CUDA_HOME, CUDA_PATH and CUDA_ROOT,
// /usr/local/cuda*, and the packages that pip installs. Only folders are looked at;
// nothing is run.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/Target.h"

namespace tessera::nvidia {

/// ptxas, nvdisasm, cuobjdump and libdevice.
llvm::SmallVector<FoundTool> findTools(const ToolPlaces &places);

} // namespace tessera::nvidia
