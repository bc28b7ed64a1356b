//===- OpChanges.h - which ops a program gained and lost ------------------===//
#pragma once

#include "tessera/Driver/PassTrace.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace tessera {

unsigned totalOf(const OpCounts &ops);

/// "42 -> 39", or "42" if the number stays.
std::string change(unsigned before, unsigned after);

/// "-3 arith.constant", "+1 tt.load": those that change most first.
std::vector<std::string> describeOps(const OpCounts &before, const OpCounts &after);

/// Joins as many parts as fit into `width` columns; ".." stands for the others.
std::string joinParts(llvm::ArrayRef<std::string> parts, unsigned width);

} // namespace tessera
