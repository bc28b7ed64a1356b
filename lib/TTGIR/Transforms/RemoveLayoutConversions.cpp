//===- RemoveLayoutConversions.cpp - compute where it is needed -----------===//
// 1. Sink: an elementwise op whose operands were all converted from one layout
//    is done in that layout, and its result converted; two conversions become
//    one, or the one meets the next.
// 2. Rematerialise: what a conversion would move is computed again in the new
//    layout where that costs less (Rematerialize.h).
//
//   before: %i = tt.make_range #a ; %p = tt.addptr %s, %i #a
//           %q = ttg.convert_layout %p : #a -> #b ; tt.load %q
//   after:  %i = tt.make_range #b ; %p = tt.addptr %s, %i #b ; tt.load %p
//
// Requires: every tensor has an encoding. Ensures: values are unchanged, no
// conversion became dearer. Cost: per conversion, linear in what its source
// depends on.
//===----------------------------------------------------------------------===//
#include "DeadCarriedValues.h"
#include "Rematerialize.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGREMOVELAYOUTCONVERSIONS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct RemoveLayoutConversions
    : tessera::impl::TTGRemoveLayoutConversionsBase<RemoveLayoutConversions> {
  using TTGRemoveLayoutConversionsBase::TTGRemoveLayoutConversionsBase;
  void runOnOperation() override;
};
} // namespace

static Attribute encodingOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getEncoding() : Attribute();
}

//===----------------------------------------------------------------------===//
// Sinking
//===----------------------------------------------------------------------===//

/// The layout that all tensor operands of `op` were converted from (or can be
/// made in); null if there is none.
static Attribute commonSourceEncoding(Operation *op) {
  Attribute common;
  for (Value operand : op->getOperands()) {
    auto convert = operand.getDefiningOp<ttg::ConvertLayoutOp>();
    if (!isa<RankedTensorType>(operand.getType()) ||
        (operand.getDefiningOp() && isTensorSource(operand.getDefiningOp())))
      continue;
    Attribute source = convert ? encodingOf(convert.getSrc()) : Attribute();
    if (!source || (common && common != source))
      return {};
    common = source;
  }
  return common;
}

/// What the operands' conversions cost that nobody else needs.
static Cost costOfDyingConversions(Operation *op) {
  Cost cost = 0;
  SmallPtrSet<Operation *, 4> seen;
  for (Value operand : op->getOperands())
    if (auto convert = operand.getDefiningOp<ttg::ConvertLayoutOp>())
      if (llvm::all_of(convert->getUsers(), [&](Operation *user) { return user == op; }) &&
          seen.insert(convert).second)
        cost += conversionCost(cast<RankedTensorType>(convert.getSrc().getType()),
                               convert.getType().getEncoding(), convert);
  return cost;
}

/// `value`, which is converted from or can be made in `encoding`, in `encoding`.
static Value inSourceEncoding(Value value, Attribute encoding, RewriterBase &b) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  if (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>())
    return convert.getSrc();
  // A source: folds into the op when it is next simplified.
  auto type = cast<RankedTensorType>(value.getType()).cloneWithEncoding(encoding);
  return ttg::ConvertLayoutOp::create(b, value.getLoc(), type, value);
}

static bool sinkConversions(Operation *op, RewriterBase &b) {
  if (!isRepeatableElementwise(op))
    return false;
  Attribute source = commonSourceEncoding(op);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!source || !type || source == type.getEncoding())
    return false;
  auto newType = type.cloneWithEncoding(source);
  if (conversionCost(newType, type.getEncoding(), op) > costOfDyingConversions(op))
    return false;

  b.setInsertionPoint(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(inSourceEncoding(operand, source, b));
  Operation *moved = b.clone(*op);
  moved->setOperands(operands);
  moved->getResult(0).setType(newType);
  b.replaceOpWithNewOp<ttg::ConvertLayoutOp>(op, type, moved->getResult(0));
  return true;
}

//===----------------------------------------------------------------------===//
// Rematerialisation
//===----------------------------------------------------------------------===//

static bool rematerializeSource(ttg::ConvertLayoutOp convert, RewriterBase &b) {
  auto type = cast<RankedTensorType>(convert.getSrc().getType());
  Attribute encoding = encodingOf(convert);
  Cost now = conversionCost(type, encoding, convert);
  RematerializationPlan plan = planRematerialization(convert.getSrc(), encoding);
  // A source of tensors costs nothing in any layout, moved or not.
  Operation *definition = convert.getSrc().getDefiningOp();
  bool isFree = definition && (isTensorSource(definition) || isa<ttg::ConvertLayoutOp>(definition));
  if (isFree ? plan.cost > now : plan.cost >= now)
    return false;
  Value value = rematerialize(std::move(plan), convert, b);
  b.replaceOp(convert, value);
  return true;
}

static SmallVector<ttg::ConvertLayoutOp> collect(ModuleOp module) {
  SmallVector<ttg::ConvertLayoutOp> ops;
  module.walk([&](ttg::ConvertLayoutOp op) { ops.push_back(op); });
  return ops;
}

static constexpr int kMaxRounds = 32;

/// Removes what lost its last user, loop-carried values included.
static void cleanUp(ModuleOp module) {
  module.walk([](scf::ForOp loop) { freezeDeadCarriedValues(loop); });
  RewritePatternSet patterns(module.getContext());
  ttg::ConvertLayoutOp::getCanonicalizationPatterns(patterns, module.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, module.getContext());
  scf::IfOp::getCanonicalizationPatterns(patterns, module.getContext());
  // What it does not reach is left for the canonicaliser.
  (void)applyPatternsGreedily(module, std::move(patterns));
}

void RemoveLayoutConversions::runOnOperation() {
  ModuleOp module = getOperation();
  IRRewriter b(&getContext());
  module.walk([&](Operation *op) { sinkConversions(op, b); });

  // Each success makes the program cheaper, so this ends; should the estimate be
  // wrong about that, it ends all the same.
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (ttg::ConvertLayoutOp convert : collect(module)) {
      if (convert->use_empty())
        b.eraseOp(convert);
      else
        changed |= rematerializeSource(convert, b);
    }
    cleanUp(module);
  }
}
