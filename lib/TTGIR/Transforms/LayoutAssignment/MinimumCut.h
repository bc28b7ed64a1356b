//===- MinimumCut.h - minimum cut of a graph -----------------------------===//
// Each node is on one of two sides. Terms give the cost of a node on each side, and of two nodes on
// different sides; the sides with the least cost are found by a maximum flow (Dinic).
//
//   MinimumCut cut(2);
//   cut.addNode(0, 5, 0);       // node 0 pays 5 on the left, nothing on the right
//   cut.addNode(1, 0, 3);
//   cut.addEdge(0, 1, 4);       // and 4 if 0 is left and 1 right
//   cut.solve();                // both right: 3
//
// Cost: O(nodes^2 * edges) at worst, nearly linear on the graphs of programs.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

class MinimumCut {
public:
  explicit MinimumCut(unsigned numNodes);

  /// Adds the costs of a node on each side.
  void addNode(unsigned node, double onLeft, double onRight) {
    preference[node] += onLeft - onRight;
  }
  /// Adds the cost if `a` is on the left and `b` on the right; not negative.
  void addEdge(unsigned a, unsigned b, double cost) {
    if (cost > 0)
      addArc(a, b, cost);
  }

  void solve();
  bool isRight(unsigned node) const { return !reached[node]; }

private:
  struct Arc {
    unsigned to;
    double capacity;
  };
  void addArc(unsigned from, unsigned to, double capacity);
  bool findLevels();
  double push(unsigned node, double limit);

  std::vector<double> preference; // the cost on the left minus the cost on the right
  // Two additional nodes: the left terminal, which is the source of the flow, and the right one.
  unsigned left, right;
  std::vector<Arc> arcs; // arc i and i ^ 1 are each other's reverse
  std::vector<std::vector<unsigned>> arcsOf;
  std::vector<unsigned> level, next;
  std::vector<bool> reached;
};

} // namespace tessera
