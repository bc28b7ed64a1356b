//===- ScheduleLoops.cpp - assign the ops of a loop to stages -------------===//
// Turns latencies into stages. The distance of an op is the sum of latencies on the longest path
// from the op to the end of its iteration; ops of a larger distance are in an earlier stage:
//
//   %p1 = addptr %p, %c                           distance 1   stage 0, cluster 0
//   %a = tt.load %p {tt.latency = 1 : i32}        distance 1   stage 0, cluster 0
//   %d = tt.dot %a, ...                           distance 0   stage 1, cluster 1
//
// A loop-carried value is computed in a stage that is no later than its first use in the next
// iteration. So a load whose address depends on the same load of an earlier iteration cannot run
// ahead: its distance is unbounded, and the loop is not pipelined. Neither is a loop in which a
// store, an atomic, or a load of memory that the loop writes would have to run ahead.
//
// Clusters give the order within one iteration of the pipelined loop: the stages before the last
// come first, the highest of them first, and then the last stage. An iteration thus starts copies
// for later iterations, and then computes.
//
// Requires: latencies (ttg-assign-latencies, or the user). Ensures: every op of a
// scheduled loop has a stage and a cluster; nothing else changes.
// Cost: a few sweeps over the loop.
//===----------------------------------------------------------------------===//
#include "LoopWrites.h"
#include "Schedule.h"
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTOps.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGSCHEDULELOOPS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct ScheduleLoops : tessera::impl::TTGScheduleLoopsBase<ScheduleLoops> {
  using TTGScheduleLoopsBase::TTGScheduleLoopsBase;
  void runOnOperation() override;
};

/// The latency between each op of a loop and the end of its iteration.
class Distances {
public:
  explicit Distances(scf::ForOp loop);
  /// Returns false if a cycle of loop-carried values contains a latency: distances are unbounded.
  bool exist() const { return converged; }
  unsigned of(Operation *op) const { return distance.lookup(op); }
  unsigned largest() const;

private:
  void sweep();
  void raise(Value value, unsigned to);

  scf::ForOp loop;
  DenseMap<Operation *, unsigned> distance;
  DenseMap<Value, unsigned> ofArgument; // the largest distance of a carried value's users
  bool changed = false, converged = true;
};
} // namespace

Distances::Distances(scf::ForOp loop) : loop(loop) {
  unsigned limit = 1;
  for (Operation &op : loop.getBody()->without_terminator())
    limit += getLatency(&op);
  do {
    changed = false;
    sweep();
    converged = largest() < limit;
  } while (changed && converged);
}

unsigned Distances::largest() const {
  unsigned largest = 0;
  for (auto [op, value] : distance)
    largest = std::max(largest, value);
  return largest;
}

void Distances::raise(Value value, unsigned to) {
  unsigned *known = nullptr;
  if (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != loop.getBody())
      return;
    to += getLatency(op);
    known = &distance[op];
  } else if (cast<BlockArgument>(value).getOwner() == loop.getBody()) {
    known = &ofArgument[value];
  }
  if (!known || *known >= to)
    return;
  *known = to;
  changed = true;
}

void Distances::sweep() {
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (unsigned wanted = ofArgument.lookup(argument)) {
      raise(yielded, wanted);
    }
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    unsigned own = std::max(distance[&op], getLatency(&op));
    distance[&op] = own;
    for (Value used : usedValues(&op))
      raise(used, own);
  }
}

/// Returns whether all ops with a distance may run ahead. For loads with a latency
/// ttg-assign-latencies has checked that; the loads that their addresses depend on run ahead too,
/// and must not pass stores of the loop to the same memory.
static bool canRunAsPlanned(scf::ForOp loop, const Distances &distances) {
  LoopWrites writes(loop);
  return llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) {
    return distances.of(&op) == 0 ||
           (canRunAhead(&op) && (getLatency(&op) > 0 || !writes.mayChangeLoadsOf(&op)));
  });
}

static void schedule(scf::ForOp loop) {
  if (llvm::none_of(*loop.getBody(), [](Operation &op) { return getLatency(&op) > 0; }))
    return;
  Distances distances(loop);
  constexpr llvm::StringLiteral pass = "ttg-schedule-loops", name = "stages";
  StringRef reason;
  if (!distances.exist())
    reason = "an address depends on what an earlier iteration loads through it";
  else if (distances.largest() == 0)
    reason = "no load is used after its latency";
  else if (!canRunAsPlanned(loop, distances))
    reason = "a store, an atomic or a load of what the loop writes would have to run ahead";
  if (!reason.empty()) {
    declined(loop, pass, name).says("the loop is not pipelined").because("{0}", reason);
    return dropSchedule(loop);
  }
  unsigned last = distances.largest();
  decided(loop, pass, name)
      .says("the loop is pipelined in {0} stages", last + 1)
      .number("stages", last + 1);
  Schedule result;
  for (Operation &op : loop.getBody()->without_terminator()) {
    unsigned stage = last - distances.of(&op);
    result[&op] = {stage, stage == last ? last : last - 1 - stage};
  }
  writeSchedule(loop, result, last);
}

void ScheduleLoops::runOnOperation() {
  getOperation().walk([](scf::ForOp loop) { schedule(loop); });
}
