//===- Toolkit.h - where the CUDA toolkit's programs and libraries are ----===//
// Search order: a variable that names the file (TESSERA_PTXAS_PATH or
// TRITON_PTXAS_PATH), PATH, the toolkits of CUDA_HOME, CUDA_PATH and CUDA_ROOT,
// /usr/local/cuda*, and the packages that pip installs. Only folders are looked at;
// nothing is run.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/Target.h"

namespace tessera::nvidia {

/// The roles of the tools, as settings and ToolPaths name them.
inline constexpr llvm::StringLiteral kAssemblerRole = "ptxas", kLibraryRole = "libdevice",
                                     kDisassemblerRole = "disassembler";

/// The paths that the stages use; empty where there is no such tool.
struct Toolkit {
  explicit Toolkit(const ToolPaths &tools);

  std::string ptxas;
  std::string libdevice;
  std::string disassembler;                                    // nvdisasm or cuobjdump
  std::shared_ptr<const std::vector<std::string>> environment; // see ToolPaths
  std::string temporaryFolder;
  std::function<bool(const std::string &work, double seconds)> watch; // see ToolPaths
};

/// ptxas and libdevice, and one of the two disassemblers.
llvm::SmallVector<ToolRole> listTools();
void chooseTools(llvm::ArrayRef<FoundTool> found, ToolPaths &paths);

/// ptxas, nvdisasm, cuobjdump and libdevice.
llvm::SmallVector<FoundTool> findTools(const ToolPlaces &places);

} // namespace tessera::nvidia
