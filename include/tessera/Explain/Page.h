//===- Page.h - the report as one HTML file -------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tessera {

/// A page that shows the JSON of writeExplanations(). It has everything in itself, and loads
/// nothing.
std::string writePage(llvm::StringRef json);

} // namespace tessera
