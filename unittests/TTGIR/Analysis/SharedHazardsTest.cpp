//===- SharedHazardsTest.cpp - random programs, run and watched for races -===//
// Random programs of nested loops and branches are planned, then run along random
// paths. The run keeps every access since the last barrier; an access that
// conflicts with one of them is a race. Counters get their real values, so a
// wrong claim that two slots differ is found too.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/SharedHazards.h"
#include "gtest/gtest.h"
#include <map>
#include <optional>
#include <random>

using namespace tessera;

namespace {

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

/// The programs read, write, copy and wait; some also use these.
enum class Kind { Plain, AsyncReads, Engines };

class RandomProgram {
public:
  explicit RandomProgram(unsigned seed, Kind kind = Kind::Plain) : random(seed), kind(kind) {
    for (int i = below(4) + 1; i > 0; --i) {
      uint32_t begin = below(4) * 16;
      program.buffers.push_back({begin, begin + (below(3) + 1) * 16, below(5) == 0, below(2) == 0});
    }
    uint32_t entry = addBlock();
    sequence(entry, 3);
  }
  SharedProgram program;

private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); }

  uint32_t addBlock() {
    program.blocks.emplace_back();
    return program.blocks.size() - 1;
  }
  void addEdge(uint32_t from, uint32_t to) { program.blocks[from].successors.push_back(to); }

  SharedPart part() {
    SharedPart result{uint32_t(below(program.buffers.size())), {}};
    switch (below(4)) {
    case 0:
      result.slot = SharedSlot::constant(below(3));
      break;
    case 1:
    case 2:
      if (!headers.empty())
        result.slot = SharedSlot::counter(headers[below(headers.size())], 3, below(3));
      break;
    }
    return result;
  }

  SharedStep step() {
    SharedStep result;
    switch (below(kind == Kind::Engines ? 17 : kind == Kind::AsyncReads ? 12 : 10)) {
    case 0:
    case 1:
    case 2:
      result.reads.push_back(part());
      break;
    case 3:
    case 4:
      result.writes.push_back(part());
      break;
    case 5:
      result.scratch.push_back({uint32_t(below(program.buffers.size())), {}});
      break;
    case 6:
      result.copies.push_back(part());
      break;
    case 7:
      result.commits = true;
      break;
    case 8:
      result.waitsFor = below(3);
      break;
    case 9:
      result.isBarrier = below(3) == 0;
      break;
    case 10:
      result.asyncReads.push_back(part());
      break;
    case 11:
      result.waitsForReads = below(2);
      break;
    case 12:
      result.atomics.push_back(part());
      break;
    case 13:
      result.fills.push_back(part());
      break;
    case 14:
      result.drains.push_back(part());
      break;
    case 15:
      result.waitsForDrains = below(2);
      break;
    case 16:
      result.isArrival = true;
      break;
    }
    return result;
  }

  void fill(uint32_t block) {
    for (int i = below(4); i > 0; --i)
      program.blocks[block].steps.push_back(step());
  }

  /// Blocks are added in reverse post-order. Returns the block where control goes on.
  uint32_t sequence(uint32_t block, int depth) {
    for (int i = below(3) + 1; i > 0; --i) {
      fill(block);
      int what = depth == 0 ? 2 : below(3);
      if (what == 0)
        block = loop(block, depth - 1);
      else if (what == 1)
        block = branch(block, depth - 1);
    }
    fill(block);
    return block;
  }

  uint32_t loop(uint32_t block, int depth) {
    uint32_t header = addBlock();
    addEdge(block, header);
    headers.push_back(header);
    std::vector<uint32_t> visible = headers;
    fill(header);
    uint32_t body = addBlock();
    addEdge(header, body);
    uint32_t last = sequence(body, depth);
    addEdge(last, header);
    SharedLoop added{header, {}};
    for (uint32_t b = header; b < program.blocks.size(); ++b)
      added.blocks.push_back(b);
    program.loops.push_back(added);
    uint32_t exit = addBlock();
    addEdge(header, exit);
    headers = visible; // after the loop too: its counters keep their last value
    return exit;
  }

  uint32_t branch(uint32_t block, int depth) {
    uint32_t then = addBlock();
    addEdge(block, then);
    std::vector<uint32_t> visible = headers;
    uint32_t thenEnd = sequence(then, depth);
    headers = visible; // a loop that only one branch runs has no counters at the join
    uint32_t otherwise = addBlock();
    addEdge(block, otherwise);
    uint32_t otherwiseEnd = sequence(otherwise, depth);
    headers = visible;
    uint32_t join = addBlock();
    addEdge(thenEnd, join);
    addEdge(otherwiseEnd, join);
    return join;
  }

  std::mt19937 random;
  Kind kind;
  std::vector<uint32_t> headers; // of loops whose counters have values here
};

//===----------------------------------------------------------------------===//
// Running them
//===----------------------------------------------------------------------===//

/// A part with the slot that it really is.
struct RealPart {
  uint32_t buffer;
  std::optional<int64_t> slot; // nothing: all of the buffer
};

class RandomRun {
public:
  RandomRun(const SharedProgram &program, const std::set<BarrierPlace> &barriers, unsigned seed)
      : program(program), barriers(barriers), random(seed) {}

  /// False: a race was met within `steps` blocks.
  bool follow(unsigned steps) {
    uint32_t block = 0;
    for (unsigned i = 0; i < steps; ++i) {
      if (!runBlock(block))
        return false;
      if (wroteWhatIsRead)
        return true;
      const auto &successors = program.blocks[block].successors;
      if (successors.empty())
        return true;
      uint32_t next = successors[random() % successors.size()];
      auto isLoop = [&](const SharedLoop &loop) { return loop.header == next; };
      auto loop = llvm::find_if(program.loops, isLoop);
      if (loop != program.loops.end())
        iteration[next] = llvm::is_contained(loop->blocks, block) ? iteration[next] + 1 : 0;
      block = next;
    }
    return true;
  }

  /// Something was written that an asynchronous read might still have been reading: an error of
  /// the program, which no barrier repairs. The run ended there.
  bool wroteWhatIsRead = false;

private:
  bool runBlock(uint32_t block) {
    const auto &steps = program.blocks[block].steps;
    for (uint32_t i = 0; i <= steps.size(); ++i) {
      if (barriers.count({block, i}))
        barrier();
      if (i == steps.size())
        break;
      wroteWhatIsRead |= writesWhatIsRead(steps[i]);
      if (wroteWhatIsRead)
        return true;
      if (!runStep(steps[i]))
        return false;
    }
    return true;
  }

  bool writesWhatIsRead(const SharedStep &step) const {
    auto isBeingRead = [&](const SharedPart &part) {
      auto isThat = [&](const auto &read) { return shareBytes(real(part), read.first); };
      return llvm::any_of(asyncReads.parts, isThat) || llvm::any_of(drains.parts, isThat);
    };
    return llvm::any_of(step.writes, isBeingRead) || llvm::any_of(step.copies, isBeingRead) ||
           llvm::any_of(step.fills, isBeingRead) || llvm::any_of(step.scratch, isBeingRead);
  }

  /// Reads that an engine does, one group a step.
  struct Engine {
    std::vector<std::pair<RealPart, unsigned>> parts;
    unsigned groups = 0;
  };

  bool runEngine(Engine &engine, llvm::ArrayRef<SharedPart> begun, int32_t waits) {
    for (const SharedPart &part : begun) {
      if (conflicts(real(part), false))
        return false;
      engine.parts.push_back({real(part), engine.groups});
    }
    engine.groups += !begun.empty();
    if (waits >= 0)
      std::erase_if(engine.parts, [&](const std::pair<RealPart, unsigned> &read) {
        bool isOver = read.second + waits < engine.groups;
        if (isOver)
          reads.push_back(read.first);
        return isOver;
      });
    return true;
  }

  /// Barriers in shared memory, and what engines write.
  bool runAtomics(const SharedStep &step) {
    if (step.isArrival && !(reads.empty() && writes.empty()))
      return false; // others would take accesses to be over that are not
    for (const SharedPart &part : step.atomics) {
      if (conflicts(real(part), false))
        return false;
      atomics.push_back(real(part));
    }
    return llvm::none_of(step.fills,
                         [&](const SharedPart &part) { return conflicts(real(part), true); });
  }

  bool runStep(const SharedStep &step) {
    if (step.isBarrier)
      barrier();
    for (const SharedPart &part : step.scratch) {
      if (!access(real(part), true))
        return false;
      barrier();
      if (!access(real(part), false))
        return false;
    }
    for (const SharedPart &part : step.reads)
      if (!access(real(part), false))
        return false;
    for (const SharedPart &part : step.writes)
      if (!access(real(part), true))
        return false;
    for (const SharedPart &part : step.copies) {
      if (conflicts(real(part), true))
        return false;
      copies.push_back({real(part), groups});
    }
    groups += step.commits;
    if (step.waitsFor >= 0)
      std::erase_if(copies, [&](const std::pair<RealPart, unsigned> &copy) {
        bool isOver = copy.second + step.waitsFor < groups;
        if (isOver)
          writes.push_back(copy.first);
        return isOver;
      });
    return runAtomics(step) && runEngine(asyncReads, step.asyncReads, step.waitsForReads) &&
           runEngine(drains, step.drains, step.waitsForDrains);
  }

  void barrier() {
    reads.clear();
    writes.clear();
    atomics.clear();
  }

  RealPart real(const SharedPart &part) const {
    if (part.slot.kind == SharedSlot::Any)
      return {part.buffer, std::nullopt};
    if (part.slot.kind == SharedSlot::Constant)
      return {part.buffer, part.slot.phase};
    return {part.buffer, (part.slot.phase + iteration.at(part.slot.header)) % part.slot.modulus};
  }

  bool overlap(const RealPart &a, const RealPart &b) const {
    const SharedBuffer &x = program.buffers[a.buffer], &y = program.buffers[b.buffer];
    bool haveSameShares =
        x.inEqualShares && y.inEqualShares && x.begin == y.begin && x.end == y.end;
    if (x.withinWarp && y.withinWarp && (a.buffer == b.buffer || haveSameShares))
      return false;
    return shareBytes(a, b);
  }

  bool shareBytes(const RealPart &a, const RealPart &b) const {
    const SharedBuffer &x = program.buffers[a.buffer], &y = program.buffers[b.buffer];
    if (a.buffer != b.buffer)
      return x.begin < y.end && y.begin < x.end;
    return !a.slot || !b.slot || *a.slot == *b.slot;
  }

  bool conflicts(const RealPart &part, bool isWrite) const {
    auto overlaps = [&](const RealPart &other) { return overlap(part, other); };
    return llvm::any_of(writes, overlaps) ||
           (isWrite && (llvm::any_of(reads, overlaps) || llvm::any_of(atomics, overlaps)));
  }
  bool access(const RealPart &part, bool isWrite) {
    if (conflicts(part, isWrite))
      return false;
    (isWrite ? writes : reads).push_back(part);
    return true;
  }

  const SharedProgram &program;
  const std::set<BarrierPlace> &barriers;
  std::mt19937 random;
  std::map<uint32_t, int64_t> iteration; // of each loop
  std::vector<RealPart> reads, writes;   // since the last barrier
  std::vector<RealPart> atomics;         // likewise
  std::vector<std::pair<RealPart, unsigned>> copies;
  unsigned groups = 0;
  Engine asyncReads, drains;
};

bool races(const SharedProgram &program, const std::set<BarrierPlace> &barriers, unsigned runs) {
  for (unsigned seed = 0; seed < runs; ++seed)
    if (!RandomRun(program, barriers, seed).follow(60))
      return true;
  return false;
}

} // namespace

TEST(SharedHazards, RandomProgramsDoNotRace) {
  unsigned raced = 0, placed = 0, spare = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SharedProgram program = RandomProgram(seed).program;
    std::set<BarrierPlace> barriers = planBarriers(program);
    ASSERT_FALSE(races(program, barriers, 40)) << "program " << seed;
    raced += races(program, {}, 40);
    if (seed % 10 != 0)
      continue;
    for (BarrierPlace place : barriers) {
      std::set<BarrierPlace> fewer = barriers;
      fewer.erase(place);
      ++placed;
      spare += !races(program, fewer, 200);
    }
  }
  // The programs are no easy ones, and the barriers are not put at random.
  EXPECT_GT(raced, 400u);
  EXPECT_LT(spare * 10, placed) << spare << " of " << placed << " barriers";
}

static void checkWritesToWhatIsBeingRead(Kind kind) {
  unsigned found = 0, seen = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SharedProgram program = RandomProgram(seed, kind).program;
    std::set<BarrierPlace> barriers = planBarriers(program);
    ASSERT_FALSE(races(program, barriers, 40)) << "program " << seed;
    bool wasSeen = false;
    for (unsigned run = 0; run < 40; ++run) {
      RandomRun followed(program, barriers, run);
      followed.follow(60);
      wasSeen |= followed.wroteWhatIsRead;
    }
    bool isFound = !findUnawaitedReads(program).empty();
    ASSERT_TRUE(isFound || !wasSeen) << "program " << seed;
    found += isFound;
    seen += wasSeen;
  }
  // Most of what is found happens, and many programs are in order.
  EXPECT_GT(seen * 10, found * 7) << seen << " of " << found;
  EXPECT_LT(found, 500u);
}

TEST(SharedHazards, FindsWritesToWhatIsBeingRead) {
  checkWritesToWhatIsBeingRead(Kind::AsyncReads);
}

TEST(SharedHazards, FindsWritesToWhatEnginesRead) { checkWritesToWhatIsBeingRead(Kind::Engines); }

TEST(SharedHazards, RingNeedsABarrierForItsArrivalOnly) {
  // A slot is filled; threads wait for it at a barrier in shared memory, read it, and one says
  // that they have.
  SharedProgram program;
  program.buffers = {{0, 32}, {32, 40}};
  program.blocks.resize(4);
  program.blocks[0].successors = {1};
  program.blocks[1].successors = {2, 3};
  program.blocks[2].successors = {1};
  program.loops.push_back({1, {1, 2}});
  SharedStep init, fill, wait, read, arrive;
  init.writes = {{1, {}}};
  fill.fills = {{0, SharedSlot::counter(1, 2, 1)}};
  fill.atomics = wait.atomics = arrive.atomics = {{1, {}}};
  read.reads = {{0, SharedSlot::counter(1, 2, 0)}};
  arrive.isArrival = true;
  program.blocks[0].steps = {init};
  program.blocks[2].steps = {fill, wait, read, arrive};
  std::set<BarrierPlace> placed = planBarriers(program);
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_EQ(placed.begin()->block, 0u); // after the barrier was made
  EXPECT_EQ(placed.rbegin()->block, 2u);
  EXPECT_EQ(placed.rbegin()->step, 3u);
}

TEST(SharedHazards, LoopWithAsynchronousDotHasTwoBarriers) {
  // wait for this iteration's copies; start reading slot i; wait for the reads of the iteration
  // before; copy into its slot
  SharedProgram program;
  program.buffers = {{0, 48}};
  program.blocks.resize(4);
  program.blocks[0].successors = {1};
  program.blocks[1].successors = {2, 3};
  program.blocks[2].successors = {1};
  program.loops.push_back({1, {1, 2}});
  SharedStep wait, dot, dotWait, copy, commit;
  wait.waitsFor = 1;
  dot.asyncReads = {{0, SharedSlot::counter(1, 3, 0)}};
  dotWait.waitsForReads = 1;
  copy.copies = {{0, SharedSlot::counter(1, 3, 2)}};
  commit.commits = true;
  program.blocks[2].steps = {wait, dot, dotWait, copy, commit};
  EXPECT_TRUE(findUnawaitedReads(program).empty());
  std::set<BarrierPlace> expected = {{2, 1}, {2, 3}};
  std::set<BarrierPlace> placed = planBarriers(program);
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_FALSE(*placed.begin() < *expected.begin() || *expected.begin() < *placed.begin());
  EXPECT_FALSE(*placed.rbegin() < *expected.rbegin() || *expected.rbegin() < *placed.rbegin());
  // Copies before the wait would overwrite what the dot of the iteration before reads.
  program.blocks[2].steps = {wait, copy, dot, dotWait, commit};
  EXPECT_EQ(findUnawaitedReads(program).size(), 1u);
}

TEST(SharedHazards, PipelinedLoopHasOneBarrier) {
  // wait for the copies of this iteration; read slot i; copy into slot i + 2
  SharedProgram program;
  program.buffers = {{0, 48}};
  program.blocks.resize(4);
  program.blocks[0].successors = {1};
  program.blocks[1].successors = {2, 3};
  program.blocks[2].successors = {1};
  program.loops.push_back({1, {1, 2}});
  SharedStep wait, read, copy, commit;
  wait.waitsFor = 1;
  read.reads = {{0, SharedSlot::counter(1, 3, 0)}};
  copy.copies = {{0, SharedSlot::counter(1, 3, 2)}};
  commit.commits = true;
  program.blocks[2].steps = {wait, read, copy, commit};
  std::set<BarrierPlace> barriers = planBarriers(program);
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers.begin()->block, 2u);
  EXPECT_EQ(barriers.begin()->step, 1u);
}

TEST(SharedHazards, SlotsOverlap) {
  SharedProgram program;
  program.buffers = {{0, 48}, {32, 64}, {48, 80}};
  auto overlap = [&](SharedPart a, SharedPart b) {
    EXPECT_EQ(mayOverlap(program, a, b), mayOverlap(program, b, a));
    return mayOverlap(program, a, b);
  };
  EXPECT_TRUE(overlap({0, {}}, {1, {}}));
  EXPECT_FALSE(overlap({0, {}}, {2, {}}));
  EXPECT_TRUE(overlap({0, {}}, {0, SharedSlot::constant(1)}));
  EXPECT_FALSE(overlap({0, SharedSlot::constant(2)}, {0, SharedSlot::constant(1)}));
  EXPECT_TRUE(overlap({0, SharedSlot::constant(2)}, {0, SharedSlot::counter(4, 3, 1)}));
  EXPECT_FALSE(overlap({0, SharedSlot::counter(4, 3, 2)}, {0, SharedSlot::counter(4, 3, 1)}));
  EXPECT_TRUE(overlap({0, SharedSlot::counter(4, 3, 2)}, {0, SharedSlot::counter(4, 3, -1)}));
  EXPECT_TRUE(overlap({0, SharedSlot::counter(4, 3, 2)}, {0, SharedSlot::counter(5, 3, 1)}));
}
