//===- Json.h - explanations for programs ---------------------------------===//
// docs/explain.md describes the fields; test/explain/schema.json is their schema.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Explain/Explanation.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace tessera {

/// One JSON object with all kernels, and a final newline.
std::string writeExplanations(llvm::ArrayRef<Explanation> kernels);

} // namespace tessera
