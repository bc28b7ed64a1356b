//===- Sanitize.h - tessera run --sanitize --------------------------------===//
// Watches a launch and prints what was wrong with it, as the compiler prints
// its errors (docs/sanitizer.md).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/ArgumentSpec.h"
#include "tessera/Launch/Sanitizer.h"

namespace tessera::cli {

/// Watches the arrays that a launch on the CPU gets.
std::unique_ptr<Sanitizer> watchArguments(llvm::ArrayRef<HostArgument> arguments);

/// Prints the reports, the first few in full; success when there are none.
llvm::Error printReports(const Sanitizer &sanitizer, llvm::StringRef kernelName);

} // namespace tessera::cli
