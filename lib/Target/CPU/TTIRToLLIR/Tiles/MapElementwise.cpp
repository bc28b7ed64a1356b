//===- MapElementwise.cpp - tt.map_elementwise ----------------------------===//
// The region is a function of scalars that may contain control flow. It is lowered once, inside a
// loop over the elements, `pack` of them at a time:
//
//   before: %m = "tt.map_elementwise"(%x) <{pack = 2}> ({ ^bb0(%a, %b): ... })
//   after:  for (i = 0; i < n; i += 2) { a = x[i], b = x[i + 1]; ...; m[i] = ... }
//
// If `pack` is 1, a function without control flow, or with ifs that become selects, is applied to
// vectors instead.
//
// A group of `pack` elements is consecutive in row-major order. If a tensor has fewer elements than
// a group, the rest of the group reads its last element, and the results are dropped.
//===----------------------------------------------------------------------===//
#include "TileElements.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "../Kernel/Combine.h"
#include "../Kernel/Loops.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

namespace {
/// Lowers the region's blocks as an inlined call.
class RegionBuilder {
public:
  RegionBuilder(KernelContext &context, ScalarBlockLowering &scalarBlocks, LaneBuilder &b,
                Region &region)
      : context(context), scalarBlocks(scalarBlocks), b(b), region(region) {}

  /// Returns the operands of the return that is reached.
  SmallVector<Value> call(ArrayRef<Value> arguments);

private:
  void bind(Block &block, ValueRange values) {
    for (auto [argument, value] : llvm::zip_equal(block.getArguments(), values))
      context.setScalar(argument, value);
  }
  SmallVector<Value> scalarsOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return context.scalar(value); });
  }
  void lowerTerminator(Operation *op);

  KernelContext &context;
  ScalarBlockLowering &scalarBlocks;
  LaneBuilder &b;
  Region &region;
  Block *after = nullptr;
  DenseMap<Block *, Block *> blocks;
};
} // namespace

void RegionBuilder::lowerTerminator(Operation *op) {
  if (auto jump = dyn_cast<cf::BranchOp>(op)) {
    LLVM::BrOp::create(b.builder, b.loc, scalarsOf(jump.getDestOperands()), blocks[jump.getDest()]);
  } else if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    LLVM::CondBrOp::create(b.builder, b.loc, context.scalar(branch.getCondition()),
                           blocks[branch.getTrueDest()], scalarsOf(branch.getTrueDestOperands()),
                           blocks[branch.getFalseDest()], scalarsOf(branch.getFalseDestOperands()));
  } else {
    LLVM::BrOp::create(b.builder, b.loc, scalarsOf(op->getOperands()), after);
  }
}

SmallVector<Value> RegionBuilder::call(ArrayRef<Value> arguments) {
  Block &entry = region.front();
  bind(entry, arguments);
  if (region.hasOneBlock()) {
    scalarBlocks.lowerScalarBlock(entry);
    return scalarsOf(entry.getTerminator()->getOperands());
  }
  SmallVector<Type> results;
  for (Block &block : region) {
    if (auto last = dyn_cast<tt::MapElementwiseReturnOp>(block.getTerminator()))
      results = llvm::map_to_vector(last->getOperandTypes(), convertElement);
    if (&block == &entry)
      continue;
    blocks[&block] = appendBlock(b, llvm::map_to_vector(block.getArgumentTypes(), convertElement));
    bind(block, blocks[&block]->getArguments());
  }
  after = appendBlock(b, results);
  for (Block &block : region) {
    if (&block != &entry)
      b.builder.setInsertionPointToEnd(blocks[&block]);
    scalarBlocks.lowerScalarBlock(block);
    lowerTerminator(block.getTerminator());
  }
  b.builder.setInsertionPointToEnd(after);
  return llvm::to_vector(llvm::map_range(after->getArguments(), [](Value v) { return v; }));
}

static void mapVectors(KernelContext &context, tt::MapElementwiseOp op, ArrayRef<Tile> operands,
                       ArrayRef<Tile> results) {
  LaneBuilder b(context.builder, op.getLoc());
  int64_t elements = operands[0].elements();
  SmallVector<Tile> tiles(operands);
  llvm::append_range(tiles, results);
  unsigned lanes = std::min<int64_t>(elements, vectorLanes(context.spec, tiles));
  forEach(b, b.i64(0), b.i64(elements), lanes, [&](Value index) {
    SmallVector<Value> arguments = llvm::map_to_vector(
        operands, [&](const Tile &tile) { return loadElements(b, tile, index, lanes); });
    SmallVector<Value> values = applyToLanes(context, b, op.getScalarOp(), arguments);
    for (auto [tile, value] : llvm::zip_equal(results, values))
      storeElements(b, tile, index, value);
  });
}

static void mapGroups(KernelContext &context, ScalarBlockLowering &scalarBlocks,
                      tt::MapElementwiseOp op, ArrayRef<Tile> operands, ArrayRef<Tile> results) {
  LaneBuilder b(context.builder, op.getLoc());
  int64_t pack = op.getPack(), elements = operands[0].elements();
  int64_t kept = std::min(pack, elements);
  forEach(b, b.i64(0), b.i64(elements), kept, [&](Value first) {
    SmallVector<Value> arguments;
    for (const Tile &tile : operands)
      for (int64_t i = 0; i < pack; ++i)
        arguments.push_back(loadElements(b, tile, b.add(first, std::min(i, kept - 1))));
    SmallVector<Value> values =
        RegionBuilder(context, scalarBlocks, b, op.getScalarOp()).call(arguments);
    for (auto [r, tile] : llvm::enumerate(results))
      for (int64_t i = 0; i < kept; ++i)
        storeElements(b, tile, b.add(first, i), values[r * pack + i]);
  });
}

void tessera::cpu::emitMapElementwise(KernelContext &context, ScalarBlockLowering &scalarBlocks,
                                      tt::MapElementwiseOp op, ArrayRef<Tile> operands,
                                      ArrayRef<Tile> results) {
  if (op.getPack() == 1 && !findUncombinable(op.getScalarOp()))
    mapVectors(context, op, operands, results);
  else
    mapGroups(context, scalarBlocks, op, operands, results);
  touchTiles(context, operands);
  touchTiles(context, results);
}
