//===- LiveText.h - the text of one function, at its place ----------------===//
// The text of a function or class is parsed as if it stood where it stands in its
// file, so that lines and columns are the user's:
//
//   line 41       if True:             put there when the text is indented
//   line 42           def kernel(x):
//   line 43               ...
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/SourceFile.h"
#include "llvm/ADT/StringRef.h"

namespace tessera {

struct LiveText {
  std::unique_ptr<SourceFile> file;
  std::unique_ptr<ast::Module> tree;
  // One of them is set, or none if the text is something else.
  const ast::FunctionDef *function = nullptr;
  const ast::ClassDef *type = nullptr;
  const ast::Lambda *lambda = nullptr;

  /// The line that the text starts at may be at most this.
  static constexpr unsigned kMaxLine = 1 << 20;
  /// Null after a diagnostic.
  static std::unique_ptr<LiveText> parse(llvm::StringRef text, const std::string &path,
                                         unsigned line, DiagnosticEngine &diagnostics);
};

} // namespace tessera
