//===- Pipeline.cpp - software-pipeline loops -----------------------------===//
// Gives the loads of scheduled loops buffers in shared memory, and overlaps the stages of several
// iterations.
//
//   before: scf.for %i { %a = load %p(i) {stage 0} ; dot %a {stage 1} }
//   after:  %buffer = local_alloc : 2 tiles
//           copy p(0) -> tile 0                      if the loop runs at all
//           scf.for %i {
//             wait                                   for the copy of iteration i
//             copy p(i + 1) -> the other tile        if there is an iteration i + 1
//             dot (local_load of tile i)
//           }
//           wait for all ; local_dealloc
//
// 1. A load that runs ahead by d iterations gets d + 1 tiles. The load is replaced by a copy into
//    the next tile, and by a read of the oldest tile before the first use, in the layout that the
//    user converts to. The loop carries two tile numbers, one for writing and one for reading,
//    which wrap around: this is cheaper than a remainder, and no other value has to be carried
//    from stage to stage.
// 2. All copies of one iteration are one group, whichever stages they belong to; each iteration of
//    the prologue has a group too, even an empty one. An iteration begins with the waits: for a
//    tile that is copied in stage c and read in stage u, the u - c - 1 newer groups may stay in
//    flight, in the prologue as in the loop.
//    Tiles that an engine copies have barriers in shared memory instead (TileRing.h).
// 3. A later stage recomputes values that depend on the loop's index alone (CrossStageValues.h).
//    If a dot that reads a tile may run into the next iteration (ttg.refilled_last), the last
//    stage comes first in an iteration and the copies come last: they overwrite the tile of the
//    previous iteration, whose dot has finished by then. With the same number of tiles, copies
//    then run one iteration further ahead. If there is a tile more instead (ttg.spare_slot), the
//    copies come behind the first dot of the last stage.
//    If warps of their own start copies (ttg.separate_copies), tiles that an engine copies keep
//    their slots while loops around this one run: the numbers of the tiles go on where the
//    iteration before has left them, so that copies for the next iteration of such a loop need not
//    wait for all warps to have left this one.
// 4. MLIR's pipeliner writes the prologue and the loop. There is no epilogue: in the last
//    iterations the early stages are masked.
//
// Requires: ttg-schedule-loops. Ensures: values are unchanged; each tile is read after the wait for
// its copy. ttg-insert-barriers inserts the barriers: one after each wait orders the iteration's
// reads after the copies, and the copies that follow it after the previous iteration's reads of
// the tile that they overwrite.
//===----------------------------------------------------------------------===//
#include "Buffers.h"
#include "CrossStageValues.h"
#include "Predicate.h"
#include "Schedule.h"
#include "TileRing.h"
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/AccessWidth.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include <map>

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGPIPELINE
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-pipeline";

namespace {
struct Pipeline : tessera::impl::TTGPipelineBase<Pipeline> {
  using TTGPipelineBase::TTGPipelineBase;
  void runOnOperation() override;
};

/// A load that becomes a copy.
struct CopiedLoad {
  Operation *load;
  BufferPlan plan;
  unsigned copyStage, useStage;
  Value buffer;
  bool hasSpareSlot = false;
  unsigned tiles() const { return useStage - copyStage + 1 + hasSpareSlot; }
};

/// Applies the steps above to one loop.
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, Schedule schedule, unsigned maxStage, const AxisInfoAnalysis &axes,
                const CopySizes &sizes, bool keepRings, IRRewriter &b)
      : loop(loop), schedule(std::move(schedule)), maxStage(maxStage), axes(axes), sizes(sizes),
        keepRings(keepRings), b(b) {}
  LogicalResult run();

private:
  /// The stages of the copy and of the use, and the number of tiles.
  using Ring = std::tuple<unsigned, unsigned, unsigned>;
  static Ring ringOf(const CopiedLoad &copied) {
    return {copied.copyStage, copied.useStage, copied.tiles()};
  }

  void findCopies();
  void allocate();
  void addCounters();
  SmallVector<scf::ForOp> findLoopsAround();
  Operation *outermostLoop();
  SmallVector<Value> carryAround(ArrayRef<Value> first);
  void returnAround(ArrayRef<Value> last);
  void copy(CopiedLoad &copied);
  void read(CopiedLoad &copied);
  void commit();
  void wait();
  void keepOthers(CopiedLoad &copied, ttg::LocalLoadOp value);
  std::vector<std::pair<Operation *, unsigned>> order();
  LogicalResult expand();
  void finish();

  void findTileRings();
  void copyTiles(TileRing &ring);

  Operation *firstUser(Operation *load);
  Operation *firstReader(Operation *load);
  unsigned firstUseStage(Operation *load);
  bool isReadInPlaceLater(Operation *load, unsigned stage);
  /// Calls `emit` with the builder set, and gives the ops that it creates the slot.
  void emitAt(Slot slot, std::optional<unsigned> bucket, function_ref<void()> emit);
  template <typename OpT> OpT at(OpT op, Slot slot) {
    schedule[op] = slot;
    return op;
  }
  Slot earlySlot(unsigned stage) const {
    return {stage, stage == maxStage ? maxStage : maxStage - 1 - stage};
  }

  scf::ForOp loop;
  Schedule schedule;
  unsigned maxStage;
  const AxisInfoAnalysis &axes;
  const CopySizes &sizes;
  /// Rings serve all iterations of the loops around this one (if there are any, after findCopies).
  bool keepRings;
  IRRewriter &b;
  SmallVector<CopiedLoad> copies;
  /// The tile numbers of the current iteration, for writing and for reading, and how often the
  /// latter has wrapped around, modulo 2 (if an engine copies tiles).
  struct Counters {
    Value written, read, phase;
  };
  std::map<Ring, Counters> counters;
  SmallVector<TileRing> tileRings;
  DenseMap<Operation *, unsigned> tileRingOf; // of a load
  /// Places in the iteration of ops whose slot does not tell it (order()).
  DenseMap<Operation *, unsigned> buckets;
  DenseMap<unsigned, Operation *> waits; // by stage
  /// Copies come at the end of an iteration, because dots may run into the next one.
  bool refillsLast = false;
  /// Copies come behind the first dot.
  bool refillsAfterFirstDot = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Copies and reads
//===----------------------------------------------------------------------===//

unsigned LoopPipeliner::firstUseStage(Operation *load) {
  unsigned stage = maxStage; // a loop-carried use is in the last stage
  for (Operation *user : load->getUsers())
    if (Operation *op = loop.getBody()->findAncestorOpInBlock(*user))
      if (auto slot = schedule.find(op); slot != schedule.end())
        stage = std::min(stage, slot->second.stage);
  return stage;
}

/// Returns whether a user of the load reads its tile in place (local_alloc) in another stage than
/// `stage`, the stage of the first read: one iteration after that, the tile is refilled.
bool LoopPipeliner::isReadInPlaceLater(Operation *load, unsigned stage) {
  for (Operation *user : load->getUsers()) {
    if (!isa<ttg::LocalAllocOp>(user))
      continue;
    for (Operation *reader : user->getUsers()) {
      Operation *op = loop.getBody()->findAncestorOpInBlock(*reader);
      if (!op || !schedule.contains(op) || schedule.lookup(op).stage != stage)
        return true;
    }
  }
  return false;
}

void LoopPipeliner::findCopies() {
  for (Operation &op : *loop.getBody()) {
    Operation *load = &op;
    if (!isLoad(load) || getLatency(load) == 0)
      continue;
    load->removeAttr(kLatencyAttr);
    bool isRefilledLast = load->removeAttr(kRefilledLastAttr) != nullptr;
    bool hasSpareSlot = load->removeAttr(kSpareSlotAttr) != nullptr;
    unsigned copyStage = schedule.lookup(load).stage, useStage = firstUseStage(load);
    if (useStage <= copyStage || isReadInPlaceLater(load, useStage)) {
      declined(load, kPass, "async-copy")
          .says("the load is not copied asynchronously")
          .because(useStage <= copyStage ? "it is used in the stage that loads it"
                                         : "its buffer is read in several stages");
      continue;
    }
    std::optional<BufferPlan> plan = planBuffer(load, axes, sizes);
    if (plan && plan->isTileCopy && useStage != maxStage)
      plan.reset();
    if (!plan) {
      declined(load, kPass, "async-copy")
          .says("the load is not copied asynchronously")
          .because("no asynchronous copy of {0} bytes or more is possible", sizes.minBytes);
      continue;
    }
    copies.push_back({load, *plan, copyStage, useStage, Value(), hasSpareSlot});
    refillsLast |= isRefilledLast;
    refillsAfterFirstDot |= hasSpareSlot;
    decided(load, kPass, "async-copy")
        .says("the load is copied asynchronously into {0} buffers of {1} bytes",
              copies.back().tiles(), tileBytes(load, *plan))
        .number("buffers", copies.back().tiles())
        .number("bytes", tileBytes(load, *plan));
  }
}

void LoopPipeliner::allocate() {
  auto isTileCopy = [](const CopiedLoad &copied) { return copied.plan.isTileCopy; };
  keepRings = keepRings && llvm::all_of(copies, isTileCopy) && !findLoopsAround().empty();
  b.setInsertionPoint(outermostLoop());
  for (CopiedLoad &copied : copies) {
    auto alloc = ttg::LocalAllocOp::create(b, copied.load->getLoc(),
                                           copied.plan.bufferType(copied.load, copied.tiles()));
    if (refillsLast)
      alloc->setAttr(kRefilledLastAttr, b.getUnitAttr());
    if (copied.hasSpareSlot)
      alloc->setAttr(kSpareSlotAttr, b.getUnitAttr());
    copied.buffer = alloc;
  }
  findTileRings();
}

/// Gives the tiles that an engine copies and the same op reads first a ring of barriers.
void LoopPipeliner::findTileRings() {
  for (CopiedLoad &copied : copies) {
    if (!copied.plan.isTileCopy)
      continue;
    Operation *reader = firstReader(copied.load);
    auto *found = llvm::find_if(tileRings, [&](const TileRing &ring) {
      return ring.firstReader == reader && ring.slots == copied.tiles() &&
             ring.distance == copied.useStage - copied.copyStage;
    });
    if (found == tileRings.end()) {
      TileRing &ring = tileRings.emplace_back();
      ring.engine = ttg::TileCopies::of(b.getContext());
      ring.slots = copied.tiles();
      ring.distance = copied.useStage - copied.copyStage;
      ring.firstReader = reader;
      found = &ring;
    }
    found->bytes += tileBytes(copied.load, copied.plan);
    found->buffers.push_back(copied.buffer);
    tileRingOf[copied.load] = found - tileRings.begin();
  }
  unsigned numWarps = ttg::lookupNumWarps(loop).value_or(4);
  for (TileRing &ring : tileRings)
    ring.allocate(b, loop.getLoc(), numWarps);
}

//===----------------------------------------------------------------------===//
// Rings that loops around this one keep
//===----------------------------------------------------------------------===//

/// Returns the loops around this one, the outermost first; none if there is other control flow.
SmallVector<scf::ForOp> LoopPipeliner::findLoopsAround() {
  SmallVector<scf::ForOp> around;
  for (Operation *op = loop->getParentOp(); !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    auto outer = dyn_cast<scf::ForOp>(op);
    if (!outer)
      return {};
    around.insert(around.begin(), outer);
  }
  return around;
}

/// Returns the loop for which the rings are made.
Operation *LoopPipeliner::outermostLoop() {
  return keepRings ? findLoopsAround().front() : loop.getOperation();
}

/// Lets the loops around this one carry values that begin with `first`; returns them as this loop
/// finds them. returnAround() sets what an iteration leaves.
SmallVector<Value> LoopPipeliner::carryAround(ArrayRef<Value> first) {
  SmallVector<Value> values(first);
  for (scf::ForOp outer : findLoopsAround()) {
    b.setInsertionPoint(outer);
    auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
      return SmallVector<Value>(carried.begin(), carried.end());
    };
    auto replaced = cast<scf::ForOp>(*outer.replaceWithAdditionalYields(
        b, values, /*replaceInitOperandUsesInLoop=*/false, same));
    auto carried = replaced.getRegionIterArgs().take_back(values.size());
    values.assign(carried.begin(), carried.end());
  }
  return values;
}

void LoopPipeliner::returnAround(ArrayRef<Value> last) {
  SmallVector<Value> values(last);
  for (scf::ForOp outer : llvm::reverse(findLoopsAround())) {
    Operation *yield = outer.getBody()->getTerminator();
    unsigned begin = yield->getNumOperands() - values.size();
    for (auto [index, value] : llvm::enumerate(values))
      yield->setOperand(begin + index, value);
    auto results = outer.getResults().take_back(values.size());
    values.assign(results.begin(), results.end());
  }
}

/// Carries, for each kind of ring, the numbers of the tiles last written and last read.
void LoopPipeliner::addCounters() {
  SmallVector<Ring> rings;
  for (const CopiedLoad &copied : copies)
    if (Ring ring = ringOf(copied); !llvm::is_contained(rings, ring))
      rings.push_back(ring);
  Location loc = loop.getLoc();
  b.setInsertionPoint(loop);
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  SmallVector<Value> ends, inits(2 * rings.size(), arith::ConstantIntOp::create(b, loc, -1, 32));
  SmallVector<bool> hasPhase;
  for (Ring ring : rings) {
    ends.push_back(arith::ConstantIntOp::create(b, loc, std::get<2>(ring), 32));
    hasPhase.push_back(llvm::any_of(copies, [&](const CopiedLoad &copied) {
      return copied.plan.isTileCopy && ringOf(copied) == ring;
    }));
  }
  inits.append(llvm::count(hasPhase, true), zero);
  if (keepRings) {
    // All tiles that an iteration of the loop around has written were read.
    SmallVector<Value> first = llvm::to_vector(ArrayRef(inits).drop_front(rings.size()));
    SmallVector<Value> carried = carryAround(first);
    for (size_t ring = 0; ring < rings.size(); ++ring)
      inits[2 * ring] = inits[2 * ring + 1] = carried[ring];
    llvm::copy(ArrayRef(carried).drop_front(rings.size()), inits.begin() + 2 * rings.size());
    b.setInsertionPoint(loop);
  }

  auto emitNext = [&](OpBuilder &body, Value counter, Value end, Slot slot) {
    auto next = at(arith::AddIOp::create(body, loc, counter, one), slot);
    auto isEnd = at(arith::CmpIOp::create(body, loc, arith::CmpIPredicate::eq, next, end), slot);
    auto wrapped = at(arith::SelectOp::create(body, loc, isEnd, zero, next), slot);
    return std::array<Operation *, 3>{next, isEnd, wrapped};
  };
  // The release of a slot needs its number before the iteration's copies.
  auto emitPhase = [&](OpBuilder &body, Value phase, ArrayRef<Operation *> read, Slot slot) {
    auto other = at(arith::XOrIOp::create(body, loc, phase, one), slot);
    auto next = at(arith::SelectOp::create(body, loc, read[1]->getResult(0), other, phase), slot);
    for (Operation *op : {read[0], read[1], read[2], other.getOperation(), next.getOperation()})
      buckets[op] = 0;
    return next.getResult();
  };
  auto emitYields = [&](OpBuilder &body, Location, ArrayRef<BlockArgument> carried) {
    OpBuilder::InsertionGuard guard(body);
    body.setInsertionPointToStart(carried.front().getOwner());
    SmallVector<Value> yields, phases;
    for (auto [index, ring] : llvm::enumerate(rings)) {
      auto [copyStage, useStage, tiles] = ring;
      auto write = emitNext(body, carried[2 * index], ends[index], earlySlot(copyStage));
      auto read = emitNext(body, carried[2 * index + 1], ends[index], earlySlot(useStage));
      Counters &found = counters[ring];
      found = {write.back()->getResult(0), read.back()->getResult(0), Value()};
      yields.append({found.written, found.read});
      if (!hasPhase[index])
        continue;
      Value phase = carried[2 * rings.size() + phases.size()];
      phases.push_back(found.phase = emitPhase(body, phase, read, earlySlot(useStage)));
    }
    yields.append(phases);
    return yields;
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, inits, /*replaceInitOperandUsesInLoop=*/false, emitYields));
  if (!keepRings)
    return;
  ResultRange results = loop.getResults().take_back(inits.size());
  SmallVector<Value> last;
  for (size_t ring = 0; ring < rings.size(); ++ring)
    last.push_back(results[2 * ring + 1]);
  llvm::append_range(last, results.drop_front(2 * rings.size()));
  returnAround(last);
}

void LoopPipeliner::emitAt(Slot slot, std::optional<unsigned> bucket, function_ref<void()> emit) {
  Block *block = b.getInsertionBlock();
  Operation *before =
      b.getInsertionPoint() == block->begin() ? nullptr : &*std::prev(b.getInsertionPoint());
  emit();
  auto first = before ? std::next(before->getIterator()) : block->begin();
  for (Operation &op : llvm::make_range(first, b.getInsertionPoint())) {
    schedule[&op] = slot;
    if (bucket)
      buckets[&op] = *bucket;
  }
}

/// Replaces the loads of a ring by copies that its barriers guard. All come where the last load
/// was: the coordinates of all are known there.
void LoopPipeliner::copyTiles(TileRing &ring) {
  SmallVector<CopiedLoad *> tiles;
  for (CopiedLoad &copied : copies)
    if (auto found = tileRingOf.find(copied.load);
        found != tileRingOf.end() && &tileRings[found->second] == &ring)
      tiles.push_back(&copied);
  CopiedLoad *last = *llvm::max_element(
      tiles, [](CopiedLoad *x, CopiedLoad *y) { return x->load->isBeforeInBlock(y->load); });
  Location loc = last->load->getLoc();
  const Counters &numbers = counters[ringOf(*last)];
  Slot slot = schedule.lookup(last->load);
  b.setInsertionPoint(last->load);
  emitAt({maxStage, slot.cluster}, 2 + slot.cluster,
         [&] { ring.emitHandshake(b, loc, numbers.read, numbers.phase); });
  emitAt(slot, std::nullopt, [&] {
    Value barrier = ring.emitExpect(b, loc, numbers.written);
    Value always = arith::ConstantIntOp::create(b, loc, 1, 1);
    for (CopiedLoad *copied : tiles) {
      auto tile = ttg::MemDescIndexOp::create(b, loc, copied->plan.tileType(copied->load),
                                              copied->buffer, numbers.written);
      ring.engine->copy(b, cast<tt::DescriptorLoadOp>(copied->load), tile, barrier, always);
    }
  });
  b.setInsertionPoint(ring.firstReader);
  emitAt(earlySlot(maxStage), std::nullopt,
         [&] { ring.emitAwait(b, loc, numbers.read, numbers.phase); });
}

void LoopPipeliner::copy(CopiedLoad &copied) {
  if (copied.plan.isTileCopy)
    return;
  auto load = cast<tt::LoadOp>(copied.load);
  Slot slot = schedule.lookup(load);
  b.setInsertionPoint(load);
  Value number = counters[ringOf(copied)].written;
  auto tile = at(ttg::MemDescIndexOp::create(b, load.getLoc(), copied.plan.tileType(load),
                                             copied.buffer, number),
                 slot);
  auto copy = ttg::AsyncCopyGlobalToLocalOp::create(
      b, load.getLoc(), ttg::AsyncTokenType::get(b.getContext()), load.getPtr(), tile,
      load.getMask(), /*other=*/Value(), load.getCache(), load.getEvict(),
      /*isVolatile=*/false, copied.plan.contiguity);
  if (copied.plan.hasPrefixMask)
    copy->setAttr(kPrefixMaskAttr, b.getUnitAttr());
  at(copy, slot);
}

/// Returns whether all bits of all elements are zero.
static bool isZeroConstant(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().bitcastToAPInt().isZero();
  return elements.getSplatValue<APInt>().isZero();
}

/// Returns whether masked elements of the load have another value than zero, which is what a copy
/// writes for them.
static bool hasOther(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return load && load.getMask() && load.getOther() && !isZeroConstant(load.getOther());
}

/// Returns whether a read of the buffer replaces `user`, a conversion or a buffer of the load's
/// value. If masked elements are not zero, a select has to precede the user, in the load's layout.
static bool isPartOfRead(Operation *user, Operation *load) {
  return !hasOther(load) && isa<ttg::ConvertLayoutOp, ttg::LocalAllocOp>(user) &&
         user->getBlock() == load->getBlock();
}

/// Returns the first op of the body that needs the load's value.
Operation *LoopPipeliner::firstUser(Operation *load) {
  Operation *first = loop.getBody()->getTerminator();
  auto consider = [&](Operation *user) {
    Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
    if (op && op->isBeforeInBlock(first) && op != load)
      first = op;
  };
  for (Operation *user : load->getUsers()) {
    if (isPartOfRead(user, load))
      llvm::for_each(user->getUsers(), consider);
    else
      consider(user);
  }
  return first;
}

/// Returns the first op of the body that reads the load's buffer: views do not.
Operation *LoopPipeliner::firstReader(Operation *load) {
  Operation *first = loop.getBody()->getTerminator();
  SmallVector<Operation *> work(load->getUsers());
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    if (isPartOfRead(user, load) || isa<ViewLikeOpInterface>(user)) {
      llvm::append_range(work, user->getUsers());
      continue;
    }
    Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
    if (op && op->isBeforeInBlock(first))
      first = op;
  }
  return first;
}

void LoopPipeliner::read(CopiedLoad &copied) {
  Operation *load = copied.load;
  Location loc = load->getLoc();
  Operation *user = firstUser(load);
  Slot slot = earlySlot(copied.useStage);
  b.setInsertionPoint(user);
  Value number = counters[ringOf(copied)].read;
  auto tile = at(
      ttg::MemDescIndexOp::create(b, loc, copied.plan.tileType(load), copied.buffer, number), slot);
  Operation *wait = copied.plan.isTileCopy ? nullptr : waits.lookup(copied.useStage);
  Value token = wait ? wait->getResult(0) : Value();
  SmallVector<ttg::LocalLoadOp> values;
  auto readAs = [&](Type type) -> Value {
    for (ttg::LocalLoadOp value : values)
      if (value.getType() == type)
        return value;
    values.push_back(at(ttg::LocalLoadOp::create(b, loc, type, tile, token), slot));
    return values.back();
  };
  for (OpOperand &use : llvm::make_early_inc_range(load->getUses())) {
    Operation *owner = use.getOwner();
    if (isPartOfRead(owner, load)) {
      bool isAlloc = isa<ttg::LocalAllocOp>(owner);
      owner->getResult(0).replaceAllUsesWith(isAlloc ? tile.getResult()
                                                     : readAs(owner->getResult(0).getType()));
      schedule.erase(owner);
      b.eraseOp(owner);
      continue;
    }
    use.set(readAs(load->getResult(0).getType()));
  }
  if (hasOther(load))
    for (ttg::LocalLoadOp value : values)
      keepOthers(copied, value);
  schedule.erase(load);
  b.eraseOp(load);
}

/// Replaces the zeros that were copied for masked elements by the load's `other`.
void LoopPipeliner::keepOthers(CopiedLoad &copied, ttg::LocalLoadOp value) {
  b.setInsertionPointAfter(value);
  auto load = cast<tt::LoadOp>(copied.load);
  auto select =
      at(arith::SelectOp::create(b, value.getLoc(), load.getMask(), value, load.getOther()),
         schedule.lookup(value));
  b.replaceAllUsesExcept(value, select, select);
}

//===----------------------------------------------------------------------===//
// Groups and waits
//===----------------------------------------------------------------------===//

/// Commits one group for all copies of an iteration, after the last of them. Stage 0 runs in every
/// iteration of the prologue and of the loop, so each has exactly one group.
void LoopPipeliner::commit() {
  Slot slot{0, 0};
  for (const CopiedLoad &copied : copies)
    if (!copied.plan.isTileCopy)
      slot.cluster = std::max(slot.cluster, schedule.lookup(copied.load).cluster);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  at(ttg::AsyncCommitGroupOp::create(b, loop.getLoc(), ValueRange()), slot);
}

/// Inserts a wait at the start of the iteration for each stage that reads. The newest group that
/// the stage reads decides how many may stay in flight.
void LoopPipeliner::wait() {
  b.setInsertionPointToStart(loop.getBody());
  for (const CopiedLoad &copied : copies) {
    if (copied.plan.isTileCopy)
      continue;
    unsigned underWay = copied.useStage - copied.copyStage - 1;
    Operation *&op = waits[copied.useStage];
    if (!op)
      op = at(ttg::AsyncWaitOp::create(b, loop.getLoc(), ValueRange(), underWay),
              earlySlot(copied.useStage));
    auto wait = cast<ttg::AsyncWaitOp>(op);
    wait.setNum(std::min<unsigned>(wait.getNum(), underWay));
  }
}

std::vector<std::pair<Operation *, unsigned>> LoopPipeliner::order() {
  // Waits come first, so that the barrier after them orders all accesses that follow. If slots are
  // refilled last, the last stage comes before the others; if they are refilled behind the first
  // dot, its beginning does.
  std::map<unsigned, SmallVector<Operation *>> byCluster;
  bool isBeginning = refillsLast || refillsAfterFirstDot;
  for (Operation &op : loop.getBody()->without_terminator()) {
    Slot slot = schedule.lookup(&op);
    bool isFirst = isBeginning && slot.stage == maxStage;
    auto given = buckets.find(&op);
    unsigned bucket = given != buckets.end()      ? given->second
                      : isa<ttg::AsyncWaitOp>(op) ? 0
                      : isFirst                   ? 1
                                                  : 2 + slot.cluster;
    byCluster[bucket].push_back(&op);
    if (refillsAfterFirstDot && slot.stage == maxStage && isa<ttg::BufferedDotOpInterface>(op))
      isBeginning = false;
  }
  std::vector<std::pair<Operation *, unsigned>> ordered;
  for (auto &[cluster, ops] : byCluster)
    for (Operation *op : ops)
      ordered.push_back({op, schedule.lookup(op).stage});
  return ordered;
}

//===----------------------------------------------------------------------===//
// Prologue and loop
//===----------------------------------------------------------------------===//

LogicalResult LoopPipeliner::expand() {
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &result) {
    result = order();
  };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  options.predicateFn = [](RewriterBase &rewriter, Operation *op, Value predicate) {
    return predicateOp(rewriter, op, predicate);
  };
  b.setInsertionPoint(loop);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(b, loop, options);
  if (failed(pipelined))
    return failure();
  loop = *pipelined;
  return success();
}

/// Merges waits without memory effects in between into one, with the smallest count.
static void mergeWaits(Block *block, IRRewriter &b) {
  ttg::AsyncWaitOp last;
  for (Operation &op : llvm::make_early_inc_range(*block)) {
    auto wait = dyn_cast<ttg::AsyncWaitOp>(op);
    if (!wait) {
      if (!isMemoryEffectFree(&op))
        last = {};
      continue;
    }
    if (last) {
      last.setNum(std::min(last.getNum(), wait.getNum()));
      b.replaceOp(wait, last);
    } else {
      last = wait;
    }
  }
}

void LoopPipeliner::finish() {
  mergeWaits(loop.getBody(), b);
  mergeWaits(loop->getBlock(), b);
  if (copies.empty())
    return;
  loop->setAttr(kPipelinedAttr, b.getUnitAttr());
  // Copies for iterations that do not exist write zeros: their tiles must not be reused before
  // that.
  b.setInsertionPointAfter(outermostLoop());
  if (!waits.empty())
    ttg::AsyncWaitOp::create(b, loop.getLoc(), ValueRange(), 0);
  // A loop around this one makes the barriers again.
  if (!keepRings && loop->getParentOfType<LoopLikeOpInterface>())
    for (const TileRing &ring : tileRings)
      ring.end(b, loop.getLoc());
  for (const CopiedLoad &copied : copies)
    ttg::LocalDeallocOp::create(b, loop.getLoc(), copied.buffer);
}

LogicalResult LoopPipeliner::run() {
  findCopies();
  if (!copies.empty()) {
    allocate();
    addCounters();
    wait();
    for (CopiedLoad &copied : copies)
      copy(copied);
    for (TileRing &ring : tileRings)
      copyTiles(ring);
    if (!waits.empty())
      commit();
    for (CopiedLoad &copied : copies)
      read(copied);
  }
  rematerializeAcrossStages(loop, schedule, b);
  if (failed(expand()))
    return loop.emitError("cannot run the stages of this loop side by side");
  finish();
  return success();
}

void Pipeline::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<scf::ForOp> loops;
  module.walk([&](scf::ForOp loop) {
    if (loop->hasAttr(kMaxStageAttr))
      loops.push_back(loop);
  });
  if (loops.empty())
    return;
  AxisInfoAnalysis axes(module);
  if (!axes.isValid()) {
    module.emitError("the axis analysis failed");
    return signalPassFailure();
  }
  IRRewriter b(&getContext());
  CopySizes sizes{minCopyBytes, maxCopyBytes};
  for (scf::ForOp loop : loops) {
    bool keepRings = loop->getParentOfType<tt::FuncOp>()->hasAttr(kSeparateCopiesAttr);
    unsigned maxStage = 0;
    std::optional<Schedule> schedule = takeSchedule(loop, maxStage);
    if (!schedule)
      continue;
    LoopPipeliner pipeliner(loop, std::move(*schedule), maxStage, axes, sizes, keepRings, b);
    if (failed(pipeliner.run()))
      return signalPassFailure();
  }
}
