//===- Options.cpp - the options as text ----------------------------------===//
// Generated from Options.def, like the structs: an option that is added to the
// table is in the cache key without anybody remembering to put it there.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Options.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Suggest.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

namespace tessera {

static std::string valueText(unsigned value) { return std::to_string(value); }
static std::string valueText(bool value) { return value ? "true" : "false"; }
/// Escapes what would let one value look like two lines.
static std::string valueText(const std::string &value) {
  std::string text;
  for (char c : value) {
    if (c == '\\')
      text += "\\\\";
    else if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> CompileOptions::flagsAndValues() const {
  return {
#define COMPILE_OPTION(type, field, value, flag, help) {flag, valueText(field)},
#include "tessera/Support/Options.def"
  };
}

std::vector<std::pair<std::string, std::string>> CompileOptions::changedFlagsAndValues() const {
  static const CompileOptions defaults;
  std::vector<std::pair<std::string, std::string>> changed;
#define COMPILE_OPTION(type, field, value, flag, help)                                             \
  if (field != defaults.field)                                                                     \
    changed.emplace_back(flag, valueText(field));
#include "tessera/Support/Options.def"
  return changed;
}

std::string CompileOptions::canonicalText() const {
  std::string text;
  for (const auto &[flag, value] : flagsAndValues())
    text += flag + "=" + value + "\n";
  return text;
}

static llvm::Error assign(llvm::StringRef flag, llvm::StringRef text, bool &field) {
  if (text != "true" && text != "false" && text != "1" && text != "0")
    return makeOptionError(flag, "true or false, not '" + text + "'");
  field = text == "true" || text == "1";
  return llvm::Error::success();
}
static llvm::Error assign(llvm::StringRef, llvm::StringRef text, std::string &field) {
  field = text.str();
  return llvm::Error::success();
}
static llvm::Error assign(llvm::StringRef flag, llvm::StringRef text, unsigned &field) {
  if (text.trim().getAsInteger(10, field))
    return makeOptionError(flag, "a whole number, not '" + text + "'");
  return llvm::Error::success();
}

llvm::Error setOption(CompileOptions &options, llvm::StringRef flag, llvm::StringRef text) {
#define COMPILE_OPTION(type, field, value, name, help)                                             \
  if (flag == name)                                                                                \
    return assign(flag, text, options.field);
#include "tessera/Support/Options.def"
  llvm::SmallVector<llvm::StringRef> known = {
#define COMPILE_OPTION(type, field, value, name, help) name,
#include "tessera/Support/Options.def"
  };
  return makeError("no compile option '" + flag + "'" + suggest(flag, known));
}

llvm::Error setOption(DebugOptions &options, llvm::StringRef flag, llvm::StringRef text) {
#define DEBUG_OPTION(type, field, value, name, help)                                               \
  if (flag == name)                                                                                \
    return assign(flag, text, options.field);
#include "tessera/Support/Options.def"
  return makeError("no debug option '" + flag + "'");
}

llvm::Error checkOptions(const CompileOptions &options) {
  if (!llvm::isPowerOf2_32(options.numWarps) || options.numWarps > 32)
    return makeOptionError("num-warps",
                           "a power of two from 1 to 32, not " + llvm::Twine(options.numWarps));
  if (!llvm::isPowerOf2_32(options.numCTAs) || options.numCTAs > 16)
    return makeOptionError("num-ctas",
                           "a power of two from 1 to 16, not " + llvm::Twine(options.numCTAs));
  if (options.numStages < 1 || options.numStages > 64)
    return makeOptionError("num-stages", "from 1 to 64, not " + llvm::Twine(options.numStages));
  if (options.maxRegisters > 255)
    return makeOptionError("maxnreg", "at most 255, not " + llvm::Twine(options.maxRegisters));
  return llvm::Error::success();
}

} // namespace tessera
