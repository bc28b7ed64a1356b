//===- CrossStageValues.h - recompute values in later stages --------------===//
#pragma once

#include "Schedule.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera {

/// Recomputes values in the stage that uses them, if an earlier stage computes them from the loop's
/// induction variable and loop-invariant values alone: index arithmetic and masks. Otherwise the
/// pipelined loop would carry them, in one register per element and stage.
void rematerializeAcrossStages(mlir::scf::ForOp loop, Schedule &schedule, mlir::RewriterBase &b);

} // namespace tessera
