//===- CombineTensorSelectAndIf.cpp - turn tensor selects into results of scf.if -===//
// If there is a branch on the same condition, selecting between two tensors is free: the branch
// yields one or the other.
//
//   before: %r = scf.if %c -> (tensor<...>) { ... scf.yield %x } else { ... scf.yield %y }
//           %s = arith.select %c, %a, %b : tensor<...>
//   after:  %r, %s = scf.if %c { ... scf.yield %x, %a } else { ... scf.yield %y, %b }
//
// A select before the `if` moves too if nothing between them uses it; users inside the branches use
// %a or %b directly.
//
// Requires: the condition is a scalar, the same for all threads. Ensures: values are unchanged.
// Cost: linear in the uses of conditions.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGCOMBINETENSORSELECTANDIF
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct CombineTensorSelectAndIf
    : tessera::impl::TTGCombineTensorSelectAndIfBase<CombineTensorSelectAndIf> {
  using TTGCombineTensorSelectAndIfBase::TTGCombineTensorSelectAndIfBase;
  void runOnOperation() override;
};
} // namespace

/// Returns whether the value is available at the yields of `branch`.
static bool isKnownIn(Value value, scf::IfOp branch, const DominanceInfo &dominance) {
  return value.getDefiningOp() == branch || dominance.properlyDominates(value, branch);
}

/// Returns whether every user of a select before `branch` comes after its start.
static bool isUsedFrom(scf::IfOp branch, arith::SelectOp select) {
  return llvm::all_of(select->getUsers(), [&](Operation *user) {
    Operation *here = branch->getBlock()->findAncestorOpInBlock(*user);
    return here && (here == branch || branch->isBeforeInBlock(here));
  });
}

static SmallVector<arith::SelectOp> findSelects(scf::IfOp branch, const DominanceInfo &dominance) {
  SmallVector<arith::SelectOp> found;
  for (Operation *user : branch.getCondition().getUsers()) {
    auto select = dyn_cast<arith::SelectOp>(user);
    if (!select || select.getCondition() != branch.getCondition() ||
        !isa<RankedTensorType>(select.getType()) || select->getBlock() != branch->getBlock())
      continue;
    bool isBefore = select->isBeforeInBlock(branch);
    if (isKnownIn(select.getTrueValue(), branch, dominance) &&
        isKnownIn(select.getFalseValue(), branch, dominance) &&
        (!isBefore || isUsedFrom(branch, select)))
      found.push_back(select);
  }
  // The results are in program order, whatever the order of uses.
  llvm::sort(found, [](arith::SelectOp a, arith::SelectOp b) { return a->isBeforeInBlock(b); });
  return found;
}

/// Returns `value`, as used after `branch`, at the end of one of its regions.
static Value atEndOf(Block *region, Value value, scf::IfOp branch) {
  if (value.getDefiningOp() != branch)
    return value;
  return region->getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
}

/// Recreates `branch` with additional results of these types; the yields still lack their operands.
static scf::IfOp recreate(scf::IfOp branch, TypeRange more, OpBuilder &b) {
  SmallVector<Type> types(branch->getResultTypes());
  types.append(more.begin(), more.end());
  b.setInsertionPoint(branch);
  auto wider = scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(),
                                 /*addThenBlock=*/false, /*addElseBlock=*/false);
  wider->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  wider.getThenRegion().takeBody(branch.getThenRegion());
  wider.getElseRegion().takeBody(branch.getElseRegion());
  if (wider.getElseRegion().empty()) {
    b.createBlock(&wider.getElseRegion());
    scf::YieldOp::create(b, branch.getLoc());
  }
  branch->replaceAllUsesWith(wider->getResults().take_front(branch->getNumResults()));
  return wider;
}

static void moveInto(scf::IfOp branch, ArrayRef<arith::SelectOp> selects) {
  OpBuilder b(branch);
  SmallVector<Type> types;
  for (arith::SelectOp select : selects)
    types.push_back(select.getType());
  unsigned firstNew = branch->getNumResults();
  scf::IfOp wider = recreate(branch, types, b);
  for (auto [index, each] : llvm::enumerate(selects)) {
    arith::SelectOp select = each;
    Value whenTrue = atEndOf(wider.thenBlock(), select.getTrueValue(), wider);
    Value whenFalse = atEndOf(wider.elseBlock(), select.getFalseValue(), wider);
    wider.thenBlock()->getTerminator()->insertOperands(firstNew + index, whenTrue);
    wider.elseBlock()->getTerminator()->insertOperands(firstNew + index, whenFalse);
    Value chosen = wider->getResult(firstNew + index);
    select.getResult().replaceUsesWithIf(
        chosen, [&](OpOperand &use) { return !wider->isProperAncestor(use.getOwner()); });
    select.getResult().replaceUsesWithIf(whenTrue, [&](OpOperand &use) {
      return wider.getThenRegion().isAncestor(use.getOwner()->getParentRegion());
    });
    select.getResult().replaceAllUsesWith(whenFalse);
    select.erase();
  }
  branch.erase();
}

void CombineTensorSelectAndIf::runOnOperation() {
  SmallVector<scf::IfOp> branches;
  getOperation().walk([&](scf::IfOp branch) { branches.push_back(branch); });
  DominanceInfo dominance(getOperation());
  for (scf::IfOp branch : branches) {
    SmallVector<arith::SelectOp> selects = findSelects(branch, dominance);
    if (!selects.empty())
      moveInto(branch, selects);
  }
}
