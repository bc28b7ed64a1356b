//===- MinimumCut.h - the cheapest way to part a graph --------------------===//
// Each node goes to one of two sides. Terms say what a node pays on a side, and
// what two nodes pay when they are on different sides; the sides that cost least
// are found by a maximum flow (Dinic).
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

  /// What a node pays on each side, besides what was added before.
  void addNode(unsigned node, double onLeft, double onRight) {
    preference[node] += onLeft - onRight;
  }
  /// What is paid if `a` is on the left and `b` on the right; not negative.
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

  std::vector<double> preference; // for the right: what it saves
  // Two more nodes: the left end, from which flow comes, and the right.
  unsigned left, right;
  std::vector<Arc> arcs; // arc i and i ^ 1 are each other's reverse
  std::vector<std::vector<unsigned>> arcsOf;
  std::vector<unsigned> level, next;
  std::vector<bool> reached;
};

} // namespace tessera
