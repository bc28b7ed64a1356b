//===- AotLauncher.h - a kernel as a C source file ------------------------===//
// Writes the .c and .h that a C or C++ program compiles in to launch a kernel.
//
// On a GPU, through the CUDA driver API: the binary as a byte array, a function
// that loads it on first use and launches it, and the line that linkers of
// several variants read. Names follow the tool that people's build scripts know
// (docs/abi.md):
//
//   add_kernel_cuda90x3a1b2c4d_0d1d2d34(stream, x_ptr, y_ptr, output_ptr, n_elements)
//
// On the CPU, beside the object that it calls, which is a file of its own:
//
//   add_kernel(gridX, gridY, gridZ, x_ptr, y_ptr, output_ptr, n_elements)
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/CompiledKernel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera {

struct AotRequest {
  std::string outName; // empty: the kernel's name
  /// The signature's entries as written, which name the variant.
  std::vector<std::string> signature;
  /// Three expressions over the arguments' names (lib/Launch/AotGrid.h); empty: the caller passes
  /// the grid.
  std::vector<std::string> grid;
  bool usesVariantNames = false; // on the CPU: the variant is part of the function's name
  /// The same kernel without tensor maps, which launches take whose maps cannot be built. Without
  /// it they return an error. Null for kernels without maps.
  const CompiledKernel *withoutMaps = nullptr;
};

struct AotSources {
  std::string header;
  std::string source;
  std::string function; // "add_kernel_cuda90x3a1b2c4d_0d1d2d34"
  std::string variant;  // "cuda90x3a1b2c4d_0d1d2d34": what tells file names apart
};

/// Returns the name of the function of a CPU object (CompileOptions::symbol), so that the
/// kernel's own name is free for the typed function. Known before compiling.
std::string aotObjectSymbol(const AotRequest &request, llvm::StringRef target,
                            const CompileOptions &options);

/// The expressions of a grid, "n / 64, 2": one to three, filled up with 1. Checked as by checkGrid
/// for any kernel.
llvm::Expected<std::vector<std::string>> splitGrid(llvm::StringRef text);

/// The same check for a condition over a kernel's parameters, "n <= 1024".
llvm::Error checkCondition(llvm::StringRef condition, const KernelRecord *kernel);

/// Fails where an expression of the grid is wrong: for this kernel, or for any if it is null.
llvm::Error checkGrid(llvm::ArrayRef<std::string> grid, const KernelRecord *kernel);

/// `headerName` is what the source includes. Fails for kernels with arguments that a C caller could
/// not provide.
llvm::Expected<AotSources> writeAotSources(const CompiledKernel &kernel, const AotRequest &request,
                                           llvm::StringRef headerName);

/// A target as a part of names in C: "cuda90" for cuda:90.
std::string chipToken(llvm::StringRef target);

/// The part of the names that the target, the signature and the options decide:
/// "cuda90x3a1b2c4d_0d1d2". The hash and the letters are those of Triton's tool.
std::string aotVariant(llvm::ArrayRef<std::string> signature, const KernelRecord &record);

} // namespace tessera
