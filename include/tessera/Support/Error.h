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

/// The request is right and nothing here can do it: exit status 3, not 2.
inline llvm::Error makeUnsupported(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::not_supported), message);
}
inline bool isUnsupported(const llvm::Error &error) {
  bool result = false;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    result |= info.convertToErrorCode() == std::errc::not_supported;
  });
  return result;
}

/// `text` in front of the message: the argument, file or kernel it is about.
inline llvm::Error addContext(const llvm::Twine &text, llvm::Error error) {
  return makeError(text + ": " + llvm::toString(std::move(error)));
}

} // namespace tessera
