//===- Exchange.cpp - ttc.exchange: sorting networks ----------------------===//
// All steps run in one loop over a table, in place, so that the size of the code depends neither on
// the number of steps nor on the number of elements:
//
//   for step in table:
//     partners in different vectors: for each two vectors, load both, compare,
//                                    store the smaller and the larger lanes
//     partners in one vector:        for each vector, shuffle partners into
//                                    place, compare, select (a loop per distance)
//
// Comparing an element with its partner, and the partner with the element, are two comparisons,
// because NaN is not greater in either direction.
//===----------------------------------------------------------------------===//
#include "TileElements.h"
#include "../Kernel/Loops.h"
#include "../Lanes/SmallFloat.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

namespace {
/// One step, as run-time values.
struct Step {
  Value bit, turn; // i64
  Value isDown;    // i1
};

class ExchangeBuilder {
public:
  ExchangeBuilder(KernelContext &context, ttc::ExchangeOp op, const Tile &tile)
      : context(context), op(op), tile(tile), b(context.builder, op.getLoc()) {
    int64_t fits = context.spec.vectorBits / (8 * elementBytes(tile.element));
    lanes = std::max<int64_t>(1, std::min(fits, tile.elements() / 2));
  }
  void build();

private:
  Value makeTable();
  Step loadStep(Value table, Value index);
  Value isGreater(Value x, Value y);
  void exchangeBetween(const Step &step);
  void exchangeWithin(const Step &step, unsigned bit);
  unsigned vectorLanes() const { return lanes == 1 ? 0 : lanes; }

  KernelContext &context;
  ttc::ExchangeOp op;
  const Tile &tile;
  LaneBuilder b;
  int64_t lanes;
};
} // namespace

/// Creates a constant of the module: bit, turn and direction of each step in an i32.
Value ExchangeBuilder::makeTable() {
  SmallVector<int32_t> steps;
  for (auto [bit, turn, isDown] : llvm::zip(op.getBits(), op.getTurns(), op.getDowns()))
    steps.push_back(bit | turn << 8 | isDown << 16);
  std::string name;
  unsigned count = 0;
  do // the dot distinguishes it from kernels' names
    name = "network." + std::to_string(count++);
  while (context.module().lookupSymbol(name));
  LLVM::GlobalOp table;
  {
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(context.module().getBody());
    auto type = LLVM::LLVMArrayType::get(b.builder.getI32Type(), steps.size());
    table = LLVM::GlobalOp::create(b.builder, context.module().getLoc(), type, /*isConstant=*/true,
                                   LLVM::Linkage::Private, name, b.builder.getI32TensorAttr(steps));
  }
  table.setUnnamedAddr(LLVM::UnnamedAddr::Global);
  return LLVM::AddressOfOp::create(b.builder, b.loc, table);
}

Step ExchangeBuilder::loadStep(Value table, Value index) {
  Value address = b.offset(table, b.mul(index, 4));
  Value word = LLVM::LoadOp::create(b.builder, b.loc, b.builder.getI32Type(), address, 4);
  Value wide = b.resizeUnsigned(word, b.builder.getI64Type());
  return {b.bitAnd(wide, 255), b.bitAnd(b.shiftRight(wide, 8), 255),
          b.compare(Int::ne, b.shiftRight(wide, 16), 0)};
}

Value ExchangeBuilder::isGreater(Value x, Value y) {
  if (!isa<FloatType>(tile.element))
    return b.compare(op.getIsUnsigned() ? Int::ugt : Int::sgt, x, y);
  return b.compare(LLVM::FCmpPredicate::ogt, widenFloat(b, x, tile.element, context.spec),
                   widenFloat(b, y, tile.element, context.spec));
}

/// The bit distinguishes vectors. All lanes of a vector have the same turn.
void ExchangeBuilder::exchangeBetween(const Step &step) {
  Value distance = b.shiftLeft(b.i64(1), step.bit), below = b.sub(distance, 1);
  forEach(b, b.i64(0), b.i64(tile.elements() / 2), lanes, [&](Value pair) {
    // The number of the pair with a zero inserted at the bit.
    Value low = b.bitAnd(pair, below);
    Value place = b.add(b.shiftLeft(b.sub(pair, low), 1), low), other = b.add(place, distance);
    Value x = loadElements(b, tile, place, vectorLanes());
    Value y = loadElements(b, tile, other, vectorLanes());
    Value turns = b.compare(Int::ne, b.bitAnd(b.shiftRight(place, step.turn), 1), 0);
    Value flips = b.splat(b.bitXor(turns, step.isDown), vectorLanes());
    storeElements(b, tile, place, b.select(b.bitXor(isGreater(x, y), flips), y, x));
    storeElements(b, tile, other, b.select(b.bitXor(isGreater(y, x), flips), y, x));
  });
}

void ExchangeBuilder::exchangeWithin(const Step &step, unsigned bit) {
  Type i32 = b.builder.getI32Type();
  SmallVector<int32_t> partners;
  for (int32_t lane = 0; lane < lanes; ++lane)
    partners.push_back(lane ^ (1 << bit));
  Value lane = b.iota(i32, lanes);
  Value down = b.splat(b.resizeUnsigned(step.isDown, i32), lanes);
  Value constant = b.bitXor(b.shiftRight(lane, bit), down);
  Value turn = b.splat(b.resizeUnsigned(step.turn, i32), lanes);
  forEach(b, b.i64(0), b.i64(tile.elements()), lanes, [&](Value place) {
    Value x = loadElements(b, tile, place, lanes);
    Value y = LLVM::ShuffleVectorOp::create(b.builder, b.loc, x, x, partners);
    Value places = b.add(b.splat(b.resizeUnsigned(place, i32), lanes), lane);
    Value odd = b.bitAnd(b.bitXor(b.shiftRight(places, turn), constant), 1);
    Value flips = b.compare(Int::ne, odd, 0);
    storeElements(b, tile, place, b.select(b.bitXor(isGreater(x, y), flips), y, x));
  });
}

void ExchangeBuilder::build() {
  Value table = makeTable();
  int64_t inVector = llvm::Log2_64(lanes);
  forEach(b, b.i64(0), b.i64(op.getBits().size()), 1, [&](Value index) {
    Step step = loadStep(table, index);
    for (int64_t bit = 0; bit < inVector; ++bit)
      if (llvm::is_contained(op.getBits(), bit))
        emitIf(b, b.compare(Int::eq, step.bit, bit), [&] { exchangeWithin(step, bit); });
    if (llvm::any_of(op.getBits(), [&](int32_t bit) { return bit >= inVector; }))
      emitIf(b, b.compare(Int::sge, step.bit, inVector), [&] { exchangeBetween(step); });
  });
}

void tessera::cpu::emitExchange(KernelContext &context, ttc::ExchangeOp op, const Tile &source,
                                const Tile &result) {
  LaneBuilder b(context.builder, op.getLoc());
  int64_t bytes = source.elements() * elementBytes(source.element);
  LLVM::MemcpyOp::create(b.builder, b.loc, result.address, source.address, b.i64(bytes), false);
  ExchangeBuilder(context, op, result).build();
  touchTiles(context, {source, result});
}
