//===- Session.cpp - compiling, from a file to any of its forms -----------===//
#include "tessera/Driver/Session.h"
#include "Compilation.h"
#include "tessera/SourceToTTIR/Frontend.h"
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "tessera/Support/StackSpace.h"

using namespace tessera;

/// The stack that the frontend (Emitter::checkDepth), MLIR's and LLVM's passes may use.
static constexpr size_t kCompileStack = 6 << 20;

std::optional<CompileResult> Session::compile(const CompileRequest &request,
                                              DiagnosticEngine &diagnostics,
                                              std::vector<std::string> *questions) const {
  return run(request, diagnostics, /*trace=*/nullptr, questions);
}

std::optional<CompileResult> Session::explain(const CompileRequest &request,
                                              DiagnosticEngine &diagnostics, PassTrace &trace,
                                              std::vector<std::string> *questions) const {
  Session uncached = *this;
  uncached.options.cacheFolder.clear();
  return uncached.run(request, diagnostics, &trace, questions);
}

std::optional<CompileResult> Session::run(const CompileRequest &request,
                                          DiagnosticEngine &diagnostics, PassTrace *trace,
                                          std::vector<std::string> *questions) const {
  CompileInput input;
  if (!input.prepare(options, request, diagnostics))
    return std::nullopt;
  if (std::optional<CompileResult> hit = input.load(options, request, diagnostics))
    return hit;
  std::optional<CompileResult> result;
  if (input.questions.empty()) {
    callWithStack(kCompileStack, [&] {
      std::unique_ptr<ContextPool::Lease> lease = contexts->take();
      Compilation compilation(options, request, input, diagnostics, *lease, trace);
      result = compilation.run();
      input.questions = compilation.questions();
    });
    input.storeQuestions(options, input.questions);
  }
  if (questions)
    *questions = input.questions;
  else // nobody is there to answer
    for (const std::string &question : input.questions)
      diagnostics.report(DiagnosticKind::Error, request.path, "only its host can say: " + question);
  return result;
}

std::optional<std::string> Session::keyOf(const CompileRequest &request,
                                          DiagnosticEngine &diagnostics) const {
  CompileInput input;
  if (!input.prepare(options, request, diagnostics))
    return std::nullopt;
  return std::move(input.key);
}

llvm::Expected<std::vector<std::string>>
tessera::readReferences(llvm::StringRef text, const std::string &path, unsigned line) {
  constexpr size_t kParserStack = 2 << 20;
  std::optional<llvm::Expected<std::vector<std::string>>> found;
  callWithStack(kParserStack, [&] { found.emplace(findReferences(text, path, line)); });
  return std::move(*found);
}

ExitStatus tessera::exitStatus(const DiagnosticEngine &diagnostics) {
  ExitStatus status = kDone;
  for (const Diagnostic &diagnostic : diagnostics.diagnostics()) {
    if (diagnostic.kind == DiagnosticKind::Internal)
      return kInternalError;
    if (diagnostic.kind == DiagnosticKind::Error)
      status = kProgramError;
    if (diagnostic.kind == DiagnosticKind::Unsupported && status == kDone)
      status = kUnsupported;
  }
  return status;
}
