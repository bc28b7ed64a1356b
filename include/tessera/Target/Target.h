//===- Target.h - what the stage loop needs to know of a target -----------===//
// A target turns TTIR into a binary in named stages (make_ttir, make_ttgir,
// make_llir, make_ptx, make_cubin). Driver runs them in one loop for the CLI,
// the C API, tests and reports; it knows no vendor, only this interface.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/Support/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tessera {

/// What a target learned about a kernel while it compiled it. Driver copies
/// these into the kernel's metadata (docs/abi.md).
struct KernelFacts {
  std::string kernelName;
  std::string symbol; // the function in the binary; empty: the kernel's name
  /// Of each passed argument, whether it is a pointer that is only read through; empty: unknown.
  llvm::SmallVector<bool> readOnlyArguments;
  /// All that is written is reached through the other arguments.
  bool writesOnlyArguments = false;
  unsigned numWarps = 0;       // as launched
  unsigned threadsPerWarp = 0; // 0 on the CPU
  unsigned sharedBytes = 0;
  unsigned globalScratchBytes = 0;
  unsigned globalScratchAlign = 1;
  /// The kernel takes two pointers after its own arguments: global and profile scratch.
  bool takesScratchPointers = false;
  /// It takes the sanitizer that watches it (docs/sanitizer.md).
  bool takesSanitizer = false;
  /// Its author wrote assembly in it, which may be wrong.
  bool hasInlineAssembly = false;
  int registers = -1; // per thread; -1 when no assembler said
  int spillBytes = -1;
  std::string assembler; // what made the binary, e.g. "ptxas 13.0"
  /// Which compilations were tried and which was kept; empty where the first was good.
  std::string attempts;
};

/// The program between two stages. Each stage reads the form the previous one
/// left and replaces it by the next: module for ttir and ttgir, llvmModule for
/// llir, assembly for ptx/amdgcn/asm, binary for cubin/hsaco/obj.
struct StageState {
  mlir::MLIRContext &context;
  const CompileOptions &options;
  mlir::OwningOpRef<mlir::ModuleOp> module = {};
  std::unique_ptr<llvm::LLVMContext> llvmContext = {};
  std::unique_ptr<llvm::Module> llvmModule = {};
  /// LLVM's code generator, where a stage has one to leave to the next.
  std::shared_ptr<llvm::TargetMachine> machine = {};
  std::string assembly = {};
  std::string binary = {};
  KernelFacts facts = {};
  /// Which of the target's ways to compile a kernel this is; 0 is the usual one.
  unsigned attempt = 0;
  /// Called on every pass manager before it runs: verification, dumps, timing.
  std::function<void(mlir::PassManager &)> instrument = [](mlir::PassManager &) {};
};

/// The form a stage leaves the program in.
enum class ProgramForm { Module, LLVM, Assembly, Binary };

struct Stage {
  std::string name;      // "make_ttgir"
  std::string extension; // "ttgir": the file it is written to and entered from
  ProgramForm form;
  /// Diagnostics go through the context's handler; failure means one was emitted.
  std::function<mlir::LogicalResult(StageState &)> run;
  /// Runs only when its output is asked for, and leaves the form the next stage
  /// reads untouched (a CPU's asm beside its obj).
  bool onDemand = false;
};

/// The stage that makes the binary: the last that does not wait to be asked for.
const Stage &binaryStage(llvm::ArrayRef<Stage> stages);

/// Where the tools and libraries of a vendor are, found once at the edge
/// (command line, environment, well-known folders) and passed in.
struct ToolPaths {
  std::string ptxas;
  std::string libdevice;
  std::string disassembler; // nvdisasm or cuobjdump
  /// The variables that these programs get; null: ours, as they are then.
  std::shared_ptr<const std::vector<std::string>> environment = {};
  /// Where their files go; empty: the system's folder, as our variables say then.
  std::string temporaryFolder = {};
};

/// One of a target's ways to compile a kernel.
struct Attempt {
  unsigned number = 0;     // StageState::attempt
  std::string description; // for people: "with all registers"
};

class Target {
public:
  virtual ~Target() = default;
  /// As the user writes it: "cuda:90", "cpu".
  virtual std::string name() const = 0;
  /// What the target fixes for the language. `numWarps` and the debug options come
  /// from the compilation.
  virtual LanguageTarget languageTarget() const = 0;
  /// From make_ttir to the binary, in order. The first stage takes what the
  /// frontend built (or a .ttir file) in StageState::module.
  virtual llvm::SmallVector<Stage> stages() const = 0;
  /// The assembler's report may show that a kernel compiled badly, for instance that it
  /// spills registers. Driver then compiles it again from the TTIR in each of these ways,
  /// and keeps the best.
  virtual llvm::SmallVector<Attempt> otherAttempts(const StageState &) const { return {}; }
  /// Whether the kernel with facts `a` is to be preferred to the one with `b`.
  virtual bool isBetter(const KernelFacts &, const KernelFacts &) const { return false; }
  /// Whatever else decides the code, for the cache key: assembler version, CPU features.
  virtual std::string cacheText() const = 0;
};

/// `text` is "cuda:90", "cuda:80", "cpu", ...; an unknown one gets an error that lists the known.
llvm::Expected<std::unique_ptr<Target>> createTarget(llvm::StringRef text, const ToolPaths &tools);

/// One row of `tessera targets`.
struct TargetDescription {
  std::string name;
  std::string summary;
};
llvm::SmallVector<TargetDescription> listTargets();

} // namespace tessera
