//===- SharedAliases.cpp - which buffer, and which part of it -------------===//
// Values whose views are not known yet have none; sets grow until nothing
// changes.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/SharedAliases.h"
#include "tessera/TTGIR/Analysis/SlotIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tessera;

SharedAliases::SharedAliases(Region &region, SlotIndices *slots) : slots(slots) {
  auto note = [&](Value value) {
    if (isa<ttg::MemDescType>(value.getType()))
      views.insert({value, {}});
  };
  region.walk<WalkOrder::PreOrder>([&](Block *block) {
    llvm::for_each(block->getArguments(), note);
    for (Operation &op : *block) {
      llvm::for_each(op.getResults(), note);
      if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
        allocs.push_back(alloc);
    }
  });
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto &[value, known] : views) {
      Views now = evaluate(value);
      changed |= now != known;
      known = std::move(now);
    }
  }
}

SharedAliases::Views SharedAliases::everything() const {
  Views all;
  for (uint32_t buffer = 0; buffer < allocs.size(); ++buffer)
    all.push_back({{buffer, {}}, false});
  return all;
}

SharedAliases::Views SharedAliases::viewsOf(Value memdesc) const {
  auto it = views.find(memdesc);
  return it == views.end() ? everything() : it->second;
}

SharedAliases::Views SharedAliases::evaluate(Value memdesc) const {
  if (auto argument = dyn_cast<BlockArgument>(memdesc))
    return evaluateArgument(argument);
  Operation *op = memdesc.getDefiningOp();
  if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
    return {{{uint32_t(llvm::find(allocs, alloc) - allocs.begin()), {}}, true}};
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Views result = viewsOf(select.getTrueValue());
    for (const View &view : viewsOf(select.getFalseValue()))
      if (!llvm::is_contained(result, view))
        result.push_back(view);
    return result;
  }
  auto viewOp = dyn_cast<ViewLikeOpInterface>(op);
  if (!viewOp)
    return everything();
  Views result = viewsOf(viewOp.getViewSource());
  auto index = dyn_cast<ttg::MemDescIndexOp>(op);
  for (View &view : result) {
    if (index && view.isWhole && slots)
      view.part.slot = slots->slotOf(index.getIndex());
    view.isWhole = false;
  }
  return result;
}

SharedAliases::Views SharedAliases::evaluateArgument(BlockArgument argument) const {
  Block *block = argument.getOwner();
  if (block->isEntryBlock())
    return everything();
  Views result;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    if (!branch)
      return everything();
    Value passed = branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()];
    if (!passed)
      return everything();
    for (View view : viewsOf(passed)) {
      // A counter may have moved on since the value was made.
      if (view.part.slot.kind == SharedSlot::Counter)
        view.part.slot = {};
      if (!llvm::is_contained(result, view))
        result.push_back(view);
    }
  }
  return result;
}

SmallVector<SharedPart, 1> SharedAliases::partsOf(Value memdesc) const {
  SmallVector<SharedPart, 1> parts;
  for (const View &view : viewsOf(memdesc))
    if (!llvm::is_contained(parts, view.part))
      parts.push_back(view.part);
  return parts;
}
