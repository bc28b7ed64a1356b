//===- MathLibrary.h - the math functions that a target brings ------------===//
// DeviceMath lowers functions of a device library that no instruction computes through this
// interface. A function is named by libm's name for doubles ("exp", "atan2"); the lanes decide
// whether it is of f32 or f64.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera {

/// The direction of rounding, and the operations that can be rounded in one.
enum class Direction { Nearest, TowardZero, Down, Up };
enum class RoundedOp { Add, Sub, Mul, Div, Sqrt, Fma, Narrow, FromSigned, FromUnsigned };

class MathLibrary {
public:
  virtual ~MathLibrary() = default;

  /// All arguments have the same number of lanes. The result has the type of the first float
  /// argument unless `result` (the type of one lane) names another. Returns null and emits nothing
  /// if the library lacks the function.
  virtual mlir::Value call(LaneBuilder &b, llvm::StringRef function,
                           llvm::ArrayRef<mlir::Value> args, mlir::Type result = {}) = 0;

  /// Computes x to the power of n, an i32.
  virtual mlir::Value integerPower(LaneBuilder &b, mlir::Value x, mlir::Value n) = 0;

  /// Emits the operation, rounded in this direction; `result` is the type of one lane. Returns null
  /// if the target cannot round so.
  virtual mlir::Value rounded(LaneBuilder &b, RoundedOp op, Direction direction,
                              llvm::ArrayRef<mlir::Value> args, mlir::Type result) = 0;

  /// Emits long code that several places may share: `name` and the types of the arguments identify
  /// it. By default every place has its own.
  using Body = llvm::function_ref<mlir::Value(LaneBuilder &, llvm::ArrayRef<mlir::Value>)>;
  virtual mlir::Value outline(LaneBuilder &b, llvm::StringRef /*name*/,
                              llvm::ArrayRef<mlir::Value> args, mlir::Type /*result*/, Body body) {
    return body(b, args);
  }
};

/// Emits the operation rounded to nearest; `type` is that of all lanes.
mlir::Value emitRounded(LaneBuilder &b, RoundedOp op, mlir::ValueRange args, mlir::Type type);

} // namespace tessera
