//===- FoldUniformMasks.cpp - put a program's condition into a mask's bound --===//
// A load of a later iteration is masked by the program's own bound and by a condition that is the
// same for all threads: whether there is such an iteration. Masks of lanes are 64-bit scalars, so
// each mask costs an `s_and` in every iteration. The condition can choose the bound instead, once
// for all masks of this bound:
//
//   before: %m = arith.cmpi slt, %offsets, splat(%bound)
//           %mask = arith.andi splat(%condition), %m
//   after:  %least = arith.select %condition, %bound, INT_MIN
//           %mask = arith.cmpi slt, %offsets, splat(%least)
//
// The comparison may be behind tt.expand_dims, tt.broadcast, ttg.convert_layout and arith.andi. It
// must be strict, because only then is there a bound that makes it false, and in the block of the
// mask: a comparison outside of the loop costs nothing there.
//
// Requires: nothing. Ensures: masks unchanged. Cost: for each tensor `and` a walk over what feeds
// it.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/AMD/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;

namespace tessera::amd {
#define GEN_PASS_DEF_AMDFOLDUNIFORMMASKS
#include "tessera/Target/AMD/Passes.h.inc"
} // namespace tessera::amd

namespace {
/// A mask whose condition moves.
struct Plan {
  arith::AndIOp mask;
  Value condition; // i1
  /// From the mask's other operand to the comparison.
  SmallVector<OpOperand *> path = {};
  arith::CmpIOp comparison = nullptr;
  unsigned boundIndex = 0; // the operand of the comparison that is the bound
};

struct FoldUniformMasks : amd::impl::AmdFoldUniformMasksBase<FoldUniformMasks> {
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

static Value splatOf(Value value) {
  auto splat = value.getDefiningOp<tt::SplatOp>();
  return splat ? splat.getSrc() : Value();
}

/// Returns the bound that makes the comparison false for every other operand; nothing if there is
/// none.
static std::optional<APInt> falseBound(arith::CmpIPredicate predicate, unsigned boundIndex,
                                       unsigned bits) {
  using enum arith::CmpIPredicate;
  bool isRight = boundIndex == 1;
  switch (predicate) {
  case slt:
    return isRight ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits);
  case sgt:
    return isRight ? APInt::getSignedMaxValue(bits) : APInt::getSignedMinValue(bits);
  case ult:
    return isRight ? APInt::getMinValue(bits) : APInt::getMaxValue(bits);
  case ugt:
    return isRight ? APInt::getMaxValue(bits) : APInt::getMinValue(bits);
  default:
    return std::nullopt;
  }
}

/// Returns the operand of the comparison that is a bound; nothing if neither is.
static std::optional<unsigned> findBound(arith::CmpIOp comparison) {
  for (unsigned index : {1u, 0u}) {
    Value bound = splatOf(comparison->getOperand(index));
    if (bound &&
        falseBound(comparison.getPredicate(), index, bound.getType().getIntOrFloatBitWidth()))
      return index;
  }
  return std::nullopt;
}

/// Extends the path from `operand` to a comparison with a bound. Returns whether there is one.
static bool findComparison(OpOperand &operand, Plan &plan) {
  Operation *op = operand.get().getDefiningOp();
  if (!op || !op->hasOneUse() || op->getBlock() != plan.mask->getBlock())
    return false;
  plan.path.push_back(&operand);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    if (std::optional<unsigned> bound = findBound(comparison)) {
      plan.comparison = comparison;
      plan.boundIndex = *bound;
      return true;
    }
  } else if (isa<tt::ExpandDimsOp, tt::BroadcastOp, ttg::ConvertLayoutOp, arith::AndIOp>(op)) {
    for (OpOperand &next : op->getOpOperands())
      if (findComparison(next, plan))
        return true;
  }
  plan.path.pop_back();
  return false;
}

static std::optional<Plan> planFor(arith::AndIOp mask) {
  auto type = dyn_cast<RankedTensorType>(mask.getType());
  if (!type || !type.getElementType().isInteger(1))
    return std::nullopt;
  for (unsigned index : {0u, 1u}) {
    Plan plan{.mask = mask, .condition = splatOf(mask->getOperand(index))};
    if (plan.condition && findComparison(mask->getOpOperand(1 - index), plan))
      return plan;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

/// Repeats the path's ops in front of the mask, where the condition is known.
static void apply(const Plan &plan) {
  arith::AndIOp mask = plan.mask;
  arith::CmpIOp comparison = plan.comparison;
  OpBuilder b(mask);
  Location loc = mask.getLoc();
  Value splat = comparison->getOperand(plan.boundIndex), bound = splatOf(splat);
  APInt never = *falseBound(comparison.getPredicate(), plan.boundIndex,
                            bound.getType().getIntOrFloatBitWidth());
  Value constant = arith::ConstantOp::create(b, loc, b.getIntegerAttr(bound.getType(), never));
  Value chosen = arith::SelectOp::create(b, loc, plan.condition, bound, constant);
  IRMapping mapping;
  mapping.map(splat, tt::SplatOp::create(b, loc, splat.getType(), chosen).getResult());
  for (OpOperand *operand : llvm::reverse(plan.path))
    b.clone(*operand->get().getDefiningOp(), mapping);
  Value replaced = mapping.lookup(plan.path.front()->get());
  mask.replaceAllUsesWith(replaced);
  mask.erase();
}

void FoldUniformMasks::runOnOperation() {
  SmallVector<arith::AndIOp> masks;
  getOperation().walk([&](arith::AndIOp op) { masks.push_back(op); });
  for (arith::AndIOp mask : masks)
    if (std::optional<Plan> plan = planFor(mask)) {
      decided(mask, "amd-fold-uniform-masks", "mask")
          .says("a condition of the whole program chooses a mask's bound")
          .because("scalars choose once what every mask would be combined with");
      apply(*plan);
    }
}
