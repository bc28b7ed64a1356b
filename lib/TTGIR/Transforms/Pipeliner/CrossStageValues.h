//===- CrossStageValues.h - compute again rather than carry ---------------===//
#pragma once

#include "Schedule.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera {

/// Gives each stage its own copy of what an earlier stage computes from the loop's index
/// and values from outside alone: index arithmetic and masks. Otherwise the pipelined
/// loop would carry them, a register per element and stage.
void rematerializeAcrossStages(mlir::scf::ForOp loop, Schedule &schedule, mlir::RewriterBase &b);

} // namespace tessera
