//===- MathFunctions.h - exp, tanh, erf and all of libm on lanes ----------===//
// A function is asked for by libm's name for doubles ("exp", "atan2") and the
// lanes decide what becomes of it:
//
//   f32, and hot in practice   a polynomial in line (Polynomials.h)
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

  /// All arguments have the same lanes. The result's lanes are the first float
  /// argument's, unless `result` (the type of one) says otherwise.
  mlir::Value call(LaneBuilder &b, llvm::StringRef function, llvm::ArrayRef<mlir::Value> args,
                   mlir::Type result = {});

  /// x to the power of n, an i32.
  mlir::Value integerPower(LaneBuilder &b, mlir::Value x, mlir::Value n);

  /// A call of a private function that `body` fills: long code that several places
  /// share. `name` and the arguments' types identify it.
  using Body = llvm::function_ref<mlir::Value(LaneBuilder &, llvm::ArrayRef<mlir::Value>)>;
  mlir::Value outline(LaneBuilder &b, llvm::StringRef name, llvm::ArrayRef<mlir::Value> args,
                      mlir::Type result, Body body);

  /// Whether lowered code may call a function of this name, scalar or vector.
  static bool isSymbol(llvm::StringRef symbol);

private:
  mlir::Value callOnce(LaneBuilder &b, llvm::StringRef symbol, llvm::ArrayRef<mlir::Value> args,
                       mlir::Type result);

  /// One call per lane, in place.
  mlir::Value callLanes(LaneBuilder &b, llvm::StringRef symbol, llvm::ArrayRef<mlir::Value> args,
                        mlir::Type result);
  mlir::Value floatModulo(LaneBuilder &b, mlir::Value x, mlir::Value y);

  const CPUSpec &spec;
  mlir::ModuleOp module;
};

} // namespace tessera::cpu
