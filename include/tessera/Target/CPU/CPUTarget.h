//===- CPUTarget.h - the host processor as a target -----------------------===//
// TTIR becomes LLVM IR by fused loops over tiles, without thread layouts, and
// then an object file. Stages: make_ttir, make_llir, make_obj.
//
// The object exports one function per kernel:
//
//   int32_t KERNEL(const void *const *args, const uint32_t grid[3],
//                  uint64_t begin, uint64_t end);
//
// It runs the programs begin <= id < end of the grid, x fastest; args[i]
// points to the value of the kernel's i-th run-time argument. 0 is success, 1
// that memory for a temporary tile could not be had. Calls with disjoint
// ranges may run at once on any threads. Nothing but libm, libmvec and
// malloc/free is needed to link it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/CPU/Spec.h"
#include "tessera/Target/Target.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace tessera::cpu {

/// What the kernel function returns.
enum class KernelStatus : int32_t { Done = 0, OutOfMemory = 1, AssertionFailed = 2 };

using KernelFunction = int32_t (*)(const void *const *args, const uint32_t grid[3], uint64_t begin,
                                   uint64_t end);

std::unique_ptr<Target> createCPUTarget();

/// The text of the program's assembly, for `--emit asm`: from the LLVM module
/// that make_llir left, which is not changed.
llvm::Expected<std::string> emitAssembly(const llvm::Module &module, const CPUSpec &spec);

} // namespace tessera::cpu
