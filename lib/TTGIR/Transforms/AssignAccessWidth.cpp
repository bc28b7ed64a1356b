//===- AssignAccessWidth.cpp - the number of elements an access moves ----===//
// Attaches to each load, store and atomic update the number of elements that one instruction may
// move: as many as one thread holds adjacently, as are consecutive and aligned in memory, as share
// one mask bit, and as fit an instruction.
//
//   before: tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #blocked>
//   after:  tt.load %p, %m {ttg.access = array<i32: 0, 4>} : ...
//
// A mask that may end inside a vector (`offsets < n`, where n is any number) does not narrow a load
// or store: with `ttg.prefix_mask` the lowering moves whole vectors that the mask covers
// completely, and single elements otherwise.
//
// Masks are often equal for several elements; comparisons get an attribute with the bits of the
// register's number that do not change the result (`ttg.equal_registers`), and are then computed
// once.
//
// Requires: every tensor has its final encoding. Ensures: the lowering needs no analysis.
// Cost: the axis analysis, and a layout per access.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
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

/// Loads and stores may be split; atomic updates and volatile accesses may not. Both branches of a
/// split access are emitted, so a thread must have few elements in it.
static bool mayEndInVector(Operation *op, const LinearLayout &layout) {
  constexpr uint64_t maxElements = 128;
  if (elementsPerThread(layout) > maxElements)
    return false;
  auto load = dyn_cast<tt::LoadOp>(op);
  return load ? !load.getIsVolatile() && load.getCache() != tt::CacheModifier::CV
              : isa<tt::StoreOp, ttg::OffsetAccessOpInterface>(op);
}

/// Returns the fact that keeps an access narrow: the one without which it would be wider.
static std::string whyNarrow(const LinearLayout &layout, ArrayRef<AccessFacts> facts,
                             unsigned elementBits, unsigned maxVectorBits, unsigned width) {
  constexpr int64_t unlimited = int64_t(1) << 40;
  auto widens = [&](function_ref<void(AccessFacts &)> relax) {
    SmallVector<AccessFacts> relaxed(facts);
    llvm::for_each(relaxed, relax);
    return widestAccess(layout, relaxed, elementBits, maxVectorBits).width > width;
  };
  const AccessFacts &fastest = facts[dimensionOrder(layout).front()];
  if (widens([](AccessFacts &dim) { dim.maskConstancy = unlimited; }))
    return llvm::formatv("the mask is only known to be equal in runs of {0} elements",
                         fastest.maskConstancy);
  if (widens([](AccessFacts &dim) { dim.divisibilityBytes = unlimited; }))
    return llvm::formatv("addresses are only known to be divisible by {0} bytes",
                         fastest.divisibilityBytes);
  if (widens([](AccessFacts &dim) { dim.contiguity = dim.divisibilityBytes = unlimited; }))
    return llvm::formatv("addresses are only known to be consecutive in runs of {0} elements",
                         fastest.contiguity);
  return "the layout gives a thread no more neighbouring elements";
}

static void explain(Operation *op, const LinearLayout &layout, ArrayRef<AccessFacts> facts,
                    unsigned elementBits, unsigned maxVectorBits, unsigned width) {
  constexpr llvm::StringLiteral pass = "ttg-assign-access-width", name = "vector-width";
  auto atOffsets = dyn_cast<ttg::OffsetAccessOpInterface>(op);
  bool isStore = isa<tt::StoreOp>(op) || (atOffsets && atOffsets.isStore());
  StringRef access = isStore ? "store" : isa<tt::LoadOp>(op) || atOffsets ? "load" : "atomic";
  uint64_t held = elementsPerThread(layout);
  bool isFull = width * elementBits >= maxVectorBits || width >= held;
  PassRemark remark = isFull ? decided(op, pass, name) : declined(op, pass, name);
  if (!remark)
    return;
  remark
      .says(isFull ? "the {0} moves {1} elements of {2} bits at once"
                   : "vectorization fails: the {0} moves {1} of {3} elements of {2} bits at once",
            access, width, elementBits, held)
      .number("elements", width)
      .number("bits", elementBits)
      .number("elements-per-thread", held);
  if (!isFull)
    remark.because("{0}", whyNarrow(layout, facts, elementBits, maxVectorBits, width));
  else if (width * elementBits < maxVectorBits)
    remark.because("a thread holds no more");
}

/// `addresses` are pointers, or offsets from a pointer.
static void assign(Operation *op, Value addresses, Type pointer, Value mask,
                   SmallVector<AccessFacts> facts, unsigned maxVectorBits) {
  op->removeAttr(kAccessAttr); // set by an earlier run, or in the input file
  op->removeAttr(kPrefixMaskAttr);
  auto type = dyn_cast<RankedTensorType>(addresses.getType());
  if (!type)
    return;
  // An i1 takes a byte in memory.
  unsigned elementBits = std::max(8u, tt::getPointeeBits(pointer));
  LinearLayout layout = ttg::toLinearLayout(type);
  VectorAccess access = widestAccess(layout, facts, elementBits, maxVectorBits);
  if (mask && mayEndInVector(op, layout)) {
    for (AccessFacts &dim : facts)
      dim.maskConstancy = dim.maskPrefix;
    VectorAccess inParts = widestAccess(layout, facts, elementBits, maxVectorBits);
    if (inParts.width > access.width) {
      access = inParts;
      op->setAttr(kPrefixMaskAttr, UnitAttr::get(op->getContext()));
    }
  }
  explain(op, layout, facts, elementBits, maxVectorBits, access.width);
  if (access.width > 1)
    setAccessWidth(op, {access.dim, access.width});
}

/// Attaches the bits of the register's number that do not change the comparison's result.
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
  auto assignThroughPointers = [&](auto op) {
    assign(op, op.getPtr(), op.getPtr().getType(), op.getMask(),
           axes.accessFacts(op.getPtr(), op.getMask()), maxVectorBits);
  };
  module.walk([&](tt::LoadOp op) { assignThroughPointers(op); });
  module.walk([&](tt::StoreOp op) { assignThroughPointers(op); });
  module.walk([&](tt::AtomicRMWOp op) { assignThroughPointers(op); });
  module.walk([&](ttg::OffsetAccessOpInterface op) {
    assign(op, op.getAccessOffsets(), op.getBase().getType(), op.getAccessMask(),
           axes.accessFacts(op.getBase(), op.getAccessOffsets(), op.getAccessMask()),
           maxVectorBits);
  });
  module.walk([&](arith::CmpIOp op) { assignEqual(op, axes); });
}
