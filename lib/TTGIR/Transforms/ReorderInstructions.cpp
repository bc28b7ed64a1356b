//===- ReorderInstructions.cpp - hold tensors in registers for less long --===//
// A tensor occupies registers from where it is made to its last use. What the
// program's order makes early and uses late is moved:
//
//   %a = ttg.local_load %m             %s = arith.mulf ...
//   %s = arith.mulf ...          ->    %a = ttg.local_load %m
//   %d = tt.dot %a, ...                %d = tt.dot %a, ...
//
// * Reads of buffers, and conversions that make a tensor larger or whose source stays in
//   use anyway, go down to their first user.
// * Tensors that are only put into a buffer go there at once.
//
// The assembler moves instructions too, but not across the barriers that come
// between accesses to shared memory later.
//
// Ensures: values are unchanged; no read passes a write to shared memory, a wait or a barrier.
// Declines: what is used in the next iteration was made early on purpose.
// Cost: linear in the distances moved.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGREORDERINSTRUCTIONS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct ReorderInstructions : tessera::impl::TTGReorderInstructionsBase<ReorderInstructions> {
  using TTGReorderInstructionsBase::TTGReorderInstructionsBase;
  void runOnOperation() override;
};
} // namespace

/// The first op of its own block that uses `op`, itself or by what it contains; null if
/// some use is elsewhere.
static Operation *firstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (!here)
      return nullptr;
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}

static uint64_t registerBitsOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return ttg::toLinearLayout(type).inSize(Dim::reg()) * tt::getElementBits(type);
}

/// Whether the source of a conversion is needed until `place` or longer.
static bool isUsedFrom(Value source, Operation *place, Operation *conversion) {
  return llvm::any_of(source.getUsers(), [&](Operation *user) {
    Operation *here = place->getBlock()->findAncestorOpInBlock(*user);
    return user != conversion && (!here || !here->isBeforeInBlock(place));
  });
}

static bool mayWriteShared(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
    for (Region &region : op->getRegions())
      if (region
              .walk([](Operation *inner) {
                return mayWriteShared(inner) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted())
        return true;
    return false;
  }
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return true; // waits and barriers among them
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getResource() == ttg::SharedMemory::get() &&
           !isa<MemoryEffects::Read>(effect.getEffect());
  });
}

static bool canSink(Operation *op, Operation *place) {
  if (auto conversion = dyn_cast<ttg::ConvertLayoutOp>(op))
    return registerBitsOf(conversion.getResult()) > registerBitsOf(conversion.getSrc()) ||
           isUsedFrom(conversion.getSrc(), place, conversion);
  for (Operation *between = op->getNextNode(); between != place; between = between->getNextNode())
    if (mayWriteShared(between))
      return false;
  return true;
}

/// Right before the first user, in front of what was moved there already: in program order.
static void sink(Operation *op, DenseSet<Operation *> &moved) {
  Operation *place = firstUser(op);
  if (!place || place->hasTrait<OpTrait::IsTerminator>())
    return;
  while (place->getPrevNode() != op && moved.contains(place->getPrevNode()))
    place = place->getPrevNode();
  if (place->getPrevNode() != op) {
    if (!canSink(op, place))
      return;
    op->moveBefore(place);
  }
  moved.insert(op);
}

/// Right after what it stores, if that is used for nothing else.
static void hoist(ttg::LocalAllocOp alloc) {
  if (!alloc.getSrc() || !alloc.getSrc().hasOneUse())
    return;
  Operation *source = alloc.getSrc().getDefiningOp();
  if (source && source->getBlock() == alloc->getBlock())
    alloc->moveAfter(source);
}

void ReorderInstructions::runOnOperation() {
  SmallVector<ttg::LocalAllocOp> allocs;
  SmallVector<Operation *> toSink;
  getOperation().walk([&](Operation *op) {
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
      allocs.push_back(alloc);
    else if (isa<ttg::LocalLoadOp, ttg::ConvertLayoutOp>(op))
      toSink.push_back(op);
  });
  llvm::for_each(allocs, hoist);
  // The last first, so that what it is made of can follow.
  DenseSet<Operation *> moved;
  for (Operation *op : llvm::reverse(toSink))
    sink(op, moved);
}
