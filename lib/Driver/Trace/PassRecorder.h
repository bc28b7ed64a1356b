//===- PassRecorder.h - records what every pass does ----------------------===//
// Listens to MLIR's and LLVM's pass managers while a compilation runs, and fills a PassTrace.
//
// Cost: a hash of the module per MLIR pass, and printing it where the hash changed. A compilation
// that nobody explains has no recorder.
//===----------------------------------------------------------------------===//
#pragma once

#include "RemarkCollector.h"
#include "tessera/Driver/PassTrace.h"
#include "tessera/Target/Target.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/PassInstrumentation.h"
#include <chrono>
#include <optional>

namespace tessera {

class PassRecorder {
public:
  /// `remarks` collects the remarks of all passes.
  PassRecorder(PassTrace &trace, RemarkCollector &remarks) : trace(trace), remarks(remarks) {}
  PassRecorder(const PassRecorder &) = delete;

  /// A source file; the first is the kernel's.
  void addSource(llvm::StringRef path, std::string text);
  /// The program that the stages start from, what the frontend made or the input's text; or a file
  /// that replaces what a stage made. `name` is "frontend", "input" or "ir-override".
  void addProgram(llvm::StringRef name, const StageState &state, ProgramForm form,
                  llvm::StringRef level, double seconds);

  void beginStage(const Stage &stage);
  /// Adds a step for a stage that ran no passes.
  void endStage(const StageState &state, bool hasFailed);
  /// Notes the layouts of a verified module, in the place of those noted before. A module without
  /// layouts changes nothing.
  void noteLayouts(mlir::ModuleOp module, llvm::StringRef level);
  /// Called on the stage's pass managers.
  void instrument(mlir::PassManager &manager);
  void instrument(llvm::PassInstrumentationCallbacks &callbacks);

  /// For a compilation that tries several ways: everything after `mark` is removed, and can be put
  /// back in the place of what another way did.
  struct Mark {
    size_t steps = 0, stages = 0;
  };
  struct Tail {
    std::vector<PassStep> steps;
    std::vector<StageTime> stages;
  };
  Mark mark() const { return {trace.steps.size(), trace.stages.size()}; }
  Tail takeFrom(Mark mark);
  void append(Tail tail);

  /// Removes texts that no step refers to.
  void finish();

private:
  friend class PassListener;
  using Clock = std::chrono::steady_clock;

  struct Running {
    Clock::time_point begin;
    size_t remarks = 0;
  };

  void beginPass();
  /// Takes the time and the remarks of the pass that began last.
  PassStep endPass(StepKind kind, std::string name);
  void afterModulePass(mlir::Pass *pass, mlir::Operation *op, bool hasFailed);
  void beforeLLVMPass(const llvm::Module *module);
  /// The passes over loops become one step, however many loops there are.
  void afterLoopPass(llvm::StringRef name, bool mayHaveChanged);
  void afterLoops(const llvm::Module *module);
  void afterLLVMPass(llvm::StringRef name, const llvm::Module *module, bool mayHaveChanged);
  size_t lastText() const { return trace.steps.empty() ? kNoText : trace.steps.back().after; }
  /// Adds a step whose program is `text`; the one before is kept if both are the same.
  void add(PassStep step, ProgramText text);
  void addUnchanged(PassStep step);
  LinePlace place(mlir::Location location);
  LinePlace place(const llvm::DILocation &location);
  LinePlace place(llvm::StringRef path, unsigned line);
  /// Notes that code of the standard library at `inner` is there because of `user`.
  void noteCaller(LinePlace inner, LinePlace user);
  /// The line that called the standard library; `inner` itself if it is the user's or unknown.
  LinePlace callerOf(LinePlace inner) const;
  ProgramText printModule(mlir::Operation *module, llvm::StringRef level);
  ProgramText printLLVM(const llvm::Module &module);
  ProgramText readAssembly(std::string text, llvm::StringRef level);

  PassTrace &trace;
  RemarkCollector &remarks;
  llvm::StringMap<uint32_t> fileNumbers;
  /// The calls of the standard library's lines. Assembly does not say who called them; line 0 marks
  /// several callers.
  std::map<std::pair<uint32_t, uint32_t>, LinePlace> callers;
  std::vector<Running> running; // passes that have begun, the innermost last
  std::optional<mlir::OperationFingerPrint> fingerPrint; // of the module after the last pass
  std::optional<PassStep> loops;            // the passes that have run over loops of a function
  const llvm::Module *llvmModule = nullptr; // whose translation has been recorded
  // The stage that runs.
  std::string stageName, extension;
  ProgramForm form = ProgramForm::Module;
  Clock::time_point stageBegin;
  Clock::duration recording{}; // the time that this class took during the stage
  size_t stageRemarks = 0;
  unsigned depth = 0;
  bool ranPasses = false;
};

} // namespace tessera
