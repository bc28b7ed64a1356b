//===- ObservedElements.h - whether anybody sees some of the elements -----===//
// Given a tensor whose elements from `end` on along one dimension may be anything, shows that the
// program's results do not depend on them: they move through elementwise ops, dots, reductions
// along other dimensions and loops, and every store that they reach masks them off.
//
//   %a = load rows (start + i) % M        rows i >= M - start are not real
//   %d = dot %a, %b, %acc                 rows of the result
//   store %d, mask start + i < M          not stored
//
// Cost: linear in the ops that the tensor reaches.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/BlockAddresses.h"

namespace tessera {

/// Returns whether no store, atomic, branch or other effect depends on the elements of `tensor`
/// whose index along `dim` is `end` or greater.
bool areUnobserved(mlir::Value tensor, unsigned dim, const Polynomial &end,
                   BlockAddresses &addresses);

} // namespace tessera
