//===- LowerBufferOps.cpp - accesses at offsets from one pointer ----------===//
// Buffer loads and stores are lowered as tt.load and tt.store are; Accesses.cpp makes buffer
// instructions of accesses that have an offset. The other ops of the dialect, which only Triton's
// passes make, are refused.
//===----------------------------------------------------------------------===//
#include "LowerBufferOps.h"
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

template <typename SourceOp> struct Refusal : Lowering<SourceOp> {
  using Lowering<SourceOp>::Lowering;
  LogicalResult matchAndRewrite(SourceOp op, typename Lowering<SourceOp>::Operands,
                                ConversionPatternRewriter &) const final {
    return emitUnsupported(op) << "'" << op->getName() << "' is read but not compiled";
  }
};

} // namespace

void amd::populateBufferOpPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                   const AmdTargetInfo &target) {
  patterns.add<BufferLoadLowering, BufferStoreLowering, Refusal<amdg::BufferAtomicRMWOp>,
               Refusal<amdg::InThreadTransposeOp>, Refusal<amdg::ExtractSliceOp>>(types, target);
}
