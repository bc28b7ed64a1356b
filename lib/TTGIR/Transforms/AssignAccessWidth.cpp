//===- AssignAccessWidth.cpp - how many elements does an access move? -----===//
// Writes onto each load, store and atomic update how many elements one instruction may move:
// as many as one thread holds side by side, as lie consecutively and aligned in
// memory, as share one mask bit, and as fit an instruction.
//
//   before: tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #blocked>
//   after:  tt.load %p, %m {ttg.access = array<i32: 0, 4>} : ...
//
// Requires: every tensor has its final encoding. Ensures: the lowering needs no
// analysis. Cost: the axis analysis, and a layout per access.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/AccessWidth.h"
#include "tessera/TTGIR/Transforms/Passes.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGASSIGNACCESSWIDTH
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct AssignAccessWidth : tessera::impl::TTGAssignAccessWidthBase<AssignAccessWidth> {
  using TTGAssignAccessWidthBase::TTGAssignAccessWidthBase;
  void runOnOperation() override;
};
} // namespace

static void assign(Operation *op, Value pointer, Value mask, const AxisInfoAnalysis &axes,
                   unsigned maxVectorBits) {
  op->removeAttr(kAccessAttr); // what an earlier run or a file said
  auto type = dyn_cast<RankedTensorType>(pointer.getType());
  if (!type)
    return;
  // Bools take a byte in memory.
  unsigned elementBits = std::max(8u, tt::getPointeeBits(type));
  VectorAccess access = widestAccess(ttg::toLinearLayout(type), axes.accessFacts(pointer, mask),
                                     elementBits, maxVectorBits);
  if (access.width > 1)
    setAccessWidth(op, {access.dim, access.width});
}

void AssignAccessWidth::runOnOperation() {
  ModuleOp module = getOperation();
  AxisInfoAnalysis axes(module);
  if (!axes.isValid()) {
    module.emitError("the axis analysis failed");
    return signalPassFailure();
  }
  module.walk([&](tt::LoadOp op) { assign(op, op.getPtr(), op.getMask(), axes, maxVectorBits); });
  module.walk([&](tt::StoreOp op) { assign(op, op.getPtr(), op.getMask(), axes, maxVectorBits); });
  module.walk(
      [&](tt::AtomicRMWOp op) { assign(op, op.getPtr(), op.getMask(), axes, maxVectorBits); });
}
