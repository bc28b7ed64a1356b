//===- OrderGlobalAccesses.cpp - barriers between a store and a load of the same addresses -===//
// A program that stores a tensor and loads it again from the same addresses expects its own values.
// The two accesses may have different layouts, so that a thread loads what another thread stored; a
// barrier in between makes the store visible:
//
//   before: tt.store %p, %x : #mma_rows          after: tt.store %p, %x : #mma_rows
//           %y = tt.load %q : #blocked                  gpu.barrier
//                                                       %y = tt.load %q : #blocked
//
// where %p and %q are the same addresses in two layouts. Published attention kernels do this to
// move a row of factors from one layout to another.
//
// A store is ordered before loads that follow it in its block, or in regions of ops there.
// Addresses that are computed differently are not compared: as in Triton, a program that reads
// another tile's results calls tl.debug_barrier.
//
// Requires: final layouts. No barrier is needed if each thread loads what it stored itself, i.e.
// for equal layouts without copies. Cost: for each store a walk over the following loads.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGORDERGLOBALACCESSES
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct OrderGlobalAccesses : tessera::impl::TTGOrderGlobalAccessesBase<OrderGlobalAccesses> {
  void runOnOperation() override;
};
} // namespace

/// Returns a type without its layout.
static Type withoutEncoding(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? RankedTensorType::get(tensor.getShape(), tensor.getElementType()) : type;
}

/// Compares attributes except layouts, which are part of the types of constants.
static bool haveSameAttributes(Operation *a, Operation *b) {
  auto x = dyn_cast<arith::ConstantOp>(a), y = dyn_cast<arith::ConstantOp>(b);
  if (!x || !y)
    return a->getAttrDictionary() == b->getAttrDictionary() &&
           a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute();
  auto dense = dyn_cast<DenseElementsAttr>(x.getValue());
  auto other = dyn_cast<DenseElementsAttr>(y.getValue());
  if (!dense || !other)
    return x.getValue() == y.getValue();
  return dense.isSplat() && other.isSplat() &&
         dense.getSplatValue<Attribute>() == other.getSplatValue<Attribute>();
}

/// Returns whether two values are computed alike, perhaps in different layouts.
static bool areEqual(Value a, Value b, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 16;
  while (auto conversion = a.getDefiningOp<ttg::ConvertLayoutOp>())
    a = conversion.getSrc();
  while (auto conversion = b.getDefiningOp<ttg::ConvertLayoutOp>())
    b = conversion.getSrc();
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || depth == kMaxDepth || x->getName() != y->getName() ||
      x->getNumOperands() != y->getNumOperands() || x->getNumResults() != 1 ||
      y->getNumResults() != 1 || x->getNumRegions() != 0 || !isMemoryEffectFree(x) ||
      withoutEncoding(a.getType()) != withoutEncoding(b.getType()) || !haveSameAttributes(x, y))
    return false;
  return llvm::all_of(llvm::zip_equal(x->getOperands(), y->getOperands()), [&](auto pair) {
    return areEqual(std::get<0>(pair), std::get<1>(pair), depth + 1);
  });
}

/// Returns whether threads load only what they stored themselves.
static bool staysInThread(Type stored, Type loaded) {
  auto a = dyn_cast<RankedTensorType>(stored), b = dyn_cast<RankedTensorType>(loaded);
  if (!a || !b || !a.getEncoding() || !b.getEncoding())
    return false;
  LinearLayout from = ttg::toLinearLayout(a), to = ttg::toLinearLayout(b);
  uint64_t held = uint64_t(from.inSize(Dim::lane())) * from.inSize(Dim::warp()) *
                  from.inSize(Dim::block()) * uniqueRegisters(from).kept.size();
  return from == to && held == uint64_t(a.getNumElements());
}

/// Finds the loads after a store that read its addresses in other threads.
static void findLoads(tt::StoreOp store, SmallVectorImpl<tt::LoadOp> &loads) {
  for (Operation *op = store->getNextNode(); op; op = op->getNextNode())
    op->walk([&](tt::LoadOp load) {
      if (areEqual(store.getPtr(), load.getPtr()) &&
          !staysInThread(store.getPtr().getType(), load.getPtr().getType()))
        loads.push_back(load);
    });
}

void OrderGlobalAccesses::runOnOperation() {
  SmallVector<tt::LoadOp> loads;
  getOperation().walk([&](tt::StoreOp store) { findLoads(store, loads); });
  for (tt::LoadOp load : loads) {
    if (isa_and_nonnull<gpu::BarrierOp>(load->getPrevNode()))
      continue;
    decided(load, "ttg-order-global-accesses", "barrier")
        .says("a barrier precedes the load")
        .because("it reads addresses that the program stored to before, in other threads");
    OpBuilder b(load);
    gpu::BarrierOp::create(b, load.getLoc());
  }
}
