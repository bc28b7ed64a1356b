//===- SanitizerText.h - a sanitizer's reports as text --------------------===//
// Shows what was found as the compiler shows its errors: the place, the line,
// a caret under the access, and notes with theirs.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/Sanitizer.h"
#include "tessera/Source/Diagnostics.h"

namespace tessera {

/// The first few in full, the places of the others.
std::string renderReports(llvm::ArrayRef<SanitizerReport> reports, const RenderOptions &options);

} // namespace tessera
