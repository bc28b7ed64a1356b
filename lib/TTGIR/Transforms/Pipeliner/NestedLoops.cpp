//===- NestedLoops.cpp - loop nests that can be fused ---------------------===//
// See NestedLoops.h.
//===----------------------------------------------------------------------===//
#include "NestedLoops.h"
#include "Buffers.h"
#include "LoopWrites.h"
#include "Schedule.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

scf::ForOp tessera::findInner(scf::ForOp outer) {
  SmallVector<LoopLikeOpInterface> loops;
  outer.getBody()->walk([&](LoopLikeOpInterface loop) { loops.push_back(loop); });
  if (loops.size() != 1 || loops.front()->getBlock() != outer.getBody())
    return {};
  return dyn_cast<scf::ForOp>(loops.front().getOperation());
}

/// Returns whether the value is the program's own number.
static bool isProgramId(Value value) {
  while (auto extended = value.getDefiningOp<arith::ExtSIOp>())
    value = extended.getIn();
  return bool(value.getDefiningOp<tt::GetProgramIdOp>());
}

bool tessera::walksOverTiles(scf::ForOp loop) {
  if (llvm::any_of(loop.getInitArgs(), isProgramId)) // a nest that became one loop
    return true;
  for (Operation *parent = loop->getParentOp(); parent; parent = parent->getParentOp()) {
    auto counted = dyn_cast<scf::ForOp>(parent);
    auto around = dyn_cast<LoopLikeOpInterface>(parent);
    if ((counted && isProgramId(counted.getLowerBound())) ||
        (around && llvm::any_of(around.getInits(), isProgramId)))
      return true;
  }
  return false;
}

/// Returns the values of the inner loop that the operands of its loads depend on.
static llvm::DenseSet<Value> findNeededByLoads(Nest &nest) {
  scf::ForOp inner = nest.inner;
  SmallVector<Value> work;
  for (Operation &op : *inner.getBody())
    if (isLoad(&op))
      llvm::append_range(work, op.getOperands());
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!inner->isAncestor(value.getParentRegion()->getParentOp()) || !seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == inner.getBody() && argument != inner.getInductionVar())
        work.push_back(inner.getTiedLoopYieldedValue(argument)->get());
      continue;
    }
    // A value in a branch depends on all that the branch uses.
    if (Operation *op = inner.getBody()->findAncestorOpInBlock(*value.getDefiningOp()))
      llvm::append_range(work, usedValues(op));
  }
  return seen;
}

/// Finds the early carried values: of the inner loop those that its loads depend on, of the outer
/// loop those that the prologue computes.
static void classify(Nest &nest) {
  llvm::DenseSet<Value> needed = findNeededByLoads(nest);
  for (BlockArgument argument : nest.inner.getRegionIterArgs())
    nest.isInnerEarly.push_back(needed.contains(argument));
  for (Value yielded : nest.outer.getYieldedValues()) {
    Operation *op = yielded.getDefiningOp();
    nest.isOuterEarly.push_back(yielded == nest.outer.getInductionVar() ||
                                nest.isFromOutside(yielded) || (op && nest.isInPrologue(op)));
  }
}

/// Returns whether ops before or in the inner loop use a late value that the outer loop carries.
static bool usesLateValues(Nest &nest) {
  for (auto [argument, isEarly] :
       llvm::zip_equal(nest.outer.getRegionIterArgs(), nest.isOuterEarly))
    for (OpOperand &use : argument.getUses()) {
      Operation *here = nest.placeOf(use);
      if (!isEarly && (here == nest.inner || nest.isBefore(here)))
        return true;
    }
  return false;
}

static bool hasFixedBounds(Nest &nest) {
  scf::ForOp inner = nest.inner;
  Value bounds[] = {inner.getLowerBound(), inner.getUpperBound(), inner.getStep()};
  return llvm::all_of(bounds, [&](Value bound) { return nest.isFromOutside(bound); });
}

bool tessera::saysStages(Nest &nest) {
  return nest.outer->hasAttr(tt::kNumStagesAttr) || nest.inner->hasAttr(tt::kNumStagesAttr);
}

unsigned tessera::stagesOf(Nest &nest, unsigned defaultStages) {
  if (!saysStages(nest))
    return defaultStages;
  return std::max(getNumber(nest.outer, tt::kNumStagesAttr).value_or(0),
                  getNumber(nest.inner, tt::kNumStagesAttr).value_or(0));
}

/// Returns why the ops before the epilogue must not run before the epilogues of earlier iterations;
/// empty if they may.
static StringRef whyNotAhead(Nest &nest) {
  LoopWrites writes(nest.outer);
  for (Operation &op : *nest.outer.getBody()) {
    if (&op == nest.inner)
      break;
    if (!canRunAhead(&op))
      return "an op before the inner loop cannot run ahead";
    if (writes.mayChangeLoadsOf(&op))
      return "the nest may overwrite what is loaded before the inner loop";
    // The fused loop has one only in its first iterations: no branch passes a buffer on.
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<ttg::MemDescType>))
      return "the inner loop reads a buffer that is filled before it";
  }
  Block &body = *nest.inner.getBody();
  if (llvm::none_of(body, [](Operation &op) { return isLoad(&op); }))
    return "the inner loop loads nothing";
  bool overwrites = llvm::any_of(body.getOps<tt::LoadOp>(),
                                 [&](tt::LoadOp load) { return writes.mayChangeLoadsOf(load); });
  return overwrites ? "the nest may overwrite what the inner loop loads" : "";
}

StringRef tessera::planFusion(scf::ForOp outer, unsigned defaultStages, Nest &nest) {
  scf::ForOp inner = findInner(outer);
  if (!inner)
    return "it does not have exactly one loop inside, without loops of its own";
  nest.outer = outer;
  nest.inner = inner;
  if (outer.getUnsignedCmp() || inner.getUnsignedCmp())
    return "its bounds are unsigned";
  if (!hasFixedBounds(nest))
    return "the inner loop's bounds depend on the outer iteration";
  if (stagesOf(nest, defaultStages) < 2)
    return "it is not pipelined";
  if (StringRef reason = whyNotAhead(nest); !reason.empty())
    return reason;
  classify(nest);
  return usesLateValues(nest) ? "an iteration begins with what the one before has computed" : "";
}

//===----------------------------------------------------------------------===//
// Ops that only the epilogue uses
//===----------------------------------------------------------------------===//

/// Returns whether the op is index arithmetic on tensors, which is cheaper to recompute than to
/// carry.
static bool isCheapOnTensors(Operation *op) {
  if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  return isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::MakeRangeOp, tt::AddPtrOp>(op) ||
         isa<arith::ArithDialect>(op->getDialect());
}

void tessera::sinkIntoEpilogue(Nest &nest, RewriterBase &b) {
  scf::ForOp outer = nest.outer, inner = nest.inner;
  auto isInEpilogue = [&](OpOperand &use) {
    Operation *here = nest.placeOf(use);
    return inner->isBeforeInBlock(here) && !here->hasTrait<OpTrait::IsTerminator>();
  };
  for (Operation &op : llvm::make_early_inc_range(
           llvm::reverse(llvm::make_range(outer.getBody()->begin(), inner->getIterator())))) {
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op) || op.use_empty())
      continue;
    auto uses = op.getUses();
    if (llvm::all_of(uses, isInEpilogue)) {
      b.moveOpAfter(&op, inner);
    } else if (isCheapOnTensors(&op) && llvm::any_of(uses, isInEpilogue)) {
      b.setInsertionPointAfter(inner);
      Operation *copy = b.clone(op);
      b.replaceUsesWithIf(op.getResults(), copy->getResults(), isInEpilogue);
    }
  }
}
