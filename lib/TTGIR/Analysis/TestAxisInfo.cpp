//===- TestAxisInfo.cpp - --test-axis-info --------------------------------===//
// Prints the facts about each result and block argument as remarks:
//
//   tessera-opt --test-axis-info kernel.ttir
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera;

namespace {
struct TestAxisInfo : PassWrapper<TestAxisInfo, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAxisInfo)
  StringRef getArgument() const override { return "test-axis-info"; }
  StringRef getDescription() const override {
    return "print contiguity, divisibility and constancy of each value";
  }

  static std::string text(const AxisInfo &info) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    info.print(os);
    return printed;
  }

  void runOnOperation() override {
    AxisInfoAnalysis analysis(getOperation());
    if (!analysis.isValid())
      return signalPassFailure();
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        emitRemark(op->getLoc()) << op->getName() << ": " << text(analysis.get(result));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            emitRemark(argument.getLoc()) << "argument " << argument.getArgNumber() << " in "
                                          << op->getName() << ": " << text(analysis.get(argument));
    });
    markAllAnalysesPreserved();
  }
};
} // namespace

void tessera::registerTestAxisInfoPass() { PassRegistration<TestAxisInfo>(); }
