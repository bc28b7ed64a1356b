//===- PipelinedLoop.cpp - runs loops with asynchronous copies ------------===//
#include "PipelinedLoop.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::test;

/// The value that is read from a tile whose copy is in flight. It is read for iterations that do
/// not exist, so no sum may contain it.
static constexpr int64_t kGarbage = (int64_t(1) << 31) - 1;
static constexpr int64_t kTilesPerBuffer = 1024;
/// The bits from this one up are the position along K of a piece in its tile.
static constexpr int64_t kPlace = int64_t(1) << 32;

std::string LoopInterpreter::run(Operation *function, ArrayRef<int64_t> arguments) {
  Block &body = function->getRegion(0).front();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    values[argument] = value;
  runBlock(body);
  for (auto &[number, tile] : tiles)
    if (tile.underWay)
      fail("a copy is still under way at the end");
  return error;
}

void LoopInterpreter::runBlock(Block &block) {
  for (Operation &op : block) {
    if (!error.empty())
      return;
    runOp(op);
  }
}

/// Memory: any function of the address that tells iterations apart.
int64_t LoopInterpreter::load(int64_t address, bool isMasked, int64_t other) {
  if (isMasked)
    return other;
  loaded.insert({address, address});
  return address * 31 % 1009 + 7;
}

/// The sum of a product over `size` steps along K, which neither order nor place may
/// change. A tile that was cut out of another has its place in the high bits.
static int64_t multiply(int64_t sum, int64_t a, int64_t b, int64_t size) {
  auto at = [](int64_t tile, int64_t k) {
    return (tile % kPlace) * ((tile / kPlace + k) % 11 + 1) + tile / kPlace + k;
  };
  for (int64_t k = 0; k < size; ++k)
    sum = (sum * 17 + at(a, k) * 5 + at(b, k) * 3) % 100003;
  return sum;
}

void LoopInterpreter::runOp(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::vector<int64_t> carried;
    for (Value init : loop.getInitArgs())
      carried.push_back(get(init));
    for (int64_t i = get(loop.getLowerBound()); i < get(loop.getUpperBound());
         i += get(loop.getStep())) {
      values[loop.getInductionVar()] = i;
      for (auto [argument, value] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
        values[argument] = value;
      runBlock(*loop.getBody());
      carried = yielded;
      if (!error.empty())
        return;
    }
    for (auto [result, value] : llvm::zip_equal(loop.getResults(), carried))
      values[result] = value;
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    yielded.clear();
    Region &region = get(branch.getCondition()) ? branch.getThenRegion() : branch.getElseRegion();
    if (!region.empty())
      runBlock(region.front());
    for (auto [result, value] : llvm::zip(branch.getResults(), yielded))
      values[result] = value;
  } else if (isa<scf::YieldOp>(op)) {
    std::vector<int64_t> next;
    for (Value operand : op.getOperands())
      next.push_back(get(operand));
    yielded = next;
  } else if (auto load = dyn_cast<tt::LoadOp>(op)) {
    bool isMasked = load.getMask() && !get(load.getMask());
    values[load] =
        this->load(get(load.getPtr()), isMasked, load.getOther() ? get(load.getOther()) : 0);
  } else if (auto store = dyn_cast<tt::StoreOp>(op)) {
    if (!store.getMask() || get(store.getMask()))
      stored.push_back({get(store.getPtr()), get(store.getValue())});
  } else if (auto dot = dyn_cast<tt::DotOp>(op)) {
    if (get(dot.getA()) % kPlace == kGarbage || get(dot.getB()) % kPlace == kGarbage)
      return fail("uses a tile that had not arrived when it was read");
    values[dot] = multiply(get(dot.getC()), get(dot.getA()), get(dot.getB()),
                           cast<RankedTensorType>(dot.getA().getType()).getDimSize(1));
  } else if (isa<ttg::TTGDialect>(op.getDialect())) {
    runAsync(op);
  } else {
    runArith(op);
  }
}

void LoopInterpreter::runArith(Operation &op) {
  if (op.getNumResults() == 0)
    return; // tt.return
  auto in = [&](unsigned index) { return get(op.getOperand(index)); };
  int64_t result = 0;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto elements = dyn_cast<DenseElementsAttr>(value))
      value = elements.getSplatValue<Attribute>();
    result = isa<IntegerAttr>(value) ? cast<IntegerAttr>(value).getValue().getZExtValue()
                                     : int64_t(cast<FloatAttr>(value).getValueAsDouble());
    if (auto number = dyn_cast<IntegerAttr>(value); number && !number.getType().isInteger(1))
      result = number.getInt();
  } else if (isa<arith::AddIOp, tt::AddPtrOp, arith::AddFOp>(op)) {
    result = in(0) + in(1);
  } else if (isa<arith::SubIOp>(op)) {
    result = in(0) - in(1);
  } else if (isa<arith::MulIOp>(op)) {
    result = in(0) * in(1);
  } else if (isa<arith::AndIOp>(op)) {
    result = in(0) & in(1);
  } else if (isa<arith::SelectOp>(op)) {
    result = in(0) ? in(1) : in(2);
  } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    bool results[] = {in(0) == in(1), in(0) != in(1), in(0) < in(1),
                      in(0) <= in(1), in(0) > in(1),  in(0) >= in(1)};
    unsigned predicate = unsigned(compare.getPredicate());
    if (predicate >= std::size(results))
      return fail("an unsigned comparison");
    result = results[predicate];
  } else if (isa<tt::MakeRangeOp>(op)) {
    result = 0;
  } else if (op.getNumOperands() == 1) {
    result = in(0); // a cast, or another shape
  } else {
    return fail("not known here: " + op.getName().getStringRef().str());
  }
  values[op.getResult(0)] = result;
}

void LoopInterpreter::runAsync(Operation &op) {
  if (isa<ttg::LocalAllocOp>(op)) {
    values[op.getResult(0)] = nextBuffer++ * kTilesPerBuffer;
  } else if (auto index = dyn_cast<ttg::MemDescIndexOp>(op)) {
    int64_t number = get(index.getIndex());
    if (number < 0 || number >= index.getSrc().getType().getShape()[0])
      return fail("a tile that does not exist");
    values[index] = get(index.getSrc()) + number;
  } else if (auto part = dyn_cast<ttg::MemDescSubsliceOp>(op)) {
    values[part] = get(part.getSrc()) + (part.getOffsets()[0] + part.getOffsets()[1]) * kPlace;
  } else if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op)) {
    Tile &tile = tiles[get(copy.getResult())];
    bool isMasked = copy.getMask() && !get(copy.getMask());
    if (!isMasked && tile.isRead)
      ++extraBarriers;
    if (tile.underWay)
      fail("two copies into a tile at once");
    ++tile.underWay;
    tile.isFilled = false;
    started.push_back({get(copy.getResult()), load(get(copy.getSrc()), isMasked, 0)});
  } else if (isa<ttg::AsyncCommitGroupOp>(op)) {
    groups.push_back(std::move(started));
    started.clear();
  } else if (auto wait = dyn_cast<ttg::AsyncWaitOp>(op)) {
    ++waits;
    for (; groups.size() > size_t(wait.getNum()); groups.pop_front())
      for (const Copy &copy : groups.front())
        tiles[copy.tile] = {copy.value, true, false, 0};
    for (auto &[number, tile] : tiles)
      tile.isRead = false;
  } else if (auto load = dyn_cast<ttg::LocalLoadOp>(op)) {
    Tile &tile = tiles[get(load.getSrc()) % kPlace];
    tile.isRead = true;
    if (!tile.isFilled || tile.underWay) {
      values[load] = kGarbage;
      return;
    }
    values[load] = tile.value + get(load.getSrc()) / kPlace * kPlace;
  } else if (isa<ttg::ConvertLayoutOp>(op)) {
    values[op.getResult(0)] = get(op.getOperand(0));
  } else if (!isa<ttg::LocalDeallocOp>(op)) {
    fail("not known here: " + op.getName().getStringRef().str());
  }
}
