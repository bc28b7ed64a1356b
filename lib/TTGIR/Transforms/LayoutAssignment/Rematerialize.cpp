//===- Rematerialize.cpp - execute a rematerialization plan --------------===//
// 1. Add results to the loops and branches of the plan, outermost first. For now a loop passes them
//    on unchanged, and a branch yields poison.
// 2. Create the wanted value by cloning the planned ops right after the originals.
// 3. Set the operands of the yields of loops and branches for the additional results.
//===----------------------------------------------------------------------===//
#include "Rematerialize.h"
#include "LayoutRelations.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tessera;

using Step = RematerializationPlan::Step;

namespace {

/// A result of a loop or branch that is wanted in a second layout.
struct ExtraResult {
  unsigned index; // the original's index
  Attribute encoding;
};
using Extension = std::pair<Operation *, SmallVector<ExtraResult>>;

class Rematerializer {
public:
  Rematerializer(llvm::MapVector<LaidOutValue, Step> steps, RewriterBase &b)
      : steps(std::move(steps)), b(b) {}

  Value run(ttg::ConvertLayoutOp convert);

private:
  Value get(Value value, Attribute encoding);
  Value recompute(Value value, Attribute encoding);

  SmallVector<Extension> collectExtensions();
  scf::ForOp extendLoop(scf::ForOp loop, ArrayRef<ExtraResult> extra);
  scf::IfOp extendBranch(scf::IfOp branch, ArrayRef<ExtraResult> extra);
  void yieldExtraResults(Operation *op, ArrayRef<ExtraResult> extra);
  void replaceKeys(ValueRange from, ValueRange to);

  llvm::MapVector<LaidOutValue, Step> steps;
  DenseMap<LaidOutValue, Value> done;
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
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands())
    mapping.map(operand.get(),
                get(operand.get(), operandEncoding(op, operand.getOperandNumber(), encoding)));
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
// Loops and branches
//===----------------------------------------------------------------------===//

/// Returns the loops and branches of the plan, each before those it contains and those it precedes.
SmallVector<Extension> Rematerializer::collectExtensions() {
  llvm::MapVector<Operation *, SmallVector<ExtraResult>> extra;
  Operation *function = nullptr;
  for (auto &[key, step] : steps)
    if (Operation *op = key.first.getDefiningOp(); op && step == Step::CarryAlong) {
      extra[op].push_back({cast<OpResult>(key.first).getResultNumber(), key.second});
      function = op->getParentOfType<FunctionOpInterface>();
    }
  SmallVector<Extension> result;
  if (function)
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto found = extra.find(op); found != extra.end())
        result.push_back(*found);
    });
  return result;
}

/// Replaces `from`, which was erased, by `to` in the plan.
void Rematerializer::replaceKeys(ValueRange from, ValueRange to) {
  SmallVector<std::pair<LaidOutValue, Step>> moved;
  for (auto [oldValue, newValue] : llvm::zip(from, to))
    for (auto &[key, step] : steps)
      if (key.first == oldValue)
        moved.push_back({{newValue, key.second}, step});
  steps.remove_if([&](auto &entry) { return llvm::is_contained(from, entry.first.first); });
  for (auto &[key, step] : moved)
    steps[key] = step;
}

scf::ForOp Rematerializer::extendLoop(scf::ForOp loop, ArrayRef<ExtraResult> extra) {
  SmallVector<Value> inits;
  for (ExtraResult value : extra)
    inits.push_back(get(loop.getInitArgs()[value.index], value.encoding));

  unsigned count = loop.getNumRegionIterArgs();
  SmallVector<Value> oldArguments(loop.getRegionIterArgs()), oldResults(loop.getResults());
  b.setInsertionPoint(loop);
  NewYieldValuesFn carryUnchanged = [](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
    return SmallVector<Value>(args.begin(), args.end());
  };
  auto extended = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, inits, /*replaceInitOperandUsesInLoop=*/false, carryUnchanged));
  SmallVector<Value> newArguments(extended.getRegionIterArgs());
  replaceKeys(oldArguments, newArguments);
  replaceKeys(oldResults, extended.getResults());
  for (auto [i, value] : llvm::enumerate(extra))
    done[{newArguments[value.index], value.encoding}] = newArguments[count + i];
  return extended;
}

scf::IfOp Rematerializer::extendBranch(scf::IfOp branch, ArrayRef<ExtraResult> extra) {
  SmallVector<Type> types(branch.getResultTypes());
  for (ExtraResult value : extra)
    types.push_back(cast<RankedTensorType>(types[value.index]).cloneWithEncoding(value.encoding));
  b.setInsertionPoint(branch);
  auto extended = scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(),
                                    /*addThenBlock=*/false, /*addElseBlock=*/false);
  extended->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  extended.getThenRegion().takeBody(branch.getThenRegion());
  extended.getElseRegion().takeBody(branch.getElseRegion());
  for (Region *region : extended.getRegions()) {
    Operation *yield = region->front().getTerminator();
    b.setInsertionPoint(yield);
    for (Type type : ArrayRef(types).drop_front(branch.getNumResults()))
      yield->insertOperands(yield->getNumOperands(),
                            ub::PoisonOp::create(b, yield->getLoc(), type).getResult());
  }
  ValueRange kept = extended.getResults().take_front(branch.getNumResults());
  replaceKeys(branch.getResults(), kept);
  b.replaceOp(branch, kept);
  return extended;
}

/// Regions of both kinds end with a yield of the results.
void Rematerializer::yieldExtraResults(Operation *op, ArrayRef<ExtraResult> extra) {
  unsigned first = op->getNumResults() - extra.size();
  for (Region &region : op->getRegions()) {
    Operation *yield = region.front().getTerminator();
    for (auto [i, value] : llvm::enumerate(extra))
      yield->setOperand(first + i, get(yield->getOperand(value.index), value.encoding));
  }
}

Value Rematerializer::run(ttg::ConvertLayoutOp convert) {
  SmallVector<Extension> extensions = collectExtensions();
  for (auto &[op, extra] : extensions) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      op = extendLoop(loop, extra);
    else
      op = extendBranch(cast<scf::IfOp>(op), extra);
    unsigned first = op->getNumResults() - extra.size();
    for (auto [i, value] : llvm::enumerate(extra))
      done[{op->getResult(value.index), value.encoding}] = op->getResult(first + i);
  }
  // Its source may be the result of an op that was extended.
  Value result = get(convert.getSrc(), convert.getType().getEncoding());
  for (auto &[op, extra] : extensions)
    yieldExtraResults(op, extra);
  return result;
}

Value tessera::rematerialize(RematerializationPlan plan, ttg::ConvertLayoutOp convert,
                             RewriterBase &rewriter) {
  return Rematerializer(std::move(plan.steps), rewriter).run(convert);
}
