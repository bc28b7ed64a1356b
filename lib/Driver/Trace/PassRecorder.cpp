//===- PassRecorder.cpp - records what every pass does --------------------===//
#include "PassRecorder.h"
#include "AssemblyLines.h"
#include "DiagnosticBridge.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/FormattedStream.h"

using namespace tessera;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void PassRecorder::beginPass() { running.push_back({Clock::now(), remarks.count()}); }

PassStep PassRecorder::endPass(StepKind kind, std::string name) {
  PassStep step;
  step.kind = kind;
  step.stage = stageName;
  step.name = std::move(name);
  step.depth = depth;
  if (running.empty())
    return step;
  std::chrono::duration<double> elapsed = Clock::now() - running.back().begin;
  step.seconds = elapsed.count();
  step.remarks = remarks.copyFrom(running.back().remarks);
  running.pop_back();
  ranPasses = true;
  return step;
}

void PassRecorder::addUnchanged(PassStep step) {
  step.before = step.after = lastText();
  trace.steps.push_back(std::move(step));
}

void PassRecorder::add(PassStep step, ProgramText text) {
  size_t last = lastText();
  bool isSame = last != kNoText && trace.texts[last].text == text.text &&
                trace.texts[last].syntax == text.syntax;
  if (isSame && trace.texts[last].level == text.level)
    return addUnchanged(std::move(step));
  step.before = last;
  step.after = trace.texts.size();
  // A stage that keeps the text as it is, and only gives it another level, has changed nothing.
  step.changed = !isSame;
  trace.texts.push_back(std::move(text));
  trace.steps.push_back(std::move(step));
}

PassRecorder::Tail PassRecorder::takeFrom(Mark mark) {
  Tail tail;
  auto take = [](auto &from, size_t first, auto &to) {
    auto begin = from.begin() + std::min(first, from.size());
    to.assign(std::make_move_iterator(begin), std::make_move_iterator(from.end()));
    from.erase(begin, from.end());
  };
  take(trace.steps, mark.steps, tail.steps);
  take(trace.stages, mark.stages, tail.stages);
  fingerPrint.reset();
  return tail;
}

void PassRecorder::append(Tail tail) {
  llvm::append_range(trace.steps, std::move(tail.steps));
  llvm::append_range(trace.stages, std::move(tail.stages));
}

void PassRecorder::finish() {
  std::vector<size_t> places(trace.texts.size(), kNoText);
  std::vector<ProgramText> kept;
  auto keep = [&](size_t &text) {
    if (text == kNoText)
      return;
    if (places[text] == kNoText) {
      places[text] = kept.size();
      kept.push_back(std::move(trace.texts[text]));
    }
    text = places[text];
  };
  for (PassStep &step : trace.steps) {
    keep(step.before);
    keep(step.after);
  }
  trace.texts = std::move(kept);
  trace.sources.resize(trace.files.size());
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void PassRecorder::addSource(llvm::StringRef path, std::string text) {
  uint32_t file = place(path, 0).file;
  trace.sources.resize(std::max<size_t>(trace.sources.size(), file + 1));
  trace.sources[file] = std::move(text);
}

void PassRecorder::addProgram(llvm::StringRef name, const StageState &state, ProgramForm form,
                              llvm::StringRef level, double seconds) {
  PassStep step;
  step.kind = name == "frontend" ? StepKind::Frontend : StepKind::Input;
  step.name = name.str();
  step.stage = stageName.empty() ? step.name : stageName;
  step.seconds = seconds;
  bool isEntry = trace.steps.empty();
  if (isEntry) {
    step.remarks = remarks.copyFrom(0);
    trace.stages.push_back({step.stage, level.str(), seconds, false});
  }
  ProgramText text;
  if (form == ProgramForm::Module && state.module)
    text = printModule(*state.module, level);
  else if (form == ProgramForm::LLVM && state.llvmModule)
    text = printLLVM(*state.llvmModule);
  else if (form == ProgramForm::Assembly)
    text = readAssembly(state.assembly, level);
  text.level = level.str();
  add(std::move(step), std::move(text));
}

void PassRecorder::beginStage(const Stage &stage) {
  stageName = stage.name;
  extension = stage.extension;
  form = stage.form;
  stageBegin = Clock::now();
  recording = {};
  running.clear();
  depth = 0;
  ranPasses = false;
  llvmModule = nullptr;
  fingerPrint.reset();
  stageRemarks = remarks.count();
}

void PassRecorder::endStage(const StageState &state, bool hasFailed) {
  std::chrono::duration<double> elapsed = Clock::now() - stageBegin - recording;
  trace.stages.push_back({stageName, extension, elapsed.count(), hasFailed});
  size_t reported = trace.steps.empty() || !ranPasses ? stageRemarks : remarks.count();
  bool isText = form == ProgramForm::Module || form == ProgramForm::LLVM;
  bool lastFailed = !trace.steps.empty() && trace.steps.back().failed;
  // Passes have said everything already, unless the stage failed outside of them.
  if (isText && !(hasFailed && !lastFailed))
    return;
  PassStep step;
  step.kind = StepKind::Stage;
  step.stage = step.name = stageName;
  step.seconds = elapsed.count();
  step.failed = hasFailed;
  step.remarks = remarks.copyFrom(reported);
  if (hasFailed)
    return addUnchanged(std::move(step));
  if (form == ProgramForm::Assembly)
    return add(std::move(step), readAssembly(state.assembly, extension));
  step.before = step.after = lastText();
  step.changed = true;
  step.bytes = state.binary.size();
  trace.steps.push_back(std::move(step));
}

//===----------------------------------------------------------------------===//
// MLIR
//===----------------------------------------------------------------------===//

namespace tessera {
/// Forwards the events of one pass manager.
class PassListener : public mlir::PassInstrumentation {
public:
  explicit PassListener(PassRecorder &recorder) : recorder(recorder) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override {
    if (isAdaptor(pass)) {
      ++recorder.depth;
      return;
    }
    auto begin = PassRecorder::Clock::now();
    if (!recorder.fingerPrint)
      recorder.fingerPrint.emplace(rootOf(op));
    recorder.recording += PassRecorder::Clock::now() - begin;
    recorder.beginPass();
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override { after(pass, op, false); }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override { after(pass, op, true); }

  static mlir::Operation *rootOf(mlir::Operation *op) {
    while (op->getParentOp())
      op = op->getParentOp();
    return op;
  }

private:
  /// An adaptor runs a nested pass manager, and is no pass that anybody wrote.
  static bool isAdaptor(mlir::Pass *pass) { return pass->getName().contains("PassAdaptor"); }

  void after(mlir::Pass *pass, mlir::Operation *op, bool hasFailed) {
    if (isAdaptor(pass)) {
      recorder.depth -= recorder.depth > 0;
      return;
    }
    recorder.afterModulePass(pass, op, hasFailed);
  }

  PassRecorder &recorder;
};
} // namespace tessera

void PassRecorder::instrument(mlir::PassManager &manager) {
  manager.addInstrumentation(std::make_unique<PassListener>(*this));
}

/// The options of a pass as the command line of tessera-opt writes them, without its name.
static std::string optionsOf(mlir::Pass *pass) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  pass->printAsTextualPipeline(stream);
  size_t open = text.find('{'), close = text.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open)
    return "";
  return llvm::StringRef(text).slice(open + 1, close).trim().str();
}

void PassRecorder::afterModulePass(mlir::Pass *pass, mlir::Operation *op, bool hasFailed) {
  llvm::StringRef name = pass->getArgument();
  PassStep step = endPass(StepKind::Pass, (name.empty() ? pass->getName() : name).str());
  auto begin = Clock::now();
  llvm::scope_exit count([&] { recording += Clock::now() - begin; });
  step.options = optionsOf(pass);
  step.summary = pass->getDescription().str();
  step.failed = hasFailed;
  // A pass that fails may leave anything behind. The IR before it is the last good one.
  if (hasFailed)
    return addUnchanged(std::move(step));
  mlir::Operation *root = PassListener::rootOf(op);
  mlir::OperationFingerPrint now(root);
  if (fingerPrint && *fingerPrint == now && lastText() != kNoText)
    return addUnchanged(std::move(step));
  fingerPrint = now;
  add(std::move(step), printModule(root, extension));
}

LinePlace PassRecorder::place(llvm::StringRef path, unsigned line) {
  auto [entry, isNew] = fileNumbers.try_emplace(path, trace.files.size());
  if (isNew)
    trace.files.push_back(path.str());
  return {entry->second, line};
}

void PassRecorder::noteCaller(LinePlace inner, LinePlace user) {
  if (inner == user)
    return;
  auto [entry, isNew] = callers.try_emplace({inner.file, inner.line}, user);
  if (!isNew && entry->second != user)
    entry->second.line = 0;
}

LinePlace PassRecorder::callerOf(LinePlace inner) const {
  auto entry = callers.find({inner.file, inner.line});
  return entry == callers.end() || entry->second.line == 0 ? inner : entry->second;
}

LinePlace PassRecorder::place(mlir::Location location) {
  llvm::SmallVector<mlir::FileLineColLoc> places = findUserPlaces(location);
  if (places.empty())
    return {};
  return place(places.front().getFilename(), places.front().getLine());
}

LinePlace PassRecorder::place(const llvm::DILocation &location) {
  auto placeOf = [&](const llvm::DILocation &at) {
    llvm::StringRef folder = at.getDirectory(), name = at.getFilename();
    bool isWhole = folder.empty() || name.starts_with("/");
    return place(isWhole ? name.str() : (folder + "/" + name).str(), at.getLine());
  };
  LinePlace inner = placeOf(location), user = inner;
  for (const llvm::DILocation *at = &location; at; at = at->getInlinedAt()) {
    user = placeOf(*at);
    if (!isStdlib(trace.files[user.file]))
      break;
  }
  noteCaller(inner, user);
  return user;
}

ProgramText PassRecorder::printModule(mlir::Operation *module, llvm::StringRef level) {
  ProgramText program;
  program.level = level.str();
  mlir::AsmState::LocationMap lines;
  mlir::AsmState names(module, mlir::OpPrintingFlags().printNameLocAsPrefix(), &lines);
  llvm::raw_string_ostream stream(program.text);
  module->print(stream, names);
  if (!llvm::StringRef(program.text).ends_with("\n"))
    stream << "\n";
  program.places.resize(llvm::count(program.text, '\n'));
  module->walk([&](mlir::Operation *op) {
    if (op != module)
      ++program.ops[op->getName().getStringRef().str()];
    auto line = lines.find(op);
    if (line != lines.end() && line->second.first - 1 < program.places.size() && op != module)
      program.places[line->second.first - 1] = place(op->getLoc());
  });
  return program;
}

//===----------------------------------------------------------------------===//
// LLVM and assembly
//===----------------------------------------------------------------------===//

/// Pass managers and adaptors report themselves, too.
static bool isLLVMPass(llvm::StringRef name) {
  return !name.contains("PassManager") && !name.contains("PassAdaptor") &&
         !name.contains("AnalysisManagerProxy") && !name.contains("VerifierPass");
}

/// The module that a unit of IR belongs to.
static const llvm::Module *moduleOf(const llvm::Any &unit) {
  if (auto *module = llvm::any_cast<const llvm::Module *>(&unit))
    return *module;
  if (auto *function = llvm::any_cast<const llvm::Function *>(&unit))
    return (*function)->getParent();
  if (auto *loop = llvm::any_cast<const llvm::Loop *>(&unit))
    return (*loop)->getHeader()->getModule();
  return nullptr;
}

/// "early-cse" of "EarlyCSEPass", as LLVM's `opt` calls it; a pass that `opt` does not know keeps
/// its class's name.
static std::string passName(llvm::PassInstrumentationCallbacks &callbacks, llvm::StringRef name) {
  llvm::StringRef shortName = callbacks.getPassNameForClassName(name);
  if (!shortName.empty())
    return shortName.str();
  name = name.substr(name.rfind(':') + 1);
  name.consume_back("Pass");
  return name.str();
}

/// Returns whether a unit of IR is a loop. The passes over loops run for one loop after the other.
static bool isLoop(const llvm::Any &unit) { return llvm::any_cast<const llvm::Loop *>(&unit); }

void PassRecorder::instrument(llvm::PassInstrumentationCallbacks &callbacks) {
  callbacks.registerBeforeNonSkippedPassCallback([this](llvm::StringRef name, llvm::Any unit) {
    if (isLLVMPass(name))
      beforeLLVMPass(moduleOf(unit));
  });
  callbacks.registerAfterPassCallback([this, &callbacks](llvm::StringRef name, llvm::Any unit,
                                                         const llvm::PreservedAnalyses &preserved) {
    bool mayHaveChanged = !preserved.areAllPreserved();
    if (name.contains("LoopPassAdaptor"))
      return afterLoops(moduleOf(unit));
    if (isLLVMPass(name) && isLoop(unit))
      return afterLoopPass(passName(callbacks, name), mayHaveChanged);
    if (isLLVMPass(name))
      afterLLVMPass(passName(callbacks, name), moduleOf(unit), mayHaveChanged);
  });
  // A pass that deletes its loop has no unit to show.
  callbacks.registerAfterPassInvalidatedCallback(
      [this, &callbacks](llvm::StringRef name, const llvm::PreservedAnalyses &) {
        if (isLLVMPass(name))
          afterLoopPass(passName(callbacks, name), /*mayHaveChanged=*/true);
      });
}

void PassRecorder::beforeLLVMPass(const llvm::Module *module) {
  auto begin = Clock::now();
  // Translating the LLVM dialect is no pass; it has happened when a module is first seen.
  if (module && module != llvmModule) {
    PassStep step = endPass(StepKind::Stage, "translate-to-llvm-ir");
    step.summary = "Translate the LLVM dialect to LLVM IR, with linked libraries";
    add(std::move(step), printLLVM(*module));
    llvmModule = module;
  }
  recording += Clock::now() - begin;
  beginPass();
}

void PassRecorder::afterLLVMPass(llvm::StringRef name, const llvm::Module *module,
                                 bool mayHaveChanged) {
  PassStep step = endPass(StepKind::LLVMPass, name.str());
  auto begin = Clock::now();
  if (module && mayHaveChanged)
    add(std::move(step), printLLVM(*module));
  else
    addUnchanged(std::move(step));
  recording += Clock::now() - begin;
}

void PassRecorder::afterLoopPass(llvm::StringRef name, bool mayHaveChanged) {
  PassStep step = endPass(StepKind::LLVMPass, name.str());
  if (!loops)
    loops.emplace(std::move(step));
  else
    loops->seconds += step.seconds;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(loops->name).split(names, ", ");
  if (!llvm::is_contained(names, name))
    loops->name += ", " + name.str();
  loops->changed |= mayHaveChanged;
}

void PassRecorder::afterLoops(const llvm::Module *module) {
  if (!loops)
    return;
  auto begin = Clock::now();
  PassStep step = *std::exchange(loops, std::nullopt);
  bool mayHaveChanged = std::exchange(step.changed, false);
  if (module && mayHaveChanged)
    add(std::move(step), printLLVM(*module));
  else
    addUnchanged(std::move(step));
  recording += Clock::now() - begin;
}

namespace {
/// Notes which line of the text each instruction begins at.
class LineWriter : public llvm::AssemblyAnnotationWriter {
public:
  explicit LineWriter(std::vector<std::pair<size_t, const llvm::Instruction *>> &starts)
      : starts(starts) {}
  void emitInstructionAnnot(const llvm::Instruction *instruction,
                            llvm::formatted_raw_ostream &stream) override {
    stream.flush();
    starts.emplace_back(stream.tell(), instruction);
  }

private:
  std::vector<std::pair<size_t, const llvm::Instruction *>> &starts;
};
} // namespace

/// Returns whether a line of LLVM IR describes debug information and no code.
static bool isDebugLine(llvm::StringRef line) {
  line = line.ltrim();
  return line.starts_with("#dbg_") ||
         (line.starts_with("!") && (line.contains(" !DI") || line.starts_with("!llvm.dbg")));
}

/// A line without its reference to debug information, and without the padding before comments,
/// whose width depends on the numbers of blocks.
static llvm::StringRef cleanLine(llvm::StringRef line, std::string &storage) {
  if (size_t comment = line.find("; preds = "); comment != llvm::StringRef::npos) {
    storage = (line.take_front(comment).rtrim() + "  " + line.drop_front(comment)).str();
    return storage;
  }
  size_t at = line.find("!dbg !");
  if (at == llvm::StringRef::npos)
    return line;
  size_t end = at + 6;
  at = line.take_front(at).rtrim(", ").size();
  while (end < line.size() && llvm::isDigit(line[end]))
    ++end;
  storage = (line.take_front(at) + line.drop_front(end)).str();
  return storage;
}

ProgramText PassRecorder::printLLVM(const llvm::Module &module) {
  ProgramText program;
  program.level = extension.empty() ? "llir" : extension;
  program.syntax = TextSyntax::LLVM;
  std::string printed;
  std::vector<std::pair<size_t, const llvm::Instruction *>> starts;
  llvm::raw_string_ostream stream(printed);
  LineWriter writer(starts);
  module.print(stream, &writer);
  size_t next = 0;
  std::string storage;
  for (size_t at = 0; at < printed.size();) {
    size_t end = std::min(printed.find('\n', at), printed.size());
    llvm::StringRef line = llvm::StringRef(printed).slice(at, end);
    LinePlace where;
    while (next < starts.size() && starts[next].first < end) {
      const llvm::Instruction &instruction = *starts[next++].second;
      ++program.ops[instruction.getOpcodeName()];
      if (const llvm::DILocation *found = instruction.getDebugLoc())
        where = place(*found);
    }
    at = end + 1;
    if (isDebugLine(line))
      continue;
    program.text += cleanLine(line, storage);
    program.text += '\n';
    program.places.push_back(where);
  }
  return program;
}

ProgramText PassRecorder::readAssembly(std::string text, llvm::StringRef level) {
  ProgramText program;
  program.level = level.str();
  program.syntax = TextSyntax::Assembly;
  std::vector<AssemblyLine> lines = readAssemblyLines(text);
  for (const AssemblyLine &line : lines) {
    program.places.push_back(line.line ? callerOf(place(line.path, line.line)) : LinePlace());
    if (!line.mnemonic.empty())
      ++program.ops[line.mnemonic.str()];
    program.text += line.text;
    program.text += '\n';
  }
  return program;
}
