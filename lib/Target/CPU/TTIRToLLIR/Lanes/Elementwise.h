//===- Elementwise.h - arith, math and tt arithmetic on lanes -------------===//
// Lowers each op that computes a result element from the operands' elements of the same index, on a
// scalar or on a vector of lanes. Cases that are undefined in LLVM, or would trap, are defined
// here, with the GPU's result if there is one:
//
//   x / 0             all bits set          x % 0              x
//   INT_MIN / -1      INT_MIN               INT_MIN % -1       0
//   x << n, n >= bits 0                     x >> n, n >= bits  0, or the sign
//   float to int      saturates, NaN is 0
//
// Floats narrower than 32 bits are computed in f32 and rounded after every operation.
//===----------------------------------------------------------------------===//
#pragma once

#include "MathFunctions.h"
#include "tessera/LLIR/DeviceMath.h"
#include "tessera/Target/CPU/Spec.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::cpu {

/// Returns the type that represents one element: integers for small floats, !llvm.ptr for pointers.
/// Null for types that the target does not support (i4, descriptors, block pointers).
mlir::Type convertElement(mlir::Type type);
/// Returns the bytes of an element in memory; an i1 takes one.
unsigned elementBytes(mlir::Type type);

class Elementwise {
public:
  /// `contract` allows a*b+c to be rounded once. Library functions are declared in `module`.
  Elementwise(const CPUSpec &spec, bool contract, mlir::ModuleOp module)
      : spec(spec), contract(contract), functions(spec, module), libdevice(functions) {}
  Elementwise(const Elementwise &) = delete;

  static bool handles(mlir::Operation *op);
  /// For an elementwise op that is not supported (inline assembly, a function of a device library),
  /// returns the reason and what would work; empty for other ops.
  static std::string explainUnsupported(mlir::Operation *op);
  /// Returns whether lowered code may call this library function, scalar or vector.
  static bool isLibraryFunction(llvm::StringRef symbol) { return MathFunctions::isSymbol(symbol); }

  /// `operands` are the op's, all scalars or all vectors with the same number of lanes. Requires
  /// `handles`.
  mlir::Value lower(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);

private:
  mlir::Value lowerFloat(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);
  mlir::Value lowerPointer(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> args);

  const CPUSpec &spec;
  bool contract;
  MathFunctions functions;
  DeviceMath libdevice;
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
/// Lowers arithmetic on f32 or f64 lanes `wide`. Returns null for ops that call a library function,
/// whose name libraryName returns.
mlir::Value lowerFloatOp(LaneBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> wide,
                         bool contract);
/// Returns the name of libm's function for doubles ("exp" for math.exp); empty for other ops.
llvm::StringRef libraryName(mlir::Operation *op);

} // namespace tessera::cpu
