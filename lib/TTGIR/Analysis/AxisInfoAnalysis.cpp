//===- AxisInfoAnalysis.cpp - axis information by sparse dataflow ---------===//
// MLIR's dataflow solver follows branches, loops and calls, joins the states of control flow paths,
// and visits an op again if an operand has changed. A value starts as "not computed", so a
// loop-carried pointer starts with its initial value's state and keeps what every iteration
// confirms. Each change lowers a power of two, so the analysis terminates.
//===----------------------------------------------------------------------===//
#include "AxisNumbers.h"
#include "AxisRules.h"
#include "AxisTransfer.h"
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tessera;

/// Returns the scalar that a condition such as `x >= 0` or `x > c` shows to be non-negative.
static Value saidNonNegative(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isSignlessInteger())
    return {};
  using P = arith::CmpIPredicate;
  auto isAtLeast = [](Value bound, int64_t least) {
    APInt value;
    return matchPattern(bound, m_ConstantInt(&value)) && value.sge(least);
  };
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  switch (compare.getPredicate()) {
  case P::sge:
  case P::eq:
    return isAtLeast(rhs, 0) ? lhs : Value();
  case P::sgt:
    return isAtLeast(rhs, -1) ? lhs : Value();
  case P::sle:
    return isAtLeast(lhs, 0) ? rhs : Value();
  case P::slt:
    return isAtLeast(lhs, -1) ? rhs : Value();
  default:
    return {};
  }
}

/// Collects the facts from assumptions (`tl.assume`) at the top level of a function. Those in a
/// branch or a loop might not be reached.
static llvm::DenseSet<Value> collectAssumedNonNegative(Operation *root) {
  llvm::DenseSet<Value> values;
  root->walk([&](LLVM::AssumeOp op) {
    Block *block = op->getBlock();
    if (block->isEntryBlock() && isa_and_nonnull<FunctionOpInterface>(block->getParentOp()))
      if (Value value = saidNonNegative(op.getCond()))
        values.insert(value);
  });
  return values;
}

namespace {
using AxisLattice = dataflow::Lattice<AxisInfo>;

class AxisDataflow : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  AxisDataflow(DataFlowSolver &solver, AxisInfoOptions options,
               llvm::DenseSet<Value> assumedNonNegative)
      : SparseForwardDataFlowAnalysis(solver), options(options),
        assumedNonNegative(std::move(assumedNonNegative)) {}

  LogicalResult visitOperation(Operation *op, ArrayRef<const AxisLattice *> operands,
                               ArrayRef<AxisLattice *> results) override {
    SmallVector<AxisInfo> known;
    for (const AxisLattice *operand : operands) {
      if (!operand->getValue().isComputed())
        return success(); // the op is visited again when the operand is computed
      known.push_back(operand->getValue());
    }
    SmallVector<AxisInfo> infos = transferAxisInfo(op, known, options);
    for (auto [info, result] : llvm::zip_equal(infos, results))
      update(result, std::move(info));
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
      update(arguments[0], axisInfoOfInduction(lower, step, !loop.getUnsignedCmp()));
  }

protected:
  void setToEntryState(AxisLattice *lattice) override {
    update(lattice, axisInfoAtEntry(lattice->getAnchor()));
  }

private:
  void update(AxisLattice *lattice, AxisInfo info) {
    if (assumedNonNegative.contains(lattice->getAnchor()))
      info.setNonNegative(true);
    propagateIfChanged(lattice, lattice->join(info));
  }

  AxisInfoOptions options;
  llvm::DenseSet<Value> assumedNonNegative;
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
  impl->solver.load<AxisDataflow>(options, collectAssumedNonNegative(root));
  impl->succeeded = succeeded(impl->solver.initializeAndRun(root));
}

AxisInfoAnalysis::~AxisInfoAnalysis() = default;

bool AxisInfoAnalysis::isValid() const { return impl->succeeded; }

AxisInfo AxisInfoAnalysis::get(Value value) const {
  const AxisLattice *lattice = isValid() ? impl->solver.lookupState<AxisLattice>(value) : nullptr;
  // Dead code is never computed, and no claims are made about poison.
  if (!lattice || !lattice->getValue().isComputed() || lattice->getValue().isPoison())
    return AxisInfo::unknown(value.getType());
  return lattice->getValue();
}

static SmallVector<AccessFacts> factsOf(const AxisInfo &addresses, Value mask,
                                        const AxisInfo &predicate) {
  SmallVector<AccessFacts> facts;
  for (unsigned d = 0; d < addresses.rank(); ++d)
    facts.push_back({.contiguity = addresses.contiguity(d),
                     .divisibilityBytes = addresses.divisibility(d),
                     .maskConstancy = AxisInfo::unlimited});
  if (!mask)
    return facts;
  bool isWhole = !isa<RankedTensorType>(mask.getType());
  for (unsigned d = 0; d < facts.size() && d < predicate.rank() && !isWhole; ++d) {
    facts[d].maskConstancy = predicate.constancy(d);
    facts[d].maskPrefix = predicate.axis(d).longestPrefix();
  }
  return facts;
}

SmallVector<AccessFacts> AxisInfoAnalysis::accessFacts(Value pointers, Value mask) const {
  return factsOf(get(pointers), mask, mask ? get(mask) : AxisInfo());
}

SmallVector<AccessFacts> AxisInfoAnalysis::accessFacts(Value base, Value offsets,
                                                       Value mask) const {
  auto type = cast<RankedTensorType>(offsets.getType());
  AxisInfo pointer = get(base), offset = get(offsets), sum = AxisInfo::unknown(type);
  std::optional<int64_t> unit = pointerUnit(base.getType());
  if (unit && pointer.rank() == 1 && offset.rank() == unsigned(type.getRank())) {
    SmallVector<Axis, 3> everywhere;
    for (int64_t extent : type.getShape())
      everywhere.push_back({.divisibility = pointer.divisibility(0), .constancy = extent});
    sum = sumAxisInfo(AxisInfo(everywhere), offset, *unit);
  }
  return factsOf(sum, mask, mask ? get(mask) : AxisInfo());
}
