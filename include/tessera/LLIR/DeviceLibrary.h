//===- DeviceLibrary.h - link the vendor's math functions -----------------===//
// A kernel that takes a logarithm calls `__nv_logf`, which the vendor ships as
// LLVM bitcode (libdevice.10.bc). What is needed of it is copied in and made
// internal, so that the optimiser sees through the calls.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera {

/// The first function that is called but has no body (intrinsics aside, and those that
/// are `provided` later), or "".
std::string firstUndefinedFunction(const llvm::Module &module,
                                   llvm::ArrayRef<llvm::StringRef> provided);

/// Requires: some function is undefined. Ensures: those that the file at
/// `path` defines are linked in, internal, with the module's own target.
llvm::Error linkDeviceLibrary(llvm::Module &module, llvm::StringRef path);

} // namespace tessera
