//===- LoopAwareCSE.cpp - CSE that also merges equal loop-carried values -===//
// CSE does not find that two loop-carried values are equal, because each depends on itself. This
// pass assumes that they are equal until it finds a difference.
//
//   before: scf.for ... iter_args(%i = %c0, %j = %c0) {
//             %i1 = arith.addi %i, %c1 ; %j1 = arith.addi %j, %c1
//             scf.yield %i1, %j1
//   after:  scf.for ... iter_args(%i = %c0) {
//             %i1 = arith.addi %i, %c1
//             scf.yield %i1
//
// 1. Number values so that equal numbers mean equal values. Loop-carried values with equal initial
//    values are assumed to be equal.
// 2. If two values that are assumed equal yield different numbers, separate them and number again.
//    When no more are separated, the rest is equal by induction over the iterations; this includes
//    values that depend on each other and on inner loops.
// 3. Drop all but one of each set of equal values, and values that never change; then run CSE.
// Loads
//    that were merged may make more values equal, so start again.
//
// Requires: ops declare their memory effects. Ensures: values unchanged.
// Cost: a few sweeps over the program; at most one for each loop-carried value.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTLOOPAWARECSE
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct LoopAwareCSE : tessera::impl::TTLoopAwareCSEBase<LoopAwareCSE> {
  using TTLoopAwareCSEBase::TTLoopAwareCSEBase;
  void runOnOperation() override;
};

/// The decision for each value that a loop carries.
struct LoopPlan {
  scf::ForOp loop;
  /// The first of the values that are equal to it; usually itself.
  SmallVector<unsigned> leaders;
  /// True if the value is loop-invariant.
  SmallVector<bool> unchanged;

  bool isKept(unsigned index) const { return leaders[index] == index && !unchanged[index]; }
  bool isChange() const {
    return !llvm::all_of(llvm::seq<unsigned>(0, leaders.size()),
                         [&](unsigned index) { return isKept(index); });
  }
};

/// A value numbering of all ops inside an operation: equal numbers mean equal values.
class Numbering {
public:
  explicit Numbering(Operation *root) {
    do {
      startSweep();
      for (Region &region : root->getRegions())
        number(region);
    } while (hasSplit);
  }
  /// The plans, inner loops first.
  SmallVector<LoopPlan> plans;

private:
  void startSweep();
  void number(Region &region);
  void number(Operation *op);
  void numberLoop(scf::ForOp loop);
  void numberBranch(scf::IfOp branch);
  void numberPure(Operation *op);
  void setFresh(ValueRange values);
  void split(scf::ForOp loop);
  LoopPlan plan(scf::ForOp loop);
  bool isSame(Operation *lhs, Operation *rhs);
  /// Returns the number of a value; a new number if its definition was not visited, which happens
  /// if blocks are not in the order of dominance.
  unsigned at(Value value) {
    unsigned &number = numbers[value];
    return number = number ? number : nextNumber++;
  }

  /// Loop-carried values that were separated have different groups.
  DenseMap<Value, unsigned> groups;
  unsigned nextGroup = 1;
  // The state of one sweep:
  DenseMap<Value, unsigned> numbers;
  unsigned nextNumber = 1;
  DenseMap<size_t, SmallVector<Operation *, 1>> seen; // by hash
  bool hasSplit = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

void Numbering::startSweep() {
  numbers.clear();
  nextNumber = 1;
  seen.clear();
  plans.clear();
  hasSplit = false;
}

void Numbering::setFresh(ValueRange values) {
  for (Value value : values)
    numbers[value] = nextNumber++;
}

void Numbering::number(Region &region) {
  for (Block &block : region) {
    // Arguments whose values are known were numbered by the caller.
    for (BlockArgument argument : block.getArguments())
      if (!numbers.contains(argument))
        setFresh(argument);
    for (Operation &op : block)
      number(&op);
  }
}

void Numbering::number(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return numberLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return numberBranch(branch);
  for (Region &region : op->getRegions())
    number(region);
  if (op->getNumRegions() == 0 && isMemoryEffectFree(op))
    return numberPure(op);
  setFresh(op->getResults());
}

bool Numbering::isSame(Operation *lhs, Operation *rhs) {
  return OperationEquivalence::isEquivalentTo(
      lhs, rhs, [&](Value a, Value b) { return success(at(a) == at(b)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

void Numbering::numberPure(Operation *op) {
  size_t hash = OperationEquivalence::computeHash(
      op, [&](Value value) { return llvm::hash_value(at(value)); },
      OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  // The highest two integers are reserved as keys of a DenseMap.
  SmallVector<Operation *, 1> &candidates = seen[hash / 2];
  auto twin = llvm::find_if(candidates, [&](Operation *other) { return isSame(op, other); });
  if (twin == candidates.end()) {
    candidates.push_back(op);
    return setFresh(op->getResults());
  }
  for (auto [result, same] : llvm::zip_equal(op->getResults(), (*twin)->getResults()))
    numbers[result] = at(same);
}

void Numbering::numberBranch(scf::IfOp branch) {
  for (Region &region : branch->getRegions())
    number(region);
  DenseMap<std::pair<unsigned, unsigned>, unsigned> results;
  for (OpResult result : branch.getResults()) {
    unsigned index = result.getResultNumber();
    unsigned &known = results[{at(branch.thenYield().getOperand(index)),
                               at(branch.elseYield().getOperand(index))}];
    known = known ? known : nextNumber++;
    numbers[result] = known;
  }
}

void Numbering::numberLoop(scf::ForOp loop) {
  setFresh(loop.getInductionVar());
  DenseMap<std::pair<unsigned, unsigned>, unsigned> arguments;
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs())) {
    unsigned &known = arguments[{groups.lookup(argument), at(init)}];
    known = known ? known : nextNumber++;
    numbers[argument] = known;
  }
  number(loop.getRegion());
  split(loop);
  plans.push_back(plan(loop));

  DenseMap<unsigned, unsigned> results;
  for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults())) {
    unsigned &known = results[at(argument)];
    known = known ? known : nextNumber++;
    numbers[result] = known;
  }
}

/// Separates loop-carried values that are assumed equal but yield different values.
void Numbering::split(scf::ForOp loop) {
  DenseMap<unsigned, unsigned> firstYield;
  DenseMap<std::pair<unsigned, unsigned>, unsigned> newGroups;
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    unsigned next = at(yielded);
    if (firstYield.try_emplace(at(argument), next).first->second == next)
      continue;
    unsigned &group = newGroups[{at(argument), next}];
    group = group ? group : nextGroup++;
    groups[argument] = group;
    hasSplit = true;
  }
}

LoopPlan Numbering::plan(scf::ForOp loop) {
  LoopPlan plan{loop, {}, {}};
  DenseMap<unsigned, unsigned> leaders;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    plan.leaders.push_back(leaders.try_emplace(at(argument), index).first->second);
    plan.unchanged.push_back(at(loop.getYieldedValues()[index]) == at(argument));
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Recreates the loop with only the loop-carried values of `kept`.
static scf::ForOp rebuild(scf::ForOp loop, ArrayRef<unsigned> kept, RewriterBase &rewriter) {
  OperationState state(loop.getLoc(), loop->getName());
  state.addOperands({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  for (unsigned index : kept) {
    state.addOperands(loop.getInitArgs()[index]);
    state.addTypes(loop.getResultTypes()[index]);
  }
  state.addAttributes(loop->getAttrs());
  state.addRegion()->takeBody(loop.getRegion());
  return cast<scf::ForOp>(rewriter.create(state));
}

static void apply(const LoopPlan &plan, RewriterBase &rewriter) {
  scf::ForOp loop = plan.loop;
  SmallVector<unsigned> kept;
  for (unsigned index : llvm::seq<unsigned>(0, plan.leaders.size())) {
    if (plan.isKept(index)) {
      kept.push_back(index);
      continue;
    }
    unsigned leader = plan.leaders[index];
    Value init = loop.getInitArgs()[index];
    bool unchanged = plan.unchanged[index];
    rewriter.replaceAllUsesWith(loop.getRegionIterArgs()[index],
                                unchanged ? init : loop.getRegionIterArgs()[leader]);
    rewriter.replaceAllUsesWith(loop.getResult(index), unchanged ? init : loop.getResult(leader));
  }
  // Arguments and yields of dropped values have no uses any more.
  Block *body = loop.getBody();
  BitVector dropped(plan.leaders.size(), true);
  for (unsigned index : kept)
    dropped.reset(index);
  body->getTerminator()->eraseOperands(dropped);
  unsigned first = loop.getNumInductionVars();
  body->eraseArguments([&](BlockArgument argument) {
    return argument.getArgNumber() >= first && dropped.test(argument.getArgNumber() - first);
  });

  rewriter.setInsertionPoint(loop);
  scf::ForOp smaller = rebuild(loop, kept, rewriter);
  for (auto [position, index] : llvm::enumerate(kept))
    rewriter.replaceAllUsesWith(loop.getResult(index), smaller.getResult(position));
  rewriter.eraseOp(loop);
}

static bool mergeCarriedValues(Operation *root, RewriterBase &rewriter) {
  bool changed = false;
  for (const LoopPlan &plan : Numbering(root).plans) {
    if (!plan.isChange())
      continue;
    apply(plan, rewriter);
    changed = true;
  }
  return changed;
}

void LoopAwareCSE::runOnOperation() {
  IRRewriter rewriter(&getContext());
  bool changed = false;
  do {
    changed = mergeCarriedValues(getOperation(), rewriter);
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  } while (changed);
}
