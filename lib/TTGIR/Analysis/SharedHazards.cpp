//===- SharedHazards.cpp - where threads must wait for each other ---------===//
// Forward dataflow. The state says which accesses no barrier has followed yet
// (`reads`, `writes`) and which copies are under way, with the number of groups
// committed since; likewise asynchronous reads and drains. It grows along edges (union); a barrier
// empties it.
//
// Barriers make the transfer function non-monotone, so they are fixed while the
// dataflow runs: solve, put a barrier before the first conflict in program
// order, solve again. Loops come first, from the inside out, each as if nothing
// had happened before it: what is found then is due to the loop itself. A
// conflict found later for an access in a loop comes from before the loop,
// and a barrier in front of the loop will do.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/SharedHazards.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

bool tessera::mayOverlap(const SharedProgram &program, const SharedPart &a, const SharedPart &b) {
  if (a.buffer != b.buffer) {
    const SharedBuffer &x = program.buffers[a.buffer], &y = program.buffers[b.buffer];
    return x.begin < y.end && y.begin < x.end;
  }
  const SharedSlot &x = a.slot, &y = b.slot;
  if (x.kind == SharedSlot::Any || x.kind != y.kind || x.header != y.header ||
      x.modulus != y.modulus)
    return true;
  return x.phase == y.phase;
}

namespace {

struct State {
  std::set<SharedPart> reads, writes, atomics;
  std::set<SharedPart> released; // reads that are over, but the thread that fills does not know it
  std::set<SharedPart> acquired; // reads of which that thread, and no other, knows
  using Aged = std::set<std::pair<SharedPart, uint32_t>>;
  Aged copies;     // and the commits since
  Aged asyncReads; // and the groups since
  Aged drains;     // and the groups since

  void clear() { // a barrier; copies, asynchronous reads and drains go on
    reads.clear();
    writes.clear();
    atomics.clear();
    released.clear();
    acquired.clear();
  }
  bool operator==(const State &other) const {
    return reads == other.reads && writes == other.writes && atomics == other.atomics &&
           released == other.released && acquired == other.acquired && copies == other.copies &&
           asyncReads == other.asyncReads && drains == other.drains;
  }
};

class Planner {
public:
  explicit Planner(const SharedProgram &program);
  std::set<BarrierPlace> run();
  std::set<BarrierPlace> findUnawaitedReads();

private:
  /// A part of the program: a loop, or all of it.
  struct Level {
    uint32_t entry;
    llvm::BitVector blocks;
    bool followsBackEdges;
  };

  void planLevel(const Level &level);
  std::vector<State> solve(const Level &level) const;
  bool placeFirst(const Level &level, const std::vector<State> &before);
  bool placeBefore(const Level &level, BarrierPlace place);
  void advance(State &state, uint32_t block) const;

  bool conflicts(const State &state, const SharedStep &step) const;
  bool overlapsAny(const SharedPart &part, const std::set<SharedPart> &pending) const;
  bool orderedByWarp(const SharedPart &a, const SharedPart &b) const;
  bool overlapsAsyncRead(const State &state, const SharedStep &step) const;
  void apply(State &state, const SharedStep &step) const;
  void applyCopies(State &state, const SharedStep &step) const;
  void applyAsyncReads(State &state, State::Aged &reads, ArrayRef<SharedPart> begun, int32_t waits,
                       uint32_t oldest) const;
  void merge(State &into, const State &from, uint32_t fromBlock, uint32_t toBlock) const;
  SharedPart acrossEdge(SharedPart part, uint32_t fromBlock, uint32_t toBlock) const;

  const SharedProgram &program;
  std::vector<SmallVector<uint32_t>> predecessors;
  std::vector<llvm::BitVector> loopBlocks; // of program.loops
  std::set<BarrierPlace> barriers;
  /// After this many commits a copy is over at any wait: more need not be told apart.
  uint32_t oldest = 1, oldestRead = 1, oldestDrain = 1;
};

} // namespace

Planner::Planner(const SharedProgram &program)
    : program(program), predecessors(program.blocks.size()) {
  for (auto [index, block] : llvm::enumerate(program.blocks))
    for (uint32_t successor : block.successors)
      predecessors[successor].push_back(index);
  for (const SharedProgram::Block &block : program.blocks)
    for (const SharedStep &step : block.steps) {
      if (step.waitsFor >= 0)
        oldest = std::max(oldest, uint32_t(step.waitsFor) + 1);
      if (step.waitsForReads >= 0)
        oldestRead = std::max(oldestRead, uint32_t(step.waitsForReads) + 1);
      if (step.waitsForDrains >= 0)
        oldestDrain = std::max(oldestDrain, uint32_t(step.waitsForDrains) + 1);
    }
  for (const SharedLoop &loop : program.loops) {
    llvm::BitVector members(program.blocks.size());
    for (uint32_t block : loop.blocks)
      members.set(block);
    loopBlocks.push_back(members);
  }
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

bool Planner::orderedByWarp(const SharedPart &a, const SharedPart &b) const {
  const SharedBuffer &x = program.buffers[a.buffer], &y = program.buffers[b.buffer];
  bool haveSameShares = x.inEqualShares && y.inEqualShares && x.begin == y.begin && x.end == y.end;
  return x.withinWarp && y.withinWarp && (a.buffer == b.buffer || haveSameShares);
}

bool Planner::overlapsAny(const SharedPart &part, const std::set<SharedPart> &pending) const {
  return llvm::any_of(pending, [&](const SharedPart &other) {
    return mayOverlap(program, part, other) && !orderedByWarp(part, other);
  });
}

bool Planner::conflicts(const State &state, const SharedStep &step) const {
  auto afterWrite = [&](const SharedPart &part) { return overlapsAny(part, state.writes); };
  auto beforeFill = [&](const SharedPart &part) {
    return overlapsAny(part, state.writes) || overlapsAny(part, state.reads) ||
           overlapsAny(part, state.released) || overlapsAny(part, state.atomics);
  };
  auto afterAny = [&](const SharedPart &part) {
    return beforeFill(part) || overlapsAny(part, state.acquired);
  };
  bool hasReads = !state.reads.empty() || !state.released.empty() || !state.acquired.empty();
  if (step.isArrival && (hasReads || !state.writes.empty()))
    return true;
  return llvm::any_of(step.reads, afterWrite) || llvm::any_of(step.asyncReads, afterWrite) ||
         llvm::any_of(step.drains, afterWrite) || llvm::any_of(step.atomics, afterWrite) ||
         llvm::any_of(step.writes, afterAny) || llvm::any_of(step.copies, afterAny) ||
         llvm::any_of(step.fills, beforeFill) || llvm::any_of(step.scratch, afterAny);
}

/// Moves the parts of the buffers from one set to another.
static void move(ArrayRef<uint32_t> buffers, std::set<SharedPart> &from, std::set<SharedPart> &to) {
  std::set<SharedPart> rest;
  for (const SharedPart &part : from)
    (llvm::is_contained(buffers, part.buffer) ? to : rest).insert(part);
  from = std::move(rest);
}

bool Planner::overlapsAsyncRead(const State &state, const SharedStep &step) const {
  auto isBeingRead = [&](const SharedPart &part) {
    auto isThat = [&](const auto &read) { return mayOverlap(program, part, read.first); };
    return llvm::any_of(state.asyncReads, isThat) || llvm::any_of(state.drains, isThat);
  };
  return llvm::any_of(step.writes, isBeingRead) || llvm::any_of(step.copies, isBeingRead) ||
         llvm::any_of(step.fills, isBeingRead) || llvm::any_of(step.scratch, isBeingRead);
}

void Planner::apply(State &state, const SharedStep &step) const {
  if (step.isBarrier || !step.scratch.empty())
    state.clear();
  if (!step.releases.empty())
    move(step.releases, state.reads, state.released);
  if (!step.acquires.empty())
    move(step.acquires, state.released, state.acquired);
  state.reads.insert(step.scratch.begin(), step.scratch.end());
  state.reads.insert(step.reads.begin(), step.reads.end());
  state.writes.insert(step.writes.begin(), step.writes.end());
  state.atomics.insert(step.atomics.begin(), step.atomics.end());
  applyCopies(state, step);
  applyAsyncReads(state, state.asyncReads, step.asyncReads, step.waitsForReads, oldestRead);
  applyAsyncReads(state, state.drains, step.drains, step.waitsForDrains, oldestDrain);
}

void Planner::applyCopies(State &state, const SharedStep &step) const {
  for (const SharedPart &part : step.copies)
    state.copies.insert({part, 0});
  if (!step.commits && step.waitsFor < 0)
    return;
  State::Aged underWay;
  for (auto [part, age] : state.copies) {
    if (step.commits)
      age = std::min(age + 1, oldest);
    if (step.waitsFor >= 0 && age > uint32_t(step.waitsFor))
      state.writes.insert(part); // over, for the thread that started it
    else
      underWay.insert({part, age});
  }
  state.copies = std::move(underWay);
}

/// Begins a group of reads, or waits until `waits` groups are left.
void Planner::applyAsyncReads(State &state, State::Aged &reads, ArrayRef<SharedPart> begun,
                              int32_t waits, uint32_t oldest) const {
  if (begun.empty() && waits < 0)
    return;
  State::Aged underWay;
  for (auto [part, age] : reads) {
    if (!begun.empty())
      age = std::min(age + 1, oldest);
    if (waits >= 0 && age >= uint32_t(waits))
      state.reads.insert(part); // over, for the threads that wait
    else
      underWay.insert({part, age});
  }
  for (const SharedPart &part : begun)
    underWay.insert({part, 0});
  reads = std::move(underWay);
}

//===----------------------------------------------------------------------===//
// Along edges
//===----------------------------------------------------------------------===//

SharedPart Planner::acrossEdge(SharedPart part, uint32_t fromBlock, uint32_t toBlock) const {
  if (part.slot.kind != SharedSlot::Counter || part.slot.header != toBlock)
    return part;
  for (auto [loop, blocks] : llvm::zip(program.loops, loopBlocks))
    if (loop.header == toBlock && blocks[fromBlock]) {
      part.slot = SharedSlot::counter(toBlock, part.slot.modulus, part.slot.phase - 1);
      return part;
    }
  part.slot = {}; // the loop starts again: its counters have nothing to do with the old ones
  return part;
}

void Planner::merge(State &into, const State &from, uint32_t fromBlock, uint32_t toBlock) const {
  for (const SharedPart &part : from.reads)
    into.reads.insert(acrossEdge(part, fromBlock, toBlock));
  for (const SharedPart &part : from.writes)
    into.writes.insert(acrossEdge(part, fromBlock, toBlock));
  for (const SharedPart &part : from.released)
    into.released.insert(acrossEdge(part, fromBlock, toBlock));
  for (const SharedPart &part : from.acquired)
    into.acquired.insert(acrossEdge(part, fromBlock, toBlock));
  for (const auto &[part, age] : from.copies)
    into.copies.insert({acrossEdge(part, fromBlock, toBlock), age});
  for (const SharedPart &part : from.atomics)
    into.atomics.insert(acrossEdge(part, fromBlock, toBlock));
  for (const auto &[part, age] : from.asyncReads)
    into.asyncReads.insert({acrossEdge(part, fromBlock, toBlock), age});
  for (const auto &[part, age] : from.drains)
    into.drains.insert({acrossEdge(part, fromBlock, toBlock), age});
}

void Planner::advance(State &state, uint32_t block) const {
  ArrayRef<SharedStep> steps = program.blocks[block].steps;
  for (auto [index, step] : llvm::enumerate(steps)) {
    if (barriers.count({block, uint32_t(index)}))
      state.clear();
    apply(state, step);
  }
  if (barriers.count({block, uint32_t(steps.size())}))
    state.clear();
}

/// The state before each block of the level.
std::vector<State> Planner::solve(const Level &level) const {
  std::vector<State> before(program.blocks.size()), after(program.blocks.size());
  llvm::BitVector dirty = level.blocks;
  for (int block = dirty.find_first(); block >= 0; block = dirty.find_first()) {
    dirty.reset(block);
    State state;
    if (uint32_t(block) != level.entry || level.followsBackEdges)
      for (uint32_t predecessor : predecessors[block])
        if (level.blocks[predecessor])
          merge(state, after[predecessor], predecessor, block);
    before[block] = state;
    advance(state, block);
    if (state == after[block])
      continue;
    after[block] = std::move(state);
    for (uint32_t successor : program.blocks[block].successors)
      if (level.blocks[successor])
        dirty.set(successor);
  }
  return before;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

/// Puts a barrier where it orders all that comes before `place`; true if the states of
/// later steps of the block are still known afterwards.
bool Planner::placeBefore(const Level &level, BarrierPlace place) {
  // The outermost loop of this level around the block: loops come from the inside out.
  std::optional<unsigned> around;
  for (auto [index, loop] : llvm::enumerate(program.loops))
    if (loopBlocks[index][place.block] && loopBlocks[index] != level.blocks &&
        level.blocks.test(loop.header) && !level.blocks.subsetOf(loopBlocks[index]))
      around = index;
  bool inFront = false;
  if (around)
    for (uint32_t predecessor : predecessors[program.loops[*around].header])
      if (!loopBlocks[*around][predecessor] && level.blocks[predecessor]) {
        uint32_t end = program.blocks[predecessor].steps.size();
        inFront |= barriers.insert({predecessor, end}).second;
      }
  if (inFront)
    return false;
  barriers.insert(place);
  return true;
}

/// Places barriers for the conflicts of the first block of the level that has any; returns whether
/// there was one.
bool Planner::placeFirst(const Level &level, const std::vector<State> &before) {
  for (unsigned block : level.blocks.set_bits()) {
    bool placed = false;
    State state = before[block];
    for (auto [index, step] : llvm::enumerate(program.blocks[block].steps)) {
      BarrierPlace here{block, uint32_t(index)};
      if (barriers.count(here))
        state.clear();
      if (conflicts(state, step)) {
        placed = true;
        if (!placeBefore(level, here))
          return true;
        state.clear();
      }
      apply(state, step);
    }
    if (placed)
      return true;
  }
  return false;
}

void Planner::planLevel(const Level &level) {
  while (placeFirst(level, solve(level))) {
  }
}

std::set<BarrierPlace> Planner::run() {
  for (auto [loop, blocks] : llvm::zip(program.loops, loopBlocks))
    for (bool followsBackEdges : {false, true})
      planLevel({loop.header, blocks, followsBackEdges});
  planLevel({0, llvm::BitVector(program.blocks.size(), true), true});
  return std::move(barriers);
}

std::set<BarrierPlace> tessera::planBarriers(const SharedProgram &program) {
  return Planner(program).run();
}

std::set<BarrierPlace> Planner::findUnawaitedReads() {
  std::set<BarrierPlace> places;
  std::vector<State> before = solve({0, llvm::BitVector(program.blocks.size(), true), true});
  for (auto [index, block] : llvm::enumerate(program.blocks)) {
    State state = before[index];
    for (auto [step, does] : llvm::enumerate(block.steps)) {
      if (overlapsAsyncRead(state, does))
        places.insert({uint32_t(index), uint32_t(step)});
      apply(state, does);
    }
  }
  return places;
}

std::set<BarrierPlace> tessera::findUnawaitedReads(const SharedProgram &program) {
  return Planner(program).findUnawaitedReads();
}
