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
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// The passes of TTGIR, but for those that run before there are layouts.
static bool needsLayouts(StringRef pass) {
  return (pass.starts_with("ttg-") && pass != "ttg-decompose-scaled-dot" &&
          pass != "ttg-f32-dot-tc") ||
         pass.starts_with("null-") || tessera::targetPassNeedsLayouts(pass);
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

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  tessera::registerDialects(registry);
  tessera::registerPasses(registry);
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "Tessera's optimizer driver\n", registry);
  return asMainReturnCode(run(input, output, registry));
}
