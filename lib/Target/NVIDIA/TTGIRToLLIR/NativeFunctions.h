//===- NativeFunctions.h - libdevice's functions that are instructions ----===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera::nvidia {

/// A call of libdevice's function `symbol` by instructions alone. Null, with nothing
/// emitted, where it takes more: then the library has to be linked.
mlir::Value emitNativeFunction(LaneBuilder &b, llvm::StringRef symbol,
                               llvm::ArrayRef<mlir::Value> args, mlir::Type result);

} // namespace tessera::nvidia
