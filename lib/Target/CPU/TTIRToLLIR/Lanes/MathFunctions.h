//===- MathFunctions.h - exp, tanh, erf and all of libm on lanes ----------===//
// A function is named by libm's name for doubles ("exp", "atan2"). The lanes decide how it is
// computed:
//
//   f32, frequent functions    an inline polynomial (Polynomials.h)
//   vectors                    glibc's libmvec, in pieces of a register's width
//   everything else            libm, lane by lane
//===----------------------------------------------------------------------===//
#pragma once

#include "DirectedRounding.h"
#include "tessera/LLIR/MathLibrary.h"
#include "tessera/Target/CPU/Spec.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::cpu {

class MathFunctions : public MathLibrary {
public:
  /// Functions are declared in `module`.
  MathFunctions(const CPUSpec &spec, mlir::ModuleOp module)
      : spec(spec), module(module), rounding(spec, module) {}

  mlir::Value call(LaneBuilder &b, llvm::StringRef function, llvm::ArrayRef<mlir::Value> args,
                   mlir::Type result = {}) override;
  mlir::Value integerPower(LaneBuilder &b, mlir::Value x, mlir::Value n) override;
  mlir::Value rounded(LaneBuilder &b, RoundedOp op, Direction direction,
                      llvm::ArrayRef<mlir::Value> args, mlir::Type result) override {
    return rounding.apply(b, op, direction, args, result);
  }
  /// Calls a private function whose code `body` emits.
  mlir::Value outline(LaneBuilder &b, llvm::StringRef name, llvm::ArrayRef<mlir::Value> args,
                      mlir::Type result, Body body) override;

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
  DirectedRounding rounding;
};

} // namespace tessera::cpu
