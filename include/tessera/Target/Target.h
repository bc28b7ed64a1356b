//===- Target.h - what the stage loop needs to know of a target -----------===//
// A target turns TTIR into a binary in named stages (make_ttir, make_ttgir,
// make_llir, make_ptx, make_cubin). Driver runs them in one loop for the CLI,
// the C API, tests and reports; it knows no vendor, only this interface.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/Support/Options.h"
#include "tessera/Support/Variables.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class PassInstrumentationCallbacks;
class TargetMachine;
} // namespace llvm

namespace tessera {

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
  /// Begun by the frontend, or from the IR; each stage fills in what it learns.
  KernelRecord record = {};
  /// The kernel has assembly that its author wrote, which may be wrong.
  bool hasInlineAssembly = false;
  /// Which of the target's ways to compile a kernel this is; 0 is the usual one.
  unsigned attempt = 0;
  /// Called on every pass manager before it runs: verification, dumps, timing.
  std::function<void(mlir::PassManager &)> instrument = [](mlir::PassManager &) {};
  /// The same for LLVM's pass managers; empty if nobody listens.
  std::function<void(llvm::PassInstrumentationCallbacks &)> instrumentLLVM = {};
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
  /// The role of a tool that the stage cannot do without; empty: it needs none.
  std::string tool = {};
};

/// The stage that makes the binary: the last that does not wait to be asked for.
const Stage &binaryStage(llvm::ArrayRef<Stage> stages);

struct ToolPaths;
/// The extension of what a device loads: the binary's, or that of the stage before if the tool
/// that makes the binary is missing: then the device's driver does what the tool would have done.
std::string loadableExtension(llvm::ArrayRef<Stage> stages, const ToolPaths &tools);

/// A program or library that a vendor's stages use, by what it does.
struct ToolRole {
  std::string name;    // the key of ToolPaths, and a setting of the C interface
  std::string label;   // for people: the program that usually does it
  std::string missing; // what a list of tools shows where there is none
  std::string help;    // of the option --NAME of the command line; empty: there is none
};

/// The roles of all targets.
llvm::SmallVector<ToolRole> listTools();

/// Where the tools and libraries of the vendors are, found once at the edge
/// (command line, environment, well-known folders) and passed in.
struct ToolPaths {
  /// By a role's name. Without an entry, or with an empty one, there is no such tool.
  std::map<std::string, std::string> paths = {};
  /// The variables that these programs get; null: ours, as they are then.
  std::shared_ptr<const std::vector<std::string>> environment = {};
  /// Where their files go; empty: the system's folder, as our variables say then.
  std::string temporaryFolder = {};

  /// The path of a role; empty if there is none.
  std::string get(llvm::StringRef role) const {
    auto found = paths.find(role.str());
    return found == paths.end() ? std::string() : found->second;
  }
};

/// Where tools may be, as the edge knows it.
struct ToolPlaces {
  Variables variables;
  std::vector<std::string> packageFolders = {}; // with Python's packages: sys.path
};

/// A program or library of a vendor; the path is empty where there is none.
struct FoundTool {
  std::string name; // of the program; several may serve one role
  std::string path;
};

/// Looks for the tools of all targets.
llvm::SmallVector<FoundTool> findTools(const ToolPlaces &places);
/// The ones that stages use, by role.
ToolPaths toolPaths(llvm::ArrayRef<FoundTool> tools);

/// One of a target's ways to compile a kernel.
struct Attempt {
  unsigned number = 0;     // StageState::attempt
  std::string description; // for people: "with all registers"
};

/// A place in a compiled kernel where the launch grid can be seen.
struct GridStation {
  std::string title; // "program ids in LLVM IR"
  std::string says;  // with this kernel's numbers
  std::string level; // whose text is shown, by its extension; empty: none
  /// The lines of the text that hold one of these are shown.
  std::vector<std::string> words;
};

/// How a kernel uses the machine, for reports. Numbers that are not known are 0.
struct MachineFacts {
  std::string chip;                  // whose rates these are: "H100 SXM"
  double bytesPerSecond = 0;         // between memory and chip
  double flopsPerSecond = 0;         // of 16-bit matrix products
  unsigned banks = 0, bankBytes = 0; // of shared memory
  unsigned warps = 0, maxWarps = 0;  // resident on one processor, and at most
  /// How many CTAs each resource of a processor has room for: {"registers", 4}.
  std::vector<std::pair<std::string, unsigned>> limits;
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
  /// Whether the first of two compilations of a kernel is to be preferred to the second.
  virtual bool isBetter(const KernelRecord &, const KernelRecord &) const { return false; }
  /// The grid's way from the compiled IR to the launch, for `tessera explain --grid-journey`.
  virtual std::vector<GridStation> gridStations(const KernelRecord &) const { return {}; }
  /// How a compiled kernel uses the machine; nothing if the target cannot say.
  virtual std::optional<MachineFacts> machineFacts(const KernelRecord &) const { return {}; }
  /// Whatever else decides the code, for the cache key: assembler version, CPU features.
  virtual std::string cacheText() const = 0;
};

/// `text` is "cuda:90", "cuda:80", "cpu", ...; an unknown one gets an error that lists the known.
llvm::Expected<std::unique_ptr<Target>> createTarget(llvm::StringRef text, const ToolPaths &tools);

/// One row of `tessera targets`.
struct TargetDescription {
  std::string name;
  std::string summary;
  std::string chip;                  // "sm_90a"; empty where the target has no name of its own
  std::vector<std::string> features; // what the chip has that others may lack
  bool isDefault = false;            // compiled for where nobody says what for
};
llvm::SmallVector<TargetDescription> listTargets();
/// The name of the default target.
std::string defaultTarget();

/// The dialects that a .ttir or .ttgir file may have beside the generic ones, and the numbers of
/// the targets' machines. Every context that compiles needs them.
void registerTargetDialects(mlir::DialectRegistry &registry);
/// For tessera-opt: the passes of all targets, and their dialects.
void registerTargetPasses(mlir::DialectRegistry &registry);
/// Whether `pass`, by its option, is a target's and takes only tensors that have layouts.
bool targetPassNeedsLayouts(llvm::StringRef pass);

} // namespace tessera
