//===- TTGOps.cpp - the generated op code, and effects --------------------===//
#include "tessera/TTGIR/IR/TTGOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

void TTGDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "tessera/TTGIR/IR/TTGOps.cpp.inc"
      >();
}

#include "tessera/TTGIR/IR/TTGOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "tessera/TTGIR/IR/TTGOps.cpp.inc"

void LocalAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // Until it has an offset, an immutable buffer is as good as its tensor: equal ones are
  // merged, unused ones go. Afterwards it occupies memory that others may reuse.
  bool hasOffset = (*this)->hasAttr(kAllocationOffsetAttr);
  if (!getType().getMutableMemory() && !hasOffset)
    return;
  OpResult result = getOperation()->getOpResult(0);
  effects.emplace_back(MemoryEffects::Allocate::get(), result, SharedMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), result, SharedMemory::get());
}

unsigned LocalAllocOp::getAlignmentOrDefault() {
  if (std::optional<int32_t> alignment = getAlignment())
    return *alignment;
  auto encoding = dyn_cast<SharedEncodingAttr>(getType().getEncoding());
  return encoding ? encoding.getAlignment() : 1;
}
