//===- OrderPrograms.cpp - start the programs that take longest first -----===//
// A chip starts programs in the order of their numbers. If programs with high numbers run more
// iterations than others (causal attention), the last ones to start run alone at the end. Programs
// are independent of each other, so their numbers along the first axis may be counted backwards:
//
//   before: %pid = tt.get_program_id x ; scf.for %i = %c0 to (%pid * 128)
//   after:  %pid = tt.get_program_id x {ttg.reversed} ; ...      number of programs - 1 - %ctaid.x
//
// The number of iterations is followed through sums, products, quotients, minima and maxima, which
// keep the direction in which it grows.
//
// A kernel in which one program may wait for another stays as it is, because the order in which
// they start may matter: one that has atomics, volatile loads, impure assembly or calls, or prints.
//
// Ensures: each program runs once. Cost: linear in the ops that compute loop bounds.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/ProgramOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGORDERPROGRAMS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct OrderPrograms : tessera::impl::TTGOrderProgramsBase<OrderPrograms> {
  void runOnOperation() override;
};

/// How a value depends on the number of the program.
enum class Growth { None, Up, Down, Unknown };

class GrowthAnalysis {
public:
  Growth of(Value value);

private:
  Growth compute(Operation *op);
  Growth ofProduct(Operation *op);
  DenseMap<Value, Growth> known;
};
} // namespace

static Growth opposite(Growth growth) {
  return growth == Growth::Up ? Growth::Down : growth == Growth::Down ? Growth::Up : growth;
}

/// The growth of a sum, minimum or maximum.
static Growth together(Growth a, Growth b) {
  if (a == Growth::None || a == b)
    return b;
  return b == Growth::None ? a : Growth::Unknown;
}

Growth GrowthAnalysis::of(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) { // a kernel's argument, or what a loop carries
    Operation *parent = value.getParentRegion()->getParentOp();
    return isa<tt::FuncOp>(parent) ? Growth::None : Growth::Unknown;
  }
  if (auto it = known.find(value); it != known.end())
    return it->second;
  known[value] = Growth::Unknown;
  return known[value] = compute(op);
}

/// A factor or divisor that is not the program's number is taken for a size, which is positive;
/// constants tell their sign.
Growth GrowthAnalysis::ofProduct(Operation *op) {
  Growth left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (isa<arith::DivSIOp>(op) && right != Growth::None)
    return Growth::Unknown;
  if (left != Growth::None && right != Growth::None)
    return left == right ? left : Growth::Unknown;
  APInt factor;
  Value other = op->getOperand(left == Growth::None ? 0 : 1);
  bool isNegative = matchPattern(other, m_ConstantInt(&factor)) && factor.isNegative();
  Growth growth = together(left, right);
  return isNegative ? opposite(growth) : growth;
}

Growth GrowthAnalysis::compute(Operation *op) {
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
    return id.getAxis() == tt::ProgramIDDim::X ? Growth::Up : Growth::None;
  if (isa<arith::MulIOp, arith::DivSIOp>(op))
    return ofProduct(op);
  if (isa<arith::SubIOp>(op))
    return together(of(op->getOperand(0)), opposite(of(op->getOperand(1))));
  Growth growth = Growth::None;
  for (Value operand : op->getOperands())
    growth = together(growth, of(operand));
  bool isMonotone = isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp, arith::ExtSIOp,
                        arith::ExtUIOp, arith::TruncIOp, tt::BitcastOp>(op);
  bool isOpaque = op->getNumRegions() != 0;
  return growth == Growth::None && !isOpaque ? Growth::None : isMonotone ? growth : Growth::Unknown;
}

/// Returns whether one program may wait for what another does.
static bool mayWait(tt::FuncOp kernel) {
  return kernel
      ->walk([](Operation *op) {
        auto load = dyn_cast<tt::LoadOp>(op);
        bool isVolatile =
            load && (load.getIsVolatile() || load.getCache() == tt::CacheModifier::CV);
        auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op);
        bool isImpure = assembly && !assembly.getPure();
        // Functions that are not inlined may have atomics.
        return isVolatile || isImpure ||
                       isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::PrintOp, tt::CallOp, scf::WhileOp>(
                           op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns whether some loop runs longer in programs with higher numbers, and none shorter.
static bool growsWithNumber(tt::FuncOp kernel) {
  GrowthAnalysis analysis;
  bool up = false, down = false;
  kernel->walk([&](scf::ForOp loop) {
    Growth growth =
        together(analysis.of(loop.getUpperBound()), opposite(analysis.of(loop.getLowerBound())));
    up |= growth == Growth::Up;
    down |= growth == Growth::Down;
  });
  return up && !down;
}

void OrderPrograms::runOnOperation() {
  for (auto kernel : getOperation().getOps<tt::FuncOp>()) {
    if (!kernel.isKernel() || kernel.isExternal() || !growsWithNumber(kernel) || mayWait(kernel))
      continue;
    decided(kernel, "ttg-order-programs", "order")
        .says("programs start from the last one along x")
        .because("loops run longer in programs with higher numbers");
    kernel->walk([&](tt::GetProgramIdOp id) {
      if (id.getAxis() == tt::ProgramIDDim::X)
        id->setAttr(kReversedAttr, UnitAttr::get(&getContext()));
    });
  }
}
