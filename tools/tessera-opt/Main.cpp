//===- Main.cpp - tessera-opt ---------------------------------------------===//
// mlir-opt with Tessera's dialects and passes:
//
//   tessera-opt --canonicalize --cse kernel.ttir
//
// Passes that need layouts do not look for them: in a compilation a tensor has
// one by then. Here passes run in any order, so a guard looks before each.
//===----------------------------------------------------------------------===//
#include "Registration.h"
#include "tessera/Target/Target.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// The passes of TTGIR, but for those that run before there are layouts.
static bool needsLayouts(StringRef pass) {
  bool runsBefore = llvm::is_contained(
      {"ttg-decompose-scaled-dot", "ttg-f32-dot-tc", "ttg-order-programs"}, pass);
  return (pass.starts_with("ttg-") && !runsBefore) || pass.starts_with("null-") ||
         tessera::targetPassNeedsLayouts(pass);
}

static bool lacksLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding();
}

/// The first op with a tensor that has no layout; null if there is none.
static Operation *findUnlaidTensor(Operation *root) {
  Operation *found = nullptr;
  root->walk([&](Operation *op) {
    bool lacks = llvm::any_of(op->getResultTypes(), lacksLayout) ||
                 llvm::any_of(op->getOperandTypes(), lacksLayout);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        lacks |= llvm::any_of(block.getArgumentTypes(), lacksLayout);
    found = lacks ? op : nullptr;
    return lacks ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

namespace {
struct LayoutGuard : PassInstrumentation {
  void runBeforePass(Pass *pass, Operation *root) override {
    StringRef name = pass->getArgument();
    Operation *op = needsLayouts(name) ? findUnlaidTensor(root) : nullptr;
    if (!op)
      return;
    op->emitError() << "--" << name << " needs a layout for every tensor; "
                    << "--convert-ttir-to-ttgir assigns them";
    std::exit(1); // an instrumentation cannot make a pass fail
  }
};
} // namespace

static LogicalResult run(const std::string &input, const std::string &output,
                         DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig given = config;
  config.setPassPipelineSetupFn([given](PassManager &passes) {
    passes.addInstrumentation(std::make_unique<LayoutGuard>());
    return given.setupPassPipeline(passes);
  });
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &message);
  std::unique_ptr<llvm::ToolOutputFile> out = file ? openOutputFile(output, &message) : nullptr;
  if (!out) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (failed(MlirOptMain(out->os(), std::move(file), registry, config)))
    return failure();
  out->keep();
  return success();
}

/// Returns whether --help lists an option of MLIR or LLVM. LLVM's passes have some 300 options,
/// which mean nothing to a pass of this program; --help-hidden lists them.
static bool isListed(StringRef name) {
  StringRef common[] = {"allow-unregistered-dialect",
                        "dump-pass-pipeline",
                        "list-passes",
                        "o",
                        "no-implicit-module",
                        "pass-pipeline",
                        "show-dialects",
                        "split-input-file",
                        "verify-diagnostics",
                        "verify-each",
                        "verify-roundtrip",
                        "help",
                        "help-hidden",
                        "version"};
  StringRef families[] = {"mlir-print-", "mlir-pass-",       "mlir-timing",
                          "mlir-elide-", "mlir-use-nameloc", "remark"};
  return llvm::is_contained(common, name) ||
         llvm::any_of(families, [&](StringRef prefix) { return name.starts_with(prefix); });
}

/// Hides LLVM's options, and puts MLIR's behind the list of passes.
static void orderOptions() {
  static llvm::cl::OptionCategory common("Options of MLIR");
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    llvm::cl::Option &option = *entry.second;
    // Passes and pipelines are the values of an option that has no name itself.
    if (option.ArgStr.empty())
      continue;
    if (isListed(option.ArgStr))
      option.addCategory(common);
    else
      option.setHiddenFlag(llvm::cl::Hidden);
  }
}

static constexpr const char *kOverview =
    "runs passes of Tessera and MLIR on a .ttir or .ttgir file\n"
    "\n"
    "  tessera-opt --tt-canonicalizer --tt-combine kernel.ttir   these passes, in this order\n"
    "  tessera-opt --make-ttir kernel.ttir                       the pipeline of a stage\n"
    "  tessera-opt --mlir-print-ir-after-change --make-ttir kernel.ttir\n"
    "\n"
    "The pipelines of stages are listed behind the passes. --list-passes lists both alone, and\n"
    "--help-hidden LLVM's options too. docs/passes.md shows what each pass does, in the order of\n"
    "the compiler; `tessera explain` shows them on a kernel.\n";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  tessera::registerDialects(registry);
  tessera::registerPasses(registry);
  std::string header = registerCLIOptions(kOverview, registry);
  orderOptions();
  auto [input, output] = parseCLIOptions(argc, argv, header);
  return asMainReturnCode(run(input, output, registry));
}
