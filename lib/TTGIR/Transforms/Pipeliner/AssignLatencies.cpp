//===- AssignLatencies.cpp - which loads of a loop run ahead --------------===//
// Writes onto loads in loops how many rounds before their use they start.
//
//   before: scf.for ... { %a = tt.load %p ; ... tt.dot %a, %b, %acc }     3 stages
//   after:  scf.for ... { %a = tt.load %p {tt.latency = 1 : i32} ; ... }
//
// 1. Loads that dots depend on, by level: 0 where the value reaches a dot, 1 where it
//    is part of the address of a level-0 load, and so on. In a loop that says
//    `tt.num_stages` itself, all other loads too.
// 2. A load becomes an asynchronous copy into shared memory where copies of 4 bytes or
//    more are possible. Otherwise it runs one round ahead into registers, if there are
//    enough beside what the loop carries: an assembler that runs out of them spills all.
// 3. num_stages tiles are under way or in use at a time. The round begins with the wait
//    for its own tile, then refills the one that the round before has finished with, so
//    that one barrier serves both: num_stages - 1 buffers and a latency of
//    num_stages - 2 rounds, at least 2 and 1.
// 4. Where the buffers would not fit into shared memory, fewer; then fewer loads.
//
// A load whose memory the loop may change stays (LoopWrites.h), and so does a load whose
// address or mask needs such a load, or an atomic's result.
//
// Requires: final layouts. Ensures: only attributes change. Cost: the axis analysis.
//===----------------------------------------------------------------------===//
#include "Buffers.h"
#include "LoopWrites.h"
#include "Schedule.h"
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
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

/// A load that could run ahead.
struct Candidate {
  tt::LoadOp load;
  unsigned level = 0;
  std::optional<BufferPlan> buffer; // none: into registers
};

/// Loads of a loop's body and how many loads stand between them and a dot.
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
// Which loads
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
  for (auto load : body->getOps<tt::LoadOp>())
    visit(load, 0);
}

void LoadLevels::visit(Value value, unsigned level) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return;
  unsigned &before = seen[op];
  if (before > level)
    return;
  before = level + 1;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
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

/// Why the pipeliner cannot take the loop; empty if all its ops are of a kind that it knows.
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
// What must not run ahead
//===----------------------------------------------------------------------===//

/// Whether `op` must wait for its own iteration.
static bool mustStay(Operation *op, const LoopWrites &writes) {
  return !canRunAhead(op) || writes.mayChangeLoadsOf(op);
}

/// Whether what `load` needs in order to start includes an op that must stay; then it would
/// take that op along. What the iteration before computes counts too.
static bool dependsOnWhatStays(tt::LoadOp load, scf::ForOp loop, const LoopWrites &writes) {
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
// How far ahead
//===----------------------------------------------------------------------===//

/// Registers of 32 bits in which a thread holds a value. Narrow elements take one each
/// until something packs them; of pointers to neighbours the first is enough.
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

/// What the loop holds in registers anyway, from one iteration to the next.
static unsigned countCarried(scf::ForOp loop, const AxisInfoAnalysis &axes) {
  unsigned registers = 0;
  for (Value carried : loop.getRegionIterArgs())
    if (isa<RankedTensorType>(carried.getType()))
      registers += countRegisters(carried, axes);
  return registers;
}

/// Starts of the runs of consecutive addresses that a thread's pointers are made of: addresses
/// in one run differ by constants, which an instruction adds.
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

/// Registers for pointers from before the loop that the load's address is computed from in
/// each iteration. They live as long as the loop, as what it carries does.
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

/// Iterations for each of `levels` loads in a row. Slots that are refilled at the end of an
/// iteration allow for one more.
static unsigned latencyFor(unsigned numStages, unsigned levels, bool isRefilledLast = false) {
  if (levels > 1 || isRefilledLast)
    return (numStages - 1) / levels;
  return std::max(1u, numStages - 2);
}

/// The buffer that `memdesc` is a view of; null where another op made it.
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

/// Bytes of the buffers from before the loop that it reads.
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

/// Shared memory of the loop: buffers, and the most that an op needs beside them while it
/// runs. A conversion of what comes from a buffer needs nothing.
static uint64_t sharedBytes(scf::ForOp loop, ArrayRef<Candidate> candidates, unsigned latency) {
  uint64_t buffers = fixedBytes(loop), scratch = 0;
  DenseSet<Operation *> buffered;
  for (const Candidate &candidate : candidates)
    if (candidate.buffer) {
      buffered.insert(candidate.load);
      buffers += llvm::alignTo(tileBytes(candidate.load, *candidate.buffer), 128) * (latency + 1);
    }
  loop.getBody()->walk([&](Operation *op) {
    auto convert = dyn_cast<ttg::ConvertLayoutOp>(op);
    if (!convert || !buffered.contains(convert.getSrc().getDefiningOp()))
      scratch = std::max<uint64_t>(scratch, scratchNeed(op).bytes);
  });
  return buffers + scratch;
}

static PassRemark keepsPlace(tt::LoadOp load) {
  PassRemark remark = declined(load, kPass, "latency");
  remark.says("the load does not run ahead");
  return remark;
}

/// Fewer tiles, down to two; then fewer loads, the largest first.
static void fitShared(scf::ForOp loop, SmallVectorImpl<Candidate> &candidates, unsigned &latency,
                      uint64_t limit) {
  while (latency > 1 && sharedBytes(loop, candidates, latency) > limit)
    --latency;
  auto bytes = [](const Candidate &candidate) {
    return candidate.buffer ? tileBytes(candidate.load, *candidate.buffer) : 0;
  };
  while (!candidates.empty() && sharedBytes(loop, candidates, latency) > limit) {
    auto *largest = llvm::max_element(
        candidates, [&](const Candidate &a, const Candidate &b) { return bytes(a) < bytes(b); });
    keepsPlace(largest->load)
        .because("{0} bytes of shared memory do not suffice for its buffers", limit);
    candidates.erase(largest);
  }
}

/// Blocks that an SM has shared memory for at a time, as far as this loop knows. The memory of
/// an SM is a little more than what one block may have, and each block costs some of it.
static uint64_t blocksPerSM(uint64_t bytes, uint64_t limit) {
  constexpr uint64_t perBlock = 1024;
  return (limit + perBlock) / (bytes + perBlock);
}

/// Whether slots are refilled at the end of an iteration.
static bool areRefilledLast(ArrayRef<Candidate> candidates) {
  return llvm::any_of(candidates, [](const Candidate &candidate) {
    return candidate.buffer && candidate.buffer->isRefilledLast;
  });
}

/// Blocks that an SM has registers for at a time, at most, as far as the loop's tensors say: those
/// it carries, and the largest result of a dot beside them.
static uint64_t blocksByRegisters(scf::ForOp loop, const AxisInfoAnalysis &axes,
                                  unsigned blockRegisters) {
  constexpr unsigned others = 40, mostRegisters = 255;
  unsigned largest = 0;
  for (Operation &op : *loop.getBody())
    if (isa<tt::DotOp, ttg::BufferedDotOpInterface>(op))
      for (Value result : op.getResults())
        if (!llvm::is_contained(loop.getYieldedValues(), result))
          largest = std::max(largest, countRegisters(result, axes));
  unsigned registers = std::min(mostRegisters, countCarried(loop, axes) + largest + others);
  unsigned threads = ttg::lookupNumWarps(loop).value_or(4) *
                     ttg::getThreadsPerWarp(loop->getParentOfType<ModuleOp>());
  return blockRegisters / (registers * threads);
}

/// Copies run an iteration further ahead into memory that is too small for another block: up to as
/// many tiles under way as there are stages, and one less where copies come first in an iteration.
static void useSpareMemory(scf::ForOp loop, ArrayRef<Candidate> candidates, unsigned &latency,
                           unsigned numStages, uint64_t limit, uint64_t mostBlocks) {
  unsigned most = areRefilledLast(candidates) ? numStages : numStages - 1;
  auto blocks = [&](uint64_t bytes) { return std::min(blocksPerSM(bytes, limit), mostBlocks); };
  uint64_t before = blocks(sharedBytes(loop, candidates, latency));
  for (; latency < most; ++latency) {
    uint64_t bytes = sharedBytes(loop, candidates, latency + 1);
    if (bytes > limit || blocks(bytes) < before)
      return;
  }
}

/// Whether the loop waits for memory rather than for its dots: a tile of few rows or columns is
/// multiplied faster than it is loaded.
static bool hasOnlyNarrowDots(scf::ForOp loop) {
  constexpr int64_t wide = 64;
  return llvm::all_of(*loop.getBody(), [](Operation &op) {
    if (!isa<tt::DotOp, ttg::BufferedDotOpInterface>(op))
      return true;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult(0).getType()).getShape();
    return shape.size() < 2 || *llvm::min_element(shape.take_back(2)) < wide;
  });
}

/// Two blocks beside each other hide more than an iteration further ahead does, unless memory is
/// what the loop waits for.
static void preferTwoBlocks(scf::ForOp loop, ArrayRef<Candidate> candidates, unsigned &latency,
                            uint64_t limit, uint64_t mostBlocks) {
  auto blocks = [&](unsigned latency) {
    return blocksPerSM(sharedBytes(loop, candidates, latency), limit);
  };
  if (areRefilledLast(candidates) && latency > 1 && mostBlocks > 1 && blocks(latency) == 1 &&
      blocks(latency - 1) > 1 && !hasOnlyNarrowDots(loop))
    --latency;
}

/// Levels beyond what the stages allow do not run ahead.
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

/// The loads of the loop that could run ahead, as long as registers suffice.
static SmallVector<Candidate> findCandidates(scf::ForOp loop, bool all,
                                             const AxisInfoAnalysis &axes, const CopySizes &sizes,
                                             unsigned maxRegisters) {
  LoopWrites writes(loop);
  unsigned carried = countCarried(loop, axes);
  SmallVector<Candidate> candidates;
  LoadLevels levels(loop, all);
  if (levels.loads.empty())
    declined(loop, kPass, "pipeline")
        .says("the loop is not pipelined")
        .because("no load in it feeds a dot, and the loop does not set num_stages itself");
  for (auto [op, level] : levels.loads) {
    auto load = cast<tt::LoadOp>(op);
    if (dependsOnWhatStays(load, loop, writes)) {
      keepsPlace(load).because("the loop may change what it, its address or its mask reads");
      continue;
    }
    std::optional<BufferPlan> buffer = planBuffer(load, axes, sizes);
    unsigned needed =
        buffer ? 0 : countRegisters(load, axes) + countFixedPointers(load, loop, axes);
    if (needed != 0 && carried + needed > maxRegisters) {
      keepsPlace(load)
          .because("it cannot be copied asynchronously, and needs {0} registers beside the {1} "
                   "that the loop carries, of {2}",
                   needed, carried, maxRegisters)
          .number("registers", needed);
      continue;
    }
    carried += needed;
    candidates.push_back({load, level, buffer});
  }
  return candidates;
}

static void explain(const Candidate &candidate, unsigned latency, const CopySizes &sizes) {
  PassRemark remark = decided(candidate.load, kPass, "latency");
  if (candidate.buffer)
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

static void assignTo(scf::ForOp loop, unsigned defaultStages, const AxisInfoAnalysis &axes,
                     const CopySizes &sizes, uint64_t maxSharedBytes, unsigned maxRegisters,
                     unsigned blockRegisters) {
  bool isExplicit = loop->hasAttr(tt::kNumStagesAttr);
  unsigned numStages = isExplicit ? getNumber(loop, tt::kNumStagesAttr).value_or(1) : defaultStages;
  StringRef reason = numStages < 2 ? "num_stages is 1" : whyNotPipelined(loop);
  if (!reason.empty()) {
    declined(loop, kPass, "pipeline").says("the loop is not pipelined").because("{0}", reason);
    return;
  }
  // What the user says of single ops counts more than what is found here.
  if (llvm::any_of(*loop.getBody(), [](Operation &op) { return op.hasAttr(kLatencyAttr); }))
    return;

  SmallVector<Candidate> candidates = findCandidates(loop, isExplicit, axes, sizes, maxRegisters);
  unsigned levels = dropDeepLevels(candidates, numStages);
  if (candidates.empty())
    return;
  unsigned latency = latencyFor(numStages, levels, areRefilledLast(candidates));
  if (maxSharedBytes)
    fitShared(loop, candidates, latency, maxSharedBytes);
  if (maxSharedBytes && blockRegisters) {
    uint64_t mostBlocks = blocksByRegisters(loop, axes, blockRegisters);
    preferTwoBlocks(loop, candidates, latency, maxSharedBytes, mostBlocks);
    if (levels == 1)
      useSpareMemory(loop, candidates, latency, numStages, maxSharedBytes, mostBlocks);
  }
  for (const Candidate &candidate : candidates) {
    explain(candidate, latency, sizes);
    setNumber(candidate.load, kLatencyAttr, candidate.buffer ? latency : 1);
    if (candidate.buffer && candidate.buffer->isRefilledLast)
      candidate.load->setAttr(kRefilledLastAttr, UnitAttr::get(loop.getContext()));
  }
}

void AssignLatencies::runOnOperation() {
  ModuleOp module = getOperation();
  AxisInfoAnalysis axes(module);
  if (!axes.isValid()) {
    module.emitError("the axis analysis failed");
    return signalPassFailure();
  }
  CopySizes sizes{minCopyBytes, maxCopyBytes};
  module.walk([&](scf::ForOp loop) {
    assignTo(loop, numStages, axes, sizes, maxSharedBytes, maxRegisters, blockRegisters);
  });
}
