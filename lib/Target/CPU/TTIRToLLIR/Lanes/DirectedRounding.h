//===- DirectedRounding.h - arithmetic rounded down, up or to zero --------===//
// Implements libdevice's add_rz, div_ru, ll2float_rd and similar functions. LLVM's operations round
// to nearest, and processors round as a control register says. Therefore one function per operation
// and type sets the register, calls another function that contains nothing but the operation, and
// restores the register. Neither may be inlined, so that no other arithmetic is moved in between.
// This costs about 40 cycles per vector.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/MathLibrary.h"
#include "tessera/Target/CPU/Spec.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::cpu {

class DirectedRounding {
public:
  DirectedRounding(const CPUSpec &spec, mlir::ModuleOp module) : spec(spec), module(module) {}

  /// `result` is the type of one lane.
  mlir::Value apply(LaneBuilder &b, RoundedOp op, Direction direction,
                    llvm::ArrayRef<mlir::Value> args, mlir::Type result);

private:
  mlir::LLVM::LLVMFuncOp operation(LaneBuilder &b, RoundedOp op, mlir::LLVM::LLVMFunctionType type,
                                   llvm::StringRef name);
  mlir::LLVM::LLVMFuncOp wrapper(LaneBuilder &b, RoundedOp op, Direction direction,
                                 mlir::LLVM::LLVMFunctionType type);

  const CPUSpec &spec;
  mlir::ModuleOp module;
};

} // namespace tessera::cpu
