//===- LowerConvertLayout.cpp - lower layout conversions ------------------===//
// Emits the plan of Conversion.h: registers are renamed, values are shuffled between lanes, or they
// go through shared memory:
//
//   for each iteration
//     barrier      the reads of the previous iteration are done
//     store        each thread, in the source's layout
//     barrier
//     load         each thread, in the destination's layout
//
// The barriers are of the warp if each warp has its own buffer, and of the cluster if CTAs read
// each other's memory. ttg-insert-barriers has inserted the barriers of the CTA before the first
// iteration and after the last.
//
// Requires: ttg-allocate-shared-memory has given ops that need memory an offset.
//===----------------------------------------------------------------------===//
#include "EmitShuffles.h"
#include "LayoutIndices.h"
#include "Lowering.h"
#include "SharedAccess.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"

using namespace mlir;
using namespace tessera;

/// Returns the accesses of one iteration: its number is in the offset, above the bits of the offset
/// in the buffer.
static SharedAccessPlan accessesOfRound(const SharedAccessPlan &plan, unsigned offsetBits,
                                        unsigned round) {
  SharedAccessPlan result = plan;
  llvm::erase_if(result.accesses,
                 [&](const SharedAccess &access) { return access.offset >> offsetBits != round; });
  for (SharedAccess &access : result.accesses)
    access.offset &= (uint64_t(1) << offsetBits) - 1;
  return result;
}

namespace {

struct ConvertLayoutLowering : Lowering<ttg::ConvertLayoutOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(ttg::ConvertLayoutOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    Type element = types.convertType(resultType.getElementType());
    if (!types.memoryType(resultType.getElementType()))
      return emitUnsupported(op) << "layout conversion of " << resultType.getElementType();
    LinearLayout source = ttg::toLinearLayout(sourceType);
    LinearLayout result = ttg::toLinearLayout(resultType);
    unsigned elementBits = 8 * memoryBytes(resultType.getElementType());
    const MachineModel machine = ttg::getMachine(op);
    std::optional<ConversionPlan> plan = planConversion(source, result, elementBits, machine);
    if (!plan)
      return op.emitOpError("source layout lacks elements that the result needs");

    ValueRange values = operands.getSrc();
    if (plan->method == ConversionMethod::Rename)
      return replaceWith(b, op, rename(values, plan->registers));
    if (plan->method == ConversionMethod::Shuffle) {
      SmallVector<Value> shuffled = emitShuffles(b, op.getLoc(), target, *plan->shuffles,
                                                 plan->kept.size(), threadCount(result), values);
      return replaceWith(b, op, rename(shuffled, plan->registers));
    }

    std::optional<unsigned> offset = getSharedOffset(op);
    if (!offset)
      return op.emitOpError("has no shared memory: run ttg-allocate-shared-memory first");
    ExchangeInstructions available{target.maxVectorBits(), target.hasMatrixStores(),
                                   target.matrixLoads()};
    SharedExchange exchange = planExchange(source, result, elementBits, available, machine);
    SharedBuffer buffer;
    buffer.start = emitSharedBase(b, op.getLoc(), target, *offset);
    buffer.bytes = elementBits / 8;
    if (plan->method == ConversionMethod::ClusterMemory)
      return lowerThroughCluster(op, values, exchange, buffer, element, b);
    return replaceWith(b, op,
                       exchangeValues(op, values, exchange, buffer, element,
                                      plan->method == ConversionMethod::WarpMemory, b));
  }

  static SmallVector<Value> rename(ValueRange values, ArrayRef<unsigned> registers) {
    SmallVector<Value> renamed;
    for (unsigned reg : registers)
      renamed.push_back(values[reg]);
    return renamed;
  }

  SmallVector<Value> exchangeValues(Operation *op, ValueRange values,
                                    const SharedExchange &exchange, const SharedBuffer &buffer,
                                    Type element, bool withinWarp, OpBuilder &b) const {
    Location loc = op->getLoc();
    auto barrier = [&] {
      if (withinWarp)
        target.warpBarrier(b, loc);
      else
        target.sharedBarrier(b, loc);
    };
    // ttg-insert-barriers does not order the accesses of a warp to its own bytes.
    if (withinWarp)
      target.warpBarrier(b, loc);
    SmallVector<Value> loaded(exchange.loads.holder.size());
    for (unsigned round = 0; round < exchange.rounds; ++round) {
      if (round != 0)
        barrier();
      emitSharedStores(b, loc, target, buffer,
                       accessesOfRound(exchange.stores, exchange.offsetBits, round), values);
      barrier();
      SharedAccessPlan loads = accessesOfRound(exchange.loads, exchange.offsetBits, round);
      SmallVector<Value> some = emitSharedLoads(b, loc, target, buffer, loads, element);
      for (const SharedAccess &access : loads.accesses)
        for (unsigned reg : access.registers)
          loaded[reg] = some[reg];
    }
    return rename(loaded, exchange.loads.holder);
  }

  LogicalResult lowerThroughCluster(ttg::ConvertLayoutOp op, ValueRange values,
                                    const SharedExchange &exchange, const SharedBuffer &buffer,
                                    Type element, ConversionPatternRewriter &b) const {
    Location loc = op.getLoc();
    Value block = target.blockInCluster(b, loc);
    if (!block)
      return emitUnsupported(op) << "layout conversion between thread blocks on " << target.name();
    emitSharedStores(b, loc, target, buffer, exchange.stores, values);
    target.clusterBarrier(b, loc);
    ClusterReads reads{block, exchange.blockBases, exchange.offsetBits};
    SmallVector<Value> loaded =
        emitClusterLoads(b, loc, target, buffer, exchange.loads, reads, element);
    // No CTA may overwrite its memory, or end, while others read it.
    target.clusterBarrier(b, loc);
    return replaceWith(b, op, loaded);
  }
};

} // namespace

void tessera::populateConvertLayoutPatterns(RewritePatternSet &patterns,
                                            const TTGIRTypeConverter &types,
                                            const TargetInfo &target) {
  patterns.add<ConvertLayoutLowering>(types, target);
}
