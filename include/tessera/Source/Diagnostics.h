//===- Diagnostics.h - what went wrong, where, and how it is shown --------===//
// A diagnostic names a place in the user's Python and shows it:
//
//   matmul.py:14:12: error: tl.dot inner sizes differ: 32 and 16
//       acc += tl.dot(a, b)
//              ^~~~~~~~~~~~
//   matmul.py:9:9: note: 'b' has shape [16, 64], loaded here
//
// The engine collects; it prints nothing by itself. A diagnostic copies the
// little text it shows, so it stays printable after its SourceFile is gone.
//
//   DiagnosticEngine diagnostics;
//   diagnostics.error(file, range, "tl.dot inner sizes differ: 32 and 16")
//       .note(file, other, "'b' has shape [16, 64], loaded here");
//   std::fputs(diagnostics.render().c_str(), stderr);
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/SourceFile.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera {

enum class DiagnosticKind {
  Error,       // the program is wrong
  Unsupported, // this target or version cannot do it; the text says what can
  Internal,    // our own bug
  Warning,     // the program is accepted, and probably not what was meant
  Output,      // what the program asked to print while it was compiled
  Remark,      // what a pass decided (Support/Remarks.h); the details are in Diagnostic::remark
  Note,        // a place that belongs to the diagnostic before it
};

/// "error", "unsupported", "internal error", "warning", "note": as printed.
std::string_view diagnosticKindName(DiagnosticKind kind);

/// The part of a source line that is shown under a message: at most
/// `kMaxExcerptColumns` wide, tabs expanded, with the marked span in terminal
/// columns. Empty text when there is nothing to show.
struct SourceExcerpt {
  std::string text;
  uint32_t markColumn = 0; // terminal columns before the caret
  uint32_t markWidth = 0;  // at least 1 when text is shown
};
constexpr uint32_t kMaxExcerptColumns = 160;

/// Cuts the excerpt that shows `range` out of `file`. A range of several lines
/// is shown to the end of its first.
SourceExcerpt makeExcerpt(const SourceFile &file, SourceRange range);

/// The kind of a remark: a pass did something, left something as it is, or states a fact.
enum class RemarkOutcome { Decided, Declined, Noted };

/// A pass states a decision.
struct RemarkDetails {
  RemarkOutcome outcome = RemarkOutcome::Noted;
  std::string pass;   // "ttg-coalesce"
  std::string name;   // which of the pass's decisions: "access-layout"
  std::string reason; // may be empty
  std::vector<std::pair<std::string, std::string>> numbers;
  std::vector<std::string> callers; // "kernel.py:12", if the place is in an inlined function
};

struct Diagnostic {
  DiagnosticKind kind = DiagnosticKind::Error;
  std::string message;
  std::string path;    // empty when no file is concerned
  SourceRange range;   // line 0 when no line is concerned
  uint32_t column = 0; // of range.begin, from 1, in code points
  SourceExcerpt excerpt;
  // For programs that react to what went wrong (docs/program.md).
  std::string code = {};          // "static-assert", "shared-memory", "assembler", ErrorDetails'
  uint64_t needed = 0, limit = 0; // of "shared-memory", in bytes
  std::string option = {}, problem = {};    // as in ErrorDetails
  std::optional<unsigned> parameter = {};   // as in ErrorDetails
  std::optional<RemarkDetails> remark = {}; // of kind Remark
};

struct RenderOptions {
  bool color = false;
  bool excerpts = true;      // source lines under errors
  bool noteExcerpts = false; // and under notes
  bool remarks = true;
};

std::string renderDiagnostic(const Diagnostic &diagnostic, const RenderOptions &options = {});

class DiagnosticEngine {
public:
  /// Lets notes follow a diagnostic in the same expression.
  class Reported {
  public:
    const Reported &note(const SourceFile &file, SourceRange range, std::string message) const;
    const Reported &note(std::string message) const;

  private:
    friend class DiagnosticEngine;
    explicit Reported(DiagnosticEngine &engine) : engine(engine) {}
    DiagnosticEngine &engine;
  };

  Reported report(DiagnosticKind kind, const SourceFile &file, SourceRange range,
                  std::string message);
  /// For problems that no source line explains; `path` may be empty.
  Reported report(DiagnosticKind kind, std::string path, std::string message);
  /// For diagnostics that were composed elsewhere.
  Reported report(Diagnostic diagnostic);

  Reported error(const SourceFile &file, SourceRange range, std::string message) {
    return report(DiagnosticKind::Error, file, range, std::move(message));
  }
  Reported unsupported(const SourceFile &file, SourceRange range, std::string message) {
    return report(DiagnosticKind::Unsupported, file, range, std::move(message));
  }
  Reported internal(const SourceFile &file, SourceRange range, std::string message) {
    return report(DiagnosticKind::Internal, file, range, std::move(message));
  }

  /// Once for each place and message: a loop's body may be read several times.
  void warning(const SourceFile &file, SourceRange range, std::string message);
  /// A line of a program's own, shown as it is.
  void output(std::string text) { report(DiagnosticKind::Output, "", std::move(text)); }

  const std::vector<Diagnostic> &diagnostics() const { return collected; }
  bool hasErrors() const; // anything that stops the compilation
  void clear() { collected.clear(); }
  /// Gives the last diagnostic its code.
  void setCode(std::string code) {
    if (!collected.empty())
      collected.back().code = std::move(code);
  }
  /// Forgets all but the first `count`: what was tried and is not needed.
  void rollBack(size_t count) {
    if (count < collected.size())
      collected.erase(collected.begin() + count, collected.end());
  }

  /// All of them, in the order of their reports.
  std::string render(const RenderOptions &options = {}) const;

private:
  std::vector<Diagnostic> collected;
};

} // namespace tessera
