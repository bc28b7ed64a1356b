//===- DropLayouts.h - TTGIR without its layouts --------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tessera {

/// TTIR that computes what a TTGIR module computes: tensors lose their layouts, and conversions
/// between layouts become nothing. Nothing if the module has other ops of TTGIR or of a target,
/// such as buffers in shared memory, or does not parse.
std::optional<std::string> dropLayouts(llvm::StringRef text);

} // namespace tessera
