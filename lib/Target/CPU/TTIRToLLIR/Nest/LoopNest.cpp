//===- LoopNest.cpp - lower a fused group to loops -----------------------===//
// See LoopNest.h. A group becomes one nest for each shape. A nest is emitted with all facts about
// its accesses and, if these must be checked at run time, a second time as a slow version that
// assumes nothing. Cost: linear in the ops of the group; the slow version doubles the code.
//===----------------------------------------------------------------------===//
#include "LoopNest.h"
#include "NestEmitter.h"
#include "NestGuards.h"
#include "llvm/ADT/MapVector.h"
#include "../Lanes/MemoryAccess.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

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
    // Guards are combined a few at a time: LLVM takes cubic time to simplify one long conjunction.
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
    // Every order of the loads is correct if there are no stores, and only the addresses must be
    // checked.
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
      if (loops.extents[loop] > 1)
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
      evaluator.addLoad(accesses[0]);
  }
  for (unsigned loop = 0; loop < nest.shape.size(); ++loop)
    if (nest.shape[loop] > 1)
      order.push_back(loop);
  emitLoops(0);
}

/// Emits the anchors one by one in program order, with loads stored in tiles.
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
    branch(b.compare(Int::eq, b.addressOf(memory), 0), context.outOfMemory(), {}, enough, {});
    context.builder.setInsertionPointToEnd(enough);
  }
  KernelContext::TileMap tilesBefore = context.saveTiles();
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
    context.setTile(loaded, tile);
  }
  // No other access touches the program's memory once the loads are in tiles.
  Nest rest;
  rest.shape = nest.shape;
  rest.reductions = nest.reductions;
  for (auto [value, tile] : nest.outputs)
    if (context.tile(value) != tile)
      rest.outputs.push_back({value, tile});
  if (!rest.outputs.empty() || !rest.reductions.empty())
    NestEmitter(context, rest, loc).emitLiterally(nullptr);
  context.restoreTiles(std::move(tilesBefore));
  if (memory)
    context.callFree(b, memory);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Reserves tiles for the results of a reduction, or a variable for a scalar.
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
      context.setTile(result, address);
    else
      context.setScalar(result, emitLoad(b, MemoryAccess{result.getType(), address, {}}, {}));
  }
}

void tessera::cpu::emitGroup(KernelContext &context, const FusedGroup &group,
                             ArrayRef<Value> destinations, Location loc) {
  LaneBuilder b(context.builder, loc);
  // Tiles whose shapes differ from the anchors' come first, with a nest per shape.
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
    Value tile = context.tile(value);
    for (auto [made, place] : newTiles)
      tile = made == value ? place : tile;
    if (tile != destination) // otherwise it was computed at its destination
      nestFor(value).outputs.push_back({value, destination});
  }

  for (auto &[shape, nest] : nests) {
    llvm::append_range(nest.shape, shape);
    NestEmitter(context, nest, loc).emitFused();
  }
  for (auto [value, tile] : newTiles)
    if (!main.tileOf(value))
      context.setTile(value, tile);
  for (Operation *anchor : group.anchors) {
    if (auto store = dyn_cast<tt::StoreOp>(anchor))
      main.stores.push_back(store);
    if (auto reduce = dyn_cast<tt::ReduceOp>(anchor))
      main.reductions.push_back(reserveResults(context, b, reduce));
  }
  if (!main.stores.empty() || !main.reductions.empty() || !main.outputs.empty())
    NestEmitter(context, main, loc).emitFused();
  for (auto [value, tile] : newTiles)
    context.setTile(value, tile);
  for (const Reduction &reduction : main.reductions)
    bindResults(context, b, reduction);
}

Value tessera::cpu::emitElementAt(KernelContext &context, Value tensor, ArrayRef<Value> indices) {
  NestLoops loops(shapeOf(tensor));
  TileEvaluator evaluator(context, loops);
  if (indices.empty())
    return evaluator.evaluate(tensor, originIndex(shapeOf(tensor).size()));
  loops.indices.assign(indices.begin(), indices.end());
  return evaluator.evaluate(tensor, identityIndex(shapeOf(tensor)));
}
