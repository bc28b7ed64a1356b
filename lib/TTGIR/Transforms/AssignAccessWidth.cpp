//===- AssignAccessWidth.cpp - how many elements does an access move? -----===//
// Writes onto each load, store and atomic update how many elements one instruction may move:
// as many as one thread holds side by side, as lie consecutively and aligned in
// memory, as share one mask bit, and as fit an instruction.
//
//   before: tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #blocked>
//   after:  tt.load %p, %m {ttg.access = array<i32: 0, 4>} : ...
//
// A mask that may end inside a vector (`offsets < n`, where n is any number) does not narrow a
// load or store: `ttg.prefix_mask` makes the lowering move whole vectors where the mask covers
// them, and single elements where it does not.
//
// Masks are often equal for as many elements; comparisons get the bits of a register's
// number that change nothing (`ttg.equal_registers`), and are then done once.
//
// Requires: every tensor has its final encoding. Ensures: the lowering needs no
// analysis. Cost: the axis analysis, and a layout per access.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/AccessWidth.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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

/// Loads and stores may be done in parts; atomic updates and what others may change may not.
static bool mayEndInVector(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return load ? !load.getIsVolatile() && load.getCache() != tt::CacheModifier::CV
              : isa<tt::StoreOp>(op);
}

static void assign(Operation *op, Value pointer, Value mask, const AxisInfoAnalysis &axes,
                   unsigned maxVectorBits) {
  op->removeAttr(kAccessAttr); // what an earlier run or a file said
  op->removeAttr(kPrefixMaskAttr);
  auto type = dyn_cast<RankedTensorType>(pointer.getType());
  if (!type)
    return;
  // Bools take a byte in memory.
  unsigned elementBits = std::max(8u, tt::getPointeeBits(type));
  LinearLayout layout = ttg::toLinearLayout(type);
  SmallVector<AccessFacts> facts = axes.accessFacts(pointer, mask);
  VectorAccess access = widestAccess(layout, facts, elementBits, maxVectorBits);
  if (mask && mayEndInVector(op)) {
    for (AccessFacts &dim : facts)
      dim.maskConstancy = dim.maskPrefix;
    VectorAccess inParts = widestAccess(layout, facts, elementBits, maxVectorBits);
    if (inParts.width > access.width) {
      access = inParts;
      op->setAttr(kPrefixMaskAttr, UnitAttr::get(op->getContext()));
    }
  }
  if (access.width > 1)
    setAccessWidth(op, {access.dim, access.width});
}

/// The bits of a register's number that do not change the element's value.
static void assignEqual(arith::CmpIOp op, const AxisInfoAnalysis &axes) {
  op->removeAttr(kEqualRegistersAttr);
  auto type = dyn_cast<RankedTensorType>(op.getType());
  AxisInfo info = axes.get(op.getResult());
  if (!type || !info.isComputed() || info.isPoison() || info.rank() != type.getRank())
    return;
  LinearLayout layout = ttg::toLinearLayout(type);
  unsigned equal = 0;
  for (unsigned bit = 0; bit < layout.inBits(Dim::reg()); ++bit) {
    bool staysInRun = true;
    for (unsigned dim = 0; dim < info.rank(); ++dim)
      staysInRun &= layout.basis(Dim::reg(), bit, Dim::axis(dim)) <
                    static_cast<uint64_t>(info.constancy(dim));
    equal |= unsigned(staysInRun) << bit;
  }
  if (equal != 0)
    setEqualRegisters(op, equal);
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
  module.walk([&](arith::CmpIOp op) { assignEqual(op, axes); });
}
