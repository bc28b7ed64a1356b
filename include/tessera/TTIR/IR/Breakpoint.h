//===- Breakpoint.h - how TTIR spells breakpoint() ------------------------===//
// The frontend writes breakpoint() as a tt.print whose prefix begins with these
// words and goes on with a list of variables as JSON (tessera.h,
// tessera_handle_breakpoints). Only kernels for the CPU that are compiled with
// `sanitize` have such ops.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::tt {

inline constexpr llvm::StringLiteral kBreakpointPrefix = "tessera.breakpoint ";

} // namespace tessera::tt
