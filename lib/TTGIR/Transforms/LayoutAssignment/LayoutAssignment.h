//===- LayoutAssignment.h - the layouts that cost least -------------------===//
#pragma once

#include "LayoutGraph.h"

namespace tessera {

/// Changes the labels of the graph's nodes to a choice of lower cost, which no single layout could
/// improve further. See LayoutAssignment.cpp.
void assignLabels(LayoutGraph &graph, LayoutCosts &costs);

/// Returns the cost of an edge with these encodings at its ends.
Cost edgeCost(const LayoutEdge &edge, mlir::Attribute made, mlir::Attribute wanted,
              LayoutCosts &costs);

} // namespace tessera
