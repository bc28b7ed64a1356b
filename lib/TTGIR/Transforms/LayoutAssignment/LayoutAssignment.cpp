//===- LayoutAssignment.cpp - choose the layouts with the least total cost -===//
// The candidate layouts are those that accesses and dots require. Each is propagated over the
// graph, forwards and backwards through every op that keeps data in place; the result is a
// *proposal*: a label for each node that it reaches.
//
// Then, proposal by proposal, the set of nodes for which it is best adopts the proposal. This set
// is given by a minimum cut: a node either keeps its label or takes the proposed one, and the cost
// of an edge depends on the labels at its ends. (This is the alpha-expansion of Boykov, Veksler and
// Zabih, 2001.) It ends when no proposal improves anything. Since the cost of a conversion grows
// with its bytes and with the trip count of loops, the cut is where a tensor is small: before it is
// broadcast, after it is narrowed, outside of loops.
//
// Cost: a cut per proposal and iteration; there are as many proposals as accesses and dots have
// different layouts, and few iterations.
//===----------------------------------------------------------------------===//
#include "LayoutAssignment.h"
#include "MinimumCut.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tessera;

static constexpr int kMaxRounds = 8;
/// Smaller improvements are ignored.
static constexpr Cost kWorthwhile = 0.001;

Cost tessera::edgeCost(const LayoutEdge &edge, Attribute made, Attribute wanted,
                       LayoutCosts &costs) {
  if (made == wanted)
    return 0;
  auto type = cast<RankedTensorType>(edge.value.getType());
  return std::min(costs.conversion(type, made, wanted) * edge.weight, edge.recompute);
}

namespace {

/// A label for each node, or none.
using Proposal = std::vector<Attribute>;

class Assignment {
public:
  Assignment(LayoutGraph &graph, LayoutCosts &costs) : graph(graph), costs(costs) {}
  void run();

private:
  void collectProposals();
  void spread(Proposal &proposal, SmallVector<unsigned> reached);
  bool propose(Proposal &proposal, unsigned node, Attribute label);
  bool improve(const Proposal &proposal);

  Cost cost(const LayoutEdge &edge, Attribute producer, Attribute consumer) {
    return edgeCost(edge, graph.encodingMade(edge, producer), graph.encodingWanted(edge, consumer),
                    costs);
  }
  Cost cost(const LayoutNode &node, Attribute label) {
    if (node.isCarried)
      return 0;
    return costs.operation(node.op, node.type, label) * executionWeight(node.op);
  }
  Attribute labelOf(int node) { return node < 0 ? Attribute() : graph.nodes[node].label; }

  LayoutGraph &graph;
  LayoutCosts &costs;
  std::vector<Proposal> proposals;
};

} // namespace

//===----------------------------------------------------------------------===//
// Proposals
//===----------------------------------------------------------------------===//

bool Assignment::propose(Proposal &proposal, unsigned node, Attribute label) {
  if (!label || proposal[node] || !graph.canHave(graph.nodes[node], label))
    return false;
  proposal[node] = label;
  return true;
}

void Assignment::spread(Proposal &proposal, SmallVector<unsigned> reached) {
  while (!reached.empty()) {
    unsigned node = reached.pop_back_val();
    for (unsigned index : graph.nodes[node].edges) {
      const LayoutEdge &edge = graph.edges[index];
      if (edge.producer < 0 || edge.consumer < 0 || edge.producer == edge.consumer)
        continue;
      bool forward = edge.producer == int(node);
      unsigned other = forward ? edge.consumer : edge.producer;
      if (proposal[other])
        continue;
      Attribute encoding = forward ? graph.encodingMade(edge, proposal[node])
                                   : graph.encodingWanted(edge, proposal[node]);
      Attribute label =
          forward ? graph.consumerLabel(edge, encoding) : graph.producerLabel(edge, encoding);
      if (propose(proposal, other, label))
        reached.push_back(other);
    }
  }
}

void Assignment::collectProposals() {
  // Edges with a fixed end, by the encoding to which it is fixed.
  using Key = std::pair<Attribute, ArrayRef<int64_t>>;
  llvm::MapVector<Key, SmallVector<unsigned>> fixed;
  for (auto [index, edge] : llvm::enumerate(graph.edges)) {
    if ((edge.producer < 0) == (edge.consumer < 0) || edge.recompute == 0)
      continue;
    Attribute encoding = edge.producer < 0 ? edge.made : edge.wanted;
    fixed[{encoding, cast<RankedTensorType>(edge.value.getType()).getShape()}].push_back(index);
  }
  for (auto &[key, indices] : fixed) {
    Proposal proposal(graph.nodes.size());
    SmallVector<unsigned> reached;
    for (unsigned index : indices) {
      const LayoutEdge &edge = graph.edges[index];
      unsigned node = edge.producer < 0 ? edge.consumer : edge.producer;
      Attribute label = edge.producer < 0 ? graph.consumerLabel(edge, key.first)
                                          : graph.producerLabel(edge, key.first);
      if (propose(proposal, node, label))
        reached.push_back(node);
    }
    spread(proposal, std::move(reached));
    proposals.push_back(std::move(proposal));
  }
}

//===----------------------------------------------------------------------===//
// Improvements
//===----------------------------------------------------------------------===//

/// Lets the set of nodes that saves most adopt the proposal; returns false if nothing is saved.
bool Assignment::improve(const Proposal &proposal) {
  auto isOpen = [&](int node) {
    return node >= 0 && proposal[node] && proposal[node] != graph.nodes[node].label;
  };
  // Left: takes the proposal. Right: keeps its label.
  MinimumCut cut(graph.nodes.size());
  bool anyOpen = false;
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    if (isOpen(index)) {
      anyOpen = true;
      cut.addNode(index, cost(node, proposal[index]), cost(node, node.label));
    }
  if (!anyOpen)
    return false;
  for (const LayoutEdge &edge : graph.edges) {
    int p = edge.producer, c = edge.consumer;
    if (edge.recompute == 0 || p == c || (!isOpen(p) && !isOpen(c)))
      continue;
    Attribute pNow = labelOf(p), cNow = labelOf(c);
    if (!isOpen(p)) {
      cut.addNode(c, cost(edge, pNow, proposal[c]), cost(edge, pNow, cNow));
    } else if (!isOpen(c)) {
      cut.addNode(p, cost(edge, proposal[p], cNow), cost(edge, pNow, cNow));
    } else {
      Cost both = cost(edge, proposal[p], proposal[c]), none = cost(edge, pNow, cNow);
      Cost onlyP = cost(edge, proposal[p], cNow), onlyC = cost(edge, pNow, proposal[c]);
      // The four costs are split into each node's own cost and the cost if only p takes the
      // proposal. If that would be negative, it is clamped to zero, because a cut cannot express
      // it.
      cut.addNode(p, both, onlyC);
      cut.addNode(c, 0, none - onlyC);
      cut.addEdge(p, c, std::max(Cost(0), onlyP + onlyC - both - none));
    }
  }
  cut.solve();

  // The clamped costs are checked here.
  auto after = [&](int node) {
    return isOpen(node) && !cut.isRight(node) ? proposal[node] : labelOf(node);
  };
  Cost saved = 0;
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    if (isOpen(index))
      saved += cost(node, node.label) - cost(node, after(index));
  for (const LayoutEdge &edge : graph.edges)
    if (isOpen(edge.producer) || isOpen(edge.consumer))
      saved += cost(edge, labelOf(edge.producer), labelOf(edge.consumer)) -
               cost(edge, after(edge.producer), after(edge.consumer));
  if (saved < kWorthwhile)
    return false;
  SmallVector<Attribute> labels;
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    labels.push_back(after(node));
  for (auto [node, label] : llvm::zip_equal(graph.nodes, labels))
    node.label = label;
  return true;
}

void Assignment::run() {
  collectProposals();
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (const Proposal &proposal : proposals)
      changed |= improve(proposal);
  }
}

void tessera::assignLabels(LayoutGraph &graph, LayoutCosts &costs) {
  Assignment(graph, costs).run();
}
