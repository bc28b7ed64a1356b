//===- ControlFlow.cpp - loops, conditionals and branches of a kernel -----===//
// Scalars become arguments of LLVM blocks. Tensors are passed on in tiles: a loop has two tiles for
// each tensor that it carries, a conditional one for each result, a block one for each argument.
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "Nest/LoopNest.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Scalars are arguments of the block; tensors are passed in tiles. A branch writes the tile, and
/// the block copies it at its start, so that no one reads a tile which another branch is writing.
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
    context.setTile(argument, tile);
  }
}

/// Returns the block arguments that correspond to the operands of a branch.
static SmallVector<Value> receivers(Operation *branch) {
  SmallVector<Value> arguments;
  for (Block *successor : branch->getSuccessors())
    llvm::copy_if(successor->getArguments(), std::back_inserter(arguments), isTensor);
  return arguments;
}

/// Tensors that are stored inside a region are not available on other paths through the program.
void KernelLowering::lowerRegion(Region &region) {
  KernelContext::TileMap tiles = context.saveTiles();
  lowerBlock(region.front());
  context.restoreTiles(std::move(tiles));
}

/// Records where the tensors that `op` passes on are to be written. Tensors that the same block
/// computes are computed directly into that place.
void KernelLowering::setDestinations(Operation *op, ArrayRef<Value> tiles) {
  destinations[op].assign(tiles.begin(), tiles.end());
  SmallVector<Value> carried = carriedTensors(op);
  for (auto [value, tile] : llvm::zip(carried, tiles)) {
    Operation *producer = value.getDefiningOp();
    bool here = producer && producer->getBlock() == op->getBlock();
    if (here && llvm::count(carried, value) == 1)
      context.setDestination(value, tile);
  }
}

void KernelLowering::emitGroups(Operation &before, ArrayRef<FusedGroup> groups) {
  // The start of a loop has its own tiles; for a conditional and for the end of a loop body the
  // destinations have been recorded before.
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

namespace {
/// The state that a loop carries from one iteration to the next, as arguments of its first block:
/// scalars, and for each tensor two tiles that are swapped, since an iteration reads one and writes
/// the other.
class LoopState {
public:
  explicit LoopState(KernelContext &context) : context(context) {}

  SmallVector<Type> types;
  SmallVector<Value> start;
  SmallVector<Value> currentTiles, nextTiles; // set by bind()

  void add(Type type, Value value) {
    types.push_back(type);
    start.push_back(value);
  }
  /// `tiles` are the tiles of the tensors among `inits`; they may be overwritten in place if
  /// `inPlace` says so.
  void addCarried(LaneBuilder &b, ValueRange inits, ArrayRef<Value> tiles,
                  function_ref<bool(unsigned)> inPlace) {
    first = start.size();
    for (auto [i, init] : llvm::enumerate(inits)) {
      if (!isTensor(init)) {
        add(convertElement(init.getType()), context.scalar(init));
        continue;
      }
      auto type = cast<RankedTensorType>(init.getType());
      add(tiles.front().getType(), tiles.front());
      add(tiles.front().getType(), inPlace(i) ? tiles.front() : context.reserveTile(b, type));
      tiles = tiles.drop_front();
    }
  }
  /// Binds `values` to the arguments of `head` for the iteration that begins there.
  void bind(ValueRange values, Block *head) {
    unsigned position = first;
    for (Value value : values) {
      Value now = head->getArgument(position++);
      context.set(value, now);
      if (!isTensor(value))
        continue;
      Value next = head->getArgument(position++);
      Value both[] = {start[position - 2], start[position - 1]};
      context.arena().alias(now, both);
      context.arena().alias(next, both);
      currentTiles.push_back(now);
      nextTiles.push_back(next);
    }
  }
  /// Appends the values for the next iteration.
  void passOn(ValueRange values, Block *head, SmallVectorImpl<Value> &arguments) {
    unsigned position = first;
    for (Value value : values) {
      if (!isTensor(value)) {
        arguments.push_back(context.scalar(value));
        ++position;
        continue;
      }
      arguments.push_back(head->getArgument(position + 1));
      arguments.push_back(head->getArgument(position));
      position += 2;
    }
    for (Value tile : currentTiles)
      context.arena().touch(tile);
  }

private:
  KernelContext &context;
  unsigned first = 0; // the index of the first carried value among the arguments
};
} // namespace

/// Returns whether acc = dot(a, b, acc) and acc has no other use: then the product accumulates in
/// place.
static bool isAccumulator(scf::ForOp op, unsigned position) {
  Value argument = op.getRegionIterArg(position), next = op.getYieldedValues()[position];
  auto dot = next.getDefiningOp<tt::DotOp>();
  return dot && dot->getBlock() == op.getBody() && dot.getC() == argument && argument.hasOneUse() &&
         next.hasOneUse();
}

void KernelLowering::lowerFor(scf::ForOp op) {
  LoopState state(context);
  state.add(convertElement(op.getInductionVar().getType()), context.scalar(op.getLowerBound()));
  state.addCarried(b, op.getInitArgs(), destinations[op],
                   [&](unsigned i) { return isAccumulator(op, i); });
  Block *head = newBlock(state.types), *body = newBlock(), *exit = newBlock();
  Value last = context.scalar(op.getUpperBound()), step = context.scalar(op.getStep());
  jump(head, state.start);

  context.arena().enterLoop();
  builder.setInsertionPointToEnd(head);
  Value index = head->getArgument(0);
  context.setScalar(op.getInductionVar(), index);
  Operation *yield = op.getBody()->getTerminator();
  state.bind(op.getRegionIterArgs(), head);
  for (auto [inside, result] : llvm::zip(op.getRegionIterArgs(), op.getResults()))
    context.set(result, context.lookup(inside));
  setDestinations(yield, state.nextTiles);
  Int less = op.getUnsignedCmp() ? Int::ult : Int::slt;
  branch(b.compare(less, index, last), body, {}, exit, {});

  builder.setInsertionPointToEnd(body);
  lowerRegion(op.getRegion());
  SmallVector<Value> next = {b.add(index, step)};
  state.passOn(yield->getOperands(), head, next);
  jump(head, next);
  context.arena().leaveLoop();
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
    context.setTile(result, places.front());
    context.arena().touch(places.front());
    places = places.drop_front();
  }
}

/// Tensors alternate between two tiles as in a `for`. Tensors that the condition passes on have a
/// tile of their own, which the body and the code after the loop read.
void KernelLowering::lowerWhile(scf::WhileOp op) {
  LoopState state(context);
  state.addCarried(b, op.getInits(), destinations[op], [](unsigned) { return false; });
  scf::ConditionOp condition = op.getConditionOp();
  Block *before = newBlock(state.types), *body = newBlock(), *exit = newBlock();
  jump(before, state.start);

  context.arena().enterLoop();
  builder.setInsertionPointToEnd(before);
  state.bind(op.getBeforeArguments(), before);
  setDestinations(op.getYieldOp(), state.nextTiles);
  lowerRegion(op.getBefore());
  branch(context.scalar(condition.getCondition()), body, {}, exit, {});
  ArrayRef<Value> passedTiles = destinations[condition];
  for (auto [passed, inside, result] :
       llvm::zip(condition.getArgs(), op.getAfterArguments(), op.getResults())) {
    Value value = isTensor(passed) ? passedTiles.front() : context.scalar(passed);
    context.set(inside, value);
    context.set(result, value);
    if (isTensor(passed))
      passedTiles = passedTiles.drop_front();
  }

  builder.setInsertionPointToEnd(body);
  lowerRegion(op.getAfter());
  SmallVector<Value> next;
  state.passOn(op.getYieldOp().getOperands(), before, next);
  for (Value tile : destinations[condition])
    context.arena().touch(tile);
  jump(before, next);
  context.arena().leaveLoop();
  builder.setInsertionPointToEnd(exit);
}
