//===- Strings.h - strings that callers of the C interface free -----------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdlib>
#include <cstring>

namespace tessera {

/// Sets `*to` to a copy for tessera_string_free; NULL without memory. `to` may be NULL.
inline void setString(char **to, llvm::StringRef text) {
  if (!to)
    return;
  *to = static_cast<char *>(std::malloc(text.size() + 1));
  if (!*to)
    return;
  std::memcpy(*to, text.data(), text.size());
  (*to)[text.size()] = 0;
}

} // namespace tessera
