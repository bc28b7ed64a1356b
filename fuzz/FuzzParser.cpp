//===- FuzzParser.cpp - any bytes through lexer and parser ----------------===//
// Whatever the bytes, the parser gives a tree that can be printed, or an error
// with a place in the text. Anything else is a finding.
//===----------------------------------------------------------------------===//
#include "ProgramMutator.h"
#include "tessera/Source/AST.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/Dump.h"
#include <cstdio>

using namespace tessera;

// Encodings, strings and indentation live below the level of tokens.
const unsigned fuzz::kByteMutantsOneIn = 2;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "FuzzParser: %s\n", what);
  __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  DiagnosticEngine diagnostics;
  auto file = SourceFile::fromBytes(
      "fuzz.py", std::string(reinterpret_cast<const char *>(data), size), diagnostics);
  std::unique_ptr<ast::Module> tree = file ? parseModule(*file, diagnostics) : nullptr;
  if (tree) {
    std::string text = dump(*tree, {.attributes = true});
    require(!text.empty(), "an empty dump");
    require(!diagnostics.hasErrors(), "a tree and an error");
    return 0;
  }
  require(diagnostics.hasErrors(), "neither a tree nor an error");
  for (const Diagnostic &diagnostic : diagnostics.diagnostics())
    require(diagnostic.kind != DiagnosticKind::Internal, "an internal error");
  std::string rendered = diagnostics.render({.color = true, .noteExcerpts = true});
  require(!rendered.empty(), "an error without words");
  return 0;
}
