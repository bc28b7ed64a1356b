//===- KernelArguments.h - the arguments of a kernel that is IR -----------===//
// For compilations that start from IR text: what a launch passes for the arguments
// of a tt.func (docs/abi.md). From Python source the frontend knows this itself.
//
//   tt.func @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32})   x: *fp32, divisible by 16
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelArgument.h"
#include "tessera/TTIR/IR/TTOps.h"
#include <vector>

namespace tessera::tt {

/// The public functions of a module: its kernels.
llvm::SmallVector<FuncOp> findKernels(mlir::ModuleOp module);

/// One entry for each value that a launch passes, named after the source where the IR has
/// names. Integers read as signed, as the IR has no signs.
std::vector<KernelArgument> describeArguments(FuncOp kernel);

} // namespace tessera::tt
