//===- Pack.h - the parts of `tessera pack` -------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace tessera::cli {

/// `tessera pack MANIFEST -o FILE`
int runPackBuild(llvm::ArrayRef<const char *> arguments);

} // namespace tessera::cli
