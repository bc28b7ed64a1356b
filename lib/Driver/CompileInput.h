//===- CompileInput.h - what a compilation starts from --------------------===//
// Everything that is known before the first IR exists: the target, the input's text,
// the key over both, and what the cache has under it. No MLIR context is made for
// this, so a hit costs two file accesses and a hash.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/PackKey.h"
#include "tessera/Driver/Session.h"

namespace tessera {

/// The output that no stage makes: TTIR as the frontend left it.
inline constexpr llvm::StringLiteral kFrontendOutput = "source";

struct CompileInput {
  std::unique_ptr<Target> target;
  llvm::SmallVector<Stage> stages;
  std::string text;
  std::string extension;    // "py", "ttir", "program", ...
  std::string overrideText; // of --ir-override
  /// How packs know the program; nothing without packs.
  std::optional<PackKeys> packKeys;
  /// A cached kernel that lacks some of the outputs asked for.
  std::optional<CompiledKernel> partial;
  /// The kernel of a pack for a chip that is no target, but runs code for an earlier one.
  std::optional<CompileResult> forLaterChip;
  /// The questions that a program left open when it was first compiled.
  std::vector<std::string> questions;

  /// Fills in what load() does not; false after a diagnostic.
  bool prepare(const SessionOptions &session, const CompileRequest &request,
               DiagnosticEngine &diagnostics);
  /// The kernel of the first pack that has code for the target's chips. A damaged one is a warning.
  std::optional<CompileResult> loadFromPacks(const SessionOptions &session,
                                             const CompileRequest &request,
                                             DiagnosticEngine &diagnostics);
  /// The kernel that was compiled before, if the session wants it and it has all outputs. Its
  /// warnings are reported again.
  std::optional<CompileResult> load(const SessionOptions &session, const CompileRequest &request,
                                    DiagnosticEngine &diagnostics);
  /// Keeps what was compiled, with its warnings and the outputs of `partial`.
  void store(const SessionOptions &session, const CompiledKernel &kernel,
             const DiagnosticEngine &diagnostics) const;
  /// Keeps what a program leaves open: the next process need not find out again.
  void storeQuestions(const SessionOptions &session, llvm::ArrayRef<std::string> asked) const;

  /// The key of the cache; computed when it is first asked for, as a kernel from a pack needs none.
  const std::string &key() const;

  /// Returns whether it is Python, from a file or a host.
  bool isSource() const { return extension == "py" || extension == "program"; }

private:
  const CompileRequest *request = nullptr; // of prepare(), which the caller keeps
  mutable std::string cacheKey;
};

} // namespace tessera
