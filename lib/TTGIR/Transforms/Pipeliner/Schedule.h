//===- Schedule.h - the stages of a pipelined loop ------------------------===//
// The passes of the pipeliner communicate through attributes, so that each decision can be read,
// tested and overridden:
//
//   %a = tt.load %p {tt.latency = 1 : i32}                  ttg-assign-latencies
//   %a = tt.load %p {loop.stage = 0, loop.cluster = 0}      ttg-schedule-loops
//   scf.for ... {tt.scheduled_max_stage = 1 : i32}
//
// Stage: iteration k of the pipelined loop runs stage s for iteration k - s of the source loop, so
// that ops of lower stages run ahead. Cluster: the order within an iteration of the pipelined loop,
// lowest first; ops of one cluster keep the order of the source.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace tessera {

/// On a load: the number of iterations between its start and its first use.
inline constexpr llvm::StringLiteral kLatencyAttr = "tt.latency";
inline constexpr llvm::StringLiteral kStageAttr = "loop.stage";
inline constexpr llvm::StringLiteral kClusterAttr = "loop.cluster";
inline constexpr llvm::StringLiteral kMaxStageAttr = "tt.scheduled_max_stage";
/// On a loop that ttg-pipeline has written: its copies are masked for iterations that do not exist.
inline constexpr llvm::StringLiteral kPipelinedAttr = "ttg.pipelined";

/// Returns the value of an integer attribute; nothing if there is none or it is negative.
std::optional<unsigned> getNumber(mlir::Operation *op, llvm::StringRef name);
void setNumber(mlir::Operation *op, llvm::StringRef name, unsigned value);

/// Returns the op's latency in iterations; 0 if it has none.
unsigned getLatency(mlir::Operation *op);

struct Slot {
  unsigned stage = 0;
  unsigned cluster = 0;
};

/// The stage and cluster of each op of a loop's body.
using Schedule = llvm::DenseMap<mlir::Operation *, Slot>;

void writeSchedule(mlir::scf::ForOp loop, const Schedule &schedule, unsigned maxStage);
/// Reads the schedule that writeSchedule or a person wrote, and removes it from the IR. Returns
/// nothing unless every op of the body has a slot, no op runs before its operands, and only ops run
/// ahead that may.
std::optional<Schedule> takeSchedule(mlir::scf::ForOp loop, unsigned &maxStage);
/// Removes latencies and slots.
void dropSchedule(mlir::scf::ForOp loop);

/// Returns whether `op` may run for iterations that do not exist: it does not write memory, and its
/// reads can be masked.
bool canRunAhead(mlir::Operation *op);

/// Returns whether an op computes each value that the loop yields. A block argument that is only
/// passed on comes from an earlier iteration than the previous one, which MLIR's pipeliner does not
/// support.
bool hasOnlyDirectRecurrences(mlir::scf::ForOp loop);

/// Returns the op's operands and the values from outside that its regions use.
llvm::SmallVector<mlir::Value> usedValues(mlir::Operation *op);

} // namespace tessera
