//===- LayoutAssignment.h - the layouts that cost least -------------------===//
#pragma once

#include "LayoutGraph.h"

namespace tessera {

/// Changes the labels of the graph's nodes to a choice that costs less, and where
/// nothing that a single layout could do would save more. See LayoutAssignment.cpp.
void assignLabels(LayoutGraph &graph, LayoutCosts &costs);

/// What an edge costs with these encodings at its ends.
Cost edgeCost(const LayoutEdge &edge, mlir::Attribute made, mlir::Attribute wanted,
              LayoutCosts &costs);

} // namespace tessera
