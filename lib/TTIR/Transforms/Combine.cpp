//===- Combine.cpp - replace two ops by one ------------------------------===//
//   before                                       after
//   dot(a, b, 0) + x                             dot(a, b, x)
//   addptr(addptr(p, i), j)                      addptr(p, i + j)
//   select(c, load(p, mask = c), o)              load(p, mask = c, other = o)
//   broadcast(constant)                          constant
//   sum over k of a[m, k, 1] * b[1, k, n]        dot(a, b, 0)
//   reshape to 1-D whose order does not matter   reshape allow_reorder
//   reshape(descriptor_load) without the         descriptor_load of fewer
//     leading dimensions of size one               dimensions
//
// Requires: no encodings. Ensures: results are unchanged, up to the order in which a dot adds. The
// functions below state the conditions of each rewrite; several are stricter than in Triton 3.6.0,
// which
// - sinks the load to the select across stores to the same memory;
// - reorders the values of a reduction (argmax) but not the indices beside them, and a histogram's
//   values but not its mask;
// - computes the sum of products in tf32, and takes any region with an addition for a sum; here
// such
//   a dot is as precise as the product was (ieee);
// - drops the hint of an inner pointer (tl.multiple_of);
// - moves a dot from before a loop into it, where it is repeated in each iteration.
//
// Cost: one walk, in program order, so that the operands of an op are already combined.
//===----------------------------------------------------------------------===//
#include "MemoryWrites.h"
#include "tessera/TTIR/IR/TTHints.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTCOMBINE
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using namespace tessera::tt;

/// The smallest K for which a sum of products becomes a dot; tl.dot has the same minimum.
static constexpr int64_t kMinDotDepth = 16;

namespace {
struct Combine : tessera::impl::TTCombineBase<Combine> {
  using TTCombineBase::TTCombineBase;
  void runOnOperation() override;
};
} // namespace

/// Erases `op` if it has no users, and then operands that became dead.
static void eraseIfDead(Operation *op, RewriterBase &rewriter) {
  llvm::SmallSetVector<Operation *, 8> candidates;
  candidates.insert(op);
  while (!candidates.empty()) {
    Operation *candidate = candidates.pop_back_val();
    if (!candidate || !isOpTriviallyDead(candidate))
      continue;
    for (Value operand : candidate->getOperands())
      candidates.insert(operand.getDefiningOp());
    rewriter.eraseOp(candidate);
  }
}

//===----------------------------------------------------------------------===//
// dot(a, b, 0) + x -> dot(a, b, x)
//===----------------------------------------------------------------------===//

/// Returns whether the value is a constant zero; as the start of a sum, -0.0 counts too.
static bool isZero(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    value = splat.getSrc();
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

/// Returns whether `op` would run no more often at `place`, which it dominates, than where it is.
static bool runsNoMoreOftenAt(Operation *op, Operation *place) {
  for (Operation *parent = place->getParentOp(); parent && !parent->isAncestor(op);
       parent = parent->getParentOp())
    if (!isa<scf::IfOp>(parent))
      return false;
  return true;
}

/// Returns the dot that can take the other summand as its accumulator; null if none can.
static DotOp findDotToAccumulate(Operation *add, Value summand) {
  auto dot = summand.getDefiningOp<DotOp>();
  if (!dot || !dot->hasOneUse() || !isZero(dot.getC()))
    return {};
  // An imprecise fp8 accumulation would also be applied to `x`.
  if (isa<arith::AddFOp>(add) && dot.getMaxNumImpreciseAcc() != 0)
    return {};
  return runsNoMoreOftenAt(dot, add) ? dot : DotOp();
}

static void combineDotAdd(Operation *add, RewriterBase &rewriter) {
  // If both summands are dots, the later one takes the sum: the earlier one is complete by then.
  for (unsigned index : {1, 0}) {
    DotOp dot = findDotToAccumulate(add, add->getOperand(index));
    if (!dot)
      continue;
    Operation *zero = dot.getC().getDefiningOp();
    rewriter.moveOpBefore(dot, add);
    rewriter.modifyOpInPlace(dot, [&] { dot.getCMutable().assign(add->getOperand(1 - index)); });
    rewriter.replaceOp(add, dot);
    eraseIfDead(zero, rewriter);
    return;
  }
}

//===----------------------------------------------------------------------===//
// addptr(addptr(p, i), j) -> addptr(p, i + j)
//===----------------------------------------------------------------------===//

/// Returns the sum of two constant offsets in their own bit width; null if it overflows.
static TypedAttr addConstantOffsets(Value lhs, Value rhs) {
  APInt a, b;
  if (!matchPattern(lhs, m_ConstantInt(&a)) || !matchPattern(rhs, m_ConstantInt(&b)))
    return {};
  bool overflows = false;
  APInt sum = a.sadd_ov(b, overflows);
  if (overflows)
    return {};
  if (auto tensor = dyn_cast<RankedTensorType>(lhs.getType()))
    return DenseElementsAttr::get(tensor, sum);
  return IntegerAttr::get(lhs.getType(), sum);
}

/// Returns i + j if the pointer moves by exactly that sum: for constants that do not overflow, and
/// for 64-bit offsets, which wrap around as addresses do.
static Value addOffsets(AddPtrOp inner, AddPtrOp outer, RewriterBase &rewriter) {
  Value lhs = inner.getOffset(), rhs = outer.getOffset();
  if (lhs.getType() != rhs.getType())
    return {};
  if (TypedAttr sum = addConstantOffsets(lhs, rhs))
    return arith::ConstantOp::create(rewriter, outer.getLoc(), sum);
  if (getElementBits(lhs.getType()) != kPointerBits || !inner->hasOneUse())
    return {};
  return arith::AddIOp::create(rewriter, outer.getLoc(), lhs, rhs);
}

static void combineAddPtr(AddPtrOp outer, RewriterBase &rewriter) {
  auto inner = outer.getPtr().getDefiningOp<AddPtrOp>();
  if (!inner || hasHint(inner))
    return;
  Value sum = addOffsets(inner, outer, rewriter);
  if (!sum)
    return;
  Operation *offset = outer.getOffset().getDefiningOp();
  rewriter.modifyOpInPlace(outer, [&] {
    outer.getPtrMutable().assign(inner.getPtr());
    outer.getOffsetMutable().assign(sum);
  });
  eraseIfDead(inner, rewriter);
  eraseIfDead(offset, rewriter);
}

//===----------------------------------------------------------------------===//
// select(c, load(p, mask = c), o) -> load(p, mask = c, other = o)
//===----------------------------------------------------------------------===//

/// Returns the scalar operand of a splat, or the value itself.
static Value skipSplat(Value value) {
  auto splat = value.getDefiningOp<SplatOp>();
  return splat ? splat.getSrc() : value;
}

/// Returns whether `load` would read the same memory contents at `place`, later in its block.
static bool canSink(Operation *load, Operation *place) {
  if (load->getBlock() != place->getBlock())
    return false;
  for (Operation *op = load->getNextNode(); op != place; op = op->getNextNode())
    if (mayWrite(op))
      return false;
  return true;
}

static void combineSelectOfLoad(arith::SelectOp select, DominanceInfo &dominance,
                                RewriterBase &rewriter) {
  auto load = select.getTrueValue().getDefiningOp<LoadOp>();
  if (!load || !load->hasOneUse() || !load.getMask())
    return;
  if (skipSplat(load.getMask()) != skipSplat(select.getCondition()))
    return;
  Value other = select.getFalseValue();
  if (!dominance.properlyDominates(other, load)) {
    if (!canSink(load, select))
      return;
    rewriter.moveOpBefore(load, select);
  }
  rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(other); });
  rewriter.replaceOp(select, load);
}

//===----------------------------------------------------------------------===//
// broadcast(constant) -> constant
//===----------------------------------------------------------------------===//

static void combineBroadcastOfConstant(BroadcastOp broadcast, RewriterBase &rewriter) {
  SplatElementsAttr constant;
  if (!matchPattern(broadcast.getSrc(), m_Constant(&constant)))
    return;
  Operation *source = broadcast.getSrc().getDefiningOp();
  auto value = SplatElementsAttr::get(cast<ShapedType>(broadcast.getType()),
                                      constant.getSplatValue<Attribute>());
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(broadcast, value);
  eraseIfDead(source, rewriter);
}

//===----------------------------------------------------------------------===//
// sum over k of a[m, k, 1] * b[1, k, n] -> dot(a, b, 0)
//===----------------------------------------------------------------------===//

namespace {
/// One factor of a product of rank 3, without the dimension along which it is broadcast.
struct Factor {
  Value matrix;
  int64_t missing = -1;
};
} // namespace

static Factor matchFactor(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  auto expand = broadcast ? broadcast.getSrc().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
  if (!expand || cast<RankedTensorType>(expand.getType()).getRank() != 3)
    return {};
  // The one broadcast dimension must be the one that expand_dims inserted.
  auto small = cast<RankedTensorType>(expand.getType()).getShape();
  auto large = cast<RankedTensorType>(broadcast.getType()).getShape();
  for (int64_t dim : {0, 1, 2})
    if (small[dim] != large[dim] && dim != expand.getAxis())
      return {};
  return {expand.getSrc(), expand.getAxis()};
}

/// Returns whether the reduction adds floats.
static bool isFloatSum(ReduceOp reduce) {
  if (reduce.getSrcs().size() != 1)
    return false;
  Block &block = reduce.getCombineOp().front();
  auto add = dyn_cast<arith::AddFOp>(block.front());
  auto result = dyn_cast<ReduceReturnOp>(block.back());
  if (!add || add->getNextNode() != result.getOperation() ||
      result.getResult().front() != add.getResult())
    return false;
  Value x = block.getArgument(0), y = block.getArgument(1);
  return (add.getLhs() == x && add.getRhs() == y) || (add.getLhs() == y && add.getRhs() == x);
}

/// Returns the factor's matrix, transposed if necessary so that `row` comes before `column`.
static Value orient(const Factor &factor, int64_t row, int64_t column, Location loc,
                    RewriterBase &rewriter) {
  if (row < column)
    return factor.matrix;
  return TransOp::create(rewriter, loc, factor.matrix, ArrayRef<int32_t>{1, 0});
}

static void combineSumOfProducts(ReduceOp reduce, RewriterBase &rewriter) {
  if (!isFloatSum(reduce))
    return;
  auto product = reduce.getSrcs().front().getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse())
    return;
  auto type = cast<RankedTensorType>(product.getType());
  if (type.getRank() != 3 || !type.getElementType().isF32() || type.getEncoding())
    return;
  Factor a = matchFactor(product.getLhs()), b = matchFactor(product.getRhs());
  int64_t depth = reduce.getAxis();
  if (!a.matrix || !b.matrix || a.missing == b.missing || a.missing == depth ||
      b.missing == depth || type.getDimSize(depth) < kMinDotDepth)
    return;

  // The result keeps the order of the remaining dimensions, so the factor that lacks the second of
  // them is the left operand.
  if (a.missing < b.missing)
    std::swap(a, b);
  int64_t rows = b.missing, columns = a.missing;
  Location loc = reduce.getLoc();
  Value left = orient(a, rows, depth, loc, rewriter);
  Value right = orient(b, depth, columns, loc, rewriter);
  auto resultType = cast<RankedTensorType>(reduce.getResult().front().getType());
  Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(resultType));
  rewriter.replaceOpWithNewOp<DotOp>(reduce, resultType, left, right, zero, InputPrecision::IEEE,
                                     /*maxNumImpreciseAcc=*/0);
  eraseIfDead(product, rewriter);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Returns whether the result of `user` does not depend on the order of its operand's elements.
static bool ignoresOrder(Operation *user) {
  // A second operand or a mask would have to be reordered in the same way.
  return isa<ReduceOp, HistogramOp>(user) && user->getNumOperands() == 1;
}

static void allowReorder(ReshapeOp reshape, RewriterBase &rewriter) {
  if (reshape.getAllowReorder() || cast<RankedTensorType>(reshape.getType()).getRank() != 1)
    return;
  if (!reshape->use_empty() && llvm::all_of(reshape->getUsers(), ignoresOrder))
    rewriter.modifyOpInPlace(reshape, [&] { reshape.setAllowReorder(true); });
}

/// Returns whether `large` is `small` with leading dimensions of size one.
static bool addsLeadingOnes(ArrayRef<int64_t> large, ArrayRef<int64_t> small) {
  return large.size() > small.size() && large.take_back(small.size()) == small &&
         llvm::all_of(large.drop_back(small.size()), [](int64_t size) { return size == 1; });
}

static void combineReshape(ReshapeOp reshape, RewriterBase &rewriter) {
  auto load = reshape.getSrc().getDefiningOp<DescriptorLoadOp>();
  auto type = cast<RankedTensorType>(reshape.getType());
  if (!load || !load->hasOneUse() || type.getEncoding() ||
      !addsLeadingOnes(cast<RankedTensorType>(load.getType()).getShape(), type.getShape()))
    return allowReorder(reshape, rewriter);
  rewriter.modifyOpInPlace(load, [&] { load.getResult().setType(type); });
  rewriter.replaceOp(reshape, load);
}

void Combine::runOnOperation() {
  IRRewriter rewriter(&getContext());
  auto &dominance = getAnalysis<DominanceInfo>();
  // The walk is post-order, because a rewrite may erase its op, ops inside it, and preceding ops.
  getOperation().walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case<arith::AddFOp, arith::AddIOp>([&](auto add) { combineDotAdd(add, rewriter); })
        .Case([&](AddPtrOp addptr) { combineAddPtr(addptr, rewriter); })
        .Case([&](arith::SelectOp select) { combineSelectOfLoad(select, dominance, rewriter); })
        .Case([&](BroadcastOp broadcast) { combineBroadcastOfConstant(broadcast, rewriter); })
        .Case([&](ReduceOp reduce) { combineSumOfProducts(reduce, rewriter); })
        .Case([&](ReshapeOp reshape) { combineReshape(reshape, rewriter); });
  });
}
