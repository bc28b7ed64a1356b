//===- Compilation.h - one run of the stage loop --------------------------===//
#pragma once

#include "CompileInput.h"
#include "DiagnosticBridge.h"
#include "RemarkCollector.h"
#include "tessera/Driver/Session.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "Trace/PassGate.h"
#include "Trace/PassRecorder.h"

namespace tessera {

/// Enters at the input's level, runs the stages, collects artifacts and the record,
/// stores them in the cache. Each step returns false after a diagnostic.
class Compilation {
public:
  /// `trace` is filled if it is not null.
  Compilation(const SessionOptions &session, const CompileRequest &request,
              const CompileInput &input, DiagnosticEngine &diagnostics, ContextPool::Lease &lease,
              PassTrace *trace = nullptr);
  std::optional<CompileResult> run();
  /// The questions that a program leaves open; then run() has no result.
  const std::vector<std::string> &questions() const { return asked; }

private:
  bool checkMade();
  bool enter();
  bool enterSource();
  bool enterIR();
  bool enterProgram();
  /// Takes the frontend's result over.
  void adopt(struct TranslatedKernel &kernel);
  bool enterModule();
  bool enterLLVM();
  /// Returns the properties of the language that the target and the options determine.
  bool describeLanguage(LanguageTarget &language);
  mlir::OwningOpRef<mlir::ModuleOp> parseModule(const SourceFile &file);
  bool parseLLVM(const SourceFile &file);
  /// Implements --ir-override: replaces the stage's program by the file's.
  bool overrideOutput(const Stage &stage);
  bool isOverridden(const Stage &stage) const;
  bool runStages();
  bool runStagesFrom(size_t first);
  /// Compiles again in the target's other ways where the binary is bad, and keeps the best.
  void tryOtherAttempts();
  bool runAttempt(unsigned attempt);
  void goBack();
  bool runStage(const Stage &stage);
  /// Adds the instrumentation for --verify-each, --dump-dir and --print-passes.
  bool instrumentStage(const Stage &stage);
  bool openPrintPath();
  /// Collects the remarks of the passes for --remarks and --remarks-file.
  bool startRemarks();
  /// Begins the trace with the program that was read, and ends it.
  void recordEntry(double seconds);
  void finishTrace();
  bool reportRemarks();
  void storeInCache();
  void finishRecord();

  bool fail(const llvm::Twine &message, DiagnosticKind kind = DiagnosticKind::Error);
  bool isWanted(llvm::StringRef extension) const;
  std::string artifactOf(const Stage &stage);
  std::string printModule();
  /// Begins the record of a kernel that is IR.
  bool describeKernel(mlir::ModuleOp module);
  /// Notes what the kernel may write to, while it is TTIR.
  void noteWrites();
  bool isKept(const Stage &stage) const;
  std::string programAfter(const Stage &stage) const;
  /// Writes the program as it was before a failing stage, and tells the command that fails again.
  void writeReproducer(const Stage &stage);

  const SessionOptions &session;
  const CompileRequest &request;
  const CompileInput &input;
  const Target &target;
  llvm::ArrayRef<Stage> stages;
  DiagnosticEngine &diagnostics;

  std::unique_ptr<SourceFile> irFile; // for excerpts in messages about IR text
  std::unique_ptr<SourceFile> overrideFile;
  size_t firstStage = 0;
  std::unique_ptr<class SourceModule> source; // outlives the bridge, which shows its lines
  std::unique_ptr<class LiveProgram> program; // likewise
  std::vector<std::string> asked;
  std::unique_ptr<llvm::raw_fd_ostream> printed; // the file of --print-path

  ContextPool::Lease &lease;
  mlir::MLIRContext &context;
  std::unique_ptr<DiagnosticBridge> bridge;
  StageState state;
  /// The program where another attempt begins: before the target's first stage after TTIR.
  struct Restart {
    size_t stage = 0;
    mlir::OwningOpRef<mlir::ModuleOp> module;
    KernelRecord record;
    CompileResult result;
    size_t remarks = 0;
    PassRecorder::Mark trace = {};
  };
  std::optional<Restart> restart;
  std::unique_ptr<RemarkCollector> remarks; // null: nobody wants them
  PassTrace *trace;                         // null: nobody wants it
  std::unique_ptr<PassRecorder> recorder;
  std::optional<PassGate> gate; // empty: all passes run
  llvm::StringSet<> assembled;  // what the assembler was given by each attempt
  CompileResult result;
};

} // namespace tessera
