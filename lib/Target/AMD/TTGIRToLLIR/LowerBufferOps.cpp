//===- LowerBufferOps.cpp - accesses at offsets from one pointer ----------===//
// Buffer loads and stores are lowered as tt.load and tt.store are; Accesses.cpp makes buffer
// instructions of accesses that have an offset. Rearrangements, which only Triton's passes make,
// are other names for a thread's registers. Requires: amd-replace-triton-ops has run.
//===----------------------------------------------------------------------===//
#include "LowerBufferOps.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIRToLLIR/MemoryLowering.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/AMD/IR/AMDGOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// Refuses tensors of pointers, which buffer instructions cannot be told to move.
static LogicalResult checkElement(Operation *op, Type element) {
  if (element.isIntOrFloat())
    return success();
  return emitUnsupported(op) << "'" << op->getName() << "' of " << element << " values";
}

/// The result's elements are elements of the source at `offsets`, held by the same thread.
static LogicalResult rename(ConversionPatternRewriter &b, Operation *op, ValueRange registers,
                            ArrayRef<int64_t> offsets) {
  LinearLayout source = ttg::toLinearLayout(cast<RankedTensorType>(op->getOperand(0).getType()));
  LinearLayout result = ttg::toLinearLayout(cast<RankedTensorType>(op->getResult(0).getType()));
  // Lanes and warps must hold the same elements; then the first thread's registers tell all.
  auto placeOf = [](const LinearLayout &layout, Dim dim, unsigned bit, ArrayRef<int64_t> from) {
    SmallVector<uint64_t, 4> place;
    for (unsigned axis = 0; axis < from.size(); ++axis)
      place.push_back(layout.basis(dim, bit, Dim::axis(axis)) + from[axis]);
    return place;
  };
  SmallVector<int64_t> origin(offsets.size(), 0);
  for (Dim dim : {Dim::lane(), Dim::warp()}) {
    if (source.inBits(dim) != result.inBits(dim))
      return failure();
    for (unsigned bit = 0; bit < source.inBits(dim); ++bit)
      if (placeOf(source, dim, bit, origin) != placeOf(result, dim, bit, origin))
        return failure();
  }
  auto elementsOf = [&](const LinearLayout &layout, ArrayRef<int64_t> from) {
    SmallVector<SmallVector<uint64_t, 4>> places;
    for (unsigned reg = 0; reg < layout.inSize(Dim::reg()); ++reg) {
      SmallVector<uint64_t, 4> place(from.size(), 0);
      for (unsigned bit = 0; bit < layout.inBits(Dim::reg()); ++bit)
        if (reg >> bit & 1)
          for (unsigned axis = 0; axis < from.size(); ++axis)
            place[axis] ^= layout.basis(Dim::reg(), bit, Dim::axis(axis));
      for (unsigned axis = 0; axis < from.size(); ++axis)
        place[axis] += from[axis];
      places.push_back(place);
    }
    return places;
  };
  auto held = elementsOf(source, origin);
  SmallVector<Value> renamed;
  for (const SmallVector<uint64_t, 4> &place : elementsOf(result, offsets)) {
    auto found = llvm::find(held, place);
    if (found == held.end())
      return failure();
    renamed.push_back(registers[found - held.begin()]);
  }
  return replaceWith(b, op, renamed);
}

namespace {

struct BufferLoadLowering : Lowering<amdg::BufferLoadOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(amdg::BufferLoadOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type element = getElementTypeOrSelf(op.getType());
    if (failed(checkElement(op, element)))
      return failure();
    FailureOr<SmallVector<Value>> loaded = emitTensorLoad(
        b, op, element, {op.getOffsets().getType(), operands.getOffsets(), operands.getPtr()[0]},
        operands.getMask(), operands.getOther(), {op.getCache()}, types, target);
    return succeeded(loaded) ? replaceWith(b, op, *loaded) : failure();
  }
};

struct BufferStoreLowering : Lowering<amdg::BufferStoreOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(amdg::BufferStoreOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type element = getElementTypeOrSelf(op.getValue().getType());
    if (failed(checkElement(op, element)) ||
        failed(emitTensorStore(
            b, op, element,
            {op.getOffsets().getType(), operands.getOffsets(), operands.getPtr()[0]},
            operands.getMask(), operands.getValue(), {op.getCache()}, types, target)))
      return failure();
    b.eraseOp(op);
    return success();
  }
};

struct TransposeLowering : Lowering<amdg::InThreadTransposeOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(amdg::InThreadTransposeOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    SmallVector<int64_t> origin(cast<RankedTensorType>(op.getType()).getRank(), 0);
    if (succeeded(rename(b, op, operands.getSrc(), origin)))
      return success();
    return emitUnsupported(op) << "'" << op->getName() << "' that moves data between threads";
  }
};

struct SliceLowering : Lowering<amdg::ExtractSliceOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(amdg::ExtractSliceOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    bool isRanked =
        int64_t(op.getStaticOffsets().size()) == cast<RankedTensorType>(op.getType()).getRank();
    if (isRanked && succeeded(rename(b, op, operands.getSource(), op.getStaticOffsets())))
      return success();
    return emitUnsupported(op) << "'" << op->getName() << "' that moves data between threads";
  }
};

} // namespace

void amd::populateBufferOpPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                   const AmdTargetInfo &target) {
  patterns.add<BufferLoadLowering, BufferStoreLowering, TransposeLowering, SliceLowering>(types,
                                                                                          target);
}
