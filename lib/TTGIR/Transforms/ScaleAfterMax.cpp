//===- ScaleAfterMax.cpp - scale a maximum rather than all of its elements -===//
// Softmax takes the maximum of scaled scores and subtracts it from them. The maximum of scaled
// elements is the scaled maximum if the factor is positive and finite: rounding is monotone. The
// subtraction then becomes a fused multiply-add, and nothing needs the scaled elements any more.
//
//   before: %y = arith.mulf %x, %splat_s            after: %m = scf.if (0 < %s < inf) {
//           %m = tt.reduce max (%y)                          scf.yield (tt.reduce max (%x)) * %s
//           %d = arith.subf %y, %m'                        } else {
//                                                            scf.yield tt.reduce max (%x *
//                                                            %splat_s)
//                                                          }
//                                                          %d = math.fma %x, %splat_s, -%m'
//
// The branch is the same for all threads, and only worth it in a loop. A factor that is a constant
// needs no branch. A factor that is not positive changes the order; 0 and infinity turn elements
// into NaN, which the maximum ignores.
//
// Requires: contraction of multiplications and additions is allowed (options.fpFusion); structured
// control flow. Ensures: the maximum is the same to the last bit. Cost: linear in reductions.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGSCALEAFTERMAX
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
/// A reduction to the maximum (or minimum) of elements that one factor scales.
struct ScaledMaximum {
  tt::ReduceOp reduce;
  arith::MulFOp scaled;
  Value elements; // operand of `scaled`
  Value factors;  // its other operand, one number
};

struct ScaleAfterMax : tessera::impl::TTGScaleAfterMaxBase<ScaleAfterMax> {
  using TTGScaleAfterMaxBase::TTGScaleAfterMaxBase;
  void runOnOperation() override;
};
} // namespace

/// Returns the constant that all elements of `factors` are.
static std::optional<APFloat> constantFactor(Value factors) {
  APFloat value(0.0);
  if (matchPattern(factors, m_ConstantFloat(&value)))
    return value;
  return std::nullopt;
}

static bool isPositive(const APFloat &value) {
  return value.isFinite() && !value.isNegative() && !value.isZero();
}

static bool isOneNumber(Value factors) {
  return factors.getDefiningOp<tt::SplatOp>() || constantFactor(factors).has_value();
}

static bool takesMaximumOrMinimum(tt::ReduceOp reduce) {
  Block &body = reduce.getCombineOp().front();
  return reduce.getNumOperands() == 1 && llvm::hasNItems(body, 2) &&
         isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp, arith::MinimumFOp>(
             body.front()) &&
         body.getTerminator()->getOperand(0) == body.front().getResult(0);
}

/// Returns whether no user needs the scaled elements themselves: the others become multiply-adds.
static bool mayVanish(arith::MulFOp scaled, tt::ReduceOp reduce) {
  return llvm::all_of(scaled->getUsers(), [&](Operation *user) {
    auto difference = dyn_cast<arith::SubFOp>(user);
    return user == reduce ||
           (difference && difference.getLhs() == scaled && difference.getRhs() != scaled);
  });
}

static std::optional<ScaledMaximum> match(tt::ReduceOp reduce) {
  if (!takesMaximumOrMinimum(reduce))
    return std::nullopt;
  auto scaled = reduce.getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!scaled || scaled->getBlock() != reduce->getBlock() || !mayVanish(scaled, reduce) ||
      !cast<RankedTensorType>(scaled.getType()).getElementType().isF32())
    return std::nullopt;
  Value elements = scaled.getLhs(), factors = scaled.getRhs();
  if (!isOneNumber(factors))
    std::swap(elements, factors);
  if (!isOneNumber(factors))
    return std::nullopt;
  std::optional<APFloat> constant = constantFactor(factors);
  if (constant ? !isPositive(*constant) : !reduce->getParentOfType<LoopLikeOpInterface>())
    return std::nullopt;
  return ScaledMaximum{reduce, scaled, elements, factors};
}

/// Creates the reduction of `operand`.
static Value reduceOf(OpBuilder &b, tt::ReduceOp reduce, Value operand) {
  IRMapping mapping;
  mapping.map(reduce.getOperand(0), operand);
  return b.clone(*reduce, mapping)->getResult(0);
}

/// Creates the reduction of the elements, scaled afterwards.
static Value scaledAfterwards(OpBuilder &b, ScaledMaximum found) {
  tt::ReduceOp reduce = found.reduce;
  Location loc = found.scaled.getLoc();
  Value unscaled = reduceOf(b, reduce, found.elements);
  Value factor;
  if (auto splat = found.factors.getDefiningOp<tt::SplatOp>()) {
    factor = splat.getSrc();
    if (auto tensor = dyn_cast<RankedTensorType>(unscaled.getType()))
      factor = tt::SplatOp::create(b, loc, tensor, factor);
  } else {
    APFloat constant = *constantFactor(found.factors);
    TypedAttr value = b.getFloatAttr(getElementTypeOrSelf(unscaled.getType()), constant);
    if (auto tensor = dyn_cast<RankedTensorType>(unscaled.getType()))
      value = DenseElementsAttr::get(tensor, value);
    factor = arith::ConstantOp::create(b, loc, value);
  }
  return arith::MulFOp::create(b, loc, unscaled, factor);
}

/// Creates "0 < factor < infinity", outside of the loops in which the factor does not change.
static Value isPositiveAndFinite(ScaledMaximum found, Value factor) {
  Operation *place = found.reduce;
  for (auto loop = place->getParentOfType<LoopLikeOpInterface>();
       loop && loop.isDefinedOutsideOfLoop(factor);
       loop = place->getParentOfType<LoopLikeOpInterface>())
    place = loop;
  OpBuilder b(place);
  Location loc = found.scaled.getLoc();
  auto constant = [&](const APFloat &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(factor.getType(), value));
  };
  const llvm::fltSemantics &format = cast<FloatType>(factor.getType()).getFloatSemantics();
  Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, factor,
                                      constant(APFloat::getZero(format)));
  Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, factor,
                                      constant(APFloat::getInf(format)));
  return arith::AndIOp::create(b, loc, above, below);
}

static Value createMaximum(ScaledMaximum found) {
  tt::ReduceOp reduce = found.reduce;
  OpBuilder b(reduce);
  auto splat = found.factors.getDefiningOp<tt::SplatOp>();
  if (!splat)
    return scaledAfterwards(b, found);
  Value condition = isPositiveAndFinite(found, splat.getSrc());
  auto branch = scf::IfOp::create(
      b, reduce.getLoc(), condition,
      [&](OpBuilder &then, Location loc) {
        scf::YieldOp::create(then, loc, scaledAfterwards(then, found));
      },
      [&](OpBuilder &otherwise, Location loc) {
        Value scaled = otherwise.clone(*found.scaled)->getResult(0);
        scf::YieldOp::create(otherwise, loc, reduceOf(otherwise, reduce, scaled));
      });
  return branch.getResult(0);
}

/// Replaces `scaled` - y by a multiply-add of the elements.
static void fuse(ScaledMaximum found, arith::SubFOp difference) {
  OpBuilder b(difference);
  Value negative = arith::NegFOp::create(b, difference.getLoc(), difference.getRhs());
  Value fused =
      math::FmaOp::create(b, difference.getLoc(), found.elements, found.factors, negative);
  difference.replaceAllUsesWith(fused);
  difference.erase();
}

void ScaleAfterMax::runOnOperation() {
  if (!fpFusion)
    return;
  SmallVector<tt::ReduceOp> reductions;
  getOperation().walk([&](tt::ReduceOp reduce) { reductions.push_back(reduce); });
  for (tt::ReduceOp reduce : reductions) {
    std::optional<ScaledMaximum> found = match(reduce);
    if (!found)
      continue;
    decided(reduce, "ttg-scale-after-max", "scaled-maximum")
        .says("the result is scaled rather than each element")
        .because("a positive factor keeps the order of the elements");
    reduce.getResult()[0].replaceAllUsesWith(createMaximum(*found));
    reduce.erase();
    for (Operation *user : llvm::make_early_inc_range(found->scaled->getUsers()))
      fuse(*found, cast<arith::SubFOp>(user));
    found->scaled.erase();
  }
}
