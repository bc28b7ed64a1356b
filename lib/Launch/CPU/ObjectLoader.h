//===- ObjectLoader.h - object code in memory, ready to call --------------===//
// Links a relocatable object (the `obj` artifact) into this process with
// LLVM's JITLink. The code may call the C and maths libraries, glibc's vector
// maths library, and the float conversions of RuntimeSymbols.h; anything else
// undefined is an error that names it.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace tessera {

/// Owns the code; it is unmapped with it.
class LoadedObject {
public:
  virtual ~LoadedObject() = default;
  /// The address of the symbol asked for.
  virtual void *entry() const = 0;
};

/// The tools that are notified about loaded code.
struct LoadOptions {
  /// Debuggers, through gdb's JIT interface (__jit_debug_register_code). For objects
  /// with DWARF.
  bool tellDebugger = false;
  /// perf, through a jitdump file in $JITDUMPDIR or ~/.debug/jit; `perf inject --jit`
  /// reads it.
  bool tellProfiler = false;
};

llvm::Expected<std::unique_ptr<LoadedObject>>
loadObject(llvm::StringRef object, llvm::StringRef symbol, const LoadOptions &options = {});

} // namespace tessera
