//===- Describe.h - what the library can do, as JSON ----------------------===//
// Hosts that offer Tessera's options, stages and types (Python, an editor, a web
// page) read them from this description instead of keeping lists of their own.
// tessera.h lists the fields (tessera_describe).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/Target.h"

namespace tessera {

/// Options, scalar types, targets, tools and the cache folder.
std::string describeLibrary(const ToolPlaces &places);

/// The stages, the chip and the language of "cuda:90" or "cpu". An unknown target is an error.
llvm::Expected<std::string> describeTarget(llvm::StringRef target);

} // namespace tessera
