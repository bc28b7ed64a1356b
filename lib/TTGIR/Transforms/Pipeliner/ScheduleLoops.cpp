//===- ScheduleLoops.cpp - which stage runs each op of a loop -------------===//
// Turns latencies into stages. An op's distance is the latency that lies between it and
// the end of its iteration; the farther, the earlier the stage:
//
//   %p1 = addptr %p, %c                           distance 1   stage 0, cluster 0
//   %a = tt.load %p {tt.latency = 1 : i32}        distance 1   stage 0, cluster 0
//   %d = tt.dot %a, ...                           distance 0   stage 1, cluster 1
//
// A value carried to the next iteration is computed no later than it is used there. So
// a load whose address depends on an earlier iteration's load of itself cannot run
// ahead: its distance has no end, and the loop stays as it is. It also stays where
// something that must not happen twice (a store, an atomic) would have to run ahead, or a
// load of what the loop writes.
//
// Clusters: earlier stages first, highest first, then the last stage. A round thus
// starts the copies of iterations to come and then works on its own.
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
  /// False where values that depend on each other around the loop have no distance.
  bool exist() const { return converged; }
  unsigned of(Operation *op) const { return distance.lookup(op); }
  unsigned largest() const;

private:
  void sweep();
  void raise(Value value, unsigned to);

  scf::ForOp loop;
  DenseMap<Operation *, unsigned> distance;
  DenseMap<Value, unsigned> ofArgument; // of what uses a carried value
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

/// Whether all that would run ahead may. A load with a latency was meant to run ahead; what
/// its address needs runs ahead with it, and must not pass the loop's own writes.
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
