//===- ExternCall.h - calls of a device library's functions ---------------===//
// A function of a library has overloads by the types of its arguments, which must
// match exactly: extern_elementwise takes them from a dict, libdevice's are a
// table of Libdevice.cpp.
//===----------------------------------------------------------------------===//
#pragma once

#include "../Operators/Semantics.h"

namespace tessera {

struct ExternOverload {
  llvm::StringRef symbol; // "__nv_powf"
  llvm::SmallVector<KernelType, 3> parameters;
  KernelType result;
};

struct ExternFunction {
  llvm::StringRef name; // for messages
  llvm::StringRef library, path;
  bool isPure = true;
};

/// Picks the overload for the arguments' types, broadcasts them and calls it on each
/// element. An error lists the overloads.
FailureOr<Tensor> callExtern(Emitter &emit, const ExternFunction &function,
                             llvm::ArrayRef<ExternOverload> overloads,
                             llvm::ArrayRef<Value> arguments);

} // namespace tessera
