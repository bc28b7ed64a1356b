//===- DeadCarriedValues.cpp - values that a loop carries for nobody ------===//
// Marks backwards from what must happen: ops with effects, ops with regions
// (whose insides are not looked into), and the next values of carried values
// that are alive. What is not reached is dead.
//===----------------------------------------------------------------------===//
#include "DeadCarriedValues.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {
class Marker {
public:
  explicit Marker(scf::ForOp loop) : loop(loop), live(loop.getNumRegionIterArgs()) {}

  /// Per carried value, whether it is alive.
  SmallVector<bool> run();

private:
  void need(Value value);
  void needCarried(unsigned index);

  scf::ForOp loop;
  SmallVector<bool> live;
  DenseSet<Value> seen;
  SmallVector<Value> worklist;
};
} // namespace

void Marker::need(Value value) {
  if (seen.insert(value).second)
    worklist.push_back(value);
}

void Marker::needCarried(unsigned index) {
  if (live[index])
    return;
  live[index] = true;
  need(loop.getYieldedValues()[index]);
}

SmallVector<bool> Marker::run() {
  for (auto [index, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty())
      needCarried(index);
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0)
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          need(operand);
      });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
      needCarried(argument.getArgNumber() - loop.getNumInductionVars());
    else if (Operation *op = value.getDefiningOp())
      for (Value operand : op->getOperands())
        need(operand);
  }
  return live;
}

bool tessera::freezeDeadCarriedValues(scf::ForOp loop) {
  bool changed = false;
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [index, isLive] : llvm::enumerate(Marker(loop).run())) {
    Value argument = loop.getRegionIterArgs()[index];
    if (isLive || yield->getOperand(index) == argument)
      continue;
    yield->setOperand(index, argument);
    changed = true;
  }
  return changed;
}
