//===- AtomicResults.cpp - broadcast the old values of atomics -----------===//
// See AtomicResults.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Transforms/AtomicResults.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTIR/IR/TTTypes.h"

using namespace mlir;
using namespace tessera;

/// Returns whether clearing the bits of `mask` gives an index that holds the same element.
static bool changeNothing(const LinearLayout &layout, Dim dim, uint64_t mask) {
  for (unsigned bit = 0; bit < layout.inBits(dim); ++bit)
    for (Dim out : layout.outDims())
      if ((mask >> bit & 1) != 0 && layout.basis(dim, bit, out) != 0)
        return false;
  return true;
}

AtomicResults tessera::planAtomicResults(Operation *op) {
  AtomicResults plan;
  bool isUsed = !op->getResult(0).use_empty();
  Type type = op->getResult(0).getType();
  unsigned elementBytes = std::max(1u, tt::getElementBits(type) / 8);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) { // the same in all threads
    auto module = op->getParentOfType<ModuleOp>();
    plan.lanes = ttg::getThreadsPerWarp(module);
    plan.warps = ttg::lookupNumWarps(op).value_or(ttg::getNumWarps(module));
    plan.blocks = ttg::getNumCTAs(module);
    plan.owners = {0, plan.lanes - 1u, plan.warps - 1u, plan.blocks - 1u};
    if (isUsed)
      plan.reach = plan.blocks > 1  ? AtomicReach::Cluster
                   : plan.warps > 1 ? AtomicReach::Block
                                    : AtomicReach::Lanes;
    plan.scratchBytes = plan.reach >= AtomicReach::Block ? elementBytes : 0;
    return plan;
  }
  LinearLayout layout = ttg::toLinearLayout(tensor);
  plan.lanes = layout.inSize(Dim::lane());
  plan.warps = layout.inSize(Dim::warp());
  plan.blocks = layout.inSize(Dim::block());
  plan.owners = ownerMasks(layout);
  if (!isUsed || (plan.owners.lanes | plan.owners.warps | plan.owners.blocks) == 0)
    return plan;
  bool stays = plan.owners.warps == 0 && plan.owners.blocks == 0 &&
               changeNothing(layout, Dim::lane(), plan.owners.lanes);
  plan.reach = stays                     ? AtomicReach::Lanes
               : plan.owners.blocks == 0 ? AtomicReach::Block
                                         : AtomicReach::Cluster;
  if (!stays)
    plan.scratchBytes = tensor.getNumElements() * elementBytes;
  return plan;
}
