//===- Schedule.h - which stage of a pipelined loop runs an op ------------===//
// The passes of the pipeliner speak to each other through attributes, so that each
// decision can be read, tested and overruled:
//
//   %a = tt.load %p {tt.latency = 1 : i32}                  ttg-assign-latencies
//   %a = tt.load %p {loop.stage = 0, loop.cluster = 0}      ttg-schedule-loops
//   scf.for ... {tt.scheduled_max_stage = 1 : i32}
//
// Stage: the pipelined loop's round k runs stage s for iteration k - s. What is in a
// lower stage runs ahead. Cluster: the order within a round, lowest first; ops of one
// cluster keep the order of the source.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace tessera {

/// On a load: rounds between its start and its first use.
inline constexpr llvm::StringLiteral kLatencyAttr = "tt.latency";
inline constexpr llvm::StringLiteral kStageAttr = "loop.stage";
inline constexpr llvm::StringLiteral kClusterAttr = "loop.cluster";
inline constexpr llvm::StringLiteral kMaxStageAttr = "tt.scheduled_max_stage";
/// On a loop that ttg-pipeline has made: its copies are masked for iterations that do not
/// exist.
inline constexpr llvm::StringLiteral kPipelinedAttr = "ttg.pipelined";

/// An attribute that is a number; nothing where there is none, or a negative one.
std::optional<unsigned> getNumber(mlir::Operation *op, llvm::StringRef name);
void setNumber(mlir::Operation *op, llvm::StringRef name, unsigned value);

/// Rounds that the op's result is wanted later; 0 where nobody says.
unsigned getLatency(mlir::Operation *op);

struct Slot {
  unsigned stage = 0;
  unsigned cluster = 0;
};

/// When each op of a loop's body runs.
using Schedule = llvm::DenseMap<mlir::Operation *, Slot>;

void writeSchedule(mlir::scf::ForOp loop, const Schedule &schedule, unsigned maxStage);
/// Reads what writeSchedule wrote, or a person, and removes it from the IR. Nothing unless
/// every op of the body has a slot, none runs before what it uses, and only such ops run
/// ahead as may.
std::optional<Schedule> takeSchedule(mlir::scf::ForOp loop, unsigned &maxStage);
/// Removes latencies and slots.
void dropSchedule(mlir::scf::ForOp loop);

/// Whether `op` may run for iterations that do not exist: it changes nothing, and what
/// it reads can be masked.
bool canRunAhead(mlir::Operation *op);

/// Whether the loop's iterations can run side by side: each value that it carries is computed
/// in the iteration before, or outside. One that is only passed on comes from further back,
/// for which MLIR's pipeliner has no place.
bool hasOnlyDirectRecurrences(mlir::scf::ForOp loop);

/// The values from outside that an op with regions uses, and its operands.
llvm::SmallVector<mlir::Value> usedValues(mlir::Operation *op);

} // namespace tessera
