//===- CPUTarget.h - the host processor as a target -----------------------===//
// Lowers TTIR to LLVM IR by fused loops over tiles, without thread layouts, and then to an object
// file. Stages: make_ttir, make_llir, make_obj.
//
// The object exports one function per kernel:
//
//   int32_t KERNEL(const void *const *args, const uint32_t grid[3],
//                  uint64_t begin, uint64_t end);
//
// It runs the programs begin <= id < end of the grid, x fastest; args[i] points to the value of the
// kernel's i-th run-time argument. The result is a KernelStatus. Calls with disjoint ranges may run
// concurrently in any threads. To link it, only libm, libmvec and malloc/free are needed.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/CPU/Spec.h"
#include "tessera/Target/Target.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace tessera::cpu {

/// The result of the kernel function.
enum class KernelStatus : int32_t { Done = 0, OutOfMemory = 1, AssertionFailed = 2 };

using KernelFunction = int32_t (*)(const void *const *args, const uint32_t grid[3], uint64_t begin,
                                   uint64_t end);

/// Returns the places at which the launch grid shows, from TTIR to the launch.
std::vector<GridStation> gridStations(const KernelRecord &record);

std::unique_ptr<Target> createCPUTarget();

/// Returns the kernel's assembly for `--emit asm`, generated from the LLVM module of make_llir,
/// which is not changed.
llvm::Expected<std::string> emitAssembly(const llvm::Module &module, const CPUSpec &spec);

} // namespace tessera::cpu
