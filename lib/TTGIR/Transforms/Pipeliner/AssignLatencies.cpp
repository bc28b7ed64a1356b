//===- AssignLatencies.cpp - choose the loads that start iterations early -===//
// Writes onto loads in loops how many iterations before their use they start.
//
//   before: scf.for ... { %a = tt.load %p ; ... tt.dot %a, %b, %acc }     3 stages
//   after:  scf.for ... { %a = tt.load %p {tt.latency = 1 : i32} ; ... }
//
// 1. Find the loads that dots depend on, by level: 0 if the value reaches a dot, 1 if it is part
//    of the address of a level-0 load, and so on. In a loop that has `tt.num_stages` itself, all
//    other loads are candidates too, at level 0.
// 2. A load becomes an asynchronous copy into shared memory if copies of 4 bytes or more are
//    possible. Otherwise it runs one iteration ahead into registers, if there are enough besides
//    the loop-carried values: an assembler that runs out of registers spills nearly all.
// 3. num_stages tiles are in flight or in use at a time. An iteration begins with the wait for its
//    own tile, and then refills the tile of the previous iteration, so that one barrier orders
//    both: there are num_stages - 1 buffers (at least 2), and the latency is num_stages - 2
//    iterations (at least 1).
// 4. If the buffers do not fit into shared memory, the latency is reduced, and then loads are
//    left as they are, the largest first.
// 5. If shared memory is left that is too small for another CTA, the latency is increased; also at
//    the expense of CTAs where an iteration waits for memory rather than for other work. A
//    program that walks over tiles has an SM for itself, and all of its memory.
// 6. Where a dot may run into the next iteration, slots are refilled behind the first dot, which
//    then runs beside the copies, and what a dot of the iteration before may still read has one
//    slot more (ttg.spare_slot): one barrier is enough. If there are few slots, and the loop only
//    adds products up or that slot costs another CTA, slots are refilled at the end of an
//    iteration, behind a second barrier (ttg.refilled_last).
//
// A load whose memory the loop may change stays (LoopWrites.h), and so does a load whose
// address or mask needs such a load, or an atomic's result.
//
// Requires: final layouts. Ensures: only attributes change. Cost: the axis analysis.
//===----------------------------------------------------------------------===//
#include "Buffers.h"
#include "LoopWrites.h"
#include "NestedLoops.h"
#include "Schedule.h"
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/IR/TileCopies.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "llvm/ADT/MapVector.h"
#include <set>

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGASSIGNLATENCIES
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-assign-latencies";

namespace {
struct AssignLatencies : tessera::impl::TTGAssignLatenciesBase<AssignLatencies> {
  using TTGAssignLatenciesBase::TTGAssignLatenciesBase;
  void runOnOperation() override;
};

/// Where an iteration starts the copies of later ones.
enum class Refill { First, AfterFirstDot, Last };

/// A load that could run ahead.
struct Candidate {
  Operation *load;
  unsigned level = 0;
  std::optional<BufferPlan> buffer; // none: into registers
};

/// The loads of a loop's body, each with the number of loads between it and a dot.
class LoadLevels {
public:
  LoadLevels(scf::ForOp loop, bool all);
  llvm::MapVector<Operation *, unsigned> loads;

private:
  void visit(Value value, unsigned level);
  Block *body;
  DenseMap<Operation *, unsigned> seen; // the level + 1 at which an op was visited
};
} // namespace

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

LoadLevels::LoadLevels(scf::ForOp loop, bool all) : body(loop.getBody()) {
  loop->walk([&](Operation *op) {
    if (auto dot = dyn_cast<tt::DotOp>(op)) {
      visit(dot.getA(), 0);
      visit(dot.getB(), 0);
    } else if (auto dot = dyn_cast<ttg::BufferedDotOpInterface>(op)) {
      visit(dot.getLeft(), 0);
      visit(dot.getRight(), 0);
    } else if (isa<tt::DotScaledOp>(op)) {
      for (Value operand : op->getOperands())
        visit(operand, 0);
    }
  });
  if (!all)
    return;
  for (Operation &op : *body)
    if (isLoad(&op))
      visit(op.getResult(0), 0);
}

void LoadLevels::visit(Value value, unsigned level) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return;
  unsigned &before = seen[op];
  if (before > level)
    return;
  before = level + 1;
  if (isLoad(op)) {
    loads[op] = level;
    for (Value operand : op->getOperands())
      visit(operand, level + 1);
    return;
  }
  if (auto dot = dyn_cast<tt::DotOp>(op)) {
    visit(dot.getA(), level);
    visit(dot.getB(), level);
    return;
  }
  if (auto dot = dyn_cast<ttg::BufferedDotOpInterface>(op)) {
    visit(dot.getLeft(), level);
    visit(dot.getRight(), level);
    return;
  }
  for (Value used : usedValues(op))
    visit(used, level);
}

/// Returns why the pipeliner cannot transform the loop; empty if it knows all of its ops.
static StringRef whyNotPipelined(scf::ForOp loop) {
  if (loop.getUnsignedCmp())
    return "its bounds are unsigned";
  if (!hasOnlyDirectRecurrences(loop))
    return "it carries values that an iteration only passes on";
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op) || isa<ttg::AsyncCopyGlobalToLocalOp>(op))
      return WalkResult::interrupt();
    if (op->hasTrait<OpTrait::IsTerminator>() || isa<scf::IfOp, tt::PrintOp, tt::AssertOp>(op))
      return WalkResult::advance();
    bool known = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op) ||
                 isa<MemoryEffectOpInterface>(op);
    return known ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted() ? "it has a loop, a copy or a call inside" : "";
}

//===----------------------------------------------------------------------===//
// Ops that must not run ahead
//===----------------------------------------------------------------------===//

/// Returns whether `op` must run in its own iteration.
static bool mustStay(Operation *op, const LoopWrites &writes) {
  return !canRunAhead(op) || writes.mayChangeLoadsOf(op);
}

/// Returns whether the load's operands depend on an op that must stay, also through values of the
/// previous iteration: that op would have to run ahead with the load.
static bool dependsOnWhatStays(Operation *load, scf::ForOp loop, const LoopWrites &writes) {
  Block *body = loop.getBody();
  llvm::SetVector<Operation *> needed;
  needed.insert(load);
  for (unsigned next = 0; next < needed.size(); ++next) {
    if (mustStay(needed[next], writes))
      return true;
    for (Value used : usedValues(needed[next])) {
      if (auto argument = dyn_cast<BlockArgument>(used);
          argument && argument.getOwner() == body && argument.getArgNumber() > 0)
        used = loop.getTiedLoopYieldedValue(argument)->get();
      if (Operation *definition = used.getDefiningOp();
          definition && definition->getBlock() == body)
        needed.insert(definition);
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Latencies
//===----------------------------------------------------------------------===//

/// Returns the 32-bit registers in which a thread holds a value. Each narrow element takes a
/// register, because packing happens later; of pointers to consecutive elements only the first is
/// counted.
static unsigned countRegisters(Value value, const AxisInfoAnalysis &axes) {
  Type type = value.getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  unsigned words = llvm::divideCeil(std::max(32u, tt::getElementBits(type)), 32);
  if (!tensor || !tensor.getEncoding())
    return words;
  LinearLayout layout = ttg::toLinearLayout(tensor);
  unsigned count = uniqueRegisters(layout).kept.size();
  if (isa<tt::PointerType>(tensor.getElementType())) {
    unsigned elementBits = std::max(8u, tt::getPointeeBits(type));
    count /= widestAccess(layout, axes.accessFacts(value, Value()), elementBits).width;
  }
  return count * words;
}

/// Returns the registers of the tensors that the loop carries.
static unsigned countCarried(scf::ForOp loop, const AxisInfoAnalysis &axes) {
  unsigned registers = 0;
  for (Value carried : loop.getRegionIterArgs())
    if (isa<RankedTensorType>(carried.getType()))
      registers += countRegisters(carried, axes);
  return registers;
}

/// Returns the number of runs of consecutive addresses among a thread's pointers: the addresses of
/// one run differ by constants, which are immediate operands of an access.
static unsigned countRuns(Value pointers, const AxisInfoAnalysis &axes) {
  LinearLayout layout = ttg::toLinearLayout(cast<RankedTensorType>(pointers.getType()));
  SmallVector<AccessFacts> facts = axes.accessFacts(pointers, Value());
  std::set<SmallVector<uint64_t>> runs;
  for (uint64_t reg : uniqueRegisters(layout).kept) {
    SmallVector<uint64_t> start;
    for (auto [dim, fact] : llvm::enumerate(facts))
      start.push_back(layout.apply(DimIndex{Dim::reg(), reg}, Dim::axis(dim)) /
                      std::max<int64_t>(1, fact.contiguity));
    runs.insert(start);
  }
  return runs.size();
}

/// Returns the registers of the loop-invariant pointers from which the load's address is computed
/// in each iteration. They are live during the whole loop, like loop-carried values.
static unsigned countFixedPointers(tt::LoadOp load, scf::ForOp loop, const AxisInfoAnalysis &axes) {
  Value pointer = load.getPtr();
  while (auto add = pointer.getDefiningOp<tt::AddPtrOp>()) {
    if (!loop->isAncestor(add))
      break;
    pointer = add.getPtr();
  }
  auto tensor = dyn_cast<RankedTensorType>(pointer.getType());
  if (!tensor || !loop.isDefinedOutsideOfLoop(pointer) || pointer.getDefiningOp<tt::SplatOp>())
    return 0;
  return 2 * countRuns(pointer, axes);
}

/// Returns the latency of each load if `levels` loads depend on each other. Slots that are refilled
/// at the end of an iteration allow for one more.
static unsigned latencyFor(unsigned numStages, unsigned levels, Refill refill = Refill::First) {
  if (levels > 1 || refill == Refill::Last)
    return (numStages - 1) / levels;
  return std::max(1u, numStages - 2);
}

/// Returns the ttg.local_alloc that `memdesc` is a view of; null if another op defines it.
static ttg::LocalAllocOp bufferOf(Value memdesc) {
  while (Operation *op = memdesc.getDefiningOp()) {
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
      return alloc;
    if (!isa<ViewLikeOpInterface>(op))
      return {};
    memdesc = op->getOperand(0);
  }
  return {};
}

/// Returns the bytes of the buffers that are allocated outside of the loop and used in it.
static uint64_t fixedBytes(scf::ForOp loop) {
  DenseSet<Operation *> buffers;
  uint64_t bytes = 0;
  loop.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<ttg::MemDescType>(operand.getType()))
        if (ttg::LocalAllocOp buffer = bufferOf(operand);
            buffer && !loop->isAncestor(buffer) && buffers.insert(buffer).second)
          bytes += llvm::alignTo(bufferBytes(buffer.getType()), 128);
  });
  return bytes;
}

static bool hasSpareSlot(const Candidate &candidate, Refill refill) {
  return refill == Refill::AfterFirstDot && candidate.buffer &&
         candidate.buffer->mayOutliveIteration;
}

/// Returns the last op of the loop's body that uses the buffer or a view of it.
static Operation *lastUseOf(ttg::LocalAllocOp alloc, Block *body) {
  Operation *last = alloc;
  SmallVector<Value> views{alloc.getResult()};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      Operation *here = body->findAncestorOpInBlock(*user);
      last = !here ? body->getTerminator() : last->isBeforeInBlock(here) ? here : last;
      for (Value result : user->getResults())
        if (isa<ttg::MemDescType>(result.getType()))
          views.push_back(result);
    }
  return last;
}

/// Returns the most bytes that an iteration needs at once, beside the buffers of `buffered` loads:
/// buffers that it allocates and scratch. What is made of a buffered load needs none: a conversion
/// becomes a read of the load's buffer in the new layout, and an allocation becomes that buffer.
static uint64_t iterationBytes(scf::ForOp loop, const DenseSet<Operation *> &buffered) {
  auto isOfBuffered = [&](Value value) {
    while (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>())
      value = convert.getSrc();
    return buffered.contains(value.getDefiningOp());
  };
  uint64_t live = 0, most = 0;
  DenseMap<Operation *, uint64_t> freed;
  for (Operation &op : *loop.getBody()) {
    uint64_t scratch = 0;
    op.walk([&](Operation *inner) {
      auto convert = dyn_cast<ttg::ConvertLayoutOp>(inner);
      if (!convert || !isOfBuffered(convert.getSrc()))
        scratch = std::max<uint64_t>(scratch, scratchNeed(inner).bytes);
    });
    auto alloc = dyn_cast<ttg::LocalAllocOp>(op);
    if (alloc && !(alloc.getSrc() && isOfBuffered(alloc.getSrc()))) {
      uint64_t bytes = llvm::alignTo(bufferBytes(alloc.getType()), 128);
      live += bytes;
      freed[lastUseOf(alloc, loop.getBody())] += bytes;
    }
    most = std::max(most, live + scratch);
    live -= freed.lookup(&op);
  }
  return most;
}

/// Returns the bytes of shared memory of the loop: its buffers, and what an iteration needs.
static uint64_t sharedBytes(scf::ForOp loop, ArrayRef<Candidate> candidates, unsigned latency,
                            Refill refill) {
  uint64_t buffers = fixedBytes(loop);
  DenseSet<Operation *> buffered;
  for (const Candidate &candidate : candidates)
    if (candidate.buffer) {
      buffered.insert(candidate.load);
      unsigned slots = latency + 1 + hasSpareSlot(candidate, refill);
      buffers += llvm::alignTo(tileBytes(candidate.load, *candidate.buffer), 128) * slots;
      if (candidate.buffer->isTileCopy)
        buffers += llvm::alignTo(ttg::TileCopies::barrierBytes * slots, 128);
    }
  return buffers + iterationBytes(loop, buffered);
}

static PassRemark keepsPlace(Operation *load) {
  PassRemark remark = declined(load, kPass, "latency");
  remark.says("the load does not run ahead");
  return remark;
}

/// Reduces the latency to 1, and then drops candidates, the largest first, until the buffers fit
/// into `limit` bytes.
static void fitShared(scf::ForOp loop, SmallVectorImpl<Candidate> &candidates, unsigned &latency,
                      Refill refill, uint64_t limit) {
  while (latency > 1 && sharedBytes(loop, candidates, latency, refill) > limit)
    --latency;
  auto bytes = [](const Candidate &candidate) {
    return candidate.buffer ? tileBytes(candidate.load, *candidate.buffer) : 0;
  };
  while (!candidates.empty() && sharedBytes(loop, candidates, latency, refill) > limit) {
    auto *largest = llvm::max_element(
        candidates, [&](const Candidate &a, const Candidate &b) { return bytes(a) < bytes(b); });
    keepsPlace(largest->load)
        .because("{0} bytes of shared memory do not suffice for its buffers", limit);
    candidates.erase(largest);
  }
}

/// Returns the number of CTAs that an SM has shared memory for, if each takes `bytes`. An SM has
/// 1 KiB more than the limit of one CTA, and reserves 1 KiB for each.
static uint64_t blocksPerSM(uint64_t bytes, uint64_t limit) {
  constexpr uint64_t perBlock = 1024;
  return (limit + perBlock) / (bytes + perBlock);
}

/// Returns an upper bound of the CTAs that an SM has registers for. A thread is assumed to hold the
/// tensors that the loop carries, the largest other result of a dot, and some more registers.
static uint64_t blocksByRegisters(scf::ForOp loop, const AxisInfoAnalysis &axes,
                                  unsigned blockRegisters) {
  constexpr unsigned others = 40, mostRegisters = 255;
  unsigned largest = 0;
  for (Operation &op : *loop.getBody())
    if (isa<tt::DotOp, tt::DotScaledOp, ttg::BufferedDotOpInterface>(op))
      for (Value result : op.getResults())
        if (!llvm::is_contained(loop.getYieldedValues(), result))
          largest = std::max(largest, countRegisters(result, axes));
  unsigned registers = std::min(mostRegisters, countCarried(loop, axes) + largest + others);
  unsigned threads = ttg::lookupNumWarps(loop).value_or(4) *
                     ttg::getThreadsPerWarp(loop->getParentOfType<ModuleOp>());
  return blockRegisters / (registers * threads);
}

/// Returns whether an iteration waits for a dot and continues with its result.
static bool awaitsDots(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) {
    auto dot = dyn_cast<ttg::BufferedDotOpInterface>(op);
    return dot && !dot.mayOutliveIteration();
  });
}

/// Chooses where slots are refilled: behind the first dot if the loop waits for dots, unless the
/// spare slots do not fit into `limit` bytes of shared memory or leave no room for another CTA of
/// the `mostBlocks` that there are registers for.
static Refill chooseRefill(scf::ForOp loop, ArrayRef<Candidate> candidates, uint64_t limit,
                           uint64_t mostBlocks) {
  auto outlives = [](const Candidate &candidate) {
    return candidate.buffer && candidate.buffer->mayOutliveIteration;
  };
  if (llvm::none_of(candidates, outlives))
    return Refill::First;
  if (!awaitsDots(loop))
    return Refill::Last;
  if (limit == 0)
    return Refill::AfterFirstDot;
  auto blocks = [&](Refill refill) {
    uint64_t bytes = sharedBytes(loop, candidates, 1, refill);
    return bytes > limit ? 0 : std::min(mostBlocks, blocksPerSM(bytes, limit));
  };
  return blocks(Refill::AfterFirstDot) < blocks(Refill::Last) ? Refill::Last
                                                              : Refill::AfterFirstDot;
}

/// Returns whether the loop waits for memory rather than for its dots: a tile of few rows or
/// columns is multiplied faster than it is loaded.
static bool hasOnlyNarrowDots(scf::ForOp loop) {
  constexpr int64_t wide = 64;
  return llvm::all_of(*loop.getBody(), [](Operation &op) {
    if (!isa<tt::DotOp, tt::DotScaledOp, ttg::BufferedDotOpInterface>(op))
      return true;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult(0).getType()).getShape();
    return shape.size() < 2 || *llvm::min_element(shape.take_back(2)) < wide;
  });
}

/// Returns whether the loop is a recurrence whose iterations wait for each of their dots: one needs
/// the sums of the one before for more than to add to them.
static bool isRecurrence(scf::ForOp loop) {
  constexpr unsigned addend = 2;
  bool needsSums = llvm::any_of(loop.getRegionIterArgs(), [](BlockArgument carried) {
    auto tensor = dyn_cast<RankedTensorType>(carried.getType());
    return tensor && isa<FloatType>(tensor.getElementType()) &&
           llvm::any_of(carried.getUses(), [](OpOperand &use) {
             bool isDot =
                 isa<tt::DotOp, tt::DotScaledOp, ttg::BufferedDotOpInterface>(use.getOwner());
             return !isDot || use.getOperandNumber() != addend;
           });
  });
  return needsSums && awaitsDots(loop) && llvm::all_of(*loop.getBody(), [](Operation &op) {
           auto dot = dyn_cast<ttg::BufferedDotOpInterface>(op);
           return dot ? !dot.mayOutliveIteration() : !isa<tt::DotOp, tt::DotScaledOp>(op);
         });
}

/// Increases the latency as long as the additional buffers fit into shared memory that is too small
/// for another CTA: up to one tile in flight per stage, and one less if copies come first in an
/// iteration. If the loop waits for memory, the tiles in flight of all CTAs count. So they do in a
/// recurrence along a sequence, which a kernel has few of, as long as two CTAs are left.
static void useSpareMemory(scf::ForOp loop, ArrayRef<Candidate> candidates, unsigned &latency,
                           Refill refill, unsigned numStages, uint64_t limit, uint64_t mostBlocks) {
  bool isNarrow = hasOnlyNarrowDots(loop);
  // Wide dots whose operands are all in registers overlap their reads by ttg-prefetch instead.
  bool readsBuffers = llvm::any_of(*loop.getBody(), llvm::IsaPred<ttg::BufferedDotOpInterface>);
  if (!isNarrow && !readsBuffers)
    return;
  unsigned most = refill == Refill::Last ? numStages : numStages - 1;
  auto blocks = [&](uint64_t bytes) {
    uint64_t byMemory = blocksPerSM(bytes, limit);
    return awaitsDots(loop) || mostBlocks == 1 ? std::min(byMemory, mostBlocks) : byMemory;
  };
  bool isSerial = isRecurrence(loop);
  for (; latency < most; ++latency) {
    uint64_t bytes = sharedBytes(loop, candidates, latency + 1, refill);
    uint64_t before = blocks(sharedBytes(loop, candidates, latency, refill));
    uint64_t after = blocks(bytes);
    bool countsTiles = isNarrow || (isSerial && after >= 2);
    if (bytes > limit || (countsTiles ? after * (latency + 1) < before * latency : after < before))
      return;
  }
}

/// Makes one of many slots the spare one: then one barrier is enough in a loop that only adds
/// products up. With fewer slots the tile in flight counts for more than the barrier (a product of
/// 1024 x 1024 became 25 % slower).
static void useSpareSlot(unsigned &latency, Refill &refill) {
  constexpr unsigned manySlots = 4;
  if (refill != Refill::Last || latency + 1 < manySlots)
    return;
  refill = Refill::AfterFirstDot;
  --latency;
}

/// Reduces the latency by one if a second CTA then fits on the SM: it hides more latency than one
/// more iteration of distance does, unless the loop waits for memory.
static void preferTwoBlocks(scf::ForOp loop, ArrayRef<Candidate> candidates, unsigned &latency,
                            Refill refill, uint64_t limit, uint64_t mostBlocks) {
  auto blocks = [&](unsigned latency) {
    return blocksPerSM(sharedBytes(loop, candidates, latency, refill), limit);
  };
  if (refill != Refill::First && latency > 1 && mostBlocks > 1 && blocks(latency) == 1 &&
      blocks(latency - 1) > 1 && !hasOnlyNarrowDots(loop))
    --latency;
}

/// Drops the loads of the deepest levels until the stages suffice for the others; returns the
/// number of levels left.
static unsigned dropDeepLevels(SmallVectorImpl<Candidate> &candidates, unsigned numStages) {
  auto countLevels = [&] {
    unsigned levels = 0;
    for (const Candidate &candidate : candidates)
      levels = std::max(levels, candidate.level + 1);
    return levels;
  };
  while (countLevels() > 1 && latencyFor(numStages, countLevels()) == 0) {
    unsigned deepest = countLevels() - 1;
    llvm::erase_if(candidates, [&](const Candidate &c) {
      if (c.level != deepest)
        return false;
      keepsPlace(c.load).because("{0} stages do not suffice for {1} loads in a row", numStages,
                                 deepest + 1);
      return true;
    });
  }
  return countLevels();
}

/// Drops the loads of operands that would run ahead into registers, because another operand's load
/// does not: an iteration waits for that one as long as it would for both.
static void dropRegisterLoads(SmallVectorImpl<Candidate> &candidates) {
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    if (candidate.buffer || candidate.level != 0)
      return false;
    keepsPlace(candidate.load)
        .because("the iteration waits for another operand's load, which has no registers");
    return true;
  });
}

/// Returns the loads of the loop that may run ahead and for which there are registers or buffers.
static SmallVector<Candidate> findCandidates(scf::ForOp loop, bool all,
                                             const AxisInfoAnalysis &axes, const CopySizes &sizes,
                                             unsigned maxRegisters) {
  LoopWrites writes(loop);
  unsigned carried = countCarried(loop, axes);
  SmallVector<Candidate> candidates;
  LoadLevels levels(loop, all);
  bool operandStays = false;
  if (levels.loads.empty())
    declined(loop, kPass, "pipeline")
        .says("the loop is not pipelined")
        .because("no load in it feeds a dot, and the loop does not set num_stages itself");
  for (auto [op, level] : levels.loads) {
    if (dependsOnWhatStays(op, loop, writes)) {
      keepsPlace(op).because("the loop may change what it, its address or its mask reads");
      continue;
    }
    std::optional<BufferPlan> buffer = planBuffer(op, axes, sizes);
    unsigned needed = 0;
    if (!buffer) {
      auto load = dyn_cast<tt::LoadOp>(op);
      if (!load)
        continue;
      needed = countRegisters(load, axes) + countFixedPointers(load, loop, axes);
    }
    if (needed != 0 && carried + needed > maxRegisters) {
      keepsPlace(op)
          .because("it cannot be copied asynchronously, and needs {0} registers beside the {1} "
                   "that the loop carries, of {2}",
                   needed, carried, maxRegisters)
          .number("registers", needed);
      operandStays |= level == 0;
      continue;
    }
    carried += needed;
    candidates.push_back({op, level, buffer});
  }
  if (operandStays && !all)
    dropRegisterLoads(candidates);
  return candidates;
}

static void explain(const Candidate &candidate, unsigned latency, const CopySizes &sizes) {
  PassRemark remark = decided(candidate.load, kPass, "latency");
  if (candidate.buffer && candidate.buffer->isTileCopy)
    remark.says("the tile is copied by one thread, {0} iteration{1} ahead", latency,
                latency == 1 ? "" : "s");
  else if (candidate.buffer)
    remark
        .says("the load is copied asynchronously, {0} iteration{1} ahead", latency,
              latency == 1 ? "" : "s")
        .because("{0} consecutive elements can be copied at once", candidate.buffer->contiguity);
  else
    remark.says("the load runs 1 iteration ahead, into registers")
        .because("no asynchronous copy of {0} bytes or more is possible", sizes.minBytes);
  remark.number("latency", candidate.buffer ? latency : 1)
      .number("async", candidate.buffer.has_value());
}

/// Returns the bytes of the largest scratch of an op in the loops around `loop`. It is needed
/// beside the loop's buffers if these keep their contents from one iteration around it to the next.
static uint64_t scratchAround(scf::ForOp loop) {
  uint64_t largest = 0;
  auto outer = loop->getParentOfType<scf::ForOp>();
  for (; outer; outer = outer->getParentOfType<scf::ForOp>())
    outer.getBody()->walk([&](Operation *op) {
      if (!loop->isProperAncestor(op))
        largest = std::max<uint64_t>(largest, scratchNeed(op).bytes);
    });
  return largest;
}

namespace {
/// A loop whose loads run ahead.
struct PipelinedLoop {
  scf::ForOp loop;
  SmallVector<Candidate> candidates;
  unsigned levels = 0, numStages = 0;
  bool copiesTiles() const {
    return llvm::any_of(candidates,
                        [](const Candidate &c) { return c.buffer && c.buffer->isTileCopy; });
  }
};

/// How far the loads of a loop run ahead.
struct Distance {
  Refill refill;
  unsigned latency;
  uint64_t blocks; ///< CTAs that fit a multiprocessor then, as far as the loop decides it
};

/// The options of the pass that Distances depend on.
struct Limits {
  uint64_t sharedBytes;
  unsigned blockRegisters;
};
} // namespace

/// Returns the loop with the loads that can run ahead; nothing, with a remark, if there are none.
static std::optional<PipelinedLoop> findLoads(scf::ForOp loop, unsigned defaultStages,
                                              const AxisInfoAnalysis &axes, const CopySizes &sizes,
                                              unsigned maxRegisters) {
  bool isExplicit = loop->hasAttr(tt::kNumStagesAttr);
  PipelinedLoop found;
  found.loop = loop;
  found.numStages = isExplicit ? getNumber(loop, tt::kNumStagesAttr).value_or(1) : defaultStages;
  StringRef reason = found.numStages < 2 ? "num_stages is 1" : whyNotPipelined(loop);
  if (!reason.empty()) {
    declined(loop, kPass, "pipeline").says("the loop is not pipelined").because("{0}", reason);
    return std::nullopt;
  }
  // Latencies that the user has set take precedence.
  if (llvm::any_of(*loop.getBody(), [](Operation &op) { return op.hasAttr(kLatencyAttr); }))
    return std::nullopt;
  found.candidates = findCandidates(loop, isExplicit, axes, sizes, maxRegisters);
  found.levels = dropDeepLevels(found.candidates, found.numStages);
  if (found.candidates.empty())
    return std::nullopt;
  return found;
}

/// Drops loads whose buffers do not fit into shared memory.
static Distance chooseDistance(PipelinedLoop &found, const AxisInfoAnalysis &axes, Limits limits,
                               bool separateCopies) {
  scf::ForOp loop = found.loop;
  SmallVectorImpl<Candidate> &candidates = found.candidates;
  uint64_t limit = limits.sharedBytes;
  if (separateCopies && limit)
    limit -= std::min(limit - 1, scratchAround(loop));
  // Programs that walk over tiles are as many as multiprocessors: each has one for itself.
  uint64_t mostBlocks = 1;
  if (!walksOverTiles(loop))
    mostBlocks = std::max(mostBlocks, blocksByRegisters(loop, axes, limits.blockRegisters));
  Refill refill = chooseRefill(loop, candidates, limit, mostBlocks);
  unsigned latency = latencyFor(found.numStages, found.levels, refill);
  if (limit)
    fitShared(loop, candidates, latency, refill, limit);
  if (limit && limits.blockRegisters) {
    preferTwoBlocks(loop, candidates, latency, refill, limit, mostBlocks);
    if (found.levels == 1)
      useSpareMemory(loop, candidates, latency, refill, found.numStages, limit, mostBlocks);
    // A spare slot saves a barrier of the warps that compute, which rings of tiles do without: a
    // product of 1024 x 1024 x 8192 by tiles of 64 x 128 takes 46.6 us with one, and 34.0 us with
    // one more tile in flight instead (H200).
    if (!awaitsDots(loop) && !found.copiesTiles())
      useSpareSlot(latency, refill);
  }
  uint64_t bytes = sharedBytes(loop, candidates, latency, refill);
  return {refill, latency, limit ? std::min(mostBlocks, blocksPerSM(bytes, limit)) : mostBlocks};
}

static void assign(PipelinedLoop &found, const Distance &distance, const CopySizes &sizes) {
  for (const Candidate &candidate : found.candidates) {
    explain(candidate, distance.latency, sizes);
    setNumber(candidate.load, kLatencyAttr, candidate.buffer ? distance.latency : 1);
    if (!candidate.buffer || !candidate.buffer->mayOutliveIteration)
      continue;
    candidate.load->setAttr(distance.refill == Refill::Last ? kRefilledLastAttr : kSpareSlotAttr,
                            UnitAttr::get(found.loop.getContext()));
  }
}

/// Returns whether warps of their own should start the copies of a kernel. They take registers and
/// warps from other CTAs: where two fit a multiprocessor without them, each hides what the other
/// waits for, and is faster (products of 128 x 128 by a third, on an H200).
static bool separatesCopies(tt::FuncOp kernel, MutableArrayRef<PipelinedLoop> loops,
                            const AxisInfoAnalysis &axes, Limits limits, StringRef option) {
  if (option == "off" ||
      llvm::none_of(loops, [](const PipelinedLoop &found) { return found.copiesTiles(); }))
    return false;
  if (option == "on")
    return true;
  uint64_t blocks = ~uint64_t(0);
  for (PipelinedLoop &found : loops)
    blocks = std::min(blocks, chooseDistance(found, axes, limits, false).blocks);
  if (blocks > 1)
    declined(kernel.getLoc(), kPass, "separate-copies")
        .says("no warps of their own start the copies of tiles")
        .because("{0} CTAs fit a multiprocessor without them", blocks);
  return blocks <= 1;
}

void AssignLatencies::runOnOperation() {
  ModuleOp module = getOperation();
  AxisInfoAnalysis axes(module);
  if (!axes.isValid()) {
    module.emitError("the axis analysis failed");
    return signalPassFailure();
  }
  CopySizes sizes{minCopyBytes, maxCopyBytes};
  Limits limits{maxSharedBytes, blockRegisters};
  module.walk([&](tt::FuncOp function) {
    SmallVector<PipelinedLoop> loops;
    function.walk([&](scf::ForOp loop) {
      if (std::optional<PipelinedLoop> found =
              findLoads(loop, numStages, axes, sizes, maxRegisters))
        loops.push_back(std::move(*found));
    });
    bool isSeparate = separatesCopies(function, loops, axes, limits, separateCopies);
    if (isSeparate)
      function->setAttr(kSeparateCopiesAttr, UnitAttr::get(&getContext()));
    for (PipelinedLoop &found : loops)
      assign(found, chooseDistance(found, axes, limits, isSeparate), sizes);
  });
}
