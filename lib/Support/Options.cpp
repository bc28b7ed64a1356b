//===- Options.cpp - the options as text ----------------------------------===//
// Generated from Options.def, like the structs: an option that is added to the
// table is in the cache key without anybody remembering to put it there.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Options.h"
#include "llvm/ADT/StringRef.h"

namespace tessera {

static void appendValue(std::string &text, unsigned value) { text += std::to_string(value); }
static void appendValue(std::string &text, bool value) { text += value ? "true" : "false"; }
/// Escapes what would let one value look like two lines.
static void appendValue(std::string &text, const std::string &value) {
  for (char c : value) {
    if (c == '\\')
      text += "\\\\";
    else if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
}

std::string CompileOptions::canonicalText() const {
  std::string text;
#define COMPILE_OPTION(type, field, value, flag, help)                                             \
  text += flag "=";                                                                                \
  appendValue(text, field);                                                                        \
  text += '\n';
#include "tessera/Support/Options.def"
  return text;
}

} // namespace tessera
