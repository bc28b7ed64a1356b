//===- AssemblyLines.cpp - which source line an instruction comes from ----===//
#include "AssemblyLines.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace tessera;

/// The strings in quotes of a directive, joined as a path.
static std::string quotedPath(llvm::StringRef text) {
  std::string path;
  while (true) {
    text = text.drop_front(std::min(text.find('"'), text.size()));
    if (!text.consume_front("\""))
      return path;
    llvm::StringRef part = text.take_front(text.find('"'));
    text = text.drop_front(std::min(part.size() + 1, text.size()));
    bool isAbsolute = part.starts_with("/");
    path = path.empty() || isAbsolute ? part.str() : path + "/" + part.str();
  }
}

/// `.file 1 "dir" "name"`: files are numbered, and may be declared after their use.
static std::map<unsigned, std::string> readFileNumbers(llvm::StringRef text) {
  std::map<unsigned, std::string> files;
  for (size_t at = text.find(".file"); at != llvm::StringRef::npos;
       at = text.find(".file", at + 1)) {
    llvm::StringRef rest = text.substr(at + 5).take_until([](char c) { return c == '\n'; }).ltrim();
    unsigned number = 0;
    if (rest.consumeInteger(10, number))
      continue;
    // DWARF 5 adds a checksum of the file.
    files[number] = quotedPath(rest.take_front(rest.find(" md5 ")));
  }
  return files;
}

/// The instruction's name: behind an address `/*0010*/`, labels and predicates `@!%p1`.
static llvm::StringRef findMnemonic(llvm::StringRef line) {
  line = line.trim();
  if (line.starts_with("/*")) {
    size_t end = line.find("*/");
    if (end == llvm::StringRef::npos)
      return "";
    line = line.drop_front(end + 2).ltrim();
    if (line.starts_with("/*")) // the encoding of the instruction before
      return "";
  }
  if (line.starts_with("@"))
    line = line.drop_front(std::min(line.find(' '), line.size())).ltrim();
  llvm::StringRef word =
      line.take_while([](char c) { return llvm::isAlnum(c) || c == '.' || c == '_' || c == ':'; });
  bool isName = !word.empty() && llvm::isAlpha(word.front()) && !word.contains("::");
  if (word.contains("::")) // cp.async.bulk.shared::cluster is one word
    isName = llvm::isAlpha(word.front());
  llvm::StringRef after = line.drop_front(word.size());
  bool isLabel = word.ends_with(":") || after.starts_with(":");
  return isName && !isLabel ? word : "";
}

std::vector<AssemblyLine> tessera::readAssemblyLines(llvm::StringRef text) {
  std::map<unsigned, std::string> files = readFileNumbers(text);
  std::vector<AssemblyLine> lines;
  std::string path;
  unsigned number = 0;
  auto goTo = [&](std::string file, unsigned line) { path = std::move(file), number = line; };
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    llvm::StringRef words = line.trim();
    if (words.consume_front(".loc")) {
      unsigned file = 0, at = 0;
      words = words.ltrim();
      if (!words.consumeInteger(10, file) && !words.ltrim().consumeInteger(10, at) && at)
        goTo(files[file], at);
      continue;
    }
    if (words.consume_front("//## File ")) {
      llvm::StringRef after = words.drop_front(std::min(words.rfind(", line "), words.size()));
      unsigned at = 0;
      if (after.consume_front(", line ") && !after.consumeInteger(10, at))
        goTo(quotedPath(words.take_front(words.find(", line "))), at);
      continue;
    }
    llvm::StringRef mnemonic = findMnemonic(line);
    bool isCode = !mnemonic.empty();
    lines.push_back({line, mnemonic, isCode ? path : "", isCode ? number : 0});
  }
  return lines;
}
