//===- PackMiss.h - why a pack does not have a kernel ---------------------===//
#pragma once

#include "tessera/Binary/PackKey.h"

namespace tessera {

/// Returns the pack's entry that is nearest to the kernel, in words: "it has the kernel for other
/// signatures, as *fp32,i32". For a kernel that the pack does not have.
std::string explainMiss(const PackView &pack, const PackKeys &keys, llvm::StringRef target);

} // namespace tessera
