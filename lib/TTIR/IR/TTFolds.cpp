//===- TTFolds.cpp - folds and canonicalisations of single ops ------------===//
// A fold returns a constant or an existing value. The patterns below rewrite an op together with
// the op that produces its operand:
//
//   expand_dims(splat x)      -> splat x
//   expand_dims(broadcast x)  -> broadcast(expand_dims x)
//   broadcast(splat x)        -> splat x
//   broadcast(broadcast x)    -> broadcast x
//   reshape(reshape x)        -> reshape x
//   reshape(splat x)          -> splat x          trans(splat x) -> splat x
//   load p, true, other       -> load p
//   load p, false, other      -> other
//   store p, v, true          -> store p, v
//   store p, v, false         -> (nothing)
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTHints.h"
#include "tessera/TTIR/IR/TTOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tessera::tt;

/// Returns the value of all elements of a constant if they are equal; null otherwise.
static Attribute getUniformValue(Attribute constant) {
  if (auto dense = dyn_cast_or_null<SplatElementsAttr>(constant))
    return dense.getSplatValue<Attribute>();
  return isa_and_nonnull<IntegerAttr, FloatAttr>(constant) ? constant : Attribute();
}

static bool isUniformInteger(Attribute constant, uint64_t value) {
  auto integer = dyn_cast_or_null<IntegerAttr>(getUniformValue(constant));
  return integer && integer.getValue() == value;
}

/// Returns a dense constant of `type` whose elements are all `value`.
static Attribute getSplat(Type type, Attribute value) {
  if (!value)
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(type), value);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  auto value = dyn_cast_or_null<FloatAttr>(getUniformValue(adaptor.getSrc()));
  if (!value || !value.getValue().isZero())
    return {};
  // Zero has the same bits in every format, except formats without a negative zero.
  const auto &semantics = cast<FloatType>(getElementTypeOrSelf(getType())).getFloatSemantics();
  auto zero = FloatAttr::get(getElementTypeOrSelf(getType()),
                             APFloat::getZero(semantics, value.getValue().isNegative()));
  return isa<RankedTensorType>(getType()) ? getSplat(getType(), zero) : Attribute(zero);
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  // A cast to the same type is kept if it carries a hint.
  return getSrc().getType() == getType() && !hasHint(*this) ? getSrc() : OpFoldResult();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  return isUniformInteger(adaptor.getOffset(), 0) && !hasHint(*this) ? getPtr() : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getEnd() - getStart() != 1)
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), getStart());
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  return getSplat(getType(), getUniformValue(adaptor.getSrc()));
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    return dense.reshape(cast<ShapedType>(getType()));
  return {};
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto dense = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return dense.getSplatValue<Attribute>();
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // A reshape with allow_reorder asks for a reordering, so it is not removed.
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    return dense.reshape(cast<ShapedType>(getType()));
  return {};
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && llvm::is_sorted(getOrder()))
    return getSrc();
  // trans(trans x): this op becomes the composition. The inner one may have other users.
  if (auto inner = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> order;
    for (int32_t dim : getOrder())
      order.push_back(inner.getOrder()[dim]);
    setOrder(order);
    setOperand(inner.getSrc());
    return getResult();
  }
  if (auto dense = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return dense.reshape(cast<ShapedType>(getType()));
  return {};
}

LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  if (!join || join.getLhs().getType() != getOutLHS().getType())
    return failure();
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor adaptor) {
  bool isZero = llvm::all_of(adaptor.getOffsets(),
                             [](Attribute offset) { return isUniformInteger(offset, 0); });
  return isZero ? getPtr() : OpFoldResult();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return getSplat(getType(), getUniformValue(adaptor.getSrc()));
}

namespace {
struct ExpandDimsOfSplat : OpRewritePattern<ExpandDimsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandDimsOp op, PatternRewriter &rewriter) const final {
    auto splat = op.getSrc().getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

/// Broadcasting after expand_dims keeps the expanded tensor small.
struct ExpandDimsOfBroadcast : OpRewritePattern<ExpandDimsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandDimsOp op, PatternRewriter &rewriter) const final {
    auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return failure();
    auto source = cast<RankedTensorType>(broadcast.getSrc().getType());
    SmallVector<int64_t> shape(source.getShape());
    shape.insert(shape.begin() + op.getAxis(), 1);
    auto type = cast<RankedTensorType>(op.getType()).clone(shape);
    Value expanded =
        ExpandDimsOp::create(rewriter, op.getLoc(), type, broadcast.getSrc(), op.getAxis());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), expanded);
    return success();
  }
};

struct BroadcastOfSplat : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const final {
    auto splat = op.getSrc().getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

struct BroadcastOfBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const final {
    auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
    return success();
  }
};

struct ReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const final {
    auto inner = op.getSrc().getDefiningOp<ReshapeOp>();
    if (!inner || op.getEfficientLayout())
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSrc(),
                                           op.getAllowReorder() || inner.getAllowReorder(),
                                           /*efficient_layout=*/false);
    return success();
  }
};

struct ReshapeOfSplat : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const final {
    auto splat = op.getSrc().getDefiningOp<SplatOp>();
    if (!splat || op.getEfficientLayout())
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

struct TransOfSplat : OpRewritePattern<TransOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransOp op, PatternRewriter &rewriter) const final {
    auto splat = op.getSrc().getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Returns the value of a mask if it is the same for all elements.
std::optional<bool> getUniformMask(Value mask) {
  Attribute constant;
  if (!mask || !matchPattern(mask, m_Constant(&constant)))
    return std::nullopt;
  auto value = dyn_cast_or_null<IntegerAttr>(getUniformValue(constant));
  return value ? std::optional(!value.getValue().isZero()) : std::nullopt;
}

struct LoadOfConstantMask : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const final {
    std::optional<bool> mask = getUniformMask(op.getMask());
    if (!mask)
      return failure();
    if (*mask) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getMaskMutable().clear();
        op.getOtherMutable().clear();
      });
      return success();
    }
    // The result is undefined without `other`, so no better value is known. A volatile load whose
    // mask is false reads nothing, and may be removed too.
    if (!op.getOther())
      return failure();
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
};

struct StoreOfConstantMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const final {
    std::optional<bool> mask = getUniformMask(op.getMask());
    if (!mask)
      return failure();
    if (*mask)
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    else
      rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ExpandDimsOfSplat, ExpandDimsOfBroadcast>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<BroadcastOfSplat, BroadcastOfBroadcast>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReshapeOfReshape, ReshapeOfSplat>(context);
}

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<TransOfSplat>(context);
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<LoadOfConstantMask>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StoreOfConstantMask>(context);
}
