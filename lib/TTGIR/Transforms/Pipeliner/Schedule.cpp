//===- Schedule.cpp - the stages of a pipelined loop ----------------------===//
// See Schedule.h.
//===----------------------------------------------------------------------===//
#include "Schedule.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tessera;

std::optional<unsigned> tessera::getNumber(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  if (!attr || attr.getValue().getSignificantBits() > 32 || attr.getInt() < 0)
    return std::nullopt;
  return attr.getInt();
}

void tessera::setNumber(Operation *op, StringRef name, unsigned value) {
  op->setAttr(name, IntegerAttr::get(IntegerType::get(op->getContext(), 32), value));
}

unsigned tessera::getLatency(Operation *op) { return getNumber(op, kLatencyAttr).value_or(0); }

void tessera::writeSchedule(scf::ForOp loop, const Schedule &schedule, unsigned maxStage) {
  for (auto [op, slot] : schedule) {
    setNumber(op, kStageAttr, slot.stage);
    setNumber(op, kClusterAttr, slot.cluster);
  }
  setNumber(loop, kMaxStageAttr, maxStage);
}

/// Returns whether no op runs before its operands, and only ops run ahead that may.
static bool isSound(scf::ForOp loop, const Schedule &schedule, unsigned maxStage) {
  Block *body = loop.getBody();
  for (auto [op, slot] : schedule) {
    if (slot.stage < maxStage && !canRunAhead(op))
      return false;
    for (Value used : usedValues(op)) {
      auto argument = dyn_cast<BlockArgument>(used);
      bool isCarried = argument && argument.getOwner() == body && argument.getArgNumber() > 0;
      if (isCarried)
        used = loop.getTiedLoopYieldedValue(argument)->get();
      Operation *definition = used.getDefiningOp();
      if (!definition || definition->getBlock() != body)
        continue;
      Slot from = schedule.lookup(definition);
      if (from.stage > slot.stage ||
          (!isCarried && from.stage == slot.stage && from.cluster > slot.cluster))
        return false;
    }
  }
  return true;
}

std::optional<Schedule> tessera::takeSchedule(scf::ForOp loop, unsigned &maxStage) {
  std::optional<unsigned> highest = getNumber(loop, kMaxStageAttr);
  if (!highest)
    return std::nullopt;
  Schedule schedule;
  bool complete = true;
  for (Operation &op : loop.getBody()->without_terminator()) {
    std::optional<unsigned> stage = getNumber(&op, kStageAttr),
                            cluster = getNumber(&op, kClusterAttr);
    complete &= stage && cluster && *stage <= *highest;
    schedule[&op] = {stage.value_or(0), cluster.value_or(0)};
    op.removeAttr(kStageAttr);
    op.removeAttr(kClusterAttr);
  }
  loop->removeAttr(kMaxStageAttr);
  if (!complete || !hasOnlyDirectRecurrences(loop) || !isSound(loop, schedule, *highest))
    return std::nullopt;
  maxStage = *highest;
  return schedule;
}

void tessera::dropSchedule(scf::ForOp loop) {
  loop->removeAttr(kMaxStageAttr);
  for (Operation &op : loop.getBody()->without_terminator())
    for (StringRef name : {kLatencyAttr, kStageAttr, kClusterAttr})
      op.removeAttr(name);
}

bool tessera::canRunAhead(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return !load.getIsVolatile() && load.getCache() != tt::CacheModifier::CV &&
           !tt::isTensorPointer(load.getPtr().getType());
  if (isa<tt::DescriptorLoadOp>(op))
    return true;
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return false;
  bool all = true;
  branch->walk([&](Operation *inner) {
    if (inner != op && !isa<scf::IfOp, scf::YieldOp>(inner))
      all &= inner->getNumRegions() == 0 && canRunAhead(inner);
  });
  return all;
}

bool tessera::hasOnlyDirectRecurrences(scf::ForOp loop) {
  return llvm::all_of(loop.getYieldedValues(),
                      [](Value yielded) { return yielded.getDefiningOp() != nullptr; });
}

SmallVector<Value> tessera::usedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::SetVector<Value> captured;
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, region, captured);
  values.append(captured.begin(), captured.end());
  return values;
}
