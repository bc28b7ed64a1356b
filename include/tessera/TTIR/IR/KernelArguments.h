//===- KernelArguments.h - the arguments of a kernel that is given as IR -===//
// For compilations that start from IR: what a launch passes for the arguments of a tt.func
// (docs/abi.md). For Python source the frontend supplies this.
//
//   tt.func @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32})   x: *fp32, divisible by 16
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelArgument.h"
#include "tessera/TTIR/IR/TTOps.h"
#include <vector>

namespace tessera::tt {

/// Returns the public functions of a module: its kernels.
llvm::SmallVector<FuncOp> findKernels(mlir::ModuleOp module);

/// Returns one entry for each value that a launch passes, with the source's name if the IR has it.
/// Integers are described as signed, because IR integers have no sign.
std::vector<KernelArgument> describeArguments(FuncOp kernel);

} // namespace tessera::tt
