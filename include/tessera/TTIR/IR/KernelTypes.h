//===- KernelTypes.h - IR types of the language's types ------------------===//
// Maps the language's types (include/tessera/Kernel/KernelType.h) to TTIR's:
//
//   toIR(DType::FP8E4NV)   f8E4M3FN      toIR(*fp32)       !tt.ptr<f32>
//   toIR(u32), toIR(i32)   i32           toIR(fp32[64])    tensor<64xf32>
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelType.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"

namespace tessera {

/// fp8e4b15 has no type in MLIR and becomes i8; its conversions are integer arithmetic.
mlir::Type toIR(DType type, mlir::MLIRContext *context);
mlir::Type toIR(const KernelType &type, mlir::MLIRContext *context);

} // namespace tessera
