//===- DeviceLibrary.h - link the vendor's math functions -----------------===//
// A kernel that computes a logarithm calls `__nv_logf`, which the vendor ships as LLVM bitcode
// (libdevice.10.bc). The required functions are linked and made internal, so that they can be
// inlined.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace tessera {

/// Returns the first function that is called but has no body (except intrinsics and functions that
/// are `provided` later), or "".
std::string firstUndefinedFunction(const llvm::Module &module,
                                   llvm::ArrayRef<llvm::StringRef> provided);

/// Requires: some function is undefined. Ensures: the undefined functions that the file at `path`
/// defines are linked, internal, with the module's own target.
llvm::Error linkDeviceLibrary(llvm::Module &module, llvm::StringRef path);
/// The same with the library's bitcode; `name` is for messages.
llvm::Error linkDeviceLibrary(llvm::Module &module, std::unique_ptr<llvm::MemoryBuffer> bitcode,
                              llvm::StringRef name);

} // namespace tessera
