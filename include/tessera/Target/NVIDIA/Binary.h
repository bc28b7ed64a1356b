//===- Binary.h - from PTX to a cubin -------------------------------------===//
// The machine code is made by NVIDIA's assembler, ptxas, which comes with a
// CUDA toolkit. Without one, PTX is the end: the driver can compile it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "tessera/Target/NVIDIA/Toolkit.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera::nvidia {

/// What ptxas says about the kernel with -v.
struct AssemblerReport {
  std::string kernelName; // the last entry function
  int registers = -1;     // per thread
  int spillBytes = -1;    // stores and loads together
  /// The advice of ptxas about slow wgmma instructions, with its codes: "C7510: wgmma.mma_async
  /// instructions are serialized due to ..."; empty if there is none.
  std::string advice;
};

struct AssembledKernel {
  std::string cubin;
  AssemblerReport report;
};

/// Runs ptxas. The error holds its words. `minBlocks` blocks of the kernel fit an SM at a time;
/// 0: as ptxas sees fit.
llvm::Expected<AssembledKernel> assemblePTX(llvm::StringRef ptx, const NvidiaSpec &spec,
                                            const CompileOptions &options, const Toolkit &tools,
                                            unsigned minBlocks = 0);

/// The machine code as text, by nvdisasm or cuobjdump.
llvm::Expected<std::string> disassembleCubin(llvm::StringRef cubin, const Toolkit &tools);

/// Reads the lines of `ptxas -v`; what is missing stays -1.
AssemblerReport parseAssemblerReport(llvm::StringRef text);

/// "ptxas 13.0" from asking the program, or "ptxas" if it does not say.
/// Cost: one start of the program, some 3 ms.
std::string describeAssembler(const Toolkit &tools);

} // namespace tessera::nvidia
