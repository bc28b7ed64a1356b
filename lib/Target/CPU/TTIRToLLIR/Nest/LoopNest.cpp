//===- LoopNest.cpp - a fused group as loops ------------------------------===//
// See LoopNest.h. In order: which values a nest involves, what is known of
// its accesses, how wide its vectors are, its loops, its slow twin.
// Cost: linear in the ops of the group; the slow twin doubles the code.
//===----------------------------------------------------------------------===//
#include "LoopNest.h"
#include "NestGuards.h"
#include "Reduce.h"
#include "TileEvaluator.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "../Lanes/MemoryAccess.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

namespace {

//===----------------------------------------------------------------------===//
// What a nest does
//===----------------------------------------------------------------------===//

/// Stores, reductions, and values written to tiles, of one shape. Loads come
/// along where these need them.
struct Nest {
  SmallVector<int64_t> shape;
  SmallVector<tt::StoreOp> stores; // in program order
  SmallVector<Reduction> reductions;
  SmallVector<std::pair<Value, Value>> outputs; // a tensor and its tile

  Value tileOf(Value value) const {
    for (auto [output, tile] : outputs)
      if (output == value)
        return tile;
    return {};
  }
};

class NestEmitter {
public:
  NestEmitter(KernelContext &context, const Nest &nest, Location loc)
      : context(context), nest(nest), loc(loc), b(context.builder, loc),
        evaluator(context, nest.shape), reducer(evaluator, nest.reductions) {}

  void emitFused();
  /// The same nest with nothing known of addresses and masks; without vectors
  /// where it will hardly ever run.
  void emitGeneral(bool vectors);
  /// A load, a store (or null, for reductions and other outputs) by itself, one
  /// element after the other, nothing assumed.
  void emitLiterally(Operation *access);

private:
  void analyze(AffineBuilder *affine, AffineBuilder::ScalarLookup scalars);
  void mergeLoops();
  void chooseVectors();
  void emitLoops(unsigned position);
  void emitChunks();
  void emitPeeledChunks();
  void emitBody(BodyKind kind);
  const NestAccess *findStreamedStore() const;
  std::pair<Value, Value> hullOf(unsigned loop);
  std::pair<Value, Value> fullRange();
  Value wantsStreaming();
  Block *newBlock();
  void jump(Block *to, ValueRange args = {}) { LLVM::BrOp::create(context.builder, loc, args, to); }
  void branch(Value condition, Block *yes, ValueRange yesArgs, Block *no, ValueRange noArgs) {
    LLVM::CondBrOp::create(context.builder, loc, condition, yes, yesArgs, no, noArgs);
  }
  void emitSlowTwin();

  KernelContext &context;
  const Nest &nest;
  Location loc;
  LaneBuilder b;
  TileEvaluator evaluator;
  ReductionEmitter reducer;
  std::vector<NestAccess> accesses; // stores, and loads they need; in program order
  SmallVector<unsigned> order;      // loops from the outside in
};

} // namespace

static TileIndex accessIndex(Operation *access) {
  return identityIndex(shapeOf(access->getOperand(0)));
}

static SmallVector<TileElement> rootsOf(const Nest &nest) {
  SmallVector<TileElement> roots;
  TileIndex index = identityIndex(nest.shape);
  for (auto [value, tile] : nest.outputs)
    roots.push_back({value, index});
  for (tt::StoreOp store : nest.stores)
    for (Value operand : store->getOperands())
      roots.push_back({operand, index});
  for (const Reduction &reduction : nest.reductions)
    for (Value operand : reduction.op->getOperands())
      roots.push_back({operand, index});
  return roots;
}

Block *NestEmitter::newBlock() {
  OpBuilder::InsertionGuard guard(context.builder);
  Region *region = context.builder.getBlock()->getParent();
  return context.builder.createBlock(region, region->end());
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The intersection of a mask's bounds per loop.
static void fillBox(LaneBuilder &b, NestAccess &access, unsigned loops) {
  access.box.resize(loops);
  for (const LoopBound &bound : access.mask.bounds) {
    auto &[begin, end] = access.box[bound.loop];
    begin = begin ? b.signedMax(begin, bound.begin) : bound.begin;
    end = end ? b.signedMin(end, bound.end) : bound.end;
  }
}

void NestEmitter::analyze(AffineBuilder *affine, AffineBuilder::ScalarLookup scalars) {
  auto isReady = [&](Value value) { return context.tiles.contains(value); };
  SmallVector<LoadUse> loads = collectLoads(rootsOf(nest), isReady);
  AffineBuilder trial(nullptr, scalars, nest.shape);
  auto add = [&](Operation *op, const TileIndex &index, Value mask) {
    NestAccess access{op, index, std::nullopt, {}, {}};
    if (affine)
      access.mask = affine->mask(mask, index);
    else if (mask)
      access.mask.rest.push_back({mask, index});
    // Only forms that come out whole may leave guards behind.
    if (affine && trial.form(op->getOperand(0), index))
      access.address = affine->form(op->getOperand(0), index);
    fillBox(b, access, nest.shape.size());
    accesses.push_back(std::move(access));
  };
  for (LoadUse &use : loads)
    add(use.load, use.index, use.load.getMask());
  for (tt::StoreOp store : nest.stores)
    add(store, accessIndex(store), store.getMask());
  llvm::sort(accesses, [](const NestAccess &x, const NestAccess &y) {
    return x.op->getBlock() == y.op->getBlock() && x.op->isBeforeInBlock(y.op);
  });
  for (const NestAccess &access : accesses)
    if (!access.isStore())
      evaluator.facts[{access.op->getResult(0), access.index}] = &access;
}

/// The loops that walk a tensor, in the order of its tile; -1 for a dimension
/// that none walks, which neighbours cannot reach across.
static SmallVector<int> walkOf(const KernelContext &context, const TileElement &element) {
  SmallVector<int> walk;
  for (auto [loop, extent] : llvm::zip(element.index, shapeOf(element.value)))
    if (extent != 1)
      walk.push_back(loop < 0 ? -1 : loop);
  if (context.columnMajor.contains(element.value) && walk.size() > 1)
    std::swap(walk[walk.size() - 1], walk[walk.size() - 2]);
  return walk;
}

/// Two loops that everything in the nest walks together, one right inside the
/// other, are one loop over the elements of both. The outer one stays at 0.
void NestEmitter::mergeLoops() {
  SmallVector<SmallVector<int>> walks;
  DenseSet<TileElement> seen;
  auto operandsOf = [&](const TileElement &element) {
    if (context.tiles.contains(element.value))
      return SmallVector<TileElement>();
    SmallVector<TileElement> operands = tensorOperands(element);
    if (auto load = element.value.getDefiningOp<tt::LoadOp>())
      for (Value operand : load->getOperands())
        operands.push_back({operand, element.index});
    return operands;
  };
  auto addWalks = [&](const TileElement &root, auto operandsOf) {
    forOperandsFirst(
        root, [&](const TileElement &e) { return seen.contains(e); }, operandsOf,
        [&](const TileElement &e) {
          seen.insert(e);
          walks.push_back(walkOf(context, e));
        });
  };
  // Addresses and masks that are sums of the loops' indices are computed from
  // those, also where a part of them lies in memory.
  for (const NestAccess &access : accesses) {
    if (access.address)
      addWalks({access.op->getOperand(0), access.index}, tensorOperands);
    for (Value operand : access.op->getOperands())
      if (!access.mask.bounds.empty() && getElementTypeOrSelf(operand.getType()).isInteger(1))
        addWalks({operand, access.index}, tensorOperands);
  }
  for (const TileElement &root : rootsOf(nest))
    addWalks(root, operandsOf);
  auto walksBoth = [](ArrayRef<int> walk, int outer, int inner) {
    auto at = llvm::find(walk, outer);
    if (at == walk.end())
      return !llvm::is_contained(walk, inner);
    return at + 1 != walk.end() && *(at + 1) == inner;
  };
  auto isReduced = [&](int loop) {
    return llvm::any_of(nest.reductions,
                        [&](Reduction reduction) { return int(reduction.op.getAxis()) == loop; });
  };
  int outer = -1;
  for (int loop = 0; loop < int(nest.shape.size()); ++loop) {
    if (nest.shape[loop] == 1)
      continue;
    bool together =
        outer >= 0 && !isReduced(outer) && !isReduced(loop) &&
        llvm::all_of(walks, [&](ArrayRef<int> walk) { return walksBoth(walk, outer, loop); });
    if (together) {
      evaluator.extents[loop] *= evaluator.extents[outer];
      evaluator.extents[outer] = 1;
      evaluator.indices[outer] = b.i64(0);
    }
    outer = loop;
  }
}

/// The loop along which most accesses are consecutive (the last one of equals)
/// becomes the vector loop; its width comes from the widest type computed with.
void NestEmitter::chooseVectors() {
  int best = -1, bestCount = -1;
  for (unsigned loop = 0; loop < nest.shape.size(); ++loop) {
    if (evaluator.extents[loop] == 1)
      continue;
    int count = llvm::count_if(
        accesses, [&](const NestAccess &access) { return access.isConsecutive(loop); });
    if (count >= bestCount) {
      best = loop;
      bestCount = count;
    }
  }
  for (unsigned loop = 0; loop < nest.shape.size(); ++loop)
    if (evaluator.extents[loop] > 1 && static_cast<int>(loop) != best)
      order.push_back(loop);
  if (best >= 0) {
    order.push_back(best);
    unsigned bits = 32;
    bool simple = true; // plain vector accesses only: two registers' worth at a time
    for (const NestAccess &access : accesses) {
      bits = std::max(bits, 8 * elementBytes(access.pointee()));
      simple &= access.isConsecutive(best) || !llvm::is_contained(access.index, best);
    }
    auto consider = [&](Value value) {
      bits = std::max(bits, 8 * elementBytes(getElementTypeOrSelf(value.getType())));
    };
    for (auto [value, tile] : nest.outputs)
      consider(value);
    for (const Reduction &reduction : nest.reductions)
      llvm::for_each(reduction.op->getOperands(), consider);
    unsigned lanes = context.spec.vectorBits / bits * (simple ? 2 : 1);
    evaluator.vectorLoop = best;
    evaluator.prefetchesAhead = evaluator.extents[best] * (bits / 8) >= 4096;
    evaluator.lanes = static_cast<unsigned>(std::min<int64_t>(lanes, evaluator.extents[best]));
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void NestEmitter::emitBody(BodyKind kind) {
  evaluator.beginBody(kind);
  // Program order, whatever order uses would ask in: a load must not slip
  // behind a store to the same element.
  for (const NestAccess &access : accesses) {
    if (access.isStore()) {
      evaluator.store(access);
      continue;
    }
    evaluator.evaluate(access.op->getResult(0), access.index);
  }
  for (auto [value, tile] : nest.outputs)
    evaluator.writeTile(value, identityIndex(nest.shape), tile);
  reducer.accumulate();
}

/// The part of a loop in which anything is written.
std::pair<Value, Value> NestEmitter::hullOf(unsigned loop) {
  Value first, last;
  Value none = b.i64(0), all = b.i64(evaluator.extents[loop]);
  if (!nest.outputs.empty() || !nest.reductions.empty())
    return {none, all};
  for (const NestAccess &access : accesses) {
    if (!access.isStore())
      continue;
    auto [begin, end] = access.box[loop];
    begin = begin ? begin : none;
    end = end ? end : all;
    for (Value condition : access.mask.conditions)
      end = b.select(condition, end, none);
    first = first ? b.signedMin(first, begin) : begin;
    last = last ? b.signedMax(last, end) : end;
  }
  return {first, last};
}

void NestEmitter::emitLoops(unsigned position) {
  if (position == 0)
    reducer.begin();
  if (position == order.size())
    return emitBody(BodyKind::Masked);
  unsigned loop = order[position];
  evaluator.depths[loop] = position + 1;
  if (evaluator.lanes && static_cast<int>(loop) == evaluator.vectorLoop) {
    reducer.beginRow();
    emitChunks();
    return reducer.endRow();
  }
  auto [first, last] = hullOf(loop);
  Block *header = newBlock(), *body = newBlock(), *exit = newBlock();
  Value index = header->addArgument(context.builder.getI64Type(), loc);
  evaluator.points.push_back(LLVM::BrOp::create(context.builder, loc, first, header));
  context.builder.setInsertionPointToEnd(header);
  branch(b.compare(Int::slt, index, last), body, {}, exit, {});
  context.builder.setInsertionPointToEnd(body);
  evaluator.indices[loop] = index;
  emitLoops(position + 1);
  jump(header, b.add(index, 1));
  context.builder.setInsertionPointToEnd(exit);
}

/// The store whose address decides where chunks begin: aligned vectors do not
/// straddle cache lines and may bypass the caches. Worth it for long rows only.
const NestAccess *NestEmitter::findStreamedStore() const {
  unsigned loop = evaluator.vectorLoop;
  // The lanes outside of the tile that alignment brings must not be reduced.
  if (!context.spec.streamingStores || evaluator.extents[loop] < 8 * int64_t(evaluator.lanes) ||
      !nest.reductions.empty())
    return nullptr;
  auto store = llvm::find_if(accesses, [&](const NestAccess &access) {
    return access.isStore() && access.isConsecutive(loop);
  });
  return store == accesses.end() ? nullptr : &*store;
}

void NestEmitter::emitChunks() {
  bool masked = llvm::any_of(accesses, [&](const NestAccess &access) {
    return !access.mask.bounds.empty() || !access.mask.conditions.empty();
  });
  if (masked || findStreamedStore())
    return emitPeeledChunks();
  unsigned loop = evaluator.vectorLoop;
  Block *body = newBlock();
  if (evaluator.extents[loop] == int64_t(evaluator.lanes)) { // one chunk is no loop
    evaluator.indices[loop] = b.i64(0);
    evaluator.points.push_back(LLVM::BrOp::create(context.builder, loc, ValueRange(), body));
    context.builder.setInsertionPointToEnd(body);
    return emitBody(BodyKind::Full);
  }
  Block *exit = newBlock();
  Value index = body->addArgument(context.builder.getI64Type(), loc);
  evaluator.points.push_back(LLVM::BrOp::create(context.builder, loc, b.i64(0), body));
  context.builder.setInsertionPointToEnd(body);
  evaluator.indices[loop] = index;
  emitBody(BodyKind::Full);
  Value next = b.add(index, int64_t(evaluator.lanes));
  branch(b.compare(Int::slt, next, evaluator.extents[loop]), body, next, exit, {});
  context.builder.setInsertionPointToEnd(exit);
}

/// The part of the vector loop in which no bound of any access is in the way;
/// empty in rows where one is.
std::pair<Value, Value> NestEmitter::fullRange() {
  unsigned vectorLoop = evaluator.vectorLoop;
  Value begin = b.i64(0), end = b.i64(evaluator.extents[vectorLoop]), inside;
  auto require = [&](Value condition) {
    inside = inside ? b.bitAnd(inside, condition) : condition;
  };
  for (const NestAccess &access : accesses) {
    if (!llvm::is_contained(access.index, vectorLoop))
      continue; // computed once per row, with its own mask
    for (Value condition : access.mask.conditions)
      require(condition);
    for (auto [loop, bounds] : llvm::enumerate(access.box)) {
      if (!bounds.first)
        continue;
      if (loop == vectorLoop) {
        begin = b.signedMax(begin, bounds.first);
        end = b.signedMin(end, bounds.second);
        continue;
      }
      require(b.compare(Int::sge, evaluator.indices[loop], bounds.first));
      require(b.compare(Int::slt, evaluator.indices[loop], bounds.second));
    }
  }
  return {begin, inside ? b.select(inside, end, b.i64(0)) : end};
}

/// Whether what the launch writes is too much for the caches, and all vectors
/// that would bypass them are aligned when the first chunk is.
Value NestEmitter::wantsStreaming() {
  uint64_t bytes = 0;
  Value aligned;
  for (const NestAccess &access : accesses) {
    if (!access.isStore() || !access.isConsecutive(evaluator.vectorLoop))
      continue;
    bytes += elementBytes(access.pointee());
    Value address = b.bitAnd(b.addressOf(evaluator.firstAddress(access)), 63);
    aligned = aligned ? b.bitOr(aligned, address) : address;
  }
  for (int64_t extent : nest.shape)
    bytes *= extent;
  Value enough =
      b.compare(Int::ugt, context.programCount, int64_t(context.spec.streamingBytes / bytes));
  return b.bitAnd(enough, b.compare(Int::eq, aligned, 0));
}

void NestEmitter::emitPeeledChunks() {
  OpBuilder &builder = context.builder;
  unsigned loop = evaluator.vectorLoop;
  int64_t lanes = evaluator.lanes;
  Type i64 = builder.getI64Type();

  // Once per row: where to begin and end, and where masks are idle.
  auto [first, last] = hullOf(loop);
  auto [fullBegin, fullEnd] = fullRange();
  const NestAccess *streamed = findStreamedStore();
  Value start, streaming;
  if (streamed) {
    evaluator.mayOverhang = true;
    evaluator.indices[loop] = first;
    Value misaligned = b.bitAnd(b.addressOf(evaluator.firstAddress(*streamed)), 63);
    unsigned size = elementBytes(streamed->pointee());
    start = b.sub(first, b.shiftRight(misaligned, int64_t(llvm::Log2_32(size))));
    evaluator.indices[loop] = start;
    streaming = wantsStreaming();
    context.streams = true;
  } else {
    start = b.bitAnd(first, -lanes); // whole chunks stay inside the tile
  }

  Block *header = newBlock(), *choose = newBlock(), *full = newBlock();
  Block *stream = streamed ? newBlock() : nullptr, *masked = newBlock(), *exit = newBlock();
  Value at = header->addArgument(i64, loc);
  evaluator.points.push_back(LLVM::BrOp::create(builder, loc, start, header));
  builder.setInsertionPointToEnd(header);
  branch(b.compare(Int::slt, at, last), choose, {}, exit, {});

  builder.setInsertionPointToEnd(choose);
  auto fits = [&](Value index) { return b.compare(Int::sle, b.add(index, lanes), fullEnd); };
  Value isFull = b.bitAnd(b.compare(Int::sge, at, fullBegin), fits(at));
  Block *fullEntry = full;
  if (stream) {
    fullEntry = newBlock();
    branch(isFull, fullEntry, {}, masked, {});
    builder.setInsertionPointToEnd(fullEntry);
    branch(streaming, stream, at, full, at);
  } else {
    branch(isFull, full, at, masked, {});
  }

  auto emitFull = [&](Block *block, BodyKind kind) {
    builder.setInsertionPointToEnd(block);
    Value index = block->addArgument(i64, loc);
    evaluator.indices[loop] = index;
    emitBody(kind);
    Value next = b.add(index, lanes);
    branch(fits(next), block, next, header, next);
  };
  emitFull(full, BodyKind::Full);
  if (stream)
    emitFull(stream, BodyKind::Streaming);

  builder.setInsertionPointToEnd(masked);
  evaluator.indices[loop] = at;
  emitBody(BodyKind::Masked);
  jump(header, b.add(at, lanes));
  builder.setInsertionPointToEnd(exit);
}

//===----------------------------------------------------------------------===//
// The two versions
//===----------------------------------------------------------------------===//

void NestEmitter::emitFused() {
  auto scalars = [&](Value value) { return context.scalar(value); };
  AffineBuilder affine(&b, scalars, nest.shape);
  analyze(&affine, scalars);
  mergeLoops();
  chooseVectors();
  SmallVector<Value> guards(affine.guards());
  emitAliasGuards(b, accesses, nest.shape, guards);
  Block *done = nullptr;
  if (!guards.empty()) {
    Block *fast = newBlock(), *slow = newBlock();
    done = newBlock();
    // A few at a time: LLVM takes cubic time to simplify one long conjunction.
    for (ArrayRef<Value> rest = guards; !rest.empty();) {
      ArrayRef<Value> some = rest.take_front(6);
      rest = rest.drop_front(some.size());
      Value all = some.front();
      for (Value guard : some.drop_front())
        all = b.bitAnd(all, guard);
      Block *next = rest.empty() ? fast : newBlock();
      branch(all, next, {}, slow, {});
      context.builder.setInsertionPointToEnd(next);
    }
    context.builder.setInsertionPointToEnd(slow);
    // Without stores any order will do, and only the addresses are in question.
    if (nest.stores.empty())
      NestEmitter(context, nest, loc).emitGeneral(affine.mayFailOften());
    else
      emitSlowTwin();
    jump(done);
    context.builder.setInsertionPointToEnd(fast);
  }
  emitLoops(0);
  if (done) {
    jump(done);
    context.builder.setInsertionPointToEnd(done);
  }
}

void NestEmitter::emitGeneral(bool vectors) {
  analyze(nullptr, [&](Value value) { return context.scalar(value); });
  mergeLoops();
  if (vectors) {
    chooseVectors();
  } else {
    for (unsigned loop = 0; loop < nest.shape.size(); ++loop)
      if (evaluator.extents[loop] > 1)
        order.push_back(loop);
  }
  emitLoops(0);
}

void NestEmitter::emitLiterally(Operation *op) {
  if (op) {
    NestAccess access{op, accessIndex(op), std::nullopt, {}, {}};
    Value mask =
        isa<tt::StoreOp>(op) ? cast<tt::StoreOp>(op).getMask() : cast<tt::LoadOp>(op).getMask();
    if (mask)
      access.mask.rest.push_back({mask, access.index});
    access.box.resize(nest.shape.size());
    accesses.push_back(std::move(access));
    if (isa<tt::LoadOp>(op))
      evaluator.facts[{op->getResult(0), accesses[0].index}] = &accesses[0];
  }
  for (unsigned loop = 0; loop < nest.shape.size(); ++loop)
    if (nest.shape[loop] > 1)
      order.push_back(loop);
  emitLoops(0);
}

/// Anchor by anchor in program order, loads through tiles.
void NestEmitter::emitSlowTwin() {
  llvm::SetVector<Operation *> ops;
  uint64_t bytes = 0;
  auto tensorType = [](Operation *load) {
    return cast<RankedTensorType>(load->getResult(0).getType());
  };
  for (const NestAccess &access : accesses)
    if (ops.insert(access.op) && !access.isStore() && !nest.tileOf(access.op->getResult(0)))
      bytes += KernelContext::tileBytes(tensorType(access.op));

  Value memory;
  if (bytes) {
    memory = context.callMalloc(b, b.i64(static_cast<int64_t>(bytes)));
    Block *enough = newBlock();
    branch(b.compare(Int::eq, b.addressOf(memory), 0), context.outOfMemory, {}, enough, {});
    context.builder.setInsertionPointToEnd(enough);
  }
  DenseMap<Value, Value> tilesBefore = context.tiles;
  uint64_t used = 0;
  for (Operation *op : ops) {
    Nest single;
    llvm::append_range(single.shape, shapeOf(op->getOperand(0)));
    if (auto store = dyn_cast<tt::StoreOp>(op)) {
      single.stores.push_back(store);
      NestEmitter(context, single, op->getLoc()).emitLiterally(op);
      continue;
    }
    Value loaded = op->getResult(0), tile = nest.tileOf(loaded);
    if (!tile) {
      tile = b.offset(memory, static_cast<int64_t>(used));
      used += KernelContext::tileBytes(tensorType(op));
    }
    single.outputs.push_back({loaded, tile});
    NestEmitter(context, single, op->getLoc()).emitLiterally(op);
    context.tiles[loaded] = tile;
  }
  // With the loads in tiles nothing else touches the program's memory.
  Nest rest;
  rest.shape = nest.shape;
  rest.reductions = nest.reductions;
  for (auto [value, tile] : nest.outputs)
    if (context.tiles.lookup(value) != tile)
      rest.outputs.push_back({value, tile});
  if (!rest.outputs.empty() || !rest.reductions.empty())
    NestEmitter(context, rest, loc).emitLiterally(nullptr);
  context.tiles = std::move(tilesBefore);
  if (memory)
    context.callFree(b, memory);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Room for the results of a reduction: tiles, or a variable for a scalar.
static Reduction reserveResults(KernelContext &context, LaneBuilder &b, tt::ReduceOp op) {
  Reduction reduction{op, {}};
  for (Value result : op->getResults())
    reduction.results.push_back(isTensor(result)
                                    ? context.reserveTile(b, result)
                                    : context.reserveSlot(storageType(result.getType())));
  return reduction;
}

static void bindResults(KernelContext &context, LaneBuilder &b, const Reduction &reduction) {
  for (auto [result, address] : llvm::zip(reduction.op->getResults(), reduction.results)) {
    if (isTensor(result))
      context.tiles[result] = address;
    else
      context.scalars[result] = emitLoad(b, MemoryAccess{result.getType(), address, {}}, {});
  }
}

void tessera::cpu::emitGroup(KernelContext &context, const FusedGroup &group,
                             ArrayRef<Value> destinations, Location loc) {
  LaneBuilder b(context.builder, loc);
  // Tiles of shapes that the anchors do not have come first, a nest per shape.
  llvm::MapVector<ArrayRef<int64_t>, Nest> nests;
  Nest main;
  main.shape = group.shape;
  auto nestFor = [&](Value value) -> Nest & {
    bool own = !group.hasShape() || shapeOf(value) != ArrayRef(group.shape);
    return own ? nests[shapeOf(value)] : main;
  };
  SmallVector<std::pair<Value, Value>> newTiles;
  for (Value value : group.tiles) {
    Value tile = context.reserveTile(b, value);
    nestFor(value).outputs.push_back({value, tile});
    newTiles.push_back({value, tile});
  }
  for (auto [value, destination] : llvm::zip(group.carried, destinations)) {
    Value tile = context.tiles.lookup(value);
    for (auto [made, place] : newTiles)
      tile = made == value ? place : tile;
    if (tile != destination) // else it was computed where it is wanted
      nestFor(value).outputs.push_back({value, destination});
  }

  for (auto &[shape, nest] : nests) {
    llvm::append_range(nest.shape, shape);
    NestEmitter(context, nest, loc).emitFused();
  }
  for (auto [value, tile] : newTiles)
    if (!main.tileOf(value))
      context.tiles[value] = tile;
  for (Operation *anchor : group.anchors) {
    if (auto store = dyn_cast<tt::StoreOp>(anchor))
      main.stores.push_back(store);
    if (auto reduce = dyn_cast<tt::ReduceOp>(anchor))
      main.reductions.push_back(reserveResults(context, b, reduce));
  }
  if (!main.stores.empty() || !main.reductions.empty() || !main.outputs.empty())
    NestEmitter(context, main, loc).emitFused();
  for (auto [value, tile] : newTiles)
    context.tiles[value] = tile;
  for (const Reduction &reduction : main.reductions)
    bindResults(context, b, reduction);
}

Value tessera::cpu::emitElementAt(KernelContext &context, Value tensor, ArrayRef<Value> indices) {
  TileEvaluator evaluator(context, shapeOf(tensor));
  if (indices.empty())
    return evaluator.evaluate(tensor, originIndex(shapeOf(tensor).size()));
  evaluator.indices.assign(indices.begin(), indices.end());
  return evaluator.evaluate(tensor, identityIndex(shapeOf(tensor)));
}
