//===- LowerGather.cpp - lower gathers ------------------------------------===//
// The source of a tt.gather is stored to shared memory, and every thread loads the elements at its
// indices (GatherPlan.h).
//
// In the language an index outside of the axis is undefined. Here, as on the CPU, only its low
// log2(extent) bits are used, so that nothing outside of the source is read.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "SharedAccess.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/GatherPlan.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"

using namespace mlir;
using namespace tessera;

namespace {

struct GatherLowering : Lowering<tt::GatherOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::GatherOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    RankedTensorType sourceType = op.getSrc().getType();
    std::optional<GatherPlan> plan =
        planGather(ttg::toLinearLayout(sourceType), ttg::toLinearLayout(op.getIndices().getType()),
                   op.getAxis());
    Type element = types.convertType(sourceType.getElementType());
    Type inMemory = types.memoryType(sourceType.getElementType());
    std::optional<unsigned> place = getSharedOffset(op);
    if (!plan)
      return emitUnsupported(op) << "gather from another thread block of a cluster; compile with "
                                    "--num-ctas 1";
    if (!inMemory)
      return emitUnsupported(op) << "gather of " << sourceType.getElementType();
    if (!place)
      return op.emitOpError("has no shared memory: run ttg-allocate-shared-memory first");

    Location loc = op.getLoc();
    SharedBuffer buffer;
    buffer.start = emitSharedBase(b, loc, target, *place);
    buffer.bytes = memoryBytes(sourceType.getElementType());
    if (plan->withinWarp) // nobody else orders a warp's accesses
      target.warpBarrier(b, loc);
    emitSharedStores(b, loc, target, buffer,
                     planSharedAccess(plan->stores, 8 * buffer.bytes, {target.maxVectorBits()}),
                     operands.getSrc());
    if (plan->withinWarp)
      target.warpBarrier(b, loc);
    else
      target.sharedBarrier(b, loc);

    SmallVector<Value> rows = emitIndices(b, loc, target, plan->rows, Dim::offset());
    SmallVector<Value> results;
    for (auto [row, index] : llvm::zip_equal(rows, operands.getIndices())) {
      Value offset = emitOffset(b, loc, *plan, row, index);
      Value address = LLVM::GEPOp::create(b, loc, buffer.start.getType(), inMemory, buffer.start,
                                          LLVM::GEPArg(offset));
      Value value = LLVM::LoadOp::create(b, loc, inMemory, address);
      results.push_back(element == inMemory ? value
                                            : LLVM::TruncOp::create(b, loc, element, value));
    }
    return replaceWith(b, op, results);
  }

private:
  /// `row` has no bits of the axis.
  static Value emitOffset(OpBuilder &b, Location loc, const GatherPlan &plan, Value row,
                          Value index) {
    unsigned bits = index.getType().getIntOrFloatBitWidth();
    Type i32 = b.getI32Type();
    if (bits < 32)
      index = LLVM::ZExtOp::create(b, loc, i32, index);
    else if (bits > 32)
      index = LLVM::TruncOp::create(b, loc, i32, index);
    index = LLVM::AndOp::create(b, loc, index, constantI32(b, loc, plan.extent - 1));
    if (plan.stride > 1)
      index = LLVM::ShlOp::create(b, loc, index, constantI32(b, loc, llvm::Log2_64(plan.stride)));
    return LLVM::OrOp::create(b, loc, row, index, /*isDisjoint=*/true);
  }
};

} // namespace

void tessera::populateGatherPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                     const TargetInfo &target) {
  patterns.add<GatherLowering>(types, target);
}
