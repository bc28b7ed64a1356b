//===- RemoveLayoutConversions.cpp - choose layouts and remove conversions -===//
// 1. Assign: accesses and dots have fixed layouts; all other ops get the layouts with which the
// least data
//    is moved (LayoutAssignment.h), and conversions are inserted only where two differ.
// 2. Rematerialize: the source of such a conversion is recomputed in the other layout if that costs
// less
//    (Rematerialize.h): index arithmetic, masks and pointers that two accesses share.
// 3. Dead values are removed, also loop-carried ones.
//
//   before: %i = tt.make_range #a ; %p = tt.addptr %s, %i #a
//           %q = ttg.convert_layout %p : #a -> #b ; tt.load %q
//   after:  %i = tt.make_range #b ; %p = tt.addptr %s, %i #b ; tt.load %p
//
// Requires: every tensor has an encoding. Ensures: values are unchanged, and accesses and dots keep
// their layouts. Cost: see LayoutAssignment.cpp; then, per remaining conversion, linear in the
// values on which its source depends.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Transforms/DeadCarriedValues.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "LayoutAssignment/LayoutAssignment.h"
#include "LayoutAssignment/LayoutRelations.h"
#include "LayoutAssignment/Rematerialize.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGREMOVELAYOUTCONVERSIONS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-remove-layout-conversions";

namespace {
struct RemoveLayoutConversions
    : tessera::impl::TTGRemoveLayoutConversionsBase<RemoveLayoutConversions> {
  using TTGRemoveLayoutConversionsBase::TTGRemoveLayoutConversionsBase;
  void runOnOperation() override;
};

/// A use, and the encoding in which it takes its value.
struct WantedUse {
  OpOperand *use;
  Attribute encoding;
};
struct RetypedValue {
  Value value;
  Attribute encoding;
};
} // namespace

static SmallVector<ttg::ConvertLayoutOp> collectConversions(ModuleOp module) {
  SmallVector<ttg::ConvertLayoutOp> ops;
  module.walk([&](ttg::ConvertLayoutOp op) { ops.push_back(op); });
  return ops;
}

//===----------------------------------------------------------------------===//
// Applying an assignment
//===----------------------------------------------------------------------===//

static SmallVector<WantedUse> collectUses(LayoutGraph &graph) {
  SmallVector<WantedUse> uses;
  for (const LayoutEdge &edge : graph.edges) {
    Attribute label = edge.consumer < 0 ? Attribute() : graph.nodes[edge.consumer].label;
    uses.push_back({edge.use, graph.encodingWanted(edge, label)});
  }
  return uses;
}

static SmallVector<RetypedValue> collectValues(LayoutGraph &graph) {
  SmallVector<RetypedValue> values;
  for (const LayoutNode &node : graph.nodes)
    for (Value value : node.values) {
      Attribute encoding = node.label;
      if (!node.isCarried)
        encoding = resultEncoding(node.op, cast<OpResult>(value).getResultNumber(), node.label);
      values.push_back({value, encoding});
    }
  return values;
}

/// Returns the op before which a conversion for `user` runs least often.
static Operation *conversionPoint(Value value, Operation *user) {
  Operation *home = value.getParentBlock()->getParentOp();
  Operation *point = user;
  for (Operation *parent = user->getParentOp(); parent && !parent->isAncestor(home);
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      point = parent;
  return point;
}

/// Recreates an op that creates a tensor from scalars; converts all other values.
static Value inEncoding(Value value, RankedTensorType type, Operation *user, RewriterBase &b) {
  Operation *op = value.getDefiningOp();
  if (!op || !isTensorSource(op)) {
    b.setInsertionPoint(conversionPoint(value, user));
    return ttg::ConvertLayoutOp::create(b, user->getLoc(), type, value);
  }
  b.setInsertionPointAfter(op);
  Operation *copy = b.clone(*op);
  copy->getResult(0).setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  return copy->getResult(0);
}

static void applyAssignment(LayoutGraph &graph, ModuleOp module, RewriterBase &b) {
  // Encodings depend on each other, so all are determined before the first is changed.
  SmallVector<WantedUse> uses = collectUses(graph);
  SmallVector<RetypedValue> values = collectValues(graph);
  for (ttg::ConvertLayoutOp convert : collectConversions(module))
    b.replaceAllUsesWith(convert.getResult(), LayoutGraph::lookThrough(convert.getSrc()));
  for (auto [value, encoding] : values)
    value.setType(cast<RankedTensorType>(value.getType()).cloneWithEncoding(encoding));

  // One copy of such an op is shared by all users in the same layout.
  DenseMap<LaidOutValue, Value> sources;
  for (auto [use, encoding] : uses) {
    Value value = use->get();
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getEncoding() == encoding)
      continue;
    Value &known = sources[{value, encoding}];
    Value result = known;
    if (!result)
      result = inEncoding(value, type.cloneWithEncoding(encoding), use->getOwner(), b);
    if (!isa<ttg::ConvertLayoutOp>(result.getDefiningOp()))
      known = result;
    use->set(result);
  }
}

//===----------------------------------------------------------------------===//
// Rematerialisation
//===----------------------------------------------------------------------===//

/// Returns the cost of the conversion where it stands.
static Cost conversionCost(ttg::ConvertLayoutOp convert, LayoutCosts &costs) {
  auto from = cast<RankedTensorType>(convert.getSrc().getType());
  Cost weight = executionWeight(convert.getOperation());
  if (convert->getBlock() == convert.getSrc().getParentBlock())
    weight = conversionWeight(convert.getSrc());
  return costs.conversion(from, from.getEncoding(), convert.getType().getEncoding()) * weight;
}

static bool rematerializeSource(ttg::ConvertLayoutOp convert, LayoutCosts &costs, RewriterBase &b) {
  Attribute encoding = convert.getType().getEncoding();
  Cost now = conversionCost(convert, costs);
  RematerializationPlan plan = planRematerialization(convert.getSrc(), encoding, costs);
  // An op that creates a tensor from scalars is free in any layout.
  Operation *definition = convert.getSrc().getDefiningOp();
  bool isFree = definition && (isTensorSource(definition) || isa<ttg::ConvertLayoutOp>(definition));
  if (isFree ? plan.cost > now : plan.cost >= now)
    return false;
  decided(convert, kPass, "conversion")
      .says("{0} values are computed again in another layout instead of being moved",
            plan.steps.size())
      .because("that costs {0:f1}, moving costs {1:f1}", plan.cost, now)
      .number("values", plan.steps.size());
  Value value = rematerialize(std::move(plan), convert, b);
  b.replaceOp(convert, value);
  return true;
}

static constexpr int kMaxRounds = 32;

/// Removes dead values, also loop-carried ones.
static void cleanUp(ModuleOp module) {
  module.walk([](scf::ForOp loop) { freezeDeadCarriedValues(loop); });
  RewritePatternSet patterns(module.getContext());
  ttg::ConvertLayoutOp::getCanonicalizationPatterns(patterns, module.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, module.getContext());
  scf::IfOp::getCanonicalizationPatterns(patterns, module.getContext());
  // The canonicalizer handles the rest.
  (void)applyPatternsGreedily(module, std::move(patterns));
}

static StringRef nameOf(ConversionMethod method) {
  switch (method) {
  case ConversionMethod::Rename:
    return "within each thread";
  case ConversionMethod::Shuffle:
    return "between lanes by shuffles";
  case ConversionMethod::WarpMemory:
    return "between lanes through shared memory";
  case ConversionMethod::BlockMemory:
    return "between warps through shared memory";
  case ConversionMethod::ClusterMemory:
    return "between CTAs through shared memory";
  }
  return "";
}

/// Emits remarks about the remaining conversions.
static void explainConversions(ModuleOp module, LayoutCosts &costs) {
  for (ttg::ConvertLayoutOp convert : collectConversions(module)) {
    auto from = cast<RankedTensorType>(convert.getSrc().getType());
    RankedTensorType to = convert.getType();
    std::optional<ConversionPlan> plan =
        planConversion(ttg::toLinearLayout(from), ttg::toLinearLayout(to), tt::getElementBits(from),
                       ttg::getMachine(convert));
    if (plan && plan->method == ConversionMethod::Rename)
      continue;
    Cost now = conversionCost(convert, costs);
    Cost again = planRematerialization(convert.getSrc(), to.getEncoding(), costs).cost;
    PassRemark remark = declined(convert, kPass, "conversion");
    remark
        .says("a tensor of {0:$[x]} elements of {1} bits is moved to another layout, {2}",
              llvm::iterator_range(from.getShape()), tt::getElementBits(from),
              plan ? nameOf(plan->method) : "by elements")
        .number("cost", now);
    if (plan && plan->shuffles)
      remark.number("shuffles", plan->shuffles->numShuffles)
          .number("selects", plan->shuffles->numSelects);
    if (again < kImpossible)
      remark.because("moving costs {0:f1}, computing it again would cost {1:f1}", now, again);
    else
      remark.because("it cannot be computed again");
  }
}

void RemoveLayoutConversions::runOnOperation() {
  ModuleOp module = getOperation();
  IRRewriter b(&getContext());
  LayoutCosts costs(ttg::getMachine(getOperation()).moves);
  LayoutGraph graph(module);
  assignLabels(graph, costs);
  applyAssignment(graph, module, b);

  // Each success makes the program cheaper, so this terminates; the limit guarantees it even if the
  // estimate is wrong.
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (ttg::ConvertLayoutOp convert : collectConversions(module)) {
      if (convert->use_empty())
        b.eraseOp(convert);
      else
        changed |= rematerializeSource(convert, costs, b);
    }
    if (changed || round == 0)
      cleanUp(module);
  }
  if (getContext().getRemarkEngine())
    explainConversions(module, costs);
}
