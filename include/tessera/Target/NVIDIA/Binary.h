//===- Binary.h - assemble PTX to a cubin ---------------------------------===//
// NVIDIA's assembler, ptxas, makes the machine code; it is part of a CUDA toolkit. If there is
// none, PTX is the last output, and the driver compiles it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "tessera/Target/NVIDIA/Toolkit.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera::nvidia {

/// The report of ptxas -v about the kernel.
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

/// Runs ptxas. The error contains its messages. At least `minBlocks` CTAs of the kernel shall fit
/// on an SM; with 0, ptxas chooses.
llvm::Expected<AssembledKernel> assemblePTX(llvm::StringRef ptx, const NvidiaSpec &spec,
                                            const CompileOptions &options, const Toolkit &tools,
                                            unsigned minBlocks = 0);

/// Returns the machine code as text, from nvdisasm or cuobjdump.
llvm::Expected<std::string> disassembleCubin(llvm::StringRef cubin, const Toolkit &tools);

/// Parses the output of `ptxas -v`; missing numbers stay -1.
AssemblerReport parseAssemblerReport(llvm::StringRef text);

/// Returns "ptxas 13.0" from `ptxas --version`, or "ptxas" if there is no version in its output.
/// Cost: one start of the program, about 3 ms.
std::string describeAssembler(const Toolkit &tools);

} // namespace tessera::nvidia
