//===- StabilizeAliases.cpp - one name for each layout --------------------===//
// MLIR numbers aliases anew whenever it prints:
//
//   after one pass      #blocked = #ttg.blocked<{sizePerThread = [1] ...
//   after the next      #blocked = #ttg.blocked<{sizePerThread = [4] ...
//                       #blocked1 = #ttg.blocked<{sizePerThread = [1] ...
//
// A layout gets the name under which it first appears, or the next free number, and keeps it in all
// texts of a compilation.
//
// Cost: linear in the texts.
//===----------------------------------------------------------------------===//
#include "tessera/Explain/Explanation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tessera;

static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

namespace {
class AliasNames {
public:
  /// Rewrites one text.
  void apply(ProgramText &program);

private:
  std::string rename(llvm::StringRef text) const;
  std::string nameFor(llvm::StringRef alias, const std::string &body);

  llvm::StringMap<std::string> names;   // a definition's right-hand side, with stable names
  llvm::StringMap<unsigned> numbers;    // the next free number of each base name
  llvm::StringMap<std::string> renamed; // the aliases of the current text
};
} // namespace

std::string AliasNames::nameFor(llvm::StringRef alias, const std::string &body) {
  std::string &name = names[body];
  if (name.empty()) {
    llvm::StringRef base = alias.rtrim("0123456789");
    unsigned number = numbers[base]++;
    name = base.str() + (number == 0 ? "" : std::to_string(number));
  }
  return name;
}

/// The text with each alias of the current text renamed. `#ttg.blocked` is no alias.
std::string AliasNames::rename(llvm::StringRef text) const {
  std::string result;
  result.reserve(text.size());
  bool inString = false;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"' && (at == 0 || text[at - 1] != '\\'))
      inString = !inString;
    if (c == '\n')
      inString = false;
    if (c != '#' || inString) {
      result += c;
      ++at;
      continue;
    }
    llvm::StringRef word = text.substr(at + 1).take_while(isNamePart);
    auto found = renamed.find(word);
    bool isDialect = text.substr(at + 1 + word.size()).starts_with(".");
    result += '#';
    result += found == renamed.end() || isDialect ? word : llvm::StringRef(found->second);
    at += 1 + word.size();
  }
  return result;
}

void AliasNames::apply(ProgramText &program) {
  renamed.clear();
  llvm::StringRef text = program.text;
  if (!text.starts_with("#"))
    return;
  // Definitions come first, and use only those before them.
  while (text.starts_with("#")) {
    auto [line, rest] = text.split('\n');
    auto [alias, body] = line.drop_front().split(" = ");
    if (body.empty())
      break;
    renamed[alias] = nameFor(alias, rename(body));
    text = rest;
  }
  program.text = rename(program.text);
}

void tessera::stabilizeAliases(PassTrace &trace) {
  AliasNames names;
  for (ProgramText &program : trace.texts)
    if (program.syntax == TextSyntax::MLIR)
      names.apply(program);
}
