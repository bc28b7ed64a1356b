//===- LiveProgram.h - a kernel and all it reaches, as data ---------------===//
// What a host with live Python objects hands over (docs/program.md): the texts of
// functions and what their free names mean, as JSON. No file is read, no Python is
// called; what is missing becomes a question.
//
//   auto program = LiveProgram::read(text);
//   auto kernel = (*program)->translate(context, diagnostics, target);
//   if (!(*program)->questions().empty())
//     ...                      // kernel is null, and the errors may be consequences
//
// Cost: reading is linear in the text; a function is parsed when something first
// reaches it. Thread-compatible: one LiveProgram per thread.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/SourceToTTIR/Frontend.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace tessera {

class LiveProgram {
public:
  /// Checks the whole text; an error names the first place that is wrong:
  /// "functions[2].names.cfg: ...".
  static llvm::Expected<std::unique_ptr<LiveProgram>> read(llvm::StringRef text);
  ~LiveProgram();

  /// The kernel's name and the path of its file, as given in the program.
  std::string kernelName() const;
  std::string kernelPath() const;

  /// Null on failure, with the reasons in `diagnostics`, and if there are questions.
  std::unique_ptr<TranslatedKernel> translate(mlir::MLIRContext &context,
                                              DiagnosticEngine &diagnostics,
                                              const LanguageTarget &target = {}) const;

  /// The questions that the host must answer before the program can be compiled, one JSON
  /// object each.
  const std::vector<std::string> &questions() const;

  /// The text that shows this line of this file; null if no function has it.
  const SourceFile *fileAt(llvm::StringRef path, unsigned line) const;

  struct State; // private to lib/SourceToTTIR

private:
  explicit LiveProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// The free names that the text of one function or class reads, with the attributes that
/// are read of them, in the order of the text: {"tl.load", "BLOCK", "cfg.tile.M"}.
llvm::Expected<std::vector<std::string>> findReferences(llvm::StringRef text,
                                                        const std::string &path, unsigned line);

} // namespace tessera
