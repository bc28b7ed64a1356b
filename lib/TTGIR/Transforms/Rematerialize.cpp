//===- Rematerialize.cpp - carry a plan out -------------------------------===//
// 1. Loops first, outermost first: each carries its extra values, for now
//    unchanged from one iteration to the next.
// 2. The wanted value, by cloning what the plan says right after the originals.
// 3. What the loops' extra values become at the end of an iteration.
//===----------------------------------------------------------------------===//
#include "Rematerialize.h"

using namespace mlir;
using namespace tessera;

using Step = RematerializationPlan::Step;

namespace {

/// A value that a loop carries in a second layout.
struct CarriedValue {
  unsigned index; // of the original among the loop's values
  Attribute encoding;
};

class Rematerializer {
public:
  Rematerializer(llvm::MapVector<LaidOutValue, Step> steps, RewriterBase &b)
      : steps(std::move(steps)), b(b) {}

  Value run(ttg::ConvertLayoutOp convert);

private:
  Value get(Value value, Attribute encoding);
  Value recompute(Value value, Attribute encoding);
  void extendLoops();
  scf::ForOp extendLoop(scf::ForOp loop, ArrayRef<CarriedValue> carried);
  void replaceKeys(Value from, Value to);
  SmallVector<std::pair<scf::ForOp, SmallVector<CarriedValue>>> collectLoops();

  llvm::MapVector<LaidOutValue, Step> steps;
  DenseMap<LaidOutValue, Value> done;
  SmallVector<std::pair<scf::ForOp, SmallVector<CarriedValue>>> extended;
  RewriterBase &b;
};

} // namespace

static Value retype(RewriterBase &b, Value value, Attribute encoding) {
  auto type = cast<RankedTensorType>(value.getType());
  return ttg::ConvertLayoutOp::create(b, value.getLoc(), type.cloneWithEncoding(encoding), value);
}

Value Rematerializer::get(Value value, Attribute encoding) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getEncoding() == encoding)
    return value;
  if (Value known = done.lookup({value, encoding}))
    return known;
  auto step = steps.find({value, encoding});
  Value result;
  if (step != steps.end() && step->second == Step::Exists)
    result = get(value.getDefiningOp<ttg::ConvertLayoutOp>().getSrc(), encoding);
  else if (step != steps.end() && step->second == Step::Recompute)
    result = recompute(value, encoding);
  else {
    b.setInsertionPointAfterValue(value);
    result = retype(b, value, encoding);
  }
  done[{value, encoding}] = result;
  return result;
}

Value Rematerializer::recompute(Value value, Attribute encoding) {
  Operation *op = value.getDefiningOp();
  Attribute wanted = encoding;
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
    wanted = ttg::SliceEncodingAttr::get(op->getContext(), expand.getAxis(),
                                         cast<ttg::DistributedEncodingAttr>(encoding));
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand, wanted));
  b.setInsertionPointAfter(op);
  Operation *copy = b.clone(*op, mapping);
  Value result = copy->getResult(0);
  auto type = cast<RankedTensorType>(result.getType()).cloneWithEncoding(encoding);
  result.setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  return result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The loops of the plan, each before those it contains and those it precedes.
SmallVector<std::pair<scf::ForOp, SmallVector<CarriedValue>>> Rematerializer::collectLoops() {
  llvm::MapVector<scf::ForOp, SmallVector<CarriedValue>> carried;
  Operation *top = nullptr;
  for (auto &[key, step] : steps)
    if (auto loop = key.first.getDefiningOp<scf::ForOp>(); loop && step == Step::CarryAlong) {
      carried[loop].push_back({cast<OpResult>(key.first).getResultNumber(), key.second});
      top = loop->getParentOfType<FunctionOpInterface>();
    }
  SmallVector<std::pair<scf::ForOp, SmallVector<CarriedValue>>> result;
  if (top)
    top->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (auto found = carried.find(loop); found != carried.end())
        result.push_back(*found);
    });
  return result;
}

/// The plan and what is done speak of `to` where they spoke of `from`.
void Rematerializer::replaceKeys(Value from, Value to) {
  SmallVector<std::pair<LaidOutValue, Step>> moved;
  for (auto &[key, step] : steps)
    if (key.first == from)
      moved.push_back({{to, key.second}, step});
  for (auto &[key, step] : moved)
    steps[key] = step;
}

scf::ForOp Rematerializer::extendLoop(scf::ForOp loop, ArrayRef<CarriedValue> carried) {
  SmallVector<Value> inits;
  for (CarriedValue value : carried)
    inits.push_back(get(loop.getInitArgs()[value.index], value.encoding));

  unsigned count = loop.getNumRegionIterArgs();
  SmallVector<Value> oldValues(loop.getRegionIterArgs());
  llvm::append_range(oldValues, loop.getResults());
  b.setInsertionPoint(loop);
  NewYieldValuesFn carryUnchanged = [](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
    return SmallVector<Value>(args.begin(), args.end());
  };
  auto extendedLoop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, inits, /*replaceInitOperandUsesInLoop=*/false, carryUnchanged));

  for (unsigned i = 0; i < count; ++i) {
    replaceKeys(oldValues[i], extendedLoop.getRegionIterArgs()[i]);
    replaceKeys(oldValues[count + i], extendedLoop.getResult(i));
  }
  for (auto [i, value] : llvm::enumerate(carried)) {
    done[{extendedLoop.getRegionIterArgs()[value.index], value.encoding}] =
        extendedLoop.getRegionIterArgs()[count + i];
    done[{extendedLoop.getResult(value.index), value.encoding}] = extendedLoop.getResult(count + i);
  }
  return extendedLoop;
}

void Rematerializer::extendLoops() {
  for (auto &[loop, carried] : collectLoops())
    extended.push_back({extendLoop(loop, carried), carried});
}

Value Rematerializer::run(ttg::ConvertLayoutOp convert) {
  extendLoops(); // may replace the convert's source
  Value result = get(convert.getSrc(), convert.getType().getEncoding());
  for (auto &[extendedLoop, carried] : extended) {
    unsigned first = extendedLoop.getNumRegionIterArgs() - carried.size();
    Operation *yield = extendedLoop.getBody()->getTerminator();
    for (auto [i, item] : llvm::enumerate(carried))
      yield->setOperand(first + i, get(yield->getOperand(item.index), item.encoding));
  }
  return result;
}

Value tessera::rematerialize(RematerializationPlan plan, ttg::ConvertLayoutOp convert,
                             RewriterBase &rewriter) {
  return Rematerializer(std::move(plan.steps), rewriter).run(convert);
}
