//===- RuntimeSymbols.h - what generated CPU code may call of us ----------===//
// Conversions between floats that LLVM leaves to a runtime library when the
// processor has no instruction for them. They normally come from libgcc or
// compiler-rt, which a user's machine need not have as a shared library.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera {

/// Null when there is no such symbol.
void *findRuntimeSymbol(llvm::StringRef name);

} // namespace tessera
