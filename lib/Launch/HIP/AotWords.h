//===- AotWords.h - C launchers in HIP's words ----------------------------===//
// The launcher of a kernel is the same for CUDA and HIP apart from names: its templates
// (CUDA/AotLauncher.cpp) are written with CUDA's, and these take their places.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tessera::aot {

/// Replaces CUDA's identifiers by HIP's: "CUmodule" by "hipModule_t".
std::string sayInHIP(llvm::StringRef text);

/// The part of the header in front of the declarations: HIP's header, or what of it is needed.
extern const llvm::StringLiteral kHIPIncludes;

} // namespace tessera::aot
