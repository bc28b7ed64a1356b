//===- LinkStyle.h - CUDA in libraries of kernels ---------------------------===//
#pragma once

#include "../AotLaunchers.h"

namespace tessera::aot {

LibraryDriver cudaLibraryDriver();

} // namespace tessera::aot
