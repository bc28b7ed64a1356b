//===- OcmlLibrary.h - math functions of an installed ROCm ----------------===//
// A few functions, such as those of Bessel, are neither in LLVM nor among the embedded ones
// (MathLibrary.h). Where ROCm's device libraries are installed, they come from ocml.bc; elsewhere a
// kernel that calls them is unsupported.
//
// Search order: TESSERA_OCML_PATH or TRITON_OCML_PATH, which name the file; ROCM_PATH, ROCM_HOME
// and HIP_PATH; /opt/rocm and /opt/rocm-X.Y, newest first; packages that pip installs (Triton's).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/AMD/Spec.h"
#include "tessera/Target/Target.h"
#include "llvm/IR/Module.h"

namespace tessera::amd {

/// The role of ocml.bc, as settings and ToolPaths name it.
inline constexpr llvm::StringLiteral kOcmlRole = "ocml";

/// Returns the path of ocml.bc; empty if there is none.
std::string findOcml(const ToolPlaces &places);

/// Returns ocml's name of a function that only it has, "__ocml_j0_f32" for "__nv_j0f"; empty if
/// there is none.
std::string ocmlSymbol(llvm::StringRef symbol);

/// Links the undefined functions that the library at `path` defines, and defines the constants that
/// tell them the chip and the contract of f32.
llvm::Error linkOcml(llvm::Module &module, llvm::StringRef path, const AmdSpec &spec,
                     bool flushesDenormals);

} // namespace tessera::amd
