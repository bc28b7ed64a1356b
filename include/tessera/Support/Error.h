//===- Error.h - an llvm::Error from a sentence ---------------------------===//
// Most of our run-time failures are one sentence for a person: what failed,
// on which file or argument, and why. Lower case, no full stop.
//
//   return makeError("cannot read '" + path + "': it is a directory");
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace tessera {

inline llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// `text` in front of the message: the argument, file or kernel it is about.
inline llvm::Error addContext(const llvm::Twine &text, llvm::Error error) {
  return makeError(text + ": " + llvm::toString(std::move(error)));
}

} // namespace tessera
