//===- Explanation.h - a compilation, pass by pass ------------------------===//
// Compiles a kernel and keeps what every pass did, whether the compilation succeeds or not. The
// views of this folder show it: tables and diffs for terminals (Views.h), JSON (Json.h).
//
//   Explanation explanation = explainKernel(session, request);
//   std::fputs(showPasses(explanation, screen).c_str(), stdout);
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Driver/PassTrace.h"
#include "tessera/Driver/Session.h"
#include "tessera/Source/Diagnostics.h"
#include <optional>
#include <string>

namespace tessera {

struct Explanation {
  CompileRequest request;
  PassTrace trace;
  DiagnosticEngine diagnostics;
  ExitStatus status = kDone;
  std::optional<KernelRecord> record;  // of the compiled kernel; empty if the compilation failed
  std::optional<MachineFacts> machine; // how it uses the machine, if the target can say
  double seconds = 0;                  // of all stages together, without the time for recording

  bool hasFailed() const { return status != kDone; }
  /// The kernel's name, or the file's where no kernel was found.
  std::string title() const;
  /// The text of a source line without its indentation; empty if it is not known.
  llvm::StringRef sourceLine(LinePlace place) const;
};

/// Compiles down to what a device loads. With `forPeople`, stages that only people read, such as
/// a disassembly, run too, if their tools are there.
Explanation explainKernel(const Session &session, CompileRequest request, bool forPeople);

/// Gives every attribute alias (`#blocked3`) one name in all texts of the trace, so that equal
/// names are equal layouts and a diff shows what changed.
void stabilizeAliases(PassTrace &trace);

} // namespace tessera
