//===- CommandLine.h - reading a subcommand's arguments -------------------===//
// One table of options per subcommand, extended by Support/Options.def. Errors
// name the argument; --help is written from the table.
//
//   --name value   --name=value   -n value   --flag   --no-flag
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera::cli {

struct Option {
  llvm::StringRef name;  // "kernel-name"
  llvm::StringRef alias; // "n"; empty for none
  llvm::StringRef value; // "NAME" as shown in help; empty for a flag; "[=REGEX]" may be left out
  llvm::StringRef help;  // empty: --help does not list it
  llvm::StringRef group = "options"; // the heading that help shows it under
  std::string fallback = {};         // its value if it is not given; shown unless empty
};

/// Every COMPILE_OPTION and DEBUG_OPTION as a command-line option.
std::vector<Option> optionsFromTable();

/// Returns whether an option of the table changes only what is shown.
bool isDebugOption(llvm::StringRef name);

class Arguments {
public:
  std::vector<std::string> positional;

  bool has(llvm::StringRef name) const { return values.contains(name); }
  /// The last value given, or the fallback.
  std::string get(llvm::StringRef name, llvm::StringRef fallback = "") const;
  /// All values of a repeated option, in order.
  std::vector<std::string> all(llvm::StringRef name) const;

  /// The compile and debug options that were given.
  llvm::Error apply(CompileOptions &options) const;
  llvm::Error apply(DebugOptions &options) const;

private:
  friend llvm::Expected<Arguments> parseArguments(llvm::ArrayRef<const char *>,
                                                  llvm::ArrayRef<Option>);
  llvm::StringMap<std::vector<std::string>> values;
};

llvm::Expected<Arguments> parseArguments(llvm::ArrayRef<const char *> arguments,
                                         llvm::ArrayRef<Option> options);

/// The usage line, then the options in groups and columns: at most 100 columns wide, or as wide as
/// the terminal.
std::string helpText(llvm::StringRef usage, llvm::StringRef description,
                     llvm::ArrayRef<Option> options);

/// Breaks a paragraph into lines of at most `width` columns; all but the first are indented.
std::string wrapText(llvm::StringRef text, unsigned width, unsigned indent);

/// "a,b,c" without empty parts and spaces.
std::vector<std::string> splitList(llvm::StringRef text);

/// A whole number in [low, high]; the error names the option.
llvm::Expected<uint64_t> parseNumber(llvm::StringRef option, llvm::StringRef text, uint64_t low,
                                     uint64_t high);

} // namespace tessera::cli
