//===- Compilation.cpp - one run of the stage loop ------------------------===//
// run() is the table of contents; Enter.cpp has the ways in.
//===----------------------------------------------------------------------===//
#include "Compilation.h"
#include "tessera/SourceToTTIR/Frontend.h"
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Remarks.h"
#include "tessera/Support/Version.h"
#include "tessera/TTIR/Analysis/PointerWrites.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace tessera;

Compilation::Compilation(const SessionOptions &session, const CompileRequest &request,
                         const CompileInput &input, DiagnosticEngine &diagnostics,
                         ContextPool::Lease &lease, PassTrace *trace)
    : session(session), request(request), input(input), target(*input.target), stages(input.stages),
      diagnostics(diagnostics), lease(lease), context(lease.context()),
      state{context, request.options}, trace(trace) {
  state.machines = &lease.machines();
}

std::optional<CompileResult> Compilation::run() {
  lease.countText(input.text.size());
  if (session.passes.isActive())
    gate.emplace(context, session.passes, target);
  if (!startRemarks())
    return std::nullopt;
  bool isMade = enter() && runStages() && checkMade();
  finishTrace();
  if (!reportRemarks() || !isMade)
    return std::nullopt;
  finishRecord();
  result.key = input.key();
  if (source)
    result.importedFiles = source->otherFiles();
  storeInCache();
  return std::move(result);
}

bool Compilation::fail(const llvm::Twine &message, DiagnosticKind kind) {
  diagnostics.report(kind, "", message.str());
  return false;
}

bool Compilation::isWanted(llvm::StringRef extension) const {
  return llvm::is_contained(request.outputs, extension);
}

/// A compilation that starts late has no early outputs.
bool Compilation::checkMade() {
  for (const std::string &output : request.outputs)
    if (output != "json" && !result.kernel.find(output))
      return fail("'" + request.path + "': there is no way back from ." + input.extension + " to " +
                  output);
  return true;
}

void Compilation::storeInCache() {
  // The key knows the kernel's own file; a change in a module that it imports must not
  // find the old kernel.
  if (!source || !source->hasReadOtherFiles())
    input.store(session, result.kernel, diagnostics);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Locations stay, so that a compilation that starts from this text still speaks of
/// the Python lines; names come from them.
std::string Compilation::printModule() {
  std::string text;
  llvm::raw_string_ostream os(text);
  state.module->print(os, mlir::OpPrintingFlags().enableDebugInfo().printNameLocAsPrefix());
  os << "\n";
  return text;
}

std::string Compilation::artifactOf(const Stage &stage) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (stage.form) {
  case ProgramForm::Module:
    return printModule();
  case ProgramForm::LLVM:
    state.llvmModule->print(os, nullptr);
    break;
  case ProgramForm::Assembly:
    return state.assembly;
  case ProgramForm::Binary:
    return state.binary;
  }
  return text;
}

namespace {
/// --print-passes: the IR after each pass that changed it, with the kernel and the stage above it.
class KernelPrinter : public mlir::PassManager::IRPrinterConfig {
public:
  KernelPrinter(std::string title, llvm::raw_ostream &os)
      : IRPrinterConfig(/*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true),
        title(std::move(title)), os(os) {}
  void printAfterIfEnabled(mlir::Pass *, mlir::Operation *, PrintCallbackFn print) override {
    os << title;
    print(os);
  }

private:
  const std::string title;
  llvm::raw_ostream &os;
};
} // namespace

bool Compilation::instrumentStage(const Stage &stage) {
  // A folder a stage: each has a pass manager of its own, which counts from one.
  llvm::SmallString<128> folder(session.debug.dumpDir);
  if (!folder.empty()) {
    // Each attempt has folders of its own: nobody knows yet which one is kept.
    std::string attempt = state.attempt == 0 ? "" : "-attempt-" + std::to_string(state.attempt);
    llvm::sys::path::append(folder, stage.name + attempt);
    if (std::error_code problem = llvm::sys::fs::create_directories(folder))
      return fail("cannot create the folder '" + folder + "' for --dump-dir: " + problem.message());
  }
  if (!openPrintPath())
    return false;
  state.instrument = [this, folder, stageName = stage.name](mlir::PassManager &manager) {
    manager.enableVerifier(session.debug.verifyEach);
    if (!folder.empty())
      manager.enableIRPrintingToFileTree([](auto...) { return false; },
                                         [](auto...) { return true; },
                                         /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true,
                                         /*printAfterOnlyOnFailure=*/false, folder);
    llvm::StringRef shown = session.debug.printPasses;
    bool isShown = shown == state.record.kernelName || (program && shown == program->kernelName());
    if (shown == "1" || (!shown.empty() && isShown))
      manager.enableIRPrinting(std::make_unique<KernelPrinter>(
          "// kernel " + state.record.kernelName + ", " + stageName + "\n",
          printed ? *printed : llvm::errs()));
    if (recorder)
      recorder->instrument(manager);
  };
  if (recorder || gate)
    state.instrumentLLVM = [this](llvm::PassInstrumentationCallbacks &callbacks) {
      if (gate)
        gate->instrument(callbacks);
      if (recorder)
        recorder->instrument(callbacks);
    };
  return true;
}

bool Compilation::openPrintPath() {
  if (printed || session.debug.printPasses.empty() || session.debug.printPath.empty())
    return true;
  std::error_code problem;
  printed = std::make_unique<llvm::raw_fd_ostream>(session.debug.printPath, problem,
                                                   llvm::sys::fs::OF_Append);
  return !problem || fail("cannot write to '" + session.debug.printPath +
                          "' for --print-path: " + problem.message());
}

bool Compilation::startRemarks() {
  const DebugOptions &debug = session.debug;
  if (debug.remarks.empty() && debug.remarksFile.empty() && !trace)
    return true;
  bool wantsAll = debug.remarks.empty() || trace;
  llvm::Expected<std::unique_ptr<RemarkCollector>> collector =
      RemarkCollector::create(context, wantsAll ? "." : debug.remarks);
  if (!collector)
    return fail(llvm::toString(collector.takeError()));
  remarks = std::move(*collector);
  if (trace)
    recorder = std::make_unique<PassRecorder>(*trace, *remarks);
  return true;
}

void Compilation::recordEntry(double seconds) {
  if (program)
    recorder->addSource(program->kernelPath(), "");
  else
    recorder->addSource(request.path, input.text);
  ProgramForm form = state.module       ? ProgramForm::Module
                     : state.llvmModule ? ProgramForm::LLVM
                                        : ProgramForm::Assembly;
  bool isSource = input.isSource();
  recorder->addProgram(isSource ? "frontend" : "input", state, form,
                       isSource ? llvm::StringRef(kFrontendOutput) : input.extension, seconds);
  if (state.module)
    recorder->noteLayouts(*state.module, input.extension);
}

void Compilation::finishTrace() {
  if (!recorder)
    return;
  recorder->finish();
  trace->kernelName = state.record.kernelName;
  trace->kernelLine = state.record.sourceLine;
}

bool Compilation::reportRemarks() {
  if (!remarks)
    return true;
  std::vector<Diagnostic> made = remarks->takeDistinct();
  if (!session.debug.remarksFile.empty())
    if (llvm::Error error = appendRemarks(session.debug.remarksFile, made))
      return fail(llvm::toString(std::move(error)));
  if (!session.debug.remarks.empty())
    for (Diagnostic &remark : made)
      diagnostics.report(std::move(remark));
  return true;
}

bool Compilation::runStage(const Stage &stage) {
  if (!instrumentStage(stage))
    return false;
  if (recorder)
    recorder->beginStage(stage);
  auto begin = std::chrono::steady_clock::now();
  bool hasRun = succeeded(stage.run(state));
  if (recorder)
    recorder->endStage(state, !hasRun);
  if (!hasRun) {
    if (!diagnostics.hasErrors() && state.attempt == 0)
      fail(stage.name + " failed without saying why", DiagnosticKind::Internal);
    return false;
  }
  if (!overrideOutput(stage))
    return false;
  if (recorder && isOverridden(stage) && stage.form != ProgramForm::Binary)
    recorder->addProgram("ir-override", state, stage.form, stage.extension, 0);
  // Each stage's postcondition. Between passes only --verify-each looks: it would cost
  // as much as the passes themselves.
  if (stage.form == ProgramForm::Module && failed(mlir::verify(*state.module))) {
    if (!diagnostics.hasErrors() && state.attempt == 0)
      fail(stage.name + " left invalid IR", DiagnosticKind::Internal);
    return false;
  }
  if (recorder && stage.form == ProgramForm::Module)
    recorder->noteLayouts(*state.module, stage.extension);
  if (stage.extension == "ttir")
    noteWrites();
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::string artifact = isKept(stage) ? artifactOf(stage) : "";
  result.stages.push_back({stage.name, stage.extension, artifact.size(), elapsed.count()});
  if (isKept(stage))
    result.kernel.artifacts[stage.extension] = std::move(artifact);
  return true;
}

void Compilation::noteWrites() {
  auto kernel = state.module->lookupSymbol<tt::FuncOp>(state.record.kernelName);
  if (!kernel)
    return;
  PointerWrites writes = findPointerWrites(kernel);
  state.record.setWrites(writes.readOnly, writes.onlyThroughArguments);
}

/// Printing a module takes as long as some stages do; assembly and binary are at hand.
bool Compilation::isKept(const Stage &stage) const {
  bool isText = stage.form == ProgramForm::Module || stage.form == ProgramForm::LLVM;
  return !isText || request.outputs.empty() || isWanted(stage.extension) ||
         session.debug.timeStages;
}

bool Compilation::runStages() {
  // A program that the frontend accepted must compile; a hand-written IR file may have errors that
  // only a stage finds.
  bridge->kindOfErrors = input.isSource() ? DiagnosticKind::Internal : DiagnosticKind::Error;
  if (!runStagesFrom(firstStage))
    return false;
  tryOtherAttempts();
  return true;
}

bool Compilation::runStagesFrom(size_t first) {
  for (size_t i = first; i < stages.size(); ++i) {
    const Stage &stage = stages[i];
    if (stage.onDemand && !isWanted(stage.extension))
      continue;
    // The file of --ir-override replaces the output of a stage, so another attempt would not change
    // it.
    bool mayRestart =
        i == 1 && state.module && request.options.irOverride.empty() && session.passes.done.empty();
    if (mayRestart && !restart)
      restart.emplace(Restart{i, (*state.module).clone(), state.record, result,
                              remarks ? remarks->count() : 0,
                              recorder ? recorder->mark() : PassRecorder::Mark()});
    // An attempt whose assembly is that of an earlier one would give the same binary.
    if (stage.form == ProgramForm::Binary && restart && !assembled.insert(state.assembly).second)
      return false;
    bool isComplete = state.without.empty();
    bool hasRun = runStage(stage);
    if (hasRun && isComplete && !state.without.empty() && restart && restart->stage == i) {
      goBack();
      hasRun = runStage(stage);
    }
    if (!hasRun) {
      if (state.attempt == 0)
        writeReproducer(stage);
      return false;
    }
    bool moreWanted = request.outputs.empty() ||
                      llvm::any_of(llvm::drop_begin(stages, i + 1),
                                   [&](const Stage &later) { return isWanted(later.extension); });
    if (!moreWanted)
      break;
  }
  return true;
}

/// The place of the kernel in the source.
static mlir::Location kernelLocation(mlir::ModuleOp module) {
  for (auto function : module.getOps<tt::FuncOp>())
    if (function.isPublic())
      return function.getLoc();
  return module.getLoc();
}

static std::string describeSpills(const KernelRecord &record) {
  return std::to_string(record.registers) + " registers, " + std::to_string(record.spillBytes) +
         " bytes spilled" + (record.assemblerAdvice.empty() ? "" : ", " + record.assemblerAdvice);
}

/// Forgets what has happened since the target's first stage after TTIR began.
void Compilation::goBack() {
  state.module = (*restart->module).clone();
  state.llvmModule.reset();
  state.machine.reset();
  state.record = restart->record;
  result = restart->result;
  if (remarks)
    remarks->takeFrom(restart->remarks);
  if (recorder)
    recorder->takeFrom(restart->trace);
}

bool Compilation::runAttempt(unsigned attempt) {
  // Errors here are ignored, because the usual attempt has already produced a kernel.
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  goBack();
  state.attempt = attempt;
  return runStagesFrom(restart->stage);
}

void Compilation::tryOtherAttempts() {
  if (!restart || state.binary.empty())
    return;
  llvm::SmallVector<Attempt> others = target.otherAttempts(state);
  if (others.empty())
    return;
  KernelRecord best = state.record;
  CompileResult bestResult = std::move(result);
  auto takeRemarks = [&] {
    return remarks ? remarks->takeFrom(restart->remarks) : std::vector<Diagnostic>();
  };
  std::vector<Diagnostic> bestRemarks = takeRemarks();
  auto takeTrace = [&] {
    return recorder ? recorder->takeFrom(restart->trace) : PassRecorder::Tail();
  };
  PassRecorder::Tail bestTrace = takeTrace();
  std::string report = "the usual way: " + describeSpills(best), kept = "the usual way";
  for (const Attempt &other : others) {
    if (!runAttempt(other.number))
      continue;
    report += "; " + other.description + ": " + describeSpills(state.record);
    if (!target.isBetter(state.record, best))
      continue;
    best = state.record;
    bestResult = std::move(result);
    bestRemarks = takeRemarks();
    bestTrace = takeTrace();
    kept = other.description;
    if (best.spillBytes == 0 && best.assemblerAdvice.empty())
      break;
  }
  state.record = best;
  state.record.attempts = report + "; kept " + kept;
  result = std::move(bestResult);
  if (!remarks)
    return;
  takeRemarks();
  remarks->append(std::move(bestRemarks));
  if (recorder) {
    takeTrace();
    recorder->append(std::move(bestTrace));
  }
  mlir::Location kernel = kernelLocation(*restart->module);
  decided(kernel, "other-attempts", "spills").says("kept {0}", kept).because("{0}", report);
}

/// Returns the output of the stages up to this one as text. If it was not kept, the stages run
/// again in a new context, because the current module may be in any state.
std::string Compilation::programAfter(const Stage &stage) const {
  auto kept = result.kernel.artifacts.find(stage.extension);
  if (kept != result.kernel.artifacts.end())
    return kept->second;
  CompileRequest again = request;
  again.outputs = {stage.extension};
  SessionOptions quiet = session;
  quiet.cacheFolder.clear();
  quiet.debug = {};
  DiagnosticEngine unheard;
  ContextPool contexts;
  std::unique_ptr<ContextPool::Lease> fresh = contexts.take();
  CompileInput inputAgain;
  std::optional<CompileResult> made;
  if (inputAgain.prepare(quiet, again, unheard))
    made = Compilation(quiet, again, inputAgain, unheard, *fresh).run();
  const std::string *text = made ? made->kernel.find(stage.extension) : nullptr;
  return text ? *text : "";
}

static std::string flagText(llvm::StringRef flag, bool value) {
  return ((value ? " --" : " --no-") + flag).str();
}
static std::string flagText(llvm::StringRef flag, unsigned value) {
  return (" --" + flag + " " + llvm::Twine(value)).str();
}
static std::string flagText(llvm::StringRef flag, const std::string &value) {
  return (" --" + flag + " \"" + value + "\"").str();
}

/// The options that are not the default, as the command line takes them.
static std::string changedFlags(const CompileOptions &options) {
  CompileOptions defaults;
  std::string text;
#define COMPILE_OPTION(type, field, value, flag, help)                                             \
  if (options.field != defaults.field)                                                             \
    text += flagText(flag, options.field);
#include "tessera/Support/Options.def"
  return text;
}

/// Letters, digits and a few signs of a name, for a file.
static std::string fileNameOf(llvm::StringRef name) {
  std::string text = name.take_front(100).str();
  for (char &c : text)
    c = llvm::isAlnum(c) || c == '_' || c == '-' ? c : '_';
  return text;
}

/// Writes what reproduces an internal error to a file that only this user can have made: in the
/// folder that was chosen for it, whatever has the name there is replaced and links are not
/// followed; else in a new folder among the temporary files.
static llvm::Expected<std::string>
writeReproducerFile(const SessionOptions &session, const std::string &name, llvm::StringRef text) {
  std::string folder = session.reproducerFolder;
  if (folder.empty()) {
    llvm::Expected<TemporaryFolder> made =
        TemporaryFolder::create(session.tools.temporaryFolder, "tessera-reproducer-");
    if (!made)
      return made.takeError();
    folder = made->keep();
  }
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "tessera-reproducer-" + name);
  llvm::Expected<PendingFile> file = PendingFile::replace(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(text))
    return std::move(error);
  if (llvm::Error error = file->commit())
    return std::move(error);
  return path.str().str();
}

void Compilation::writeReproducer(const Stage &stage) {
  if (exitStatus(diagnostics) != kInternalError)
    return;
  // From source, the source itself reproduces what the first stage does.
  std::string path = request.path;
  size_t index = &stage - stages.begin();
  std::string before, extension;
  if (index > firstStage) {
    before = programAfter(stages[index - 1]);
    extension = stages[index - 1].extension;
  } else if (request.text) { // the only copy
    before = input.text;
    extension = input.extension;
  }
  if (!before.empty()) {
    llvm::Expected<std::string> file =
        writeReproducerFile(session, fileNameOf(state.record.kernelName) + "." + extension, before);
    if (file)
      path = std::move(*file);
    else
      llvm::consumeError(file.takeError());
  }
  std::string command = "tessera compile " + path + " --target " + target.name() + " --emit " +
                        stage.extension + changedFlags(request.options);
  if (llvm::StringRef(path).ends_with(".py"))
    command +=
        " --kernel-name " + request.kernelName + " --signature \"" + request.signature + "\"";
  diagnostics.report(DiagnosticKind::Note, "",
                     "this is a bug in Tessera, in " + stage.name + "; it happens again with\n  " +
                         command);
}

void Compilation::finishRecord() {
  KernelRecord &record = state.record;
  record.tesseraVersion = getVersion().str();
  record.target = target.name();
  if (record.sourceFile.empty())
    record.sourceFile = request.path;
  record.adopt(request.options);
  llvm::SmallVector<llvm::StringRef> foreign = optionsOfOtherTargets(record.target);
  llvm::erase_if(record.options,
                 [&](const auto &option) { return llvm::is_contained(foreign, option.first); });
  result.kernel.record = std::move(record);
}
