//===- LowerBuffers.cpp - lower buffers in shared memory ------------------===//
// A buffer is a pointer to its start and the offset of a view in it (TypeConverter.h). Views are
// arithmetic on the two; the accesses of loads and stores are planned from the tensor's layout and
// the buffer's (SharedAccessPlan.h).
//
//   before: %v = ttg.local_load %m : !ttg.memdesc<64x32xf16, #swizzled, ...>
//   after:  ldmatrix.x4 where registers and rows match, else ld.shared.v4.b32 ...
//
// Requires: ttg-allocate-shared-memory has given each allocation an offset.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "SharedAccess.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"

using namespace mlir;
using namespace tessera;

/// Plans the accesses between a tensor's registers and the buffer; fails with a diagnostic.
static FailureOr<SharedAccessPlan> planAccess(Operation *op, const TTGIRTypeConverter &types,
                                              RankedTensorType tensor, ttg::MemDescType type,
                                              const SharedBuffer &buffer, MatrixMoves matrix,
                                              unsigned maxVectorBits) {
  if (!types.memoryType(tensor.getElementType()))
    return emitUnsupported(op) << "buffer of " << tensor.getElementType() << " values";
  LinearLayout layout = ttg::toLinearLayout(type);
  if (layout.outs().size() != static_cast<size_t>(tensor.getRank()))
    return emitUnsupported(op) << "access to several buffers at once; use ttg.memdesc_index";
  std::optional<LinearLayout> offsets = offsetsInBuffer(ttg::toLinearLayout(tensor), layout);
  if (!offsets)
    return emitUnsupported(op) << "access to a buffer of another thread block of the cluster";
  SharedInstructions available{.maxVectorBits = unpaddedBits(buffer, maxVectorBits),
                               .matrix = matrix,
                               .banks = ttg::getMachine(op).banks};
  constexpr unsigned rowBits = 128;
  if (available.maxVectorBits < rowBits)
    available.matrix = MatrixMoves::None; // padding would split rows of matrices
  return planSharedAccess(*offsets, buffer.bytes * 8, available, buffer.partBits);
}

static LogicalResult storeTensor(Operation *op, OpBuilder &b, const TTGIRTypeConverter &types,
                                 const TargetInfo &target, Value tensor, ValueRange values,
                                 ttg::MemDescType type, ValueRange lowered) {
  SharedBuffer buffer = describeBuffer(type, lowered);
  FailureOr<SharedAccessPlan> plan = planAccess(
      op, types, cast<RankedTensorType>(tensor.getType()), type, buffer,
      target.hasMatrixStores() ? MatrixMoves::Rows : MatrixMoves::None, target.maxVectorBits());
  if (failed(plan))
    return failure();
  emitSharedStores(b, op->getLoc(), target, buffer, *plan, values);
  return success();
}

namespace {

struct LocalAllocLowering : Lowering<ttg::LocalAllocOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::LocalAllocOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    std::optional<unsigned> offset = getSharedOffset(op);
    if (!offset)
      return op.emitOpError("has no shared memory: run ttg-allocate-shared-memory first");
    Location loc = op.getLoc();
    SmallVector<Value> buffer{emitSharedBase(b, loc, target, *offset), constantI32(b, loc, 0)};
    if (op.getSrc() && failed(storeTensor(op, b, types, target, op.getSrc(), operands.getSrc(),
                                          op.getType(), buffer)))
      return failure();
    return replaceWith(b, op, buffer);
  }
};

struct LocalDeallocLowering : Lowering<ttg::LocalDeallocOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::LocalDeallocOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    b.eraseOp(op);
    return success();
  }
};

struct LocalLoadLowering : Lowering<ttg::LocalLoadOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::LocalLoadOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto tensor = cast<RankedTensorType>(op.getType());
    SharedBuffer buffer = describeBuffer(op.getSrc().getType(), operands.getSrc());
    FailureOr<SharedAccessPlan> plan = planAccess(op, types, tensor, op.getSrc().getType(), buffer,
                                                  target.matrixLoads(), target.maxVectorBits());
    if (failed(plan))
      return failure();
    return replaceWith(b, op,
                       emitSharedLoads(b, op.getLoc(), target, buffer, *plan,
                                       types.convertType(tensor.getElementType())));
  }
};

struct LocalStoreLowering : Lowering<ttg::LocalStoreOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::LocalStoreOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    if (failed(storeTensor(op, b, types, target, op.getSrc(), operands.getSrc(),
                           op.getDst().getType(), operands.getDst())))
      return failure();
    b.eraseOp(op);
    return success();
  }
};

struct MemDescIndexLowering : Lowering<ttg::MemDescIndexOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::MemDescIndexOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Location loc = op.getLoc();
    Value start = operands.getSrc()[0], index = operands.getIndex()[0];
    Value bytes = LLVM::MulOp::create(b, loc, index, constantI32(b, loc, slotBytes(op.getType())));
    Value moved = LLVM::GEPOp::create(b, loc, start.getType(), b.getI8Type(), start,
                                      LLVM::GEPArg(bytes), LLVM::GEPNoWrapFlags::inbounds);
    return replaceWith(b, op, {moved, operands.getSrc()[1]});
  }
};

struct MemDescSubsliceLowering : Lowering<ttg::MemDescSubsliceOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::MemDescSubsliceOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout layout = ttg::toLinearLayout(op.getSrc().getType());
    std::optional<LinearLayout> offsets = layout.pseudoinvert();
    if (!offsets)
      return emitUnsupported(op) << "part of a layout that lacks elements";
    Point first;
    for (auto [dim, at] : llvm::enumerate(op.getOffsets().take_back(layout.outs().size())))
      first.push_back({Dim::axis(dim), static_cast<uint64_t>(at)});
    uint64_t constant = offsets->apply(first, Dim::offset());
    Value part = operands.getSrc()[1];
    if (!op.getSrc().getType().isSubview())
      part = constantI32(b, op.getLoc(), constant);
    else if (constant != 0)
      part = LLVM::XOrOp::create(b, op.getLoc(), part, constantI32(b, op.getLoc(), constant));
    return replaceWith(b, op, {operands.getSrc()[0], part});
  }
};

/// Lowers views that are the same bytes with another type.
template <typename ViewOp> struct SameBytesLowering : Lowering<ViewOp> {
  using Lowering<ViewOp>::Lowering;
  LogicalResult matchAndRewrite(ViewOp op, typename Lowering<ViewOp>::Operands operands,
                                ConversionPatternRewriter &b) const final {
    return replaceWith(b, op, SmallVector<Value>(operands.getSrc()));
  }
};

} // namespace

void tessera::populateBuffersPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                      const TargetInfo &target) {
  patterns
      .add<LocalAllocLowering, LocalDeallocLowering, LocalLoadLowering, LocalStoreLowering,
           MemDescIndexLowering, MemDescSubsliceLowering, SameBytesLowering<ttg::MemDescTransOp>,
           SameBytesLowering<ttg::MemDescReshapeOp>, SameBytesLowering<ttg::MemDescReinterpretOp>>(
          types, target);
}
