//===- LowerReduce.cpp - combine elements along a dimension ---------------===//
// tt.reduce: the plan (ReducePlan.h) says who combines with whom; here it is executed
// by a machine that writes instructions (CollectiveEmitter.h).
//
//   before: %m = "tt.reduce"(%x) ({ maxnumf }) : tensor<1024xf32, #blocked> -> f32
//   after:  7 x maxnum of registers; 5 x shuffle and maxnum; lane 0 stores; barrier;
//           a load of 4 and 3 x maxnum, in every thread
//
// The result is the same in all threads that hold it, bit by bit.
//===----------------------------------------------------------------------===//
#include "CollectiveEmitter.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/ReducePlan.h"
#include "tessera/TTGIR/Transforms/OutlinedFunctions.h"
#include "tessera/TTIR/IR/CombineRegions.h"

using namespace mlir;
using namespace tessera;

namespace {

struct ReduceLowering : Lowering<tt::ReduceOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::ReduceOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout layout =
        ttg::toLinearLayout(cast<RankedTensorType>(op.getSrcs().front().getType()));
    if (splitsAxisBetweenBlocks(layout, op.getAxis()))
      return emitUnsupported(op) << "reduction along a dimension that the thread blocks of a "
                                    "cluster share; compile with --num-ctas 1";
    std::optional<ReducePlan> plan =
        planReduce(layout, op.getAxis(), howItCommutes(op), hasWarpInstruction(op),
                   ttg::getMachine(op).reduces);
    if (!plan)
      return emitUnsupported(op)
             << "reduction in a layout that repeats elements other than by zero bases";
    FailureOr<CollectiveEmitter> emitter = CollectiveEmitter::create(
        op, op.getSrcs(), layout, plan->exchange ? plan->exchange->size : 0, types, target, b);
    if (failed(emitter))
      return failure();

    SmallVector<CollectiveEmitter::Value> values(layout.inSize(Dim::reg()));
    for (ValueRange registers : operands.getSrcs())
      for (auto [reg, value] : llvm::enumerate(registers))
        values[reg].push_back(value);
    return replace(op, layout, ReduceSteps<CollectiveEmitter>(*emitter, *plan, values).run(), b);
  }

private:
  /// Returns whether the target has an instruction that combines all lanes of a warp.
  bool hasWarpInstruction(tt::ReduceOp op) const {
    Operation *single = tt::singleOperation(op.getCombineOp());
    return single && target.canCombineAllLanes(single);
  }

  LogicalResult replace(tt::ReduceOp op, const LinearLayout &layout,
                        ArrayRef<CollectiveEmitter::Value> values,
                        ConversionPatternRewriter &b) const {
    SmallVector<unsigned> registers{0};
    if (auto type = dyn_cast<RankedTensorType>(op.getResult().front().getType())) {
      auto found = reducedRegisters(layout, op.getAxis(), ttg::toLinearLayout(type));
      if (!found)
        return op.emitOpError("result's layout is not that of the operand without the dimension");
      registers = std::move(*found);
    }
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (auto [operand, result] : llvm::enumerate(results))
      for (unsigned reg : registers)
        result.push_back(values[reg][operand]);
    b.replaceOpWithMultiple(op, results);
    return success();
  }
};

} // namespace

void tessera::populateReducePatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                     const TargetInfo &target) {
  patterns.add<ReduceLowering>(types, target);
  populateOutlinedFunctionPatterns(patterns, types, target);
}
