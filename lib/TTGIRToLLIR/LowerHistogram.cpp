//===- LowerHistogram.cpp - lower histograms ------------------------------===//
// A tt.histogram has counters in shared memory, one per bin.
//
//   set the counters to zero; barrier; each thread adds 1 for each element; barrier;
//   read the counters in the result's layout
//
// Values that are not bins, elements whose mask is false, and copies of another thread's elements
// are not counted: they add 0, which costs less than a branch around an atomic. Integers are read
// as unsigned, as on the CPU.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "SharedAccess.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"

using namespace mlir;
using namespace tessera;

/// Returns a layout in which `count` elements are distributed over the threads of `like`, a few
/// consecutive ones each.
static LinearLayout spread(const LinearLayout &like, unsigned count) {
  unsigned bits = llvm::Log2_32(count), lanes = like.inBits(Dim::lane());
  unsigned warps = like.inBits(Dim::warp());
  unsigned registers = std::min(bits, std::max(2u, bits - std::min(bits, lanes + warps)));
  SmallVector<uint64_t> columns;
  for (unsigned i = 0; i < registers + lanes + warps; ++i)
    columns.push_back(i < bits ? uint64_t(1) << i : 0);
  return LinearLayout::fromMatrix(
      F2Matrix::fromColumns(columns, bits),
      {DimBits{Dim::reg(), registers}, DimBits{Dim::lane(), lanes}, DimBits{Dim::warp(), warps}},
      DimBits{Dim::offset(), bits});
}

namespace {

struct HistogramLowering : Lowering<tt::HistogramOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::HistogramOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout source = ttg::toLinearLayout(op.getSrc().getType());
    LinearLayout result = ttg::toLinearLayout(cast<RankedTensorType>(op.getType()));
    if (splitsBetweenBlocks(source))
      return emitUnsupported(op) << "histogram of a tensor that the thread blocks of a cluster "
                                    "share; compile with --num-ctas 1";
    std::optional<unsigned> place = getSharedOffset(op);
    if (!place)
      return op.emitOpError("has no shared memory: run ttg-allocate-shared-memory first");
    Location loc = op.getLoc();
    Type counter = b.getI32Type();
    unsigned numBins = op.getType().getNumElements();
    SharedBuffer bins;
    bins.start = emitSharedBase(b, loc, target, *place);
    bins.bytes = 4;

    LinearLayout zeroing = spread(source, numBins);
    SmallVector<Value> zeros(zeroing.inSize(Dim::reg()), constantI32(b, loc, 0));
    emitSharedStores(b, loc, target, bins, planSharedAccess(zeroing, 32, {target.maxVectorBits()}),
                     zeros);
    target.sharedBarrier(b, loc);
    countElements(op, operands, source, bins.start, numBins, b);
    target.sharedBarrier(b, loc);
    LinearLayout offsets = result.sublayout({Dim::reg(), Dim::lane(), Dim::warp()}, Dim::axis(0));
    if (auto renamed = offsets.renameOuts(Dim::offset()))
      offsets = *renamed;
    SmallVector<Value> counts = emitSharedLoads(
        b, loc, target, bins, planSharedAccess(offsets, 32, {target.maxVectorBits()}), counter);
    for (Value &count : counts)
      count = resize(b, loc, count, types.convertType(getElementTypeOrSelf(op.getType())));
    return replaceWith(b, op, counts);
  }

private:
  static bool splitsBetweenBlocks(const LinearLayout &layout) {
    return !layout.isZero(Dim::block(), layout.outDims());
  }

  static Value resize(OpBuilder &b, Location loc, Value value, Type type) {
    unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    if (from == to)
      return value;
    return from < to ? LLVM::ZExtOp::create(b, loc, type, value).getRes()
                     : LLVM::TruncOp::create(b, loc, type, value).getRes();
  }

  void countElements(tt::HistogramOp op, Operands operands, const LinearLayout &source, Value bins,
                     unsigned numBins, OpBuilder &b) const {
    Location loc = op.getLoc();
    OwnerMasks owners = ownerMasks(source);
    Value isOwner =
        emitIsRepresentative(b, loc, target, threadCount(source), replicatedThreadBits(source));
    for (auto [reg, value] : llvm::enumerate(operands.getSrc())) {
      if (reg & owners.registers)
        continue;
      Value counts = emitIsBin(b, loc, value, numBins);
      auto require = [&](Value condition) {
        counts = counts ? LLVM::AndOp::create(b, loc, counts, condition).getResult() : condition;
      };
      if (op.getMask())
        require(operands.getMask()[reg]);
      if (isOwner)
        require(isOwner);
      Value one = counts ? LLVM::ZExtOp::create(b, loc, b.getI32Type(), counts).getResult()
                         : constantI32(b, loc, 1);
      Value bin = LLVM::AndOp::create(b, loc, resize(b, loc, value, b.getI32Type()),
                                      constantI32(b, loc, numBins - 1));
      Value address =
          LLVM::GEPOp::create(b, loc, bins.getType(), b.getI32Type(), bins, LLVM::GEPArg(bin));
      LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, address, one,
                                LLVM::AtomicOrdering::monotonic, target.ctaScope());
    }
  }

  /// Emits an i1 that is true if the value is a bin; null if all values of its type are.
  static Value emitIsBin(OpBuilder &b, Location loc, Value value, unsigned numBins) {
    unsigned bits = value.getType().getIntOrFloatBitWidth();
    if (bits < 32 && numBins >= 1u << bits)
      return {};
    Value limit = LLVM::ConstantOp::create(b, loc, value.getType(),
                                           b.getIntegerAttr(value.getType(), numBins));
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, value, limit);
  }
};

} // namespace

void tessera::populateHistogramPatterns(RewritePatternSet &patterns,
                                        const TTGIRTypeConverter &types, const TargetInfo &target) {
  patterns.add<HistogramLowering>(types, target);
}
