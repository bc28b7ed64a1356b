//===- LayoutRelations.cpp - how an op's tensors depend on its layout -----===//
#include "LayoutRelations.h"
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/PackGroups.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

static InFlightDiagnostic quiet() { return InFlightDiagnostic(); }

static Attribute orNull(FailureOr<Attribute> encoding) {
  return succeeded(encoding) ? *encoding : Attribute();
}

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns the layout interface; all encodings are ttg's.
static const tt::LayoutInterface *layoutsOf(Attribute encoding) {
  return tt::LayoutInterface::of(encoding, quiet);
}

//===----------------------------------------------------------------------===//
// Kinds of ops
//===----------------------------------------------------------------------===//

bool tessera::isTensorSource(Operation *op) {
  return isa<tt::SplatOp, tt::MakeRangeOp, ub::PoisonOp>(op) ||
         (isa<arith::ConstantOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()));
}

bool tessera::isRepeatableElementwise(Operation *op) {
  // Packed assembly chooses its own layout.
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isMemoryEffectFree(op) && !op->hasAttr(kPackAttr);
}

bool tessera::takesAnyLayout(Operation *op, unsigned index) {
  if (isa<tt::PrintOp, tt::AssertOp, tt::UnsplatOp, ttg::LocalAllocOp, ttg::LocalStoreOp>(op))
    return true;
  // A gather reads the source through all threads of a CTA.
  return isa<tt::GatherOp>(op) && index == 0 && ttg::lookupNumCTAs(op) == 1;
}

/// Returns whether a tensor has fewer elements than there are threads. Its layout hardly matters:
/// the accesses of all threads are to a few cache lines.
static bool isSmall(Operation *op, RankedTensorType type) {
  int64_t threads = int64_t(ttg::lookupNumWarps(op).value_or(1)) * ttg::lookupThreadsPerWarp(op);
  return type.getNumElements() < threads;
}

/// Returns whether the access is so small that its layout is not worth a conversion.
static bool isSmallAccess(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  auto store = dyn_cast<tt::StoreOp>(op);
  if (!load && !store)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return type && isSmall(op, type) && !(load && load.getIsVolatile());
}

bool tessera::hasLabel(Operation *op) {
  auto isTensor = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  if (llvm::none_of(op->getOperands(), isTensor))
    return false;
  if (op->hasTrait<OpTrait::Elementwise>())
    return true;
  if (auto gather = dyn_cast<tt::GatherOp>(op))
    return !gather.getEfficientLayout() && ttg::lookupNumCTAs(op) == 1;
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op))
    return !reshape.getEfficientLayout();
  return isa<tt::ReduceOp, tt::ScanOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::JoinOp,
             tt::SplitOp, tt::CatOp, tt::HistogramOp>(op) ||
         isSmallAccess(op);
}

RankedTensorType tessera::labelType(Operation *op) {
  if (isa<tt::ReduceOp, tt::SplitOp, tt::HistogramOp>(op) || op->getNumResults() == 0) {
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
        return type;
  }
  return tensorType(op->getResult(0));
}

bool tessera::decidesOperand(Operation *op, unsigned index) {
  return isa<RankedTensorType>(op->getOperand(index).getType()) && !takesAnyLayout(op, index);
}

bool tessera::decidesResult(Operation *op, unsigned index) {
  return isa<RankedTensorType>(op->getResult(index).getType()) && !isa<tt::HistogramOp>(op);
}

bool tessera::staysInBlock(RankedTensorType type, Attribute encoding,
                           std::optional<unsigned> axis) {
  LinearLayout layout = ttg::toLinearLayout(encoding, type.getShape());
  SmallVector<Dim> dims = {Dim::axis(axis.value_or(0))};
  return layout.isZero({Dim::block()}, axis ? dims : SmallVector<Dim>(layout.outDims()));
}

bool tessera::admitsLabel(Operation *op, Attribute label) {
  if (ttg::lookupNumCTAs(op) == 1)
    return true;
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return staysInBlock(labelType(op), label, reduce.getAxis());
  if (auto scan = dyn_cast<tt::ScanOp>(op))
    return staysInBlock(labelType(op), label, scan.getAxis());
  return !isa<tt::HistogramOp>(op) || staysInBlock(labelType(op), label, std::nullopt);
}

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

static Attribute sliceOf(Attribute encoding, unsigned axis) {
  return ttg::SliceEncodingAttr::get(encoding.getContext(), axis,
                                     cast<ttg::DistributedEncodingAttr>(encoding));
}

/// Returns the layout of which `encoding` is the slice without `axis`.
static Attribute parentOf(Attribute encoding, unsigned axis) {
  auto slice = dyn_cast<ttg::SliceEncodingAttr>(encoding);
  return slice && slice.getDim() == axis ? Attribute(slice.getParent()) : Attribute();
}

static SmallVector<int32_t> inverted(ArrayRef<int32_t> order) {
  SmallVector<int32_t> inverse(order.size());
  for (auto [now, before] : llvm::enumerate(order))
    inverse[before] = now;
  return inverse;
}

static Attribute transposed(Attribute encoding, RankedTensorType type, ArrayRef<int32_t> order) {
  return orNull(layoutsOf(encoding)->inferTrans(encoding, type.getShape(), order, quiet));
}

static Attribute reshaped(Attribute encoding, RankedTensorType from, RankedTensorType to) {
  return orNull(layoutsOf(encoding)->inferReshape(encoding, from.getShape(), to.getShape(), quiet));
}

static Attribute joined(Attribute encoding, RankedTensorType type) {
  return orNull(layoutsOf(encoding)->inferJoin(encoding, type.getShape(), quiet));
}

static Attribute split(Attribute encoding, RankedTensorType type) {
  return orNull(layoutsOf(encoding)->inferSplit(encoding, type.getShape(), quiet));
}

static Attribute concatenated(Attribute encoding, tt::CatOp op) {
  return orNull(ttg::inferCatEncoding(tensorType(op.getLhs()).cloneWithEncoding(encoding),
                                      tensorType(op.getResult()).getShape(), quiet));
}

/// Returns the layout of each half, if a thread's upper registers hold one half and its lower
/// registers the other.
static Attribute halved(Attribute encoding, tt::CatOp op) {
  LinearLayout whole = ttg::toLinearLayout(encoding, tensorType(op.getResult()).getShape());
  unsigned bits = whole.inBits(Dim::reg());
  if (bits == 0)
    return {};
  LinearLayout half = whole.resizeIn(Dim::reg(), uint64_t(1) << (bits - 1));
  for (auto [dim, size] : llvm::enumerate(tensorType(op.getLhs()).getShape()))
    half = half.resizeOut(Dim::axis(dim), size);
  if (!half.isSurjective())
    return {};
  Attribute name = ttg::nameLayout(op.getContext(), half);
  Attribute back = concatenated(name, op);
  bool same = back && ttg::denoteSameLayout(tensorType(op.getResult()).getShape(), back, encoding);
  return same ? name : Attribute();
}

//===----------------------------------------------------------------------===//
// The relations
//===----------------------------------------------------------------------===//

Attribute tessera::operandEncoding(Operation *op, unsigned index, Attribute label) {
  if (!decidesOperand(op, index))
    return {};
  RankedTensorType type = labelType(op);
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case<tt::ExpandDimsOp>([&](auto expand) { return sliceOf(label, expand.getAxis()); })
      .Case<tt::TransOp>(
          [&](auto trans) { return transposed(label, type, inverted(trans.getOrder())); })
      .Case<tt::ReshapeOp>(
          [&](auto reshape) { return reshaped(label, type, tensorType(reshape.getSrc())); })
      .Case<tt::JoinOp>([&](auto) { return split(label, type); })
      .Case<tt::CatOp>([&](auto cat) { return halved(label, cat); })
      .Default([&](auto) { return label; });
}

Attribute tessera::resultEncoding(Operation *op, unsigned index, Attribute label) {
  if (!decidesResult(op, index))
    return {};
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case<tt::ReduceOp>([&](auto reduce) { return sliceOf(label, reduce.getAxis()); })
      .Case<tt::SplitOp>([&](auto) { return split(label, labelType(op)); })
      .Default([&](auto) { return label; });
}

Attribute tessera::labelFromOperand(Operation *op, unsigned index, Attribute encoding) {
  if (!decidesOperand(op, index))
    return {};
  RankedTensorType type = tensorType(op->getOperand(index));
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case<tt::ExpandDimsOp>([&](auto expand) { return parentOf(encoding, expand.getAxis()); })
      .Case<tt::TransOp>([&](auto trans) { return transposed(encoding, type, trans.getOrder()); })
      .Case<tt::ReshapeOp>([&](auto) { return reshaped(encoding, type, labelType(op)); })
      .Case<tt::JoinOp>([&](auto) { return joined(encoding, type); })
      .Case<tt::CatOp>([&](auto cat) { return concatenated(encoding, cat); })
      .Default([&](auto) { return encoding; });
}

Attribute tessera::labelFromResult(Operation *op, unsigned index, Attribute encoding) {
  if (!decidesResult(op, index))
    return {};
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case<tt::ReduceOp>([&](auto reduce) { return parentOf(encoding, reduce.getAxis()); })
      .Case<tt::SplitOp>([&](auto) { return joined(encoding, tensorType(op->getResult(0))); })
      .Default([&](auto) { return encoding; });
}
