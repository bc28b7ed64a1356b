//===- SignatureComments.h - the signatures that a file proposes ----------===//
// A comment above a kernel may say for which types it is meant, and with which flags:
//
//   # signature: *fp16:16,*fp16:16,i32,4096 --num-warps 8
//   @triton.jit
//   def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tessera::cli {

struct SignatureComment {
  std::string kernel;
  std::string signature;
  std::vector<std::string> flags;
};

/// All comments of a file, in order; a kernel may have several.
std::vector<SignatureComment> readSignatureComments(llvm::StringRef text);

} // namespace tessera::cli
