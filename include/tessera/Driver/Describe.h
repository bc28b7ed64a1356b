//===- Describe.h - what the library can do, as JSON ----------------------===//
// Hosts that offer Tessera's options, stages and types (Python, an editor, a web
// page) read them from this description instead of keeping lists of their own.
// tessera.h lists the fields (tessera_describe).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/Target.h"

namespace tessera {

/// `target` is "cuda:90" or "cpu"; empty for what all targets have in common. An unknown target
/// is an error.
llvm::Expected<std::string> describeLibrary(llvm::StringRef target, const ToolPlaces &places);

} // namespace tessera
