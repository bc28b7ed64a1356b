//===- CommandLine.cpp - reading a subcommand's arguments -----------------===//
#include "CommandLine.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Suggest.h"
#include "tessera/Support/Terminal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::cli;

template <typename T> static constexpr llvm::StringLiteral valueName = "N";
template <> constexpr llvm::StringLiteral valueName<bool> = "";
template <> constexpr llvm::StringLiteral valueName<std::string> = "TEXT";

static std::string fallbackText(bool value) { return value ? "on" : ""; }
static std::string fallbackText(unsigned value) { return value ? std::to_string(value) : ""; }
static std::string fallbackText(llvm::StringRef value) { return value.str(); }

/// The words that OPTION_VALUE gives.
static llvm::StringRef wordFor(llvm::StringRef flag, llvm::StringRef fallback) {
#define OPTION_VALUE(name, word)                                                                   \
  if (flag == name)                                                                                \
    return word;
#include "tessera/Support/Options.def"
  return fallback;
}

/// The options of the table, each in its group.
static std::vector<Option> readTable() {
  std::vector<Option> options;
  llvm::StringRef group;
  auto add = [&](llvm::StringRef flag, llvm::StringRef value, llvm::StringRef help,
                 std::string fallback) {
    options.push_back({flag, "", wordFor(flag, value), help, group, std::move(fallback)});
  };
#define OPTION_GROUP(title) group = title;
#define COMPILE_OPTION(type, field, value, flag, help)                                             \
  add(flag, valueName<type>, help, fallbackText(type(value)));
#define DEBUG_OPTION(type, field, value, flag, help)                                               \
  add(flag, valueName<type>, help, fallbackText(type(value)));
#include "tessera/Support/Options.def"
  return options;
}

std::vector<Option> cli::optionsFromTable() {
  std::vector<Option> options = readTable();
  for (Option &option : options) // the short names of Triton's tool
    option.alias = option.name == "num-warps" ? "w" : option.name == "num-stages" ? "ns" : "";
  return options;
}

bool cli::isDebugOption(llvm::StringRef name) {
#define DEBUG_OPTION(type, field, value, flag, help)                                               \
  if (name == flag)                                                                                \
    return true;
#include "tessera/Support/Options.def"
  return false;
}

std::string Arguments::get(llvm::StringRef name, llvm::StringRef fallback) const {
  auto found = values.find(name);
  return found == values.end() ? fallback.str() : found->second.back();
}

std::vector<std::string> Arguments::all(llvm::StringRef name) const {
  auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>() : found->second;
}

llvm::Error Arguments::apply(CompileOptions &options) const {
#define COMPILE_OPTION(type, field, value, flag, help)                                             \
  if (has(flag))                                                                                   \
    if (llvm::Error error = setOption(options, flag, get(flag)))                                   \
      return makeError("--" + llvm::toString(std::move(error)));
#include "tessera/Support/Options.def"
  if (options.debugInfo && options.debugDir.empty()) {
    llvm::SmallString<128> folder;
    if (!llvm::sys::fs::current_path(folder))
      options.debugDir = folder.str().str();
  }
  if (llvm::Error error = checkOptions(options))
    return makeError("--" + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error Arguments::apply(DebugOptions &options) const {
#define DEBUG_OPTION(type, field, value, flag, help)                                               \
  if (has(flag))                                                                                   \
    if (llvm::Error error = setOption(options, flag, get(flag)))                                   \
      return makeError("--" + llvm::toString(std::move(error)));
#include "tessera/Support/Options.def"
  return llvm::Error::success();
}

static const Option *findOption(llvm::ArrayRef<Option> options, llvm::StringRef name, bool isLong) {
  const Option *found = llvm::find_if(options, [&](const Option &option) {
    return isLong ? option.name == name : !option.alias.empty() && option.alias == name;
  });
  return found == options.end() ? nullptr : found;
}

static llvm::Error unknownOption(llvm::StringRef text, llvm::StringRef name,
                                 llvm::ArrayRef<Option> options) {
  llvm::SmallVector<llvm::StringRef> known;
  for (const Option &option : options)
    known.push_back(option.name);
  std::string best = closestName(name, known);
  return makeError("unknown option '" + text + "'" +
                   (best.empty() ? "; --help lists them" : "; did you mean --" + best + "?"));
}

llvm::Expected<Arguments> cli::parseArguments(llvm::ArrayRef<const char *> arguments,
                                              llvm::ArrayRef<Option> options) {
  Arguments result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef text = arguments[i];
    if (text == "--help" || text == "-h") {
      result.values["help"].push_back("true");
      continue;
    }
    if (!text.starts_with("-") || text == "-") {
      result.positional.push_back(text.str());
      continue;
    }
    bool isLong = text.starts_with("--");
    auto [name, inlineValue] = text.drop_front(isLong ? 2 : 1).split('=');
    bool hasInline = text.contains('=');
    const Option *option = findOption(options, name, isLong);
    bool isNegated = false;
    if (!option && isLong && name.starts_with("no-")) {
      option = findOption(options, name.drop_front(3), true);
      isNegated = option && option->value.empty();
      option = isNegated ? option : nullptr;
    }
    if (!option)
      return unknownOption(text, name, options);
    if (option->value.empty()) {
      if (hasInline)
        return makeError("--" + option->name + " takes no value");
      result.values[option->name].push_back(isNegated ? "false" : "true");
      continue;
    }
    if (!hasInline && option->value.starts_with("[")) {
      result.values[option->name].push_back("."); // matches everything
      continue;
    }
    if (!hasInline && i + 1 >= arguments.size())
      return makeError(text + " needs a value: " + text + " " + option->value);
    result.values[option->name].push_back(hasInline ? inlineValue.str()
                                                    : std::string(arguments[++i]));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Help
//===----------------------------------------------------------------------===//

/// The largest column at which descriptions begin.
static constexpr unsigned kHelpColumn = 37;

std::string cli::wrapText(llvm::StringRef text, unsigned width, unsigned indent) {
  std::string lines;
  unsigned used = 0;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ');
  for (llvm::StringRef word : words) {
    if (used && used + 1 + word.size() > width - indent) {
      lines += "\n" + std::string(indent, ' ');
      used = 0;
    }
    lines += (used ? " " : "") + word.str();
    used += word.size() + (used ? 1 : 0);
  }
  return lines;
}

/// "  -w, --num-warps N", "      --[no-]line-info"
static std::string describeFlag(const Option &option) {
  llvm::StringRef space = option.value.empty() || option.value.starts_with("[") ? "" : " ";
  std::string alias = option.alias.empty() ? "" : "-" + option.alias.str() + ",";
  llvm::StringRef negation = option.fallback == "on" ? "[no-]" : "";
  return llvm::formatv("  {0,-5}--{1}{2}{3}{4}", alias, negation, option.name, space, option.value);
}

static std::string describeOption(const Option &option, unsigned width, unsigned column) {
  std::string left = describeFlag(option), help = option.help.str();
  if (!option.fallback.empty())
    help += "; default " + option.fallback;
  if (left.size() >= column)
    left += "\n" + std::string(column, ' ');
  else
    left.resize(column, ' ');
  return left + wrapText(help, width, column) + "\n";
}

std::string cli::helpText(llvm::StringRef usage, llvm::StringRef description,
                          llvm::ArrayRef<Option> options) {
  unsigned width = std::clamp(terminalWidth(stdout, 100), 60u, 100u);
  std::string text = "usage: tessera " + usage.str() + "\n\n";
  text += wrapText(description, width, 0) + "\n";
  size_t column = 0;
  for (const Option &option : options)
    if (!option.help.empty())
      column = std::max(column, describeFlag(option).size() + 2);
  column = std::min<size_t>(column, kHelpColumn);
  llvm::SmallVector<llvm::StringRef> groups;
  for (const Option &option : options)
    if (!option.help.empty() && !llvm::is_contained(groups, option.group))
      groups.push_back(option.group);
  for (llvm::StringRef group : groups) {
    text += "\n" + group.str() + ":\n";
    for (const Option &option : options)
      if (option.group == group && !option.help.empty()) // without help: for tests
        text += describeOption(option, width, column);
  }
  return text;
}

std::vector<std::string> cli::splitList(llvm::StringRef text) {
  std::vector<std::string> parts;
  for (llvm::StringRef part : llvm::split(text, ','))
    if (!part.trim().empty())
      parts.push_back(part.trim().str());
  return parts;
}

llvm::Expected<uint64_t> cli::parseNumber(llvm::StringRef option, llvm::StringRef text,
                                          uint64_t low, uint64_t high) {
  uint64_t number = 0;
  if (text.trim().getAsInteger(10, number) || number < low || number > high)
    return makeError(option + ": a whole number from " + llvm::Twine(low) + " to " +
                     llvm::Twine(high) + ", not '" + text + "'");
  return number;
}
