//===- SignatureComments.h - the signatures that a file proposes ----------===//
// A comment above a kernel may say for which types it is meant, and with which flags:
//
//   # signature: *fp16:16,*fp16:16,i32,4096 --num-warps 8
//   @triton.jit
//   def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera {

struct SignatureComment {
  std::string kernel;
  std::string signature;
  std::vector<std::string> flags;
};

/// All comments of a file, in order; a kernel may have several.
std::vector<SignatureComment> readSignatureComments(llvm::StringRef text);

/// Sets the options that the comment's flags name: `--num-warps 8`, `--debug`.
llvm::Error applyFlags(const SignatureComment &comment, CompileOptions &options);

} // namespace tessera
