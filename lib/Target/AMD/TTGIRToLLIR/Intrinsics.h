//===- Intrinsics.h - calls of LLVM's AMDGPU intrinsics -------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tessera::amd {

/// Calls `llvm.amdgcn.NAME`; LLVM resolves overloaded types. The result is null if `type` is.
inline mlir::Value emitIntrinsic(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
                                 mlir::Type type, mlir::ValueRange operands) {
  mlir::StringAttr symbol = b.getStringAttr("llvm.amdgcn." + name);
  if (!type) {
    mlir::LLVM::CallIntrinsicOp::create(b, loc, symbol, operands);
    return {};
  }
  return mlir::LLVM::CallIntrinsicOp::create(b, loc, type, symbol, operands).getResult(0);
}

inline mlir::Value constantI32(mlir::OpBuilder &b, mlir::Location loc, int64_t value) {
  return mlir::LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
}
inline mlir::Value constantI1(mlir::OpBuilder &b, mlir::Location loc, bool value) {
  return mlir::LLVM::ConstantOp::create(b, loc, b.getI1Type(), b.getBoolAttr(value));
}

} // namespace tessera::amd
