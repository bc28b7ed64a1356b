//===- NvidiaTarget.h - NVIDIA GPUs as targets ----------------------------===//
// Stages: make_ttir, make_ttgir, make_llir, make_ptx, make_cubin. Only the last
// needs anything of CUDA on the machine (ptxas).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/NVIDIA/Spec.h"
#include "tessera/Target/Target.h"
#include <memory>

namespace tessera::nvidia {

/// How the kernel uses the chip: how many CTAs fit on an SM, and what limits them.
std::optional<MachineFacts> machineFacts(const NvidiaSpec &spec, const KernelRecord &record);

/// Returns the places at which the launch grid shows, from TTGIR to the launch.
std::vector<GridStation> gridStations(const KernelRecord &record);

std::unique_ptr<Target> createNvidiaTarget(const NvidiaSpec &spec, const ToolPaths &tools);

/// How make_ttgir may differ from the usual, for kernels that spill.
struct TTGIRChoices {
  /// Loads and operands of the next iteration wait in registers where that hides latency.
  bool carryLoads = true;
  /// Operands that a loop does not change are read from shared memory in every iteration.
  bool rereadOperands = false;
  /// Operands of several dots stay in their buffers rather than in registers.
  bool reuseBuffers = false;
  /// Products by wgmma run beside other work.
  bool overlapDots = true;
};

/// The passes of make_ttgir: choose layouts.
void buildTTGIRPipeline(mlir::OpPassManager &pm, const NvidiaSpec &spec,
                        const CompileOptions &options, const TTGIRChoices &choices = {});
/// Returns the need of a pass of these pipelines (Target::needOf); Always for other passes.
PassNeed needOf(llvm::StringRef pass);
/// The passes of make_llir that work on MLIR: scalar code per thread.
void buildLLIRPipeline(mlir::OpPassManager &pm, const NvidiaSpec &spec,
                       const CompileOptions &options);
/// Registers `tessera-opt --nvidia-make-ttgir` and `--nvidia-make-llir`.
void registerPipelines();

} // namespace tessera::nvidia
