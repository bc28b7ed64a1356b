//===- MinimumCut.cpp - minimum cut of a graph ----------------------------===//
#include "MinimumCut.h"
#include <algorithm>
#include <limits>

using namespace tessera;

static constexpr double kEpsilon = 1e-6;
static constexpr unsigned kUnreached = ~0u;

MinimumCut::MinimumCut(unsigned numNodes)
    : preference(numNodes, 0), left(numNodes), right(numNodes + 1), arcsOf(numNodes + 2),
      reached(numNodes + 2, false) {}

void MinimumCut::addArc(unsigned from, unsigned to, double capacity) {
  arcsOf[from].push_back(arcs.size());
  arcs.push_back({to, capacity});
  arcsOf[to].push_back(arcs.size());
  arcs.push_back({from, 0});
}

bool MinimumCut::findLevels() {
  level.assign(arcsOf.size(), kUnreached);
  level[left] = 0;
  std::vector<unsigned> queue = {left};
  for (unsigned head = 0; head < queue.size(); ++head)
    for (unsigned i : arcsOf[queue[head]])
      if (arcs[i].capacity > kEpsilon && level[arcs[i].to] == kUnreached) {
        level[arcs[i].to] = level[queue[head]] + 1;
        queue.push_back(arcs[i].to);
      }
  return level[right] != kUnreached;
}

/// Sends as much flow as possible along the levels; the recursion depth is the number of levels.
double MinimumCut::push(unsigned node, double limit) {
  if (node == right)
    return limit;
  for (unsigned &at = next[node]; at < arcsOf[node].size(); ++at) {
    unsigned i = arcsOf[node][at];
    if (arcs[i].capacity <= kEpsilon || level[arcs[i].to] != level[node] + 1)
      continue;
    double sent = push(arcs[i].to, std::min(limit, arcs[i].capacity));
    if (sent <= 0)
      continue;
    arcs[i].capacity -= sent;
    arcs[i ^ 1].capacity += sent;
    return sent;
  }
  return 0;
}

void MinimumCut::solve() {
  // A node on the right cuts its arc from the left terminal, and vice versa.
  for (unsigned node = 0; node < preference.size(); ++node) {
    if (preference[node] < 0)
      addArc(left, node, -preference[node]);
    else if (preference[node] > 0)
      addArc(node, right, preference[node]);
  }
  while (findLevels()) {
    next.assign(arcsOf.size(), 0);
    while (push(left, std::numeric_limits<double>::infinity()) > 0) {
    }
  }
  for (unsigned node = 0; node < reached.size(); ++node)
    reached[node] = level[node] != kUnreached;
}
