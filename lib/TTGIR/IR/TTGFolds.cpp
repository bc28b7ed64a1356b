//===- TTGFolds.cpp - folds and canonicalisations of single ops -----------===//
// A layout conversion costs shuffles or shared memory traffic, so it is removed if an op next to it
// can use the other layout at no cost:
//
//   cvt(cvt x)                          -> cvt x
//   cvt(splat | constant | make_range | histogram | local_load | cat | reshape~ x)
//                                       -> the same op with the other layout
//   reshape~(cvt x), histogram(cvt x), gather (cvt x)[i], local_alloc (cvt x),
//   local_store (cvt x), split(cvt x)   -> the op on x
//
// where reshape~ may reorder. A conversion of an accumulator to a dot operand is kept, because
// later passes match this pair.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/MatrixUnits.h"
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}

OpFoldResult LocalAllocOp::fold(FoldAdaptor) {
  // An immutable buffer never changes, so it still holds the value that was read from it.
  auto load = getSrc() ? getSrc().getDefiningOp<LocalLoadOp>() : nullptr;
  if (!load || getType().getMutableMemory() || load.getSrc().getType() != getType())
    return {};
  return load.getSrc();
}

OpFoldResult MemDescTransOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType() && llvm::is_sorted(getOrder()))
    return getSrc();
  return {};
}

OpFoldResult MemDescReshapeOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}

OpFoldResult MemDescReinterpretOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  auto inner = getSrc().getDefiningOp<MemDescReinterpretOp>();
  if (!inner)
    return {};
  setOperand(inner.getSrc());
  return getResult();
}

//===----------------------------------------------------------------------===//
// Conversions of what is made in any layout
//===----------------------------------------------------------------------===//

/// Returns whether the op converts an accumulator to an operand of the next dot.
static bool feedsDotFromAccumulator(ConvertLayoutOp op) {
  return isa_and_nonnull<DotOperandEncodingAttr>(tt::getEncodingOf(op.getType())) &&
         isMatrixUnitEncoding(tt::getEncodingOf(op.getSrc().getType()));
}

/// Returns whether both types are distributed over CTAs alike, so that no data moves between CTAs.
static bool sharedAlike(Type a, Type b) {
  auto cga = [](Type type) {
    return cast<LayoutEncodingAttr>(cast<RankedTensorType>(type).getEncoding()).getCGALayout();
  };
  return cga(a) == cga(b);
}

/// Creates the op that produced `value` again with `type`; null if that is not possible.
static Value makeWithType(Value value, RankedTensorType type, PatternRewriter &rewriter,
                          Location loc) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto inner = dyn_cast<ConvertLayoutOp>(op))
    return ConvertLayoutOp::create(rewriter, loc, type, inner.getSrc());
  if (auto splat = dyn_cast<tt::SplatOp>(op))
    return tt::SplatOp::create(rewriter, loc, type, splat.getSrc());
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return tt::MakeRangeOp::create(rewriter, loc, type, range.getStart(), range.getEnd());
  if (auto histogram = dyn_cast<tt::HistogramOp>(op);
      histogram && sharedAlike(histogram.getType(), type))
    return tt::HistogramOp::create(rewriter, loc, type, histogram.getSrc(), histogram.getMask());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<SplatElementsAttr>(constant.getValue());
    return dense ? arith::ConstantOp::create(rewriter, loc, type, dense.resizeSplat(type))
                 : Value();
  }
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
    if (!reshape.getAllowReorder() || reshape.getEfficientLayout() ||
        !holdTheSameRegisters(reshape.getSrc().getType(), type))
      return {};
    return tt::ReshapeOp::create(rewriter, loc, type, reshape.getSrc(), /*allow_reorder=*/true,
                                 /*efficient_layout=*/false);
  }
  if (auto cat = dyn_cast<tt::CatOp>(op)) {
    // A thread's values are those of both operands, one after the other.
    if (!holdTheSameRegisters(cast<RankedTensorType>(cat.getLhs().getType()), type, 1))
      return {};
    return tt::CatOp::create(rewriter, loc, type, cat.getLhs(), cat.getRhs());
  }
  return {};
}

namespace {
struct ConvertOfAnyLayout : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const final {
    if (feedsDotFromAccumulator(op))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    Value made = makeWithType(op.getSrc(), type, rewriter, op.getLoc());
    if (!made)
      return failure();
    rewriter.replaceOp(op, made);
    return success();
  }
};

/// The new load is placed at the old one, because the buffer may be written before the conversion.
struct ConvertOfLocalLoad : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const final {
    auto load = op.getSrc().getDefiningOp<LocalLoadOp>();
    if (!load || feedsDotFromAccumulator(op))
      return failure();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(load);
    rewriter.replaceOp(op, LocalLoadOp::create(rewriter, op.getLoc(), op.getType(), load.getSrc(),
                                               load.getToken()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Uses that take any layout
//===----------------------------------------------------------------------===//

/// Returns the operand before a layout conversion, for an op that accepts any layout.
Value beforeConversion(Value operand) {
  auto convert = operand ? operand.getDefiningOp<ConvertLayoutOp>() : ConvertLayoutOp();
  return convert && !feedsDotFromAccumulator(convert) &&
                 sharedAlike(convert.getSrc().getType(), convert.getType())
             ? convert.getSrc()
             : Value();
}

struct ReshapeOfConvert : OpRewritePattern<tt::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tt::ReshapeOp op, PatternRewriter &rewriter) const final {
    Value source = beforeConversion(op.getSrc());
    if (!source || !op.getAllowReorder() || op.getEfficientLayout() ||
        !holdTheSameRegisters(cast<RankedTensorType>(source.getType()), op.getType()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(source); });
    return success();
  }
};

struct HistogramOfConvert : OpRewritePattern<tt::HistogramOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tt::HistogramOp op, PatternRewriter &rewriter) const final {
    // A mask has the source's layout and would need its own conversion.
    Value source = beforeConversion(op.getSrc());
    if (!source || op.getMask())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(source); });
    return success();
  }
};

struct GatherOfConvert : OpRewritePattern<tt::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tt::GatherOp op, PatternRewriter &rewriter) const final {
    Value source = beforeConversion(op.getSrc());
    if (!source || op.getEfficientLayout())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(source); });
    return success();
  }
};

struct SplitOfConvert : OpRewritePattern<tt::SplitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tt::SplitOp op, PatternRewriter &rewriter) const final {
    Value source = beforeConversion(op.getSrc());
    auto type = source ? cast<RankedTensorType>(source.getType()) : RankedTensorType();
    auto quiet = [] { return InFlightDiagnostic(); };
    const auto *layouts = type ? tt::LayoutInterface::of(type.getEncoding(), quiet) : nullptr;
    if (!layouts)
      return failure();
    auto half = cast<RankedTensorType>(op.getOutLHS().getType());
    auto encoding = layouts->inferSplit(type.getEncoding(), type.getShape(), quiet);
    if (failed(encoding) || !denoteSameLayout(half.getShape(), *encoding, half.getEncoding()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(source); });
    return success();
  }
};

struct LocalAllocOfConvert : OpRewritePattern<LocalAllocOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LocalAllocOp op, PatternRewriter &rewriter) const final {
    Value source = beforeConversion(op.getSrc());
    if (!source)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(source); });
    return success();
  }
};

struct LocalStoreOfConvert : OpRewritePattern<LocalStoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LocalStoreOp op, PatternRewriter &rewriter) const final {
    Value source = beforeConversion(op.getSrc());
    if (!source)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(source); });
    return success();
  }
};
} // namespace

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<ConvertOfAnyLayout, ConvertOfLocalLoad>(context);
  // The tt dialect does not know layout conversions, so patterns on its ops are added here.
  patterns.add<ReshapeOfConvert, HistogramOfConvert, GatherOfConvert, SplitOfConvert>(context);
}

void LocalAllocOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<LocalAllocOfConvert>(context);
}

void LocalStoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<LocalStoreOfConvert>(context);
}
