//===- RematerializationPlan.cpp - the cost of recomputing a value -------===//
// A depth-first search backwards from the value. For each op the cheaper of two ways is chosen:
// convert its result here, or recompute it with its operands in the layouts that this implies. A
// value that is needed twice is counted once. In a loop the search reaches a value that is already
// being planned; that costs nothing more. The search gives up after some thousands of values.
//===----------------------------------------------------------------------===//
#include "LayoutRelations.h"
#include "Rematerialize.h"

using namespace mlir;
using namespace tessera;

using Step = RematerializationPlan::Step;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Returns whether a second copy of `op`, next to the first, has the same result.
static bool isRepeatable(Operation *op) {
  return isRepeatableElementwise(op) || (isa<tt::LoadOp>(op) && hasLabel(op)) ||
         isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp, tt::JoinOp>(op);
}

/// Returns the cost of a second copy of `op`; 0 if the first one will be dead.
static Cost duplicationCost(Operation *op, RankedTensorType type, Attribute encoding,
                            LayoutCosts &costs) {
  return op->hasOneUse() ? 0 : costs.operation(op, type, encoding) * executionWeight(op);
}

/// Returns the loop that carries `value`, and the index; null if none does.
static std::pair<scf::ForOp, unsigned> carryingLoop(Value value) {
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop, cast<OpResult>(value).getResultNumber()};
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument == loop.getInductionVar())
    return {};
  return {loop, argument.getArgNumber() - loop.getNumInductionVars()};
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {
class Planner {
public:
  explicit Planner(LayoutCosts &costs) : costs(costs) {}

  llvm::MapVector<LaidOutValue, Step> steps;

  /// Records the cheapest way to have `value` in `encoding` and returns its cost. With `mustMove`,
  /// converting `value` itself is not allowed.
  Cost plan(Value value, Attribute encoding, bool mustMove);

private:
  Cost planRecomputation(Value value, Attribute encoding);
  Cost planCarrying(scf::ForOp loop, unsigned index, Attribute encoding);
  Cost planBranches(scf::IfOp branch, unsigned index, Attribute encoding);

  /// Returns the cost of converting `value` at its definition.
  Cost conversionCost(Value value, Attribute from, Attribute to) {
    auto type = cast<RankedTensorType>(value.getType());
    return costs.conversion(type, from, to) * executionWeight(value);
  }

  LayoutCosts &costs;
  static constexpr unsigned kMaxVisited = 4096;
  unsigned numVisited = 0;
};
} // namespace

Cost Planner::plan(Value value, Attribute encoding, bool mustMove) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getEncoding() == encoding || steps.count({value, encoding}))
    return 0;
  if (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>()) {
    Attribute source = cast<RankedTensorType>(convert.getSrc().getType()).getEncoding();
    steps[{value, encoding}] = Step::Exists;
    Cost cost = plan(convert.getSrc(), encoding, false);
    // A conversion without other users is removed.
    Cost saved = convert->hasOneUse() ? conversionCost(convert, source, type.getEncoding()) : 0;
    return cost - saved;
  }

  Cost convertHere = mustMove ? kImpossible : conversionCost(value, type.getEncoding(), encoding);
  if (convertHere == 0) {
    steps[{value, encoding}] = Step::Convert;
    return 0;
  }
  size_t before = steps.size();
  Cost recompute = planRecomputation(value, encoding);
  if (recompute <= convertHere)
    return recompute;
  while (steps.size() > before) // drop the steps of the recomputation
    steps.pop_back();
  steps[{value, encoding}] = Step::Convert;
  return convertHere;
}

Cost Planner::planRecomputation(Value value, Attribute encoding) {
  if (++numVisited > kMaxVisited)
    return kImpossible;
  if (auto [loop, index] = carryingLoop(value); loop)
    return planCarrying(loop, index, encoding);
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return planBranches(branch, cast<OpResult>(value).getResultNumber(), encoding);
  Operation *op = value.getDefiningOp();
  if (!op)
    return kImpossible;
  auto type = cast<RankedTensorType>(value.getType());
  if (isTensorSource(op)) {
    steps[{value, encoding}] = Step::Recompute;
    return 0;
  }
  if (!isRepeatable(op))
    return kImpossible;
  steps[{value, encoding}] = Step::Recompute;
  Cost cost = duplicationCost(op, type, encoding, costs);
  for (OpOperand &operand : op->getOpOperands()) {
    if (cost >= kImpossible || !isa<RankedTensorType>(operand.get().getType()))
      continue;
    Attribute wanted = operandEncoding(op, operand.getOperandNumber(), encoding);
    cost += wanted ? plan(operand.get(), wanted, false) : kImpossible;
  }
  return cost;
}

Cost Planner::planCarrying(scf::ForOp loop, unsigned index, Attribute encoding) {
  // The argument and the result are extended together.
  steps[{loop.getRegionIterArgs()[index], encoding}] = Step::CarryAlong;
  steps[{loop.getResult(index), encoding}] = Step::CarryAlong;
  Cost cost = plan(loop.getInitArgs()[index], encoding, false);
  return cost + plan(loop.getYieldedValues()[index], encoding, false);
}

Cost Planner::planBranches(scf::IfOp branch, unsigned index, Attribute encoding) {
  steps[{branch.getResult(index), encoding}] = Step::CarryAlong;
  Cost cost = plan(branch.thenYield().getOperand(index), encoding, false);
  return cost + plan(branch.elseYield().getOperand(index), encoding, false);
}

RematerializationPlan tessera::planRematerialization(Value value, Attribute encoding,
                                                     LayoutCosts &costs) {
  Planner planner(costs);
  RematerializationPlan result;
  result.cost = planner.plan(value, encoding, /*mustMove=*/true);
  result.steps = std::move(planner.steps);
  return result;
}
