//===- KernelTypes.cpp - the IR type of a kernel's type -------------------===//
#include "tessera/TTIR/IR/KernelTypes.h"
#include "tessera/TTIR/IR/TTTypes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace tessera;

mlir::Type tessera::toIR(DType type, mlir::MLIRContext *context) {
  switch (type) {
  case DType::Void:
    return mlir::NoneType::get(context);
  case DType::FP8E5:
    return mlir::Float8E5M2Type::get(context);
  case DType::FP8E4NV:
    return mlir::Float8E4M3FNType::get(context);
  case DType::FP8E4B8:
    return mlir::Float8E4M3FNUZType::get(context);
  case DType::FP8E5B16:
    return mlir::Float8E5M2FNUZType::get(context);
  case DType::FP16:
    return mlir::Float16Type::get(context);
  case DType::BF16:
    return mlir::BFloat16Type::get(context);
  case DType::FP32:
    return mlir::Float32Type::get(context);
  case DType::FP64:
    return mlir::Float64Type::get(context);
  default: // integers, and fp8e4b15, which is represented by an integer of its bits
    return mlir::IntegerType::get(context, type.bits());
  }
}

mlir::Type tessera::toIR(const KernelType &type, mlir::MLIRContext *context) {
  mlir::Type result = toIR(type.scalar, context);
  if (type.isBlockPointer())
    result = mlir::RankedTensorType::get(type.pointeeShape, result);
  for (unsigned depth = 0; depth < type.pointerDepth; ++depth)
    result = tt::PointerType::get(result, /*addressSpace=*/1);
  return type.isBlock() ? mlir::RankedTensorType::get(type.shape, result) : result;
}
