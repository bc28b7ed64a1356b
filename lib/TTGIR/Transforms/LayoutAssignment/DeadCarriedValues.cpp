//===- DeadCarriedValues.cpp - dead loop-carried values ------------------===//
// Marks values backwards from the roots: ops with effects, conditions and bounds, and results of
// the loop that have users. Inner loops and branches propagate each of their values separately.
// Values that are not marked are dead.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Transforms/DeadCarriedValues.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {
class Marker {
public:
  explicit Marker(scf::ForOp loop) : loop(loop), live(loop.getNumRegionIterArgs()) {}

  /// For each carried value, whether it is live.
  SmallVector<bool> run();

private:
  void need(Value value) {
    if (seen.insert(value).second)
      worklist.push_back(value);
  }
  void needAll(ValueRange values) {
    for (Value value : values)
      need(value);
  }
  void needRoots(Operation *op);
  void needSourcesOf(Value value);
  void needCarried(scf::ForOp carrier, unsigned index);

  scf::ForOp loop;
  SmallVector<bool> live;
  DenseSet<Value> seen;
  SmallVector<Value> worklist;
};
} // namespace

/// Marks the values that `op`, in the loop's body, needs regardless of uses of its results.
void Marker::needRoots(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    need(branch.getCondition());
  else if (auto inner = dyn_cast<scf::ForOp>(op))
    needAll({inner.getLowerBound(), inner.getUpperBound(), inner.getStep()});
  else if (isa<scf::YieldOp>(op) && isa<scf::IfOp, scf::ForOp>(op->getParentOp()))
    return; // each operand is live if the corresponding result is
  else if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
           !isMemoryEffectFree(op))
    needAll(op->getOperands());
}

void Marker::needCarried(scf::ForOp carrier, unsigned index) {
  need(carrier.getYieldedValues()[index]);
  if (carrier == loop)
    live[index] = true;
  else
    need(carrier.getInitArgs()[index]);
}

void Marker::needSourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto carrier = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (carrier && argument != carrier.getInductionVar())
      needCarried(carrier, argument.getArgNumber() - carrier.getNumInductionVars());
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (!loop->isAncestor(op))
    return;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    needAll({branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)});
  else if (auto carrier = dyn_cast<scf::ForOp>(op))
    needCarried(carrier, index);
  else
    needAll(op->getOperands());
}

SmallVector<bool> Marker::run() {
  for (auto [index, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty())
      needCarried(loop, index);
  loop.getBody()->walk([&](Operation *op) { needRoots(op); });
  while (!worklist.empty())
    needSourcesOf(worklist.pop_back_val());
  return live;
}

bool tessera::freezeDeadCarriedValues(scf::ForOp loop) {
  bool changed = false;
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [index, isLive] : llvm::enumerate(Marker(loop).run())) {
    Value argument = loop.getRegionIterArgs()[index];
    if (isLive || yield->getOperand(index) == argument)
      continue;
    yield->setOperand(index, argument);
    changed = true;
  }
  return changed;
}
