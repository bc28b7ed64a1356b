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
//
// Floats narrower than 32 bits compute in f32 and round after every operation.
//===----------------------------------------------------------------------===//
#pragma once

#include "Libdevice.h"
#include "MathFunctions.h"
#include "tessera/LLIR/LaneBuilder.h"
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
      : spec(spec), contract(contract), functions(spec, module),
        libdevice(functions, DirectedRounding(spec, module)) {}
  Elementwise(const Elementwise &) = delete;

  static bool handles(mlir::Operation *op);
  /// Of an op that computes each element on its own and is not handled (assembly,
  /// a device library's function): why, and what would work. Empty for others.
  static std::string explainUnsupported(mlir::Operation *op);
  /// The functions that lowered code may call, scalar and vector ones.
  static bool isLibraryFunction(llvm::StringRef symbol) { return MathFunctions::isSymbol(symbol); }

  /// `operands` are the op's, each a scalar or all of one number of lanes. Requires
  /// `handles`.
  mlir::Value lower(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);

private:
  mlir::Value lowerFloat(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);
  mlir::Value lowerPointer(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);

  const CPUSpec &spec;
  bool contract;
  MathFunctions functions;
  Libdevice libdevice;
};

//===----------------------------------------------------------------------===//
// The families, each in its file
//===----------------------------------------------------------------------===//

bool isIntegerOp(mlir::Operation *op);
mlir::Value lowerIntegerOp(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);

bool isCastOp(mlir::Operation *op);
mlir::Value lowerCastOp(LaneBuilder &b, mlir::Operation *op, mlir::Value value,
                        const CPUSpec &spec);

bool isFloatOp(mlir::Operation *op);
/// Arithmetic on f32 or f64 lanes, which `wide` are. Null for isFloatOp's library
/// functions, whose name libraryName gives.
mlir::Value lowerFloatOp(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> wide,
                         bool contract);
/// libm's name for doubles of a function ("exp" of math.exp); empty for others.
llvm::StringRef libraryName(mlir::Operation *op);

} // namespace tessera::cpu
