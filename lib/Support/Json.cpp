//===- Json.cpp - JSON that others wrote ----------------------------------===//
#include "tessera/Support/Json.h"
#include "tessera/Support/Error.h"

namespace tessera {

static bool isNestedTooDeeply(llvm::StringRef text) {
  unsigned depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isInString) {
      if (c == '\\')
        ++i;
      isInString = c != '"';
    } else if (c == '"') {
      isInString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth)
        return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  // Few texts have so many brackets that they could nest too deeply; counting takes no branches.
  if (text.count('[') + text.count('{') > kMaxJsonDepth && isNestedTooDeeply(text))
    return makeError("values nest too deeply");
  return llvm::json::parse(text);
}

} // namespace tessera
