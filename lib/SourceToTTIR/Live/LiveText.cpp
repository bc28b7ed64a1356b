//===- LiveText.cpp - the text of one function, at its place --------------===//
#include "LiveText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"
#include <algorithm>

using namespace tessera;
using llvm::dyn_cast;

/// Returns true if the first line of code is indented.
static bool isIndented(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    llvm::StringRef code = line.ltrim(" \t\f\r");
    if (!code.empty() && !code.starts_with("#"))
      return code.size() != line.size();
    text = rest;
  }
  return false;
}

std::unique_ptr<LiveText> LiveText::parse(llvm::StringRef text, const std::string &path,
                                          unsigned line, DiagnosticEngine &diagnostics) {
  bool isInBlock = isIndented(text);
  std::string padded(std::min(line ? line - 1 : 0, kMaxLine), '\n');
  if (isInBlock) {
    if (!padded.empty())
      padded.pop_back();
    padded += "if True:\n";
  }
  padded += text;
  auto result = std::make_unique<LiveText>();
  result->file = SourceFile::fromBytes(path, std::move(padded), diagnostics);
  if (result->file)
    result->tree = parseModule(*result->file, diagnostics);
  if (!result->tree)
    return nullptr;
  ast::Seq<ast::Stmt *> body = result->tree->body;
  if (isInBlock && !body.empty())
    if (auto *block = dyn_cast<ast::If>(body[0]))
      body = block->body;
  for (const ast::Stmt *statement : body) {
    result->function = dyn_cast<ast::FunctionDef>(statement);
    result->type = dyn_cast<ast::ClassDef>(statement);
    if (auto *assign = dyn_cast<ast::Assign>(statement))
      result->lambda = dyn_cast<ast::Lambda>(assign->value);
    if (result->function || result->type || result->lambda)
      break;
  }
  return result;
}
