//===- AmdTarget.h - AMD GPUs as targets ----------------------------------===//
// Stages: make_ttir, make_ttgir, make_llir, make_amdgcn, make_hsaco. None needs
// anything of ROCm on the machine.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/AMD/Spec.h"
#include "tessera/Target/Target.h"
#include <memory>

namespace tessera::amd {

/// How the kernel uses the chip: how many CTAs fit on a compute unit (of RDNA: on a workgroup
/// processor), and what limits them.
std::optional<MachineFacts> machineFacts(const AmdSpec &spec, const KernelRecord &record);

/// Returns the places at which the launch grid shows, from TTGIR to the launch.
std::vector<GridStation> gridStations(const KernelRecord &record);

std::unique_ptr<Target> createAmdTarget(const AmdSpec &spec, const ToolPaths &tools);

/// The passes of make_ttgir: choose layouts.
void buildTTGIRPipeline(mlir::OpPassManager &pm, const AmdSpec &spec,
                        const CompileOptions &options);
/// The passes of make_llir that work on MLIR: scalar code per thread.
void buildLLIRPipeline(mlir::OpPassManager &pm, const AmdSpec &spec, const CompileOptions &options);
/// Returns the need of a pass of these pipelines (Target::needOf); Always for other passes.
PassNeed needOf(llvm::StringRef pass);
/// Registers `tessera-opt --amd-make-ttgir` and `--amd-make-llir`.
void registerPipelines();

} // namespace tessera::amd
