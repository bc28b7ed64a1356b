//===- MinimumCutTest.cpp - cuts against all ways to part a graph ---------===//
#include "TTGIR/Transforms/LayoutAssignment/MinimumCut.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace tessera;

namespace {
struct Edge {
  unsigned a, b;
  double cost;
};
struct Graph {
  std::vector<double> onLeft, onRight;
  std::vector<Edge> edges;

  /// Bit n of `right` says that node n is on the right.
  double costOf(unsigned right) const {
    double cost = 0;
    for (unsigned node = 0; node < onLeft.size(); ++node)
      cost += right >> node & 1 ? onRight[node] : onLeft[node];
    for (const Edge &edge : edges)
      if (!(right >> edge.a & 1) && (right >> edge.b & 1))
        cost += edge.cost;
    return cost;
  }
};
} // namespace

TEST(MinimumCut, FindsTheCheapestSides) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    unsigned size = 1 + random() % 9;
    Graph graph;
    MinimumCut cut(size);
    for (unsigned node = 0; node < size; ++node) {
      graph.onLeft.push_back(int(random() % 20) - 5);
      graph.onRight.push_back(int(random() % 20) - 5);
      cut.addNode(node, graph.onLeft[node], graph.onRight[node]);
    }
    for (unsigned i = 0; i < random() % 20; ++i) {
      Edge edge{unsigned(random() % size), unsigned(random() % size), double(random() % 10)};
      if (edge.a == edge.b)
        continue;
      graph.edges.push_back(edge);
      cut.addEdge(edge.a, edge.b, edge.cost);
    }
    cut.solve();
    unsigned found = 0;
    double best = graph.costOf(0);
    for (unsigned right = 0; right < 1u << size; ++right)
      best = std::min(best, graph.costOf(right));
    for (unsigned node = 0; node < size; ++node)
      found |= unsigned(cut.isRight(node)) << node;
    EXPECT_NEAR(graph.costOf(found), best, 1e-6);
  }
}

TEST(MinimumCut, KeepsTheRightWhereNothingDecides) {
  MinimumCut cut(2);
  cut.addEdge(0, 1, 4);
  cut.solve();
  EXPECT_TRUE(cut.isRight(0));
  EXPECT_TRUE(cut.isRight(1));
}
