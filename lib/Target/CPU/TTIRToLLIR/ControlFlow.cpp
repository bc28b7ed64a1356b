//===- ControlFlow.cpp - loops, conditionals and branches of a kernel -----===//
// Scalars become arguments of LLVM blocks. Tensors are handed on in tiles: a
// loop has two for each tensor that it carries, a conditional one for each
// result, a block one for each argument.
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"
#include "LoopNest.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Scalars are arguments of the block, tensors come through tiles: a branch
/// writes one, and the block begins by copying it, so that nobody reads a tensor
/// that somebody else is just passing on.
void KernelLowering::createBlock(Block &block) {
  SmallVector<Value> scalars;
  if (!block.isEntryBlock())
    llvm::copy_if(block.getArguments(), std::back_inserter(scalars), std::not_fn(isTensor));
  blocks[&block] = newBlock(convertTypes(ValueRange(scalars).getTypes()));
  bind(scalars, blocks[&block]->getArguments());
  for (Value argument : block.getArguments())
    if (isTensor(argument))
      incoming[argument] = context.reserveTile(b, cast<RankedTensorType>(argument.getType()));
}

void KernelLowering::receiveTensors(Block &block) {
  for (Value argument : block.getArguments()) {
    if (!isTensor(argument))
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    Value tile = context.reserveTile(b, type);
    Value bytes = b.i64(type.getNumElements() * elementBytes(type.getElementType()));
    LLVM::MemcpyOp::create(builder, loc, tile, incoming[argument], bytes, /*isVolatile=*/false);
    context.tiles[argument] = tile;
  }
}

/// The block arguments that the tensor operands of a branch become.
static SmallVector<Value> receivers(Operation *branch) {
  SmallVector<Value> arguments;
  for (Block *successor : branch->getSuccessors())
    llvm::copy_if(successor->getArguments(), std::back_inserter(arguments), isTensor);
  return arguments;
}

/// What was put in memory inside a region is not there on other ways through
/// the program.
void KernelLowering::lowerRegion(Region &region) {
  DenseMap<Value, Value> tiles = context.tiles;
  lowerBlock(region.front());
  context.tiles = std::move(tiles);
}

/// Says where the tensors that `op` carries are wanted. Those that the same
/// block makes are made there.
void KernelLowering::setDestinations(Operation *op, ArrayRef<Value> tiles) {
  destinations[op].assign(tiles.begin(), tiles.end());
  SmallVector<Value> carried = carriedTensors(op);
  for (auto [value, tile] : llvm::zip(carried, tiles)) {
    Operation *producer = value.getDefiningOp();
    bool here = producer && producer->getBlock() == op->getBlock();
    if (here && llvm::count(carried, value) == 1)
      context.destinations[value] = tile;
  }
}

void KernelLowering::emitGroups(Operation &before, ArrayRef<FusedGroup> groups) {
  // Where a loop begins it owns tiles; a conditional's and a body's end have
  // been told where to write.
  if (isa<scf::ForOp, scf::WhileOp, scf::ConditionOp>(before)) {
    SmallVector<Value> tiles;
    for (Value tensor : carriedTensors(&before))
      tiles.push_back(context.reserveTile(b, cast<RankedTensorType>(tensor.getType())));
    destinations[&before] = std::move(tiles);
  }
  if (isa<cf::BranchOp, cf::CondBranchOp>(before))
    for (Value argument : receivers(&before))
      destinations[&before].push_back(incoming[argument]);
  for (const FusedGroup &group : groups) {
    Operation *last = group.anchors.empty() ? &before : group.anchors.back();
    emitGroup(context, group, destinations.lookup(&before), last->getLoc());
  }
}

//===----------------------------------------------------------------------===//
// Structured control flow
//===----------------------------------------------------------------------===//

/// acc = dot(a, b, acc), and nobody else reads acc: a product adds to its
/// accumulator in place.
static bool isAccumulator(scf::ForOp op, unsigned position) {
  Value argument = op.getRegionIterArg(position), next = op.getYieldedValues()[position];
  auto dot = next.getDefiningOp<tt::DotOp>();
  return dot && dot->getBlock() == op.getBody() && dot.getC() == argument && argument.hasOneUse() &&
         next.hasOneUse();
}

/// A tensor that a loop carries alternates between two tiles: an iteration
/// reads one and writes the other.
void KernelLowering::lowerFor(scf::ForOp op) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Type> types = {convertElement(op.getInductionVar().getType())};
  SmallVector<Value> start = {context.scalar(op.getLowerBound())};
  ArrayRef<Value> tiles = destinations[op];
  for (auto [i, init] : llvm::enumerate(op.getInitArgs())) {
    if (!isTensor(init)) {
      types.push_back(convertElement(init.getType()));
      start.push_back(context.scalar(init));
      continue;
    }
    types.append(2, pointer);
    start.push_back(tiles.front());
    auto type = cast<RankedTensorType>(init.getType());
    start.push_back(isAccumulator(op, i) ? tiles.front() : context.reserveTile(b, type));
    tiles = tiles.drop_front();
  }
  Block *head = newBlock(types), *body = newBlock(), *exit = newBlock();
  Value last = context.scalar(op.getUpperBound()), step = context.scalar(op.getStep());
  jump(head, start);

  context.arena.enterLoop();
  builder.setInsertionPointToEnd(head);
  Value index = head->getArgument(0);
  context.scalars[op.getInductionVar()] = index;
  Operation *yield = op.getBody()->getTerminator();
  SmallVector<Value> nextTiles, currentTiles;
  unsigned position = 1;
  for (auto [inside, result] : llvm::zip(op.getRegionIterArgs(), op.getResults())) {
    auto &known = isTensor(inside) ? context.tiles : context.scalars;
    Value now = head->getArgument(position);
    known[inside] = now;
    known[result] = now;
    if (isTensor(inside)) {
      Value next = head->getArgument(position + 1);
      Value both[] = {start[position], start[position + 1]};
      context.arena.alias(now, both);
      context.arena.alias(next, both);
      currentTiles.push_back(now);
      nextTiles.push_back(next);
      ++position;
    }
    ++position;
  }
  setDestinations(yield, nextTiles);
  Int less = op.getUnsignedCmp() ? Int::ult : Int::slt;
  branch(b.compare(less, index, last), body, {}, exit, {});

  builder.setInsertionPointToEnd(body);
  lowerRegion(op.getRegion());
  SmallVector<Value> next = {b.add(index, step)};
  position = 1;
  for (Value passed : yield->getOperands()) {
    if (!isTensor(passed)) {
      next.push_back(context.scalar(passed));
      ++position;
      continue;
    }
    next.push_back(head->getArgument(position + 1));
    next.push_back(head->getArgument(position));
    position += 2;
  }
  for (Value tile : currentTiles)
    context.arena.touch(tile);
  jump(head, next);
  context.arena.leaveLoop();
  builder.setInsertionPointToEnd(exit);
}

void KernelLowering::lowerIf(scf::IfOp op) {
  SmallVector<Value> scalars, tiles;
  for (Value result : op.getResults()) {
    if (!isTensor(result)) {
      scalars.push_back(result);
      continue;
    }
    // Both branches write the same tile.
    tiles.push_back(context.reserveTile(b, result));
  }
  setDestinations(op.thenYield(), tiles);
  bool hasElse = !op.getElseRegion().empty();
  if (hasElse)
    setDestinations(op.elseYield(), tiles);
  Block *yes = newBlock(), *after = newBlock(convertTypes(ValueRange(scalars).getTypes()));
  Block *no = hasElse ? newBlock() : after;
  branch(context.scalar(op.getCondition()), yes, {}, no, {});
  auto lowerBranch = [&](Region &region, Block *block) {
    builder.setInsertionPointToEnd(block);
    lowerRegion(region);
    SmallVector<Value> passed;
    for (Value value : region.front().getTerminator()->getOperands())
      if (!isTensor(value))
        passed.push_back(context.scalar(value));
    jump(after, passed);
  };
  lowerBranch(op.getThenRegion(), yes);
  if (hasElse)
    lowerBranch(op.getElseRegion(), no);
  builder.setInsertionPointToEnd(after);
  bind(scalars, after->getArguments());
  ArrayRef<Value> places = tiles;
  for (Value result : op.getResults()) {
    if (!isTensor(result))
      continue;
    context.tiles[result] = places.front();
    context.arena.touch(places.front());
    places = places.drop_front();
  }
}

/// Tensors alternate as in a `for`. What the condition passes on has a tile of
/// its own, which the body and what comes after the loop read.
void KernelLowering::lowerWhile(scf::WhileOp op) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Type> types;
  SmallVector<Value> start;
  ArrayRef<Value> tiles = destinations[op];
  for (Value init : op.getInits()) {
    if (!isTensor(init)) {
      types.push_back(convertElement(init.getType()));
      start.push_back(context.scalar(init));
      continue;
    }
    types.append(2, pointer);
    start.push_back(tiles.front());
    start.push_back(context.reserveTile(b, cast<RankedTensorType>(init.getType())));
    tiles = tiles.drop_front();
  }
  scf::ConditionOp condition = op.getConditionOp();
  Block *before = newBlock(types), *body = newBlock(), *exit = newBlock();
  jump(before, start);

  context.arena.enterLoop();
  builder.setInsertionPointToEnd(before);
  SmallVector<Value> nextTiles, currentTiles;
  unsigned position = 0;
  for (Value argument : op.getBeforeArguments()) {
    Value now = before->getArgument(position);
    (isTensor(argument) ? context.tiles : context.scalars)[argument] = now;
    if (isTensor(argument)) {
      Value both[] = {start[position], start[position + 1]};
      Value next = before->getArgument(++position);
      context.arena.alias(now, both);
      context.arena.alias(next, both);
      currentTiles.push_back(now);
      nextTiles.push_back(next);
    }
    ++position;
  }
  setDestinations(op.getYieldOp(), nextTiles);
  lowerRegion(op.getBefore());
  branch(context.scalar(condition.getCondition()), body, {}, exit, {});
  ArrayRef<Value> passedTiles = destinations[condition];
  for (auto [passed, inside, result] :
       llvm::zip(condition.getArgs(), op.getAfterArguments(), op.getResults())) {
    auto &known = isTensor(passed) ? context.tiles : context.scalars;
    Value value = isTensor(passed) ? passedTiles.front() : context.scalar(passed);
    known[inside] = value; // not in one statement with the next: the map may move
    known[result] = value;
    if (isTensor(passed))
      passedTiles = passedTiles.drop_front();
  }

  builder.setInsertionPointToEnd(body);
  lowerRegion(op.getAfter());
  SmallVector<Value> next;
  position = 0;
  for (Value passed : op.getYieldOp().getOperands()) {
    if (!isTensor(passed)) {
      next.push_back(context.scalar(passed));
      ++position;
      continue;
    }
    next.push_back(before->getArgument(position + 1));
    next.push_back(before->getArgument(position));
    position += 2;
  }
  for (Value tile : llvm::concat<Value>(currentTiles, destinations[condition]))
    context.arena.touch(tile);
  jump(before, next);
  context.arena.leaveLoop();
  builder.setInsertionPointToEnd(exit);
}
