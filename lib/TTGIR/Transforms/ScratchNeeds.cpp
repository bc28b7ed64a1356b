//===- ScratchNeeds.cpp - shared memory that an op needs while it runs ----===//
// One line per kind of op; the numbers come from the same plan that the op's
// lowering follows.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Transforms/AtomicResults.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

static ScratchNeed conversionNeed(ttg::ConvertLayoutOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  std::optional<Conversion> conversion =
      planConversion(ttg::toLinearLayout(cast<RankedTensorType>(op.getSrc().getType())),
                     ttg::toLinearLayout(type));
  if (!conversion || conversion->reach <= ConversionReach::Register)
    return {};
  unsigned elementBytes = std::max(1u, tt::getElementBits(type) / 8);
  return {static_cast<unsigned>(type.getNumElements()) * elementBytes, false};
}

ScratchNeed tessera::scratchNeed(Operation *op) {
  return llvm::TypeSwitch<Operation *, ScratchNeed>(op)
      .Case([](ttg::ConvertLayoutOp op) { return conversionNeed(op); })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp>(
          [](Operation *op) { return ScratchNeed{planAtomicResults(op).scratchBytes, false}; })
      .Default([](Operation *) { return ScratchNeed(); });
}
