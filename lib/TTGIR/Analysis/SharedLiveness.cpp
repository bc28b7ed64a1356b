//===- SharedLiveness.cpp - which buffers are in use at the same time -----===//
// Backward dataflow over memdesc values, forward over copies under way.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/SharedLiveness.h"

using namespace mlir;
using namespace tessera;
using llvm::BitVector;

SharedLiveness::SharedLiveness(Region &region, const SharedAliases &aliases,
                               ArrayRef<Operation *> scratchOps, bool withCopies)
    : aliases(aliases), numBuffers(aliases.buffers().size() + scratchOps.size()) {
  for (auto [index, op] : llvm::enumerate(scratchOps))
    scratchIndex[op] = aliases.buffers().size() + index;
  auto note = [&](Value value) {
    if (!isa<ttg::MemDescType>(value.getType()))
      return;
    numberOf[value] = memdescs.size();
    memdescs.push_back(value);
    BitVector &buffers = buffersOfValue.emplace_back(numBuffers);
    for (const SharedPart &part : aliases.partsOf(value))
      buffers.set(part.buffer);
  };
  region.walk<WalkOrder::PreOrder>([&](Block *block) {
    llvm::for_each(block->getArguments(), note);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), note);
  });
  solveValues(region);
  findBarriers(region);
  for (Block &block : region)
    copiesIn[&block].resize(kKinds * numBuffers);
  if (withCopies)
    solveCopies(region);
  for (Block &block : region)
    collect(block, withCopies);
}

/// Returns whether the value is defined in the regions of `op`, by an op or as a block argument.
static bool isInside(Value value, Operation *op) {
  return op->isProperAncestor(value.getParentBlock()->getParentOp()) ||
         value.getParentBlock()->getParentOp() == op;
}

void SharedLiveness::addUses(Operation *op, BitVector &values) const {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (auto it = numberOf.find(operand); it != numberOf.end() && !isInside(operand, op))
        values.set(it->second);
  });
}

void SharedLiveness::addMadeInside(Operation *op, BitVector &values) const {
  for (auto [value, number] : numberOf)
    if (isInside(value, op))
      values.set(number);
}

void SharedLiveness::addScratch(Operation *op, BitVector &buffers) const {
  op->walk([&](Operation *inner) {
    if (auto it = scratchIndex.find(inner); it != scratchIndex.end())
      buffers.set(it->second);
  });
}

BitVector SharedLiveness::buffersOf(const BitVector &values) const {
  BitVector buffers(numBuffers);
  for (unsigned value : values.set_bits())
    buffers |= buffersOfValue[value];
  return buffers;
}

void SharedLiveness::solveValues(Region &region) {
  DenseMap<Block *, BitVector> liveIn;
  for (Block &block : region) {
    liveIn[&block].resize(memdescs.size());
    liveOut[&block].resize(memdescs.size());
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (Block &block : llvm::reverse(region)) {
      BitVector live(memdescs.size());
      for (Block *successor : block.getSuccessors())
        live |= liveIn[successor];
      liveOut[&block] = live;
      for (Operation &op : llvm::reverse(block)) {
        for (Value result : op.getResults())
          if (auto it = numberOf.find(result); it != numberOf.end())
            live.reset(it->second);
        addUses(&op, live);
      }
      for (Value argument : block.getArguments())
        if (auto it = numberOf.find(argument); it != numberOf.end())
          live.reset(it->second);
      changed |= live != liveIn[&block];
      liveIn[&block] = std::move(live);
    }
  }
}

/// The memory of a barrier can serve nothing else before the barrier is taken down, which all
/// threads would have to wait for.
void SharedLiveness::findBarriers(Region &region) {
  barriers.resize(numBuffers);
  region.walk([&](ttg::AsyncAccessOpInterface op) {
    for (Value operand : op->getOperands())
      if (isa<ttg::MemDescType>(operand.getType()) &&
          op.getAsyncUse(operand) == ttg::AsyncUse::BarrierSetup)
        for (const SharedPart &part : aliases.partsOf(operand))
          barriers.set(part.buffer);
  });
}

void SharedLiveness::advanceCopies(Operation &op, BitVector &underWay) const {
  // A dot that is not asynchronous waits for those before it, too.
  auto dotWait = dyn_cast<ttg::BufferedDotWaitOpInterface>(op);
  auto dot = dyn_cast<ttg::BufferedDotOpInterface>(op);
  bool readsAsynchronously = dot && dot.readsAsynchronously();
  if ((dotWait && dotWait.getUnderWay() == 0) || (dot && !readsAsynchronously))
    underWay.reset(kDotReads * numBuffers, (kDotReads + 1) * numBuffers);
  op.walk([&](Operation *inner) {
    if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(inner))
      for (const SharedPart &part : aliases.partsOf(copy.getResult()))
        underWay.set(part.buffer);
    auto async = dyn_cast<ttg::AsyncAccessOpInterface>(inner);
    for (Value operand : async ? inner->getOperands() : ValueRange())
      if (isa<ttg::MemDescType>(operand.getType()) &&
          async.getAsyncUse(operand) == ttg::AsyncUse::Drain)
        for (const SharedPart &part : aliases.partsOf(operand))
          underWay.set(kDrains * numBuffers + part.buffer);
    auto dot = dyn_cast<ttg::BufferedDotOpInterface>(inner);
    if (!dot || !dot.readsAsynchronously())
      return;
    for (Value operand : inner->getOperands())
      if (isa<ttg::MemDescType>(operand.getType()))
        for (const SharedPart &part : aliases.partsOf(operand))
          underWay.set(kDotReads * numBuffers + part.buffer);
  });
  auto wait = dyn_cast<ttg::AsyncWaitOp>(op);
  if (wait && wait.getNum() == 0)
    underWay.reset(kCopies * numBuffers, (kCopies + 1) * numBuffers);
  auto async = dyn_cast<ttg::AsyncAccessOpInterface>(op);
  if (async && async.getDrainsUnderWay() == 0)
    underWay.reset(kDrains * numBuffers, (kDrains + 1) * numBuffers);
}

BitVector SharedLiveness::eitherWay(const BitVector &underWay) const {
  BitVector buffers(numBuffers);
  for (unsigned index : underWay.set_bits())
    buffers.set(index % numBuffers);
  return buffers;
}

void SharedLiveness::solveCopies(Region &region) {
  DenseMap<Block *, BitVector> out;
  for (Block &block : region)
    out[&block].resize(kKinds * numBuffers);
  bool changed = true;
  while (changed) {
    changed = false;
    for (Block &block : region) {
      BitVector underWay(kKinds * numBuffers);
      for (Block *predecessor : block.getPredecessors())
        underWay |= out[predecessor];
      copiesIn[&block] = underWay;
      for (Operation &op : block)
        advanceCopies(op, underWay);
      changed |= underWay != out[&block];
      out[&block] = std::move(underWay);
    }
  }
}

/// The sets of one block: at its end and at each op that uses a buffer.
void SharedLiveness::collect(Block &block, bool withCopies) {
  SmallVector<BitVector> copiesDuring; // of each op
  BitVector underWay = copiesIn[&block];
  for (Operation &op : block) {
    BitVector before = underWay;
    if (withCopies)
      advanceCopies(op, underWay);
    copiesDuring.push_back(before |= underWay);
  }
  auto add = [&](BitVector set) {
    if (set.count() > 0 && (sets.empty() || sets.back() != set))
      sets.push_back(std::move(set));
  };
  BitVector live = liveOut[&block]; // after the op
  for (Operation &op : llvm::reverse(block)) {
    BitVector during = live;
    for (Value result : op.getResults())
      if (auto it = numberOf.find(result); it != numberOf.end()) {
        during.set(it->second);
        live.reset(it->second);
      }
    addUses(&op, during);
    if (op.getNumRegions() != 0)
      addMadeInside(&op, during);
    addUses(&op, live);
    BitVector buffers = buffersOf(during);
    buffers |= eitherWay(copiesDuring.pop_back_val());
    buffers |= barriers;
    addScratch(&op, buffers);
    add(std::move(buffers));
  }
}
