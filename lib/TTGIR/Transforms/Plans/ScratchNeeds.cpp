//===- ScratchNeeds.cpp - shared memory that an op needs while it runs ----===//
// One function per kind of op; the sizes come from the same plan that the op's lowering uses.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Layout/GatherPlan.h"
#include "tessera/TTGIR/Layout/ReducePlan.h"
#include "tessera/TTGIR/Layout/ScanPlan.h"
#include "tessera/TTGIR/Transforms/AtomicResults.h"
#include "tessera/TTGIR/Transforms/CollectiveScratch.h"
#include "tessera/TTGIR/Transforms/OutlinedFunctions.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

static LinearLayout layoutOf(Value tensor) {
  return ttg::toLinearLayout(cast<RankedTensorType>(tensor.getType()));
}

static ScratchNeed conversionNeed(ttg::ConvertLayoutOp op) {
  unsigned elementBits = std::max(8u, tt::getElementBits(op.getResult().getType()));
  auto plan = planConversion(layoutOf(op.getSrc()), layoutOf(op.getResult()), elementBits,
                             ttg::getMachine(op));
  if (!plan)
    return {};
  bool withinWarp = plan->method == ConversionMethod::WarpMemory;
  return {static_cast<unsigned>(plan->scratchBytes), withinWarp, /*inEqualShares=*/withinWarp};
}

static unsigned reductionBytes(tt::ReduceOp op) {
  auto plan = planReduce(layoutOf(op.getSrcs().front()), op.getAxis(), howItCommutes(op),
                         /*wholeWarps=*/false, ttg::getMachine(op).reduces);
  return plan && plan->exchange ? placeScratch(op.getSrcs(), plan->exchange->size).bytes : 0;
}

static unsigned scanBytes(tt::ScanOp op) {
  auto plan = planScan(layoutOf(op.getSrcs().front()), op.getAxis(), op.getReverse());
  return plan ? placeScratch(op.getSrcs(), plan->size).bytes : 0;
}

static ScratchNeed gatherNeed(tt::GatherOp op) {
  auto plan = planGather(layoutOf(op.getSrc()), layoutOf(op.getIndices()), op.getAxis());
  return plan ? ScratchNeed{placeScratch(op.getSrc(), plan->size).bytes, plan->withinWarp}
              : ScratchNeed();
}

/// A 32-bit counter per bin.
static unsigned histogramBytes(tt::HistogramOp op) { return 4 * op.getType().getNumElements(); }

ScratchNeed tessera::scratchNeed(Operation *op) {
  return llvm::TypeSwitch<Operation *, ScratchNeed>(op)
      .Case([](ttg::ConvertLayoutOp op) { return conversionNeed(op); })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp>(
          [](Operation *op) { return ScratchNeed{planAtomicResults(op).scratchBytes, false}; })
      .Case([](tt::ReduceOp op) { return ScratchNeed{reductionBytes(op), false}; })
      .Case([](tt::ScanOp op) { return ScratchNeed{scanBytes(op), false}; })
      .Case([](tt::GatherOp op) { return gatherNeed(op); })
      .Case([](tt::HistogramOp op) { return ScratchNeed{histogramBytes(op), false}; })
      .Case([](ttg::WarpScratchOpInterface op) {
        unsigned bytes = op.getWarpScratchBytes();
        return ScratchNeed{bytes, /*withinWarp=*/true, /*inEqualShares=*/true, bytes};
      })
      .Default([](Operation *) { return ScratchNeed(); });
}
