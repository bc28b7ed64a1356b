//===- CompileInput.cpp - what a compilation starts from ------------------===//
#include "CompileInput.h"
#include "tessera/Binary/CacheKey.h"
#include "tessera/Binary/CacheStore.h"
#include "tessera/Driver/PackSearch.h"
#include "tessera/Driver/Report.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace tessera;

//===----------------------------------------------------------------------===//
// Target and text
//===----------------------------------------------------------------------===//

static llvm::Error checkOutputs(const CompileRequest &request, const Target &target,
                                llvm::ArrayRef<Stage> stages) {
  for (const std::string &output : request.outputs)
    if (output != "json" && output != kFrontendOutput &&
        llvm::none_of(stages, [&](const Stage &s) { return s.extension == output; }))
      return makeUnsupported(
          "the target " + target.name() + " has no output '" + output + "'; it has " +
          llvm::join(llvm::map_range(stages, [](const Stage &s) { return s.extension; }), ", ") +
          ", json");
  return llvm::Error::success();
}

/// "py" of "dir/add.py"
static std::string extensionOf(llvm::StringRef path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  extension.consume_front(".");
  return extension.str();
}

static llvm::Expected<std::string> readOverride(const CompileRequest &request, const Target &target,
                                                llvm::ArrayRef<Stage> stages) {
  const std::string &path = request.options.irOverride;
  if (path.empty())
    return "";
  std::string extension = extensionOf(path);
  if (llvm::none_of(stages, [&](const Stage &s) { return s.extension == extension; }))
    return makeError("ir-override: '" + path + "' does not end like an output of " + target.name());
  llvm::Expected<std::string> contents = readFile(path);
  if (!contents)
    return makeError("ir-override: " + llvm::toString(contents.takeError()));
  return contents;
}

static llvm::Error prepareInput(CompileInput &input, const SessionOptions &session,
                                const CompileRequest &request) {
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(request.target, session.tools);
  if (!target)
    return target.takeError();
  input.target = std::move(*target);
  input.stages = input.target->stages();
  if (llvm::Error error = checkOutputs(request, *input.target, input.stages))
    return error;
  input.extension = extensionOf(request.path);
  llvm::Expected<std::string> text = request.text ? *request.text : readFile(request.path);
  if (!text)
    return text.takeError();
  input.text = std::move(*text);
  llvm::Expected<std::string> replacement = readOverride(request, *input.target, input.stages);
  if (!replacement)
    return replacement.takeError();
  input.overrideText = std::move(*replacement);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// In the place of a kernel's outputs: what a program leaves open, one question a line.
static constexpr llvm::StringLiteral kQuestions = "questions";
/// Beside a kernel's outputs: the warnings of its compilation (Report.h).
static constexpr llvm::StringLiteral kWarnings = "warnings";

/// Whether a device can load the kernel in the place of the outputs asked for: a driver compiles
/// the text that the last stage would have assembled.
static bool isLoadable(const CompiledKernel &kernel, const CompileRequest &request,
                       llvm::ArrayRef<Stage> stages) {
  const std::string &binary = binaryStage(stages).extension;
  std::string text = loadableExtension(stages, ToolPaths());
  bool isThere = kernel.find(binary) || kernel.find(text);
  return isThere && llvm::all_of(request.outputs, [&](const std::string &output) {
           return output == binary || output == text || output == "json" || kernel.find(output);
         });
}

/// Looks a program up in the packs, for a target that may be a chip to come: without `chip` and
/// its `stages`.
static std::optional<CompiledKernel>
searchPacks(const SessionOptions &session, const CompileRequest &request, llvm::StringRef text,
            llvm::StringRef target, const Target *chip, llvm::ArrayRef<Stage> stages,
            const PackKeys &keys, DiagnosticEngine &diagnostics) {
  auto keysFor = [&](llvm::StringRef other) {
    return computePackKeys(text, request.options, other);
  };
  bool isForLaunch =
      chip && request.outputs.size() == 1 &&
      llvm::is_contained({binaryStage(stages).extension, loadableExtension(stages, ToolPaths())},
                         request.outputs[0]);
  for (const std::shared_ptr<const PackFile> &pack : session.packs) {
    std::string problem;
    std::optional<PackHit> hit =
        findInPack(*pack, keys.key, target, chip, keysFor, problem, isForLaunch);
    if (!problem.empty())
      diagnostics.report(DiagnosticKind::Warning, "", problem);
    if (!hit)
      continue;
    // The hit is nearly always for this very chip.
    if (chip && target == hit->kernel.record.target) {
      if (isLoadable(hit->kernel, request, stages))
        return std::move(hit->kernel);
      continue;
    }
    llvm::Expected<std::unique_ptr<Target>> maker =
        createTarget(hit->kernel.record.target, session.tools);
    if (maker && isLoadable(hit->kernel, request, (*maker)->stages()))
      return std::move(hit->kernel);
    if (!maker)
      llvm::consumeError(maker.takeError());
  }
  return std::nullopt;
}

static bool searchesPacks(const SessionOptions &session, const CompileRequest &request,
                          llvm::StringRef extension) {
  return !session.packs.empty() && extension == "program" && request.options.irOverride.empty();
}

std::optional<CompileResult> CompileInput::loadFromPacks(const SessionOptions &session,
                                                         const CompileRequest &request,
                                                         DiagnosticEngine &diagnostics) {
  if (!searchesPacks(session, request, extension))
    return std::nullopt;
  std::string name = target->name();
  llvm::Expected<PackKeys> keys =
      computePackKeys(text, request.options, name, &session.packs.front()->knownSources());
  if (!keys) { // the frontend says what is wrong with the program
    llvm::consumeError(keys.takeError());
    return std::nullopt;
  }
  packKeys = std::move(*keys);
  std::optional<CompiledKernel> kernel =
      searchPacks(session, request, text, name, target.get(), stages, *packKeys, diagnostics);
  // A launch on an AMD GPU promises small tensors; a pack that was recorded elsewhere has code
  // without the promise.
  if (std::optional<std::string> other = kernel ? std::nullopt : withoutSmallTensors(text)) {
    llvm::Expected<PackKeys> otherKeys = computePackKeys(*other, request.options, name);
    if (otherKeys)
      kernel = searchPacks(session, request, *other, name, target.get(), stages, *otherKeys,
                           diagnostics);
    else
      llvm::consumeError(otherKeys.takeError());
  }
  if (!kernel)
    return std::nullopt;
  CompileResult result;
  result.kernel = std::move(*kernel);
  result.fromCache = true;
  result.key = llvm::toHex(packKeys->key, /*LowerCase=*/true);
  return result;
}

/// The kernel for a chip that this version has no target for: a pack may have code that runs there.
static std::optional<CompileResult> loadForLaterChip(const SessionOptions &session,
                                                     const CompileRequest &request,
                                                     DiagnosticEngine &diagnostics) {
  if (!request.text || !searchesPacks(session, request, extensionOf(request.path)))
    return std::nullopt;
  llvm::Expected<PackKeys> keys = computePackKeys(*request.text, request.options, request.target);
  if (!keys) {
    llvm::consumeError(keys.takeError());
    return std::nullopt;
  }
  std::optional<CompiledKernel> kernel =
      searchPacks(session, request, *request.text, request.target,
                  /*chip=*/nullptr, /*stages=*/{}, *keys, diagnostics);
  if (!kernel)
    return std::nullopt;
  CompileResult result;
  result.kernel = std::move(*kernel);
  result.fromCache = true;
  result.key = llvm::toHex(keys->key, /*LowerCase=*/true);
  return result;
}

bool CompileInput::prepare(const SessionOptions &session, const CompileRequest &request,
                           DiagnosticEngine &diagnostics) {
  this->request = &request;
  if (llvm::Error error = prepareInput(*this, session, request)) {
    if (!target)
      forLaterChip = loadForLaterChip(session, request, diagnostics);
    auto kind = isUnsupported(error) ? DiagnosticKind::Unsupported : DiagnosticKind::Error;
    std::string message = llvm::toString(std::move(error));
    if (forLaterChip)
      return true;
    diagnostics.report(kind, "", message);
    return false;
  }
  return true;
}

const std::string &CompileInput::key() const {
  if (cacheKey.empty()) {
    std::string targetName = target->name(), targetText = target->cacheText();
    cacheKey = computeCacheKey({{text, overrideText},
                                request->path,
                                request->kernelName,
                                {request->signature, extension},
                                request->options,
                                targetName,
                                targetText,
                                getBuildIdentity()});
  }
  return cacheKey;
}

std::optional<CompileResult> CompileInput::load(const SessionOptions &session,
                                                const CompileRequest &request,
                                                DiagnosticEngine &diagnostics) {
  if (forLaterChip)
    return std::move(forLaterChip);
  // Whoever asks to see the passes wants them run.
  bool wantsRun = session.alwaysCompile || !session.debug.dumpDir.empty() ||
                  !session.debug.printPasses.empty() || !session.debug.remarks.empty() ||
                  !session.debug.remarksFile.empty();
  if (wantsRun)
    return std::nullopt;
  if (std::optional<CompileResult> packed = loadFromPacks(session, request, diagnostics))
    return packed;
  std::string problem;
  std::optional<CompiledKernel> kernel = cacheOf(session).load(key(), &problem);
  if (!problem.empty())
    diagnostics.report(DiagnosticKind::Warning, "", problem);
  if (!kernel)
    return std::nullopt;
  if (const std::string *asked = kernel->find(kQuestions)) {
    for (llvm::StringRef question : llvm::split(*asked, '\n'))
      questions.push_back(question.str());
    return std::nullopt;
  }
  std::vector<std::string> needed = request.outputs;
  if (needed.empty())
    needed.push_back(binaryStage(stages).extension);
  for (const std::string &output : needed)
    if (output != "json" && !kernel->find(output)) {
      partial = std::move(kernel);
      return std::nullopt;
    }
  CompileResult result;
  result.kernel = std::move(*kernel);
  if (const std::string *warnings = result.kernel.find(kWarnings)) {
    readWarnings(*warnings, diagnostics);
    result.kernel.artifacts.erase(kWarnings.str());
  }
  if (extension != "program") // which says the path itself
    result.kernel.record.sourceFile = request.path;
  result.fromCache = true;
  result.key = key();
  return result;
}

void CompileInput::store(const SessionOptions &session, const CompiledKernel &kernel,
                         const DiagnosticEngine &diagnostics) const {
  if (session.cacheFolder.empty() && !session.cacheServer)
    return;
  CompiledKernel merged = kernel;
  if (partial) {
    // Whichever run made the binary knows more of the kernel.
    const std::string &binary = binaryStage(stages).extension;
    if (!kernel.find(binary) && partial->find(binary))
      merged.record = partial->record;
    for (const auto &[name, artifact] : partial->artifacts)
      merged.artifacts.try_emplace(name, artifact);
  }
  if (std::string warnings = writeWarnings(diagnostics); !warnings.empty())
    merged.artifacts[kWarnings.str()] = std::move(warnings);
  // A folder that cannot be written to costs a later miss, nothing else.
  llvm::consumeError(cacheOf(session).store(key(), merged));
}

void CompileInput::storeQuestions(const SessionOptions &session,
                                  llvm::ArrayRef<std::string> asked) const {
  if ((session.cacheFolder.empty() && !session.cacheServer) || asked.empty())
    return;
  CompiledKernel entry;
  entry.record.target = target->name();
  entry.record.tesseraVersion = getVersion().str();
  entry.artifacts[kQuestions.str()] = llvm::join(asked, "\n");
  llvm::consumeError(cacheOf(session).store(key(), entry));
}
