//===- Target.h - a target as the driver sees it --------------------------===//
// A target compiles TTIR to a binary in named stages (make_ttir, make_ttgir, make_llir, make_ptx,
// make_cubin). Driver runs them in one loop for the CLI, the C API, tests and reports; it knows no
// vendor, only this interface.
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
#include "llvm/ADT/StringSwitch.h"
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

/// LLVM's code generators, by what each was made for. They hold tables of their chip, which take
/// LLVM a fifth of a small kernel's compile time to fill. Not for sharing between threads.
using MachineCache = std::map<std::string, std::shared_ptr<llvm::TargetMachine>>;

/// The kernel between two stages. Each stage reads the form that the previous one wrote, and writes
/// the next: module for ttir and ttgir, llvmModule for llir, assembly for ptx/amdgcn/asm, binary
/// for cubin/hsaco/obj.
struct StageState {
  mlir::MLIRContext &context;
  const CompileOptions &options;
  mlir::OwningOpRef<mlir::ModuleOp> module = {};
  std::unique_ptr<llvm::LLVMContext> llvmContext = {};
  std::unique_ptr<llvm::Module> llvmModule = {};
  /// LLVM's code generator, if a stage has created one that the next stages can use.
  std::shared_ptr<llvm::TargetMachine> machine = {};
  /// Code generators that earlier compilations have made; null if nobody keeps them.
  MachineCache *machines = nullptr;
  std::string assembly = {};
  /// The file that `assembly` was read from; empty if a stage wrote it.
  std::string assemblyPath = {};
  std::string binary = {};
  /// The kernel's record. The frontend or the IR file begins it, and each stage adds to it.
  KernelRecord record = {};
  /// The kernel contains inline assembly, which may be invalid.
  bool hasInlineAssembly = false;
  /// The reason why assembling may take long, for people who wait for it; mostly empty.
  std::string slowness = {};
  /// The number of the attempt to compile the kernel (Target::otherAttempts); 0 is the first.
  unsigned attempt = 0;
  /// A choice that the target's first stage must leave out, in the target's own words. The stage
  /// sets it at its end, when the choice turned out not to work; the driver then runs it again.
  std::string without = {};
  /// Called on every pass manager before it runs: verification, dumps, timing.
  std::function<void(mlir::PassManager &)> instrument = [](mlir::PassManager &) {};
  /// The same for LLVM's pass managers; empty if nobody listens.
  std::function<void(llvm::PassInstrumentationCallbacks &)> instrumentLLVM = {};
};

/// The form in which a stage leaves the kernel.
enum class ProgramForm { Module, LLVM, Assembly, Binary };

struct Stage {
  std::string name;      // "make_ttgir"
  std::string extension; // "ttgir": of the file that the stage's output is written to
  ProgramForm form;
  /// Runs the stage. If it fails, it has emitted a diagnostic through the context's handler.
  std::function<mlir::LogicalResult(StageState &)> run;
  /// The stage runs only if its output is requested, and does not change the form that the next
  /// stage reads (the CPU's asm beside its obj).
  bool onDemand = false;
  /// The role of the tool that the stage needs; empty if it needs none.
  std::string tool = {};
};

/// Returns the stage that makes the binary: the last one that is not on demand.
const Stage &binaryStage(llvm::ArrayRef<Stage> stages);

struct ToolPaths;
/// Returns the extension of the output that a device loads: the binary's, or that of the previous
/// stage if the tool that makes the binary is missing, because the device's driver can make it.
std::string loadableExtension(llvm::ArrayRef<Stage> stages, const ToolPaths &tools);

/// Returns the options of the same kernel without tensor maps, for launches whose maps cannot be
/// built (docs/abi.md).
CompileOptions withoutTensorMaps(CompileOptions options);

/// The role of a program or library that a vendor's stages use.
struct ToolRole {
  std::string name;    // the key of ToolPaths, and a setting of the C interface
  std::string label;   // for people: the program that usually has this role
  std::string missing; // the text of a list of tools if there is no such program
  std::string help;    // of the command line option --NAME; empty if there is no such option
};

/// The roles of all targets.
llvm::SmallVector<ToolRole> listTools();

/// The paths of the vendors' tools and libraries. The caller (the command line, the C interface)
/// finds them once, from options, environment and well-known folders, and passes them in.
struct ToolPaths {
  /// Maps the name of a role to a path. If it has no entry or an empty one, the tool is missing.
  std::map<std::string, std::string> paths = {};
  /// The environment variables of these programs; null means those of this process at that time.
  std::shared_ptr<const std::vector<std::string>> environment = {};
  /// The folder of their temporary files; empty means the system's, from this process's variables.
  std::string temporaryFolder = {};
  /// Called several times per second while such a program runs, with a description of its work for
  /// people and the seconds since its start. False ends the program. May be empty; several threads
  /// may call it at once.
  std::function<bool(const std::string &work, double seconds)> watch = {};

  /// The path of a role; empty if there is none.
  std::string get(llvm::StringRef role) const {
    auto found = paths.find(role.str());
    return found == paths.end() ? std::string() : found->second;
  }
};

/// The places where tools are searched.
struct ToolPlaces {
  Variables variables;
  std::vector<std::string> packageFolders = {}; // with Python's packages: sys.path
};

/// A program or library of a vendor; the path is empty if it was not found.
struct FoundTool {
  std::string name; // of the program; several may serve one role
  std::string path;
};

/// Looks for the tools of all targets.
llvm::SmallVector<FoundTool> findTools(const ToolPlaces &places);
/// Returns the tools that stages use, by role.
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

/// Says which kernels need a pass. `tessera explain --bisect` leaves out what it can of a
/// pipeline, because a pass of it may be wrong.
enum class PassNeed {
  Always,   // no kernel compiles without it
  Some,     // only some kernels do not compile without it
  Optional, // it only makes code better
};

/// Returns the need of a pass that all targets may have; Always for other passes.
inline PassNeed needOfSharedPass(llvm::StringRef pass) {
  return llvm::StringSwitch<PassNeed>(pass)
      .Cases({"tt-drop-hints", "tt-inliner", "tt-rewrite-tensor-pointer",
              "tt-rewrite-tensor-descriptor-to-pointer", "tt-symbol-dce"},
             PassNeed::Some)
      .Cases({"tt-canonicalizer", "tt-combine", "tt-reorder-broadcast", "cse", "tt-loop-unroll",
              "canonicalize", "tt-loop-aware-cse", "tt-loop-invariant-code-motion"},
             PassNeed::Optional)
      .Default(PassNeed::Always);
}

class Target {
public:
  virtual ~Target() = default;
  /// The name that users write: "cuda:90", "cpu".
  virtual std::string name() const = 0;
  /// The properties of the target that the language depends on. `numWarps` and the debug options
  /// come from the compilation.
  virtual LanguageTarget languageTarget() const = 0;
  /// The stages from make_ttir to the binary, in order. The first stage reads the frontend's output
  /// (or a .ttir file) in StageState::module.
  virtual llvm::SmallVector<Stage> stages() const = 0;
  /// Returns other attempts to compile the kernel if the assembler's report is bad, for example if
  /// registers are spilled. Driver makes each attempt, from the TTIR on, and keeps the best result.
  virtual llvm::SmallVector<Attempt> otherAttempts(const StageState &) const { return {}; }
  /// Returns whether the first of two compilations of a kernel is better than the second.
  virtual bool isBetter(const KernelRecord &, const KernelRecord &) const { return false; }
  /// Returns the need of the pass of this name in the target's pipelines.
  virtual PassNeed needOf(llvm::StringRef pass) const { return needOfSharedPass(pass); }
  /// The grid's way from the compiled IR to the launch, for `tessera explain --grid-journey`.
  virtual std::vector<GridStation> gridStations(const KernelRecord &) const { return {}; }
  /// How a compiled kernel uses the machine; nothing if the target cannot say.
  virtual std::optional<MachineFacts> machineFacts(const KernelRecord &) const { return {}; }
  /// The part of the cache key for everything else that changes the code: the assembler's version,
  /// CPU features.
  virtual std::string cacheText() const = 0;
};

/// Creates the target `text`: "cuda:90", "cuda:80", "cpu", ... The error for an unknown name lists
/// the known ones.
llvm::Expected<std::unique_ptr<Target>> createTarget(llvm::StringRef text, const ToolPaths &tools);

/// One row of `tessera targets`.
struct TargetDescription {
  std::string name;
  std::string summary;
  std::string chip;                  // "sm_90a"; empty if the target has no chip's name
  std::vector<std::string> features; // that not all chips have
  bool isDefault = false;            // the target of compilations that name none
};
llvm::SmallVector<TargetDescription> listTargets();
/// The flags of options that only other targets than `name` have.
llvm::SmallVector<llvm::StringRef> optionsOfOtherTargets(llvm::StringRef name);
/// The name of the default target.
std::string defaultTarget();

/// Registers the targets' dialects that a .ttir or .ttgir file may have, and the targets' machine
/// models. Every context that compiles needs them.
void registerTargetDialects(mlir::DialectRegistry &registry);
/// Registers the passes of all targets and their dialects, for tessera-opt.
void registerTargetPasses(mlir::DialectRegistry &registry);
/// Returns whether `pass` (the name of its option) belongs to a target and requires layouts.
bool targetPassNeedsLayouts(llvm::StringRef pass);

} // namespace tessera
