//===- DirectedRounding.h - arithmetic rounded down, up or to zero --------===//
// libdevice's add_rz, div_ru, ll2float_rd and their kind. LLVM's operations
// round to nearest, and processors round as a control register says. So one
// function per operation and type sets the register, calls another that holds
// nothing but the operation, and restores it; neither may be inlined, which
// keeps all other arithmetic out. Costs some 40 cycles a vector.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"
#include "tessera/Target/CPU/Spec.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::cpu {

enum class Direction { Nearest, TowardZero, Down, Up };

enum class RoundedOp { Add, Sub, Mul, Div, Sqrt, Fma, Narrow, FromSigned, FromUnsigned };

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
