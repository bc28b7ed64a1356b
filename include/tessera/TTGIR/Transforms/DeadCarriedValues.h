//===- DeadCarriedValues.h - dead loop-carried values ---------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera {

/// A carried value is dead if its result has no user and the body uses it only to compute its own
/// next value (or that of other dead ones). Such a value is made loop-invariant, so that
/// canonicalization removes it; the ops that computed it become dead.
///
///   before: scf.for iter_args(%p = %p0) { %q = addptr %p, %c ; yield %q }
///   after:  scf.for iter_args(%p = %p0) { %q = addptr %p, %c ; yield %p }
///
/// Returns whether any was found. Cost: linear in the body.
bool freezeDeadCarriedValues(mlir::scf::ForOp loop);

} // namespace tessera
