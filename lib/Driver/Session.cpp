//===- Session.cpp - compiling, from a file to any of its forms -----------===//
#include "tessera/Driver/Session.h"
#include "Compilation.h"
#include "tessera/Binary/PackMiss.h"
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
  uncached.options.cacheServer.reset();
  uncached.options.packs.clear();
  uncached.options.onCompile = OnCompile::Allow; // somebody asks to see the passes
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
  bool isCode = request.outputs.size() != 1 || request.outputs[0] != kFrontendOutput;
  if (options.onCompile == OnCompile::Error && isCode && input.questions.empty() &&
      !asksQuestions(input, request)) {
    reportMiss(input, request, diagnostics);
    return std::nullopt;
  }
  if (input.questions.empty()) {
    callWithStack(kCompileStack, [&] {
      std::unique_ptr<ContextPool::Lease> lease = contexts->take();
      Compilation compilation(options, request, input, diagnostics, *lease, trace);
      result = compilation.run();
      input.questions = compilation.questions();
    });
    input.storeQuestions(options, input.questions);
  }
  if (result && isCode && options.onCompile == OnCompile::Warn)
    reportMiss(input, request, diagnostics);
  if (questions)
    *questions = input.questions;
  else // nobody is there to answer
    for (const std::string &question : input.questions)
      diagnostics.report(DiagnosticKind::Error, request.path, "only its host can say: " + question);
  return result;
}

/// Runs the frontend alone, which generates no code: a program may leave questions open before it
/// is the one that a pack has.
bool Session::asksQuestions(CompileInput &input, const CompileRequest &request) const {
  if (input.extension != "program")
    return false;
  CompileRequest frontend = request;
  frontend.outputs = {kFrontendOutput.str()};
  DiagnosticEngine unused;
  callWithStack(kCompileStack, [&] {
    std::unique_ptr<ContextPool::Lease> lease = contexts->take();
    Compilation compilation(options, frontend, input, unused, *lease, nullptr);
    compilation.run();
    input.questions = compilation.questions();
  });
  return !input.questions.empty();
}

/// Says which kernel is missing, why, and which row of a manifest would add it.
void Session::reportMiss(const CompileInput &input, const CompileRequest &request,
                         DiagnosticEngine &diagnostics) const {
  bool isError = options.onCompile == OnCompile::Error;
  std::string target = input.target->name();
  std::string name = input.packKeys ? input.packKeys->kernelName : request.kernelName;
  std::string text =
      "'" + name + "' for " + target +
      (isError ? " is not compiled, as TESSERA_ON_COMPILE=error forbids it" : " was compiled");
  if (input.packKeys) {
    for (const std::shared_ptr<const PackFile> &pack : options.packs)
      text += "; the pack '" + pack->path() +
              "' does not have it: " + explainMiss(pack->view(), *input.packKeys, target);
    text += "\nthe row of the manifest that adds it to 'variants' of " + name + ":\n  " +
            manifestRow(*input.packKeys, request.options, target);
  }
  diagnostics.report(isError ? DiagnosticKind::Error : DiagnosticKind::Warning, "", text);
}

CacheStore tessera::cacheOf(const SessionOptions &options) {
  return CacheStore(options.cacheFolder, options.cacheTrust, options.cacheServer,
                    options.cacheLimit);
}

std::optional<std::string> Session::keyOf(const CompileRequest &request,
                                          DiagnosticEngine &diagnostics) const {
  CompileInput input;
  if (!input.prepare(options, request, diagnostics))
    return std::nullopt;
  return input.forLaterChip ? input.forLaterChip->key : input.key();
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
