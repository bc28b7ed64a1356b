//===- LayoutGraph.cpp - the graph of layout decisions --------------------===//
#include "LayoutGraph.h"
#include "LayoutRelations.h"
#include "tessera/TTGIR/IR/TTGOps.h"

using namespace mlir;
using namespace tessera;

/// The weight of converting a load's result in a loop, relative to other conversions there: if the
/// load becomes an asynchronous copy, its read from shared memory has the new layout anyway.
static constexpr Cost kAfterLoad = 0.5;
/// The cost of reading a cached value again, for each value.
static constexpr Cost kReload = 16;

static RankedTensorType tensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

Value LayoutGraph::lookThrough(Value value) {
  while (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>())
    value = convert.getSrc();
  return value;
}

LayoutGraph::LayoutGraph(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { addNodes(op); });
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { addEdges(op); });
  shareConversions();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

int LayoutGraph::addNode(Operation *op, bool isCarried, RankedTensorType type, ValueRange values) {
  LayoutNode node;
  node.op = op;
  node.isCarried = isCarried;
  node.type = type;
  node.values.assign(values.begin(), values.end());
  node.label = type.getEncoding();
  for (Value value : values)
    nodeOf[value] = nodes.size();
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

void LayoutGraph::addNodes(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
      if (RankedTensorType type = tensorType(result))
        addNode(op, true, type, {argument, result});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (BlockArgument argument : loop.getBeforeArguments())
      if (RankedTensorType type = tensorType(argument))
        addNode(op, true, type, argument);
    for (auto [argument, result] : llvm::zip_equal(loop.getAfterArguments(), loop.getResults()))
      if (RankedTensorType type = tensorType(result))
        addNode(op, true, type, {argument, result});
  } else if (isa<scf::IfOp>(op)) {
    for (Value result : op->getResults())
      if (RankedTensorType type = tensorType(result))
        addNode(op, true, type, result);
  } else if (hasLabel(op)) {
    SmallVector<Value> values;
    for (OpResult result : op->getResults())
      if (decidesResult(op, result.getResultNumber()))
        values.push_back(result);
    nodeOfOp[op] = addNode(op, false, labelType(op), values);
  }
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

void LayoutGraph::addEdge(OpOperand &use, int consumer) {
  RankedTensorType type = tensorType(use.get());
  if (!type)
    return;
  LayoutEdge edge;
  edge.value = lookThrough(use.get());
  edge.use = &use;
  edge.consumer = consumer;
  edge.wanted = type.getEncoding();
  auto producer = nodeOf.find(edge.value);
  if (producer != nodeOf.end())
    edge.producer = producer->second;
  edge.made = tensorType(edge.value).getEncoding();
  edge.weight = executionWeight(edge.value);
  if (edge.value.getDefiningOp<tt::LoadOp>() && edge.weight > 1)
    edge.weight *= kAfterLoad;
  edge.recompute = recomputeCost(edge.value);
  if (edge.producer >= 0)
    nodes[edge.producer].edges.push_back(edges.size());
  if (edge.consumer >= 0 && edge.consumer != edge.producer)
    nodes[edge.consumer].edges.push_back(edges.size());
  edges.push_back(edge);
}

/// Divides the weight of a conversion by the number of uses that need the value in the same fixed
/// layout, because they share the conversion.
void LayoutGraph::shareConversions() {
  llvm::MapVector<std::pair<Value, Attribute>, SmallVector<unsigned, 4>> groups;
  for (auto [index, edge] : llvm::enumerate(edges))
    if (edge.consumer < 0)
      groups[{edge.value, edge.wanted}].push_back(index);
  for (auto &[key, group] : groups)
    for (unsigned index : group)
      edges[index].weight /= group.size();
}

void LayoutGraph::addLoopEdges(scf::ForOp loop) {
  OperandRange inits = loop.getInitArgs();
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    auto node = nodeOf.find(result);
    if (node == nodeOf.end())
      continue;
    addEdge(loop->getOpOperand(inits.getBeginOperandIndex() + i), node->second);
    addEdge(yield->getOpOperand(i), node->second);
  }
}

void LayoutGraph::addWhileEdges(scf::WhileOp loop) {
  scf::YieldOp yield = loop.getYieldOp();
  for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
    if (auto node = nodeOf.find(argument); node != nodeOf.end()) {
      addEdge(loop->getOpOperand(i), node->second);
      addEdge(yield->getOpOperand(i), node->second);
    }
  scf::ConditionOp condition = loop.getConditionOp();
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    if (auto node = nodeOf.find(result); node != nodeOf.end())
      addEdge(condition->getOpOperand(i + 1), node->second);
}

void LayoutGraph::addBranchEdges(scf::IfOp branch) {
  for (auto [i, result] : llvm::enumerate(branch.getResults()))
    if (auto node = nodeOf.find(result); node != nodeOf.end())
      for (Region *region : branch.getRegions())
        addEdge(region->front().getTerminator()->getOpOperand(i), node->second);
}

void LayoutGraph::addEdges(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addLoopEdges(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return addWhileEdges(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return addBranchEdges(branch);
  if (isa<ttg::ConvertLayoutOp, scf::ConditionOp>(op) ||
      (isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op->getParentOp())))
    return;
  auto node = nodeOfOp.find(op);
  int consumer = node == nodeOfOp.end() ? -1 : node->second;
  for (OpOperand &use : op->getOpOperands())
    if (!takesAnyLayout(op, use.getOperandNumber()))
      addEdge(use, consumer);
}

/// Returns an upper bound of the cost of recomputing `value` in any other layout: ops that two
/// operands share are counted twice.
Cost LayoutGraph::recomputeCost(Value value) {
  value = lookThrough(value);
  RankedTensorType type = tensorType(value);
  if (!type)
    return 0;
  // In a loop the recursion reaches values that are being counted already.
  auto [known, isNew] = recomputeCosts.try_emplace(value, 0);
  if (!isNew)
    return known->second;
  Operation *op = value.getDefiningOp();
  Operation *at = op ? op : value.getParentBlock()->getParentOp();
  Cost threads = Cost(ttg::lookupNumWarps(at).value_or(1)) * ttg::lookupThreadsPerWarp(at);
  Cost registers = std::max(Cost(1), Cost(type.getNumElements()) / threads);
  Cost cost = 0;
  auto addAll = [&](ValueRange values) {
    for (Value each : values)
      cost = std::min(kImpossible, cost + recomputeCost(each));
  };
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                       : value.getDefiningOp<scf::ForOp>();
  if (loop) {
    unsigned index = argument ? argument.getArgNumber() - loop.getNumInductionVars()
                              : cast<OpResult>(value).getResultNumber();
    addAll({loop.getInitArgs()[index], loop.getYieldedValues()[index]});
  } else if (!op) {
    cost = kImpossible;
  } else if (isRepeatableElementwise(op)) {
    cost = registers * instructionWeight(op) * executionWeight(op);
    addAll(op->getOperands());
  } else if (isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::ReshapeOp>(op)) {
    addAll(op->getOperands());
  } else if (isa<tt::LoadOp>(op) && hasLabel(op)) {
    cost = registers * kReload * executionWeight(op);
    addAll(op->getOperands());
  } else if (!isTensorSource(op)) {
    cost = kImpossible;
  }
  recomputeCosts[value] = cost;
  return cost;
}

//===----------------------------------------------------------------------===//
// Labels and encodings
//===----------------------------------------------------------------------===//

Attribute LayoutGraph::remember(Operation *op, unsigned question, Attribute label,
                                function_ref<Attribute()> compute) {
  auto [answer, isNew] = answers.try_emplace({op, {question, label}}, Attribute());
  if (!isNew)
    return answer->second;
  Attribute result = compute();
  answers[{op, {question, label}}] = result;
  return result;
}

Attribute LayoutGraph::resultIn(Operation *op, unsigned index, Attribute label) {
  return remember(op, 2 * index, label, [&] { return resultEncoding(op, index, label); });
}

Attribute LayoutGraph::operandIn(Operation *op, unsigned index, Attribute label) {
  return remember(op, 2 * index + 1, label, [&] { return operandEncoding(op, index, label); });
}

Attribute LayoutGraph::encodingMade(const LayoutEdge &edge, Attribute label) {
  if (edge.producer < 0)
    return edge.made;
  LayoutNode &node = nodes[edge.producer];
  if (node.isCarried)
    return label;
  return resultIn(node.op, cast<OpResult>(edge.value).getResultNumber(), label);
}

Attribute LayoutGraph::encodingWanted(const LayoutEdge &edge, Attribute label) {
  if (edge.consumer < 0)
    return edge.wanted;
  LayoutNode &node = nodes[edge.consumer];
  if (node.isCarried)
    return label;
  return operandIn(node.op, edge.use->getOperandNumber(), label);
}

Attribute LayoutGraph::producerLabel(const LayoutEdge &edge, Attribute encoding) {
  LayoutNode &node = nodes[edge.producer];
  if (node.isCarried)
    return encoding;
  return labelFromResult(node.op, cast<OpResult>(edge.value).getResultNumber(), encoding);
}

Attribute LayoutGraph::consumerLabel(const LayoutEdge &edge, Attribute encoding) {
  LayoutNode &node = nodes[edge.consumer];
  if (node.isCarried)
    return encoding;
  return labelFromOperand(node.op, edge.use->getOperandNumber(), encoding);
}

bool LayoutGraph::canHave(const LayoutNode &node, Attribute label) {
  if (node.isCarried)
    return true;
  Operation *op = node.op;
  // The label must give layouts to all tensors of the op, also to those without users and those
  // whose users accept any layout.
  auto hasOperand = [&](unsigned index) {
    return !decidesOperand(op, index) || operandIn(op, index, label);
  };
  auto hasResult = [&](unsigned index) {
    return !decidesResult(op, index) || resultIn(op, index, label);
  };
  return admitsLabel(op, label) && llvm::all_of(llvm::seq(op->getNumOperands()), hasOperand) &&
         llvm::all_of(llvm::seq(op->getNumResults()), hasResult);
}
