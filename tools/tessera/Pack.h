//===- Pack.h - the parts of `tessera pack` -------------------------------===//
#pragma once

#include "CommandLine.h"

namespace tessera::cli {

/// `tessera pack MANIFEST -o FILE`
int runPackBuild(llvm::ArrayRef<const char *> arguments);
/// `tessera pack header PACK`
int runPackHeader(const Arguments &arguments);

} // namespace tessera::cli
