//===- Elementwise.h - arith, math and tt arithmetic on lanes -------------===//
// Each op that computes one result element from the operands' elements of the
// same index, on a scalar or on a vector of lanes. What LLVM leaves undefined
// and would take the process down is defined here, like the GPU's result
// where there is one:
//
//   x / 0             all bits set          x % 0              x
//   INT_MIN / -1      INT_MIN               INT_MIN % -1       0
//   x << n, n >= bits 0                     x >> n, n >= bits  0, or the sign
//   float to int      saturates, NaN is 0
//===----------------------------------------------------------------------===//
#pragma once

#include "LaneBuilder.h"
#include "tessera/Target/CPU/Spec.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::cpu {

/// How one element is held: small floats as integers, pointers as !llvm.ptr.
/// Null for what the target does not have (i4, descriptors, block pointers).
mlir::Type convertElement(mlir::Type type);
/// Bytes of an element in memory; i1 takes one.
unsigned elementBytes(mlir::Type type);

class Elementwise {
public:
  /// `contract` lets a*b+c round once. Library functions are declared in `module`.
  Elementwise(const CPUSpec &spec, bool contract, mlir::ModuleOp module)
      : spec(spec), contract(contract), module(module) {}

  static bool handles(mlir::Operation *op);
  /// The functions that lowered code may call, scalar and vector ones.
  static bool isLibraryFunction(llvm::StringRef symbol);

  /// `operands` are the op's, each a scalar or all of one number of lanes.
  /// Null after a diagnostic.
  mlir::Value lower(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);

private:
  mlir::Value lowerInteger(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);
  mlir::Value lowerFloat(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);
  mlir::Value lowerCast(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);
  mlir::Value lowerPointer(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);
  mlir::Value divide(LaneBuilder &b, mlir::Operation *op, mlir::Value x, mlir::Value y);
  mlir::Value intToFloat(LaneBuilder &b, mlir::Value value, mlir::Type to, bool isSigned);
  mlir::Value floatToInt(LaneBuilder &b, mlir::Value value, mlir::Type to, bool isSigned);
  /// A libm function: libmvec for vectors where it has it, else lane by lane.
  mlir::Value callLibrary(LaneBuilder &b, llvm::StringRef function,
                          llvm::ArrayRef<mlir::Value> args);
  mlir::Value callOnce(LaneBuilder &b, llvm::StringRef symbol, llvm::ArrayRef<mlir::Value> args);

  const CPUSpec &spec;
  bool contract;
  mlir::ModuleOp module;
};

} // namespace tessera::cpu
