//===- AxisInfoAnalysis.cpp - axis information by sparse dataflow ---------===//
// MLIR's solver drives: it walks branches, loops and calls, joins what meets, and
// visits an op again when an operand changed. A value starts as "not computed", so a
// loop-carried pointer begins with what enters the loop and keeps what every
// iteration confirms. Each change lowers a power of two, so this ends.
//===----------------------------------------------------------------------===//
#include "AxisNumbers.h"
#include "AxisTransfer.h"
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tessera;

namespace {
using AxisLattice = dataflow::Lattice<AxisInfo>;

class AxisDataflow : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  AxisDataflow(DataFlowSolver &solver, AxisInfoOptions options)
      : SparseForwardDataFlowAnalysis(solver), options(options) {}

  LogicalResult visitOperation(Operation *op, ArrayRef<const AxisLattice *> operands,
                               ArrayRef<AxisLattice *> results) override {
    SmallVector<AxisInfo> known;
    for (const AxisLattice *operand : operands) {
      if (!operand->getValue().isComputed())
        return success(); // comes back when it is
      known.push_back(operand->getValue());
    }
    for (auto [info, result] : llvm::zip_equal(transferAxisInfo(op, known, options), results))
      propagateIfChanged(result, result->join(info));
    return success();
  }

  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<AxisLattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || arguments.empty())
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments,
                                                                         firstIndex);
    ProgramPoint *entry = getProgramPointBefore(loop.getBody());
    const AxisInfo &lower = getLatticeElementFor(entry, loop.getLowerBound())->getValue();
    const AxisInfo &step = getLatticeElementFor(entry, loop.getStep())->getValue();
    if (lower.isComputed() && step.isComputed())
      propagateIfChanged(arguments[0], arguments[0]->join(axisInfoOfInduction(
                                           lower, step, !loop.getUnsignedCmp())));
  }

protected:
  void setToEntryState(AxisLattice *lattice) override {
    propagateIfChanged(lattice, lattice->join(axisInfoAtEntry(lattice->getAnchor())));
  }

private:
  AxisInfoOptions options;
};
} // namespace

struct AxisInfoAnalysis::Impl {
  explicit Impl(bool interprocedural)
      : solver(DataFlowConfig().setInterprocedural(interprocedural)) {}
  DataFlowSolver solver;
  bool succeeded = false;
};

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root, AxisInfoOptions options)
    : impl(std::make_unique<Impl>(/*interprocedural=*/!isa<FunctionOpInterface>(root))) {
  dataflow::loadBaselineAnalyses(impl->solver);
  impl->solver.load<AxisDataflow>(options);
  impl->succeeded = succeeded(impl->solver.initializeAndRun(root));
}

AxisInfoAnalysis::~AxisInfoAnalysis() = default;

bool AxisInfoAnalysis::isValid() const { return impl->succeeded; }

AxisInfo AxisInfoAnalysis::get(Value value) const {
  const AxisLattice *lattice = isValid() ? impl->solver.lookupState<AxisLattice>(value) : nullptr;
  // Dead code is never computed, and of poison nothing is worth saying.
  if (!lattice || !lattice->getValue().isComputed() || lattice->getValue().isPoison())
    return AxisInfo::unknown(value.getType());
  return lattice->getValue();
}

SmallVector<AccessFacts> AxisInfoAnalysis::accessFacts(Value pointers, Value mask) const {
  AxisInfo addresses = get(pointers);
  SmallVector<AccessFacts> facts;
  for (unsigned d = 0; d < addresses.rank(); ++d)
    facts.push_back({.contiguity = addresses.contiguity(d),
                     .divisibilityBytes = addresses.divisibility(d),
                     .maskConstancy = AxisInfo::unlimited});
  if (!mask)
    return facts;
  AxisInfo predicate = get(mask);
  bool isWhole = !isa<RankedTensorType>(mask.getType());
  for (unsigned d = 0; d < facts.size() && d < predicate.rank() && !isWhole; ++d)
    facts[d].maskConstancy = predicate.constancy(d);
  return facts;
}
