//===- LinkStyle.h - HIP in libraries of kernels ---------------------------===//
#pragma once

#include "../AotLaunchers.h"

namespace tessera::aot {

LibraryDriver hipLibraryDriver();

} // namespace tessera::aot
