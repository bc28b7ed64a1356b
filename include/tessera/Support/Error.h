//===- Error.h - an llvm::Error from a sentence ---------------------------===//
// Most of our run-time failures are one sentence for a person: what failed,
// on which file or argument, and why. Lower case, no full stop.
//
//   return makeError("cannot read '" + path + "': it is a directory");
//
// Where a caller must know which option or parameter an error is about, the
// error also carries that as fields (DetailedError), so that nobody has to
// take the sentence apart.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

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

/// The fields of an error about one option or one parameter, as the JSON report has them
/// (docs/program.md, "The report").
struct ErrorDetails {
  std::string code = {};                  // "option" or "argument-type"
  std::string option = {};                // of "option": its flag, "num-warps"
  std::optional<unsigned> parameter = {}; // of "argument-type": its position, from 0
  std::string problem = {};               // the sentence without the option or the parameter
};

class DetailedError : public llvm::ErrorInfo<DetailedError> {
public:
  inline static char ID = 0; // llvm::ErrorInfo tells classes apart by its address

  DetailedError(std::string sentence, ErrorDetails details)
      : details(std::move(details)), sentence(std::move(sentence)) {}
  void log(llvm::raw_ostream &os) const override { os << sentence; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const ErrorDetails details;

private:
  std::string sentence;
};

/// "FLAG: PROBLEM", with both as fields.
inline llvm::Error makeOptionError(llvm::StringRef flag, const llvm::Twine &problem) {
  return llvm::make_error<DetailedError>(
      (flag + ": " + problem).str(),
      ErrorDetails{.code = "option", .option = flag.str(), .problem = problem.str()});
}

/// The details of an error; empty ones if it has none.
inline ErrorDetails detailsOf(const llvm::Error &error) {
  ErrorDetails found;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    if (info.isA<DetailedError>())
      found = static_cast<const DetailedError &>(info).details;
  });
  return found;
}

/// `text` in front of the message: the argument, file or kernel it is about.
inline llvm::Error addContext(const llvm::Twine &text, llvm::Error error) {
  return makeError(text + ": " + llvm::toString(std::move(error)));
}

} // namespace tessera
