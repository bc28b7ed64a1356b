//===- DeviceFunctions.h - libdevice functions that need no library ------===//
// Kernels call functions by their symbols in NVIDIA's libdevice. The functions here are a few LLVM
// operations, with the same results on every target:
//
//   "clz"   LLVM's count of leading zeros      "saturatef"   two comparisons
//
// Types of a function: i l for 32 and 64 bits of integer, f d of float; the result,
// then the arguments. "fdimf" is "fff".
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera {

struct DeviceFunction {
  llvm::StringLiteral name; // without libdevice's prefix __nv_
  llvm::StringLiteral types;
};

/// Lists all functions that emitDeviceFunction knows.
llvm::SmallVector<DeviceFunction> plainDeviceFunctions();

/// Emits `name` with a result of the lane type `result`. Returns null and emits nothing if the name
/// is unknown or the types differ.
mlir::Value emitDeviceFunction(LaneBuilder &b, llvm::StringRef name,
                               llvm::ArrayRef<mlir::Value> args, mlir::Type result);

/// Returns the name of the function that an op of the math dialect computes: "log", as in __nv_log,
/// __nv_logf and the C library. Empty for other ops.
llvm::StringRef mathFunctionName(mlir::Operation *op);

mlir::Type deviceType(char code, mlir::MLIRContext *context);

} // namespace tessera
