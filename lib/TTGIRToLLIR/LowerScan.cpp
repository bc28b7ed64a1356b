//===- LowerScan.cpp - lower scans ----------------------------------------===//
// A tt.scan is lowered as in LowerReduce.cpp, with the plan and the steps of ScanPlan.h.
//===----------------------------------------------------------------------===//
#include "CollectiveEmitter.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"

using namespace mlir;
using namespace tessera;

namespace {

struct ScanLowering : Lowering<tt::ScanOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::ScanOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout layout =
        ttg::toLinearLayout(cast<RankedTensorType>(op.getSrcs().front().getType()));
    if (splitsAxisBetweenBlocks(layout, op.getAxis()))
      return emitUnsupported(op) << "scan along a dimension that the thread blocks of a cluster "
                                    "share; compile with --num-ctas 1";
    std::optional<ScanPlan> plan = planScan(layout, op.getAxis(), op.getReverse());
    if (!plan)
      return emitUnsupported(op)
             << "scan in a layout that repeats elements other than by zero bases";
    FailureOr<CollectiveEmitter> emitter =
        CollectiveEmitter::create(op, op.getSrcs(), layout, plan->size, types, target, b);
    if (failed(emitter))
      return failure();

    SmallVector<CollectiveEmitter::Value> values(layout.inSize(Dim::reg()));
    for (ValueRange registers : operands.getSrcs())
      for (auto [reg, value] : llvm::enumerate(registers))
        values[reg].push_back(value);
    values = ScanSteps<CollectiveEmitter>(*emitter, *plan, values).run();

    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (auto [operand, result] : llvm::enumerate(results))
      for (const CollectiveEmitter::Value &value : values)
        result.push_back(value[operand]);
    b.replaceOpWithMultiple(op, results);
    return success();
  }
};

} // namespace

void tessera::populateScanPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                   const TargetInfo &target) {
  patterns.add<ScanLowering>(types, target);
}
