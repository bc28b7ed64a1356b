//===- Enter.cpp - the ways into the stage loop ---------------------------===//
// Python source goes through the frontend; IR text of any level is parsed and
// the loop starts after the stage that would have written it. A .ttir file runs
// make_ttir again: it is idempotent, and hand-written files need it.
//===----------------------------------------------------------------------===//
#include "Compilation.h"
#include "IRText.h"
#include "tessera/Driver/Report.h"
#include "tessera/SourceToTTIR/Frontend.h"
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "tessera/TTIR/IR/KernelArguments.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace tessera;

bool Compilation::enter() {
  auto begin = std::chrono::steady_clock::now();
  bool entered = false;
  if (input.isSource()) {
    entered = input.extension == "py" ? enterSource() : enterProgram();
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (entered && recorder)
      recordEntry(elapsed.count());
    if (entered)
      result.stages.push_back({"frontend", "", 0, elapsed.count()});
    if (entered && isWanted(kFrontendOutput))
      result.kernel.artifacts[kFrontendOutput.str()] = printModule();
    return entered;
  }
  entered = enterIR();
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (entered && recorder)
    recordEntry(elapsed.count());
  return entered;
}

bool Compilation::enterIR() {
  auto writer =
      llvm::find_if(stages, [&](const Stage &s) { return s.extension == input.extension; });
  if (writer == stages.end() || std::next(writer) == stages.end())
    return fail("'" + request.path + "': cannot start from a file ending in '." + input.extension +
                "'; " + target.name() + " starts from .py" +
                llvm::join(llvm::map_range(llvm::drop_end(stages, 1),
                                           [](const Stage &s) { return ", ." + s.extension; }),
                           ""));
  bool isFirst = writer == stages.begin();
  firstStage = writer - stages.begin() + (isFirst ? 0 : 1);
  if (!isFirst)
    result.kernel.artifacts[input.extension] = input.text; // may be asked for again
  switch (writer->form) {
  case ProgramForm::Module:
    return enterModule();
  case ProgramForm::LLVM:
    return enterLLVM();
  case ProgramForm::Assembly:
    state.assembly = input.text;
    break;
  case ProgramForm::Binary:
    state.binary = input.text;
    break;
  }
  // Stages that read assembly report its lines.
  if (writer->form == ProgramForm::Assembly) {
    irFile = SourceFile::fromBytes(request.path, input.text, diagnostics);
    if (!irFile)
      return false;
    state.assemblyPath = request.path;
  }
  bridge = std::make_unique<DiagnosticBridge>(context, diagnostics, irFile.get());
  state.record.kernelName = request.kernelName;
  return true;
}

bool Compilation::enterSource() {
  source = SourceModule::fromText(request.path, input.text, diagnostics);
  if (!source)
    return false;
  bridge = std::make_unique<DiagnosticBridge>(context, diagnostics, &source->file());
  std::string kernelName = request.kernelName;
  if (kernelName.empty()) {
    std::vector<std::string> kernels = source->entryNames();
    if (kernels.size() != 1) {
      diagnostics.report(DiagnosticKind::Error, request.path,
                         kernels.empty()
                             ? source->explainNoKernels()
                             : "the file has several kernels, choose one with --kernel-name: " +
                                   llvm::join(kernels, ", "));
      return false;
    }
    kernelName = kernels.front();
  }
  llvm::Expected<std::vector<SignatureEntry>> signature = parseSignature(request.signature);
  if (!signature)
    return fail("--signature: " + llvm::toString(signature.takeError()));
  LanguageTarget language;
  if (!describeLanguage(language))
    return false;
  std::unique_ptr<TranslatedKernel> kernel =
      source->translate(context, kernelName, *signature, diagnostics, language);
  if (!kernel) {
    if (!diagnostics.hasErrors())
      fail("the frontend failed without saying why", DiagnosticKind::Internal);
    return false;
  }
  adopt(*kernel);
  return true;
}

bool Compilation::enterProgram() {
  llvm::Expected<std::unique_ptr<LiveProgram>> read = LiveProgram::read(input.text);
  if (!read) {
    reportError(diagnostics, "", read.takeError());
    return false;
  }
  program = std::move(*read);
  bridge = std::make_unique<DiagnosticBridge>(
      context, diagnostics, program->kernelPath(),
      [this](llvm::StringRef path, unsigned line) { return program->fileAt(path, line); });
  LanguageTarget language;
  if (!describeLanguage(language))
    return false;
  std::unique_ptr<TranslatedKernel> kernel = program->translate(context, diagnostics, language);
  asked = program->questions();
  if (!kernel) {
    if (asked.empty() && !diagnostics.hasErrors())
      fail("the frontend failed without saying why", DiagnosticKind::Internal);
    return false;
  }
  adopt(*kernel);
  state.record.sourceFile = program->kernelPath();
  return true;
}

void Compilation::adopt(TranslatedKernel &kernel) {
  state.module = std::move(kernel.module);
  state.record = std::move(kernel.record);
  state.record.sourceFile = request.path;
}

bool Compilation::describeLanguage(LanguageTarget &language) {
  language = target.languageTarget();
  language.numWarps = state.options.numWarps;
  language.isDebug = state.options.debug;
  language.checksOverflow = state.options.sanitizeOverflow;
  language.hasBreakpoints = state.options.sanitize;
  if (state.options.dotPrecision.empty())
    return true;
  // The first is the default.
  auto chosen = llvm::find(language.dotPrecisions, state.options.dotPrecision);
  if (chosen == language.dotPrecisions.end())
    return fail("default-dot-precision: one of " + llvm::join(language.dotPrecisions, ", ") +
                ", not '" + state.options.dotPrecision + "'");
  std::rotate(language.dotPrecisions.begin(), chosen, std::next(chosen));
  return true;
}

mlir::OwningOpRef<mlir::ModuleOp> Compilation::parseModule(const SourceFile &file) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parseIRText(file, context);
  if (!module && !diagnostics.hasErrors())
    fail("'" + file.path() + "' does not parse");
  return module;
}

bool Compilation::enterModule() {
  irFile = SourceFile::fromBytes(request.path, input.text, diagnostics);
  if (!irFile)
    return false;
  bridge = std::make_unique<DiagnosticBridge>(context, diagnostics, irFile.get());
  state.module = parseModule(*irFile);
  if (!state.module)
    return false;
  return describeKernel(*state.module) && !diagnostics.hasErrors();
}

/// Returns the position of a vector type in LLVM IR, such as `<4294967295 x i32>`, that has more
/// elements than the language's largest tensor: LLVM needs minutes and gigabytes for some of these.
static std::optional<size_t> findHugeVector(llvm::StringRef text) {
  constexpr uint64_t kMost = uint64_t(1) << 20;
  for (size_t at = text.find('<'); at != llvm::StringRef::npos; at = text.find('<', at + 1)) {
    llvm::StringRef rest = text.drop_front(at + 1).ltrim();
    rest.consume_front("vscale x ");
    llvm::StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
    uint64_t count = 0;
    bool isHuge = !digits.empty() && (digits.getAsInteger(10, count) || count > kMost);
    if (isHuge && rest.drop_front(digits.size()).starts_with(" x "))
      return at;
  }
  return std::nullopt;
}

bool Compilation::parseLLVM(const SourceFile &file) {
  state.llvmModule.reset(); // before the context that it lives in
  state.llvmContext = std::make_unique<llvm::LLVMContext>();
  if (std::optional<size_t> place = findTooDeep(file.text(), IRSyntax::LLVM)) {
    SourceLoc found = file.locate(*place);
    diagnostics.error(file, {found, found}, kTooDeep);
    return false;
  }
  if (std::optional<size_t> place = findHugeVector(file.text())) {
    SourceLoc found = file.locate(*place);
    diagnostics.error(file, {found, found}, "a vector has at most 1048576 elements");
    return false;
  }
  llvm::SMDiagnostic problem;
  state.llvmModule = llvm::parseAssemblyString(file.text(), problem, *state.llvmContext);
  if (state.llvmModule) {
    // The parser takes more than the passes and code generators do: those end the process.
    std::string invalid;
    llvm::raw_string_ostream stream(invalid);
    if (!llvm::verifyModule(*state.llvmModule, &stream))
      return true;
    diagnostics.error(file, {{1, 0}, {1, 0}},
                      "invalid LLVM IR: " + llvm::StringRef(invalid).rtrim().str());
    return false;
  }
  SourceLoc place{static_cast<uint32_t>(std::max(problem.getLineNo(), 1)),
                  static_cast<uint32_t>(std::max(problem.getColumnNo(), 0))};
  diagnostics.error(file, {place, place}, problem.getMessage().str());
  return false;
}

bool Compilation::isOverridden(const Stage &stage) const {
  llvm::StringRef path = request.options.irOverride;
  return !path.empty() && path.ends_with("." + stage.extension);
}

bool Compilation::overrideOutput(const Stage &stage) {
  if (!isOverridden(stage))
    return true;
  const std::string &path = request.options.irOverride;
  // From here on it is the user's program that the stages read.
  bridge->kindOfErrors = DiagnosticKind::Error;
  state.record.forgetWrites();
  if (stage.form == ProgramForm::Assembly) {
    state.assembly = input.overrideText;
    return true;
  }
  if (stage.form == ProgramForm::Binary) {
    state.binary = input.overrideText;
    return true;
  }
  overrideFile = SourceFile::fromBytes(path, input.overrideText, diagnostics);
  if (!overrideFile)
    return false;
  bridge.reset();
  bridge = std::make_unique<DiagnosticBridge>(context, diagnostics, overrideFile.get());
  if (stage.form == ProgramForm::LLVM)
    return parseLLVM(*overrideFile);
  state.module = parseModule(*overrideFile);
  return static_cast<bool>(state.module);
}

bool Compilation::enterLLVM() {
  irFile = SourceFile::fromBytes(request.path, input.text, diagnostics);
  if (!irFile)
    return false;
  bridge = std::make_unique<DiagnosticBridge>(context, diagnostics, irFile.get());
  if (!parseLLVM(*irFile))
    return false;
  for (const llvm::Function &function : *state.llvmModule)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      state.record.kernelName = function.getName().str();
  if (!request.kernelName.empty())
    state.record.kernelName = request.kernelName;
  return true;
}

bool Compilation::describeKernel(mlir::ModuleOp module) {
  tt::FuncOp kernel;
  std::vector<std::string> names;
  for (tt::FuncOp function : tt::findKernels(module)) {
    names.push_back(function.getName().str());
    if (!kernel && (request.kernelName.empty() || function.getName() == request.kernelName))
      kernel = function;
  }
  // In the middle of a stage the kernel may be a function of another dialect.
  if (!kernel && !session.passes.done.empty() && module.lookupSymbol(request.kernelName)) {
    state.record.kernelName = request.kernelName;
    return true;
  }
  if (!kernel)
    return fail("'" + request.path + "': no kernel" +
                (request.kernelName.empty() ? "" : " '" + request.kernelName + "'") +
                (names.empty() ? "; it has no public tt.func"
                               : "; the file's kernels are: " + llvm::join(names, ", ")));
  state.record.kernelName = kernel.getName().str();
  state.record.arguments = tt::describeArguments(kernel);
  return true;
}
