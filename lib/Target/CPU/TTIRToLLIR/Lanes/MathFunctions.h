//===- MathFunctions.h - exp, tanh, erf and all of libm on lanes ----------===//
// A function is named by libm's name for doubles ("exp", "atan2"). The lanes decide how it is
// computed:
//
//   f32, frequent functions    an inline polynomial (Polynomials.h)
//   vectors                    glibc's libmvec, in pieces of a register's width
//   everything else            libm, lane by lane
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"
#include "tessera/Target/CPU/Spec.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::cpu {

class MathFunctions {
public:
  /// Functions are declared in `module`.
  MathFunctions(const CPUSpec &spec, mlir::ModuleOp module) : spec(spec), module(module) {}

  /// All arguments have the same number of lanes. The result has the type of the first float
  /// argument unless `result` (the type of one lane) names another.
  mlir::Value call(LaneBuilder &b, llvm::StringRef function, llvm::ArrayRef<mlir::Value> args,
                   mlir::Type result = {});

  /// Computes x to the power of n, an i32.
  mlir::Value integerPower(LaneBuilder &b, mlir::Value x, mlir::Value n);

  /// Calls a private function whose code `body` emits: long code that several call sites share.
  /// `name` and the types of the arguments identify it.
  using Body = llvm::function_ref<mlir::Value(LaneBuilder &, llvm::ArrayRef<mlir::Value>)>;
  mlir::Value outline(LaneBuilder &b, llvm::StringRef name, llvm::ArrayRef<mlir::Value> args,
                      mlir::Type result, Body body);

  /// Returns whether lowered code may call a function of this name, scalar or vector.
  static bool isSymbol(llvm::StringRef symbol);

private:
  mlir::Value callOnce(LaneBuilder &b, llvm::StringRef symbol, llvm::ArrayRef<mlir::Value> args,
                       mlir::Type result);

  /// Calls the function once per lane, inline.
  mlir::Value callLanes(LaneBuilder &b, llvm::StringRef symbol, llvm::ArrayRef<mlir::Value> args,
                        mlir::Type result);
  mlir::Value floatModulo(LaneBuilder &b, mlir::Value x, mlir::Value y);

  const CPUSpec &spec;
  mlir::ModuleOp module;
};

} // namespace tessera::cpu
