//===- Json.h - JSON that others wrote ------------------------------------===//
// LLVM's parser recurses once for each bracket that is open, so a short text can
// use up the stack. This one refuses what nests deeper than anybody's data.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace tessera {

inline constexpr unsigned kMaxJsonDepth = 256;

/// The value that the text says; an error if it is no JSON, or nests too deeply.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace tessera
