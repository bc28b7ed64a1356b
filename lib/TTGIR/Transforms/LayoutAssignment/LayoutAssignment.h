//===- LayoutAssignment.h - choose the layouts with the least total cost --===//
#pragma once

#include "LayoutGraph.h"

namespace tessera {

/// Changes the labels of the graph's nodes to reduce the total cost, until no proposal of a single
/// layout reduces it further. See LayoutAssignment.cpp.
void assignLabels(LayoutGraph &graph, LayoutCosts &costs);

/// Returns the cost of an edge with these encodings at its ends.
Cost edgeCost(const LayoutEdge &edge, mlir::Attribute made, mlir::Attribute wanted,
              LayoutCosts &costs);

} // namespace tessera
