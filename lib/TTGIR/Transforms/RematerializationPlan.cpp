//===- RematerializationPlan.cpp - what would recomputing cost? -----------===//
// A depth-first search backwards from the value. At each op the cheaper of two
// ways is taken: convert its result here, or recompute it and get its operands
// in the layout that implies. A value needed twice is paid for once. Around a
// loop the search meets a value it is already planning; that costs nothing more.
// The search gives up after some thousands of values.
//===----------------------------------------------------------------------===//
#include "Rematerialize.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/Conversion.h"

using namespace mlir;
using namespace tessera;

using Step = RematerializationPlan::Step;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// A loop is taken to run this many times when nothing is known.
static constexpr Cost kLoopWeight = 8;

static Cost executionWeight(Operation *op) {
  Cost weight = 1;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      weight *= kLoopWeight;
  return weight;
}

/// 32-bit registers that a thread holds of the tensor.
static Cost registersOf(RankedTensorType type, Attribute encoding) {
  LinearLayout layout = ttg::toLinearLayout(encoding, type.getShape());
  return static_cast<Cost>(layout.inSize(Dim::reg())) * std::max(1u, tt::getElementBits(type) / 32);
}

Cost tessera::conversionCost(RankedTensorType type, Attribute encoding, Operation *op) {
  if (type.getEncoding() == encoding)
    return 0;
  std::optional<Conversion> conversion =
      planConversion(ttg::toLinearLayout(type), ttg::toLinearLayout(encoding, type.getShape()));
  if (conversion && conversion->reach <= ConversionReach::Register)
    return 0;
  // Two barriers, and per register a store, a load and their latency, which
  // nothing hides: worth many instructions of arithmetic.
  return (32 + 8 * registersOf(type, encoding)) * executionWeight(op);
}

/// Instructions per register of a repeatable op.
static Cost instructionWeight(Operation *op) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::RemFOp,
          arith::DivFOp, math::ExpOp, math::LogOp, math::Log2Op, math::SinOp, math::CosOp,
          math::SqrtOp, math::RsqrtOp, math::ErfOp>(op))
    return 8;
  return 1;
}

/// What a second copy of `op` costs. Nothing if the first will have no user left.
static Cost duplicationCost(Operation *op, RankedTensorType type, Attribute encoding) {
  if (isTensorSource(op) || op->hasOneUse() || isa<tt::BroadcastOp, tt::ExpandDimsOp>(op))
    return 0;
  return registersOf(type, encoding) * instructionWeight(op) * executionWeight(op);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool tessera::isTensorSource(Operation *op) {
  return isa<tt::SplatOp, tt::MakeRangeOp, ub::PoisonOp>(op) ||
         (isa<arith::ConstantOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()));
}

bool tessera::isRepeatableElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// The layout in which operands must be for `op` to yield `encoding`; null if
/// it cannot be computed there.
static Attribute operandEncoding(Operation *op, Attribute encoding) {
  if (isRepeatableElementwise(op) || isa<tt::BroadcastOp>(op))
    return encoding;
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
    return ttg::SliceEncodingAttr::get(op->getContext(), expand.getAxis(),
                                       cast<ttg::DistributedEncodingAttr>(encoding));
  return {};
}

/// The loop that carries `value`, and where; null if none does.
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
  llvm::MapVector<LaidOutValue, Step> steps;

  /// The cheapest way to have `value` in `encoding`; records it and returns its
  /// cost. With `mustMove`, converting it here is no way.
  Cost plan(Value value, Attribute encoding, bool mustMove);

private:
  Cost planRecomputation(Value value, Attribute encoding);
  Cost planCarrying(scf::ForOp loop, unsigned index, Attribute encoding);
  Cost planBranches(scf::IfOp branch, unsigned index, Attribute encoding);

  static constexpr unsigned kMaxVisited = 4096;
  unsigned numVisited = 0;
};
} // namespace

static Operation *definitionSite(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op : &value.getParentBlock()->front();
}

static constexpr Cost kImpossible = 1e30;

Cost Planner::plan(Value value, Attribute encoding, bool mustMove) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getEncoding() == encoding || steps.count({value, encoding}))
    return 0;
  if (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>()) {
    auto source = cast<RankedTensorType>(convert.getSrc().getType());
    steps[{value, encoding}] = Step::Exists;
    Cost cost = plan(convert.getSrc(), encoding, false);
    // A conversion that nobody else needs goes away.
    Cost saved = convert->hasOneUse() ? conversionCost(source, type.getEncoding(), convert) : 0;
    return cost - saved;
  }

  Cost convertHere = mustMove ? kImpossible : conversionCost(type, encoding, definitionSite(value));
  if (convertHere == 0) {
    steps[{value, encoding}] = Step::Convert;
    return 0;
  }
  size_t before = steps.size();
  Cost recompute = planRecomputation(value, encoding);
  if (recompute <= convertHere)
    return recompute;
  while (steps.size() > before) // forget what recomputing needed
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
  Attribute wanted = operandEncoding(op, encoding);
  if (!wanted)
    return kImpossible;
  steps[{value, encoding}] = Step::Recompute;
  Cost cost = duplicationCost(op, type, encoding);
  for (Value operand : op->getOperands())
    if (cost < kImpossible)
      cost += plan(operand, wanted, false);
  return cost;
}

Cost Planner::planCarrying(scf::ForOp loop, unsigned index, Attribute encoding) {
  // The argument and the result stand or fall together.
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

RematerializationPlan tessera::planRematerialization(Value value, Attribute encoding) {
  Planner planner;
  RematerializationPlan result;
  result.cost = planner.plan(value, encoding, /*mustMove=*/true);
  result.steps = std::move(planner.steps);
  return result;
}
