//===- ParseTool.cpp - many files, one line each --------------------------===//
// For tests that compare with CPython: reads paths (one per line) from
// standard input and prints for each
//
//   PATH<TAB>ok[<TAB>DUMP]        or        PATH<TAB>LINE<TAB>COLUMN<TAB>MESSAGE
//
// with --dump for the tree and its locations, --no-type-params to leave out
// what Python 3.11 does not know. Numbers are CPython's lineno and offset.
//===----------------------------------------------------------------------===//
#include "tessera/Source/AST.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/Dump.h"
#include <cstdio>
#include <iostream>

using namespace tessera;

static std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '\n' ? "\\n" : std::string(1, c);
  return out;
}

int main(int argc, char **argv) {
  bool dumping = false;
  DumpOptions options;
  options.attributes = true;
  for (int i = 1; i < argc; ++i) {
    dumping |= std::string_view(argv[i]) == "--dump";
    if (std::string_view(argv[i]) == "--no-type-params")
      options.typeParams = false;
  }
  std::string path;
  while (std::getline(std::cin, path)) {
    DiagnosticEngine diagnostics;
    auto file = SourceFile::load(path, diagnostics);
    auto module = file ? parseModule(*file, diagnostics) : nullptr;
    std::string line = path;
    if (module) {
      line += "\tok";
      if (dumping)
        line += "\t" + dump(*module, options);
    } else {
      const Diagnostic &error = diagnostics.diagnostics().front();
      line += "\t" + std::to_string(error.range.begin.line) + "\t" + std::to_string(error.column) +
              "\t" + escaped(error.message);
    }
    line += "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}
