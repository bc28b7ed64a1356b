//===- CrossStageValues.cpp - recompute values in later stages ------------===//
//   before: %m = cmpi slt, %range, splat(%n - %i)    stage 0, for a copy
//           select %m, %value, %other                stage 2: carries %m twice
//   after:  %m' = cmpi ...                           stage 2, from its own index
//
// Cost: linear in the loop and the ops repeated, at most 16 per value.
//===----------------------------------------------------------------------===//
#include "CrossStageValues.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;

namespace {
class Repeater {
public:
  Repeater(scf::ForOp loop, Schedule &schedule, RewriterBase &b)
      : loop(loop), schedule(schedule), b(b) {}

  void serve(Operation *user);

private:
  bool canRepeat(Value value, unsigned stage, unsigned &budget);
  Value repeat(Value value, Slot slot, Operation *before);
  /// Returns the op of the body that defines the value in an earlier stage than `stage`; or null.
  Operation *earlierOp(Value value, unsigned stage);

  scf::ForOp loop;
  Schedule &schedule;
  RewriterBase &b;
  DenseMap<std::pair<Value, unsigned>, Value> repeated; // by value and stage
};
} // namespace

static bool isCheap(Operation *op) {
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  return isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::MakeRangeOp, tt::AddPtrOp>(op) ||
         isa_and_nonnull<arith::ArithDialect>(op->getDialect());
}

Operation *Repeater::earlierOp(Value value, unsigned stage) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || schedule.lookup(op).stage >= stage)
    return nullptr;
  return op;
}

bool Repeater::canRepeat(Value value, unsigned stage, unsigned &budget) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() != loop.getBody() || argument == loop.getInductionVar();
  Operation *op = earlierOp(value, stage);
  if (!op || repeated.contains({value, stage}))
    return true;
  if (budget == 0 || !isCheap(op))
    return false;
  --budget;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return canRepeat(operand, stage, budget); });
}

Value Repeater::repeat(Value value, Slot slot, Operation *before) {
  Operation *op = earlierOp(value, slot.stage);
  if (!op)
    return value;
  Value &known = repeated[{value, slot.stage}];
  if (known && known.getDefiningOp()->isBeforeInBlock(before))
    return known;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(repeat(operand, slot, before));
  b.setInsertionPoint(before);
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  schedule[copy] = slot;
  Value result = copy->getResult(cast<OpResult>(value).getResultNumber());
  repeated[{value, slot.stage}] = result;
  return result;
}

void Repeater::serve(Operation *user) {
  Slot slot = schedule.lookup(user);
  for (Value used : usedValues(user)) {
    unsigned budget = 16;
    if (!earlierOp(used, slot.stage) || !canRepeat(used, slot.stage, budget))
      continue;
    Value own = repeat(used, slot, user);
    used.replaceUsesWithIf(own, [&](OpOperand &use) {
      return loop.getBody()->findAncestorOpInBlock(*use.getOwner()) == user;
    });
  }
}

void tessera::rematerializeAcrossStages(scf::ForOp loop, Schedule &schedule, RewriterBase &b) {
  Repeater repeater(loop, schedule, b);
  for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator()))
    repeater.serve(&op);
}
