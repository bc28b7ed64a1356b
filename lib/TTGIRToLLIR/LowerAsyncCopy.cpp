//===- LowerAsyncCopy.cpp - lower asynchronous copies ---------------------===//
// This lowers async_copy_global_to_local, async_commit_group and async_wait.
//
// A thread copies the elements whose pointers it holds. The offset of each in the buffer is given
// by the pointers' layout followed by the inverse of the buffer's: a linear map from registers and
// threads to offsets. Registers whose offsets are consecutive and aligned, and whose addresses are
// too (`contiguity`), are copied by one instruction:
//
//   before: ttg.async_copy_global_to_local %p, %m mask %k {contiguity = 8}
//             tensor<64x32x!tt.ptr<f16>>, 16 registers
//   after:  two copies of 16 bytes; zeros where the mask is false
//
// A mask that ends inside a run (`ttg.prefix_mask`) makes a copy of fewer bytes and zeros.
//
// If several threads hold the same elements, one of them copies.
//
// Requires: `other` is absent or zero (the pipeliner selects after the load instead).
// Cost: for each copy an address, with at most one xor more than the thread's part.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/AsyncCopy.h"
#include "tessera/TTGIR/Transforms/AccessWidth.h"
#include "tessera/TTGIR/Transforms/RegisterVectors.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;

/// Returns whether all bits of all elements are known to be zero.
static bool isZero(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  if (auto elements = dyn_cast<DenseElementsAttr>(constant))
    return elements.isSplat() && (isa<FloatType>(elements.getElementType())
                                      ? elements.getSplatValue<APFloat>().bitcastToAPInt().isZero()
                                      : elements.getSplatValue<APInt>().isZero());
  return false;
}

/// Returns null if the mask is known to be true.
static Value simplifyMask(Value mask) {
  return mask && matchPattern(mask, m_One()) ? Value() : mask;
}

/// Collects the conditions of which `mask` is the conjunction.
static void collectConditions(Value mask, llvm::SetVector<Value> &conditions) {
  if (auto both = mask.getDefiningOp<LLVM::AndOp>()) {
    collectConditions(both.getLhs(), conditions);
    collectConditions(both.getRhs(), conditions);
  } else if (!matchPattern(mask, m_One())) {
    conditions.insert(mask);
  }
}

static Value emitAll(OpBuilder &b, Location loc, ArrayRef<Value> conditions) {
  Value all;
  for (Value condition : conditions)
    all = emitBoth(b, loc, all, condition);
  return all;
}

/// Emits the number of bytes of a vector whose mask is true. Conditions that all elements share
/// (the row exists) are tested once; the sum of the others (the column exists) is the same in every
/// row.
static Value emitBytes(OpBuilder &b, Location loc, ValueRange masks, ArrayRef<unsigned> vector,
                       unsigned elementBytes) {
  SmallVector<llvm::SetVector<Value>> conditions(vector.size());
  for (auto [i, reg] : llvm::enumerate(vector))
    collectConditions(masks[reg], conditions[i]);
  auto isShared = [&](Value condition) {
    return llvm::all_of(conditions, [&](auto &each) { return each.contains(condition); });
  };
  SmallVector<Value> shared = llvm::filter_to_vector(conditions.front(), isShared);
  Value size = constantI32(b, loc, elementBytes), none = constantI32(b, loc, 0), sum;
  for (auto &each : conditions) {
    SmallVector<Value> own =
        llvm::filter_to_vector(each, [&](Value condition) { return !isShared(condition); });
    Value mask = emitAll(b, loc, own);
    Value part = mask ? LLVM::SelectOp::create(b, loc, mask, size, none) : size;
    sum = sum ? LLVM::AddOp::create(b, loc, sum, part) : part;
  }
  Value mask = emitAll(b, loc, shared);
  return mask ? LLVM::SelectOp::create(b, loc, mask, sum, none) : sum;
}

namespace {

/// The address in a buffer to which each register's element is copied.
class Destinations {
public:
  Destinations(OpBuilder &b, Location loc, const TargetInfo &target, const LinearLayout &offsets,
               ValueRange buffer, Type element)
      : b(b), loc(loc), offsets(offsets), start(buffer[0]), element(element) {
    SmallVector<uint64_t> bases;
    for (Dim dim : {Dim::lane(), Dim::warp()})
      for (unsigned bit = 0; bit < offsets.inBits(dim); ++bit)
        bases.push_back(offsets.basis(dim, bit, Dim::offset()));
    if (llvm::any_of(bases, [](uint64_t basis) { return basis != 0; }))
      thread = emitLinear(b, loc, target.threadId(b, loc, threadCount(offsets)), bases);
    // The offset of a view in its buffer is a run-time value.
    if (Value view = buffer[1]; !matchPattern(view, m_Zero()))
      thread = {thread.value ? LLVM::XOrOp::create(b, loc, thread.value, view) : view, ~0u};
    if (thread.value)
      threadStart = step(start, thread.value);
  }

  Value of(unsigned reg) {
    uint64_t constant = offsets.apply({{Dim::reg(), reg}}, Dim::offset());
    if (!threadStart)
      return step(start, constantI32(b, loc, constant));
    // If the operands have no bit in common, the xor is an addition: a constant of the address.
    if ((thread.possible & constant) == 0)
      return constant ? step(threadStart, constantI32(b, loc, constant)) : threadStart;
    return step(start, emitXor(b, loc, thread, constant));
  }

private:
  Value step(Value from, Value elements) {
    return LLVM::GEPOp::create(b, loc, start.getType(), element, from, LLVM::GEPArg(elements));
  }

  OpBuilder &b;
  Location loc;
  const LinearLayout &offsets;
  Value start, threadStart;
  Type element;
  KnownBits32 thread;
};

struct AsyncCopyLowering : Lowering<ttg::AsyncCopyGlobalToLocalOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(ttg::AsyncCopyGlobalToLocalOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    ttg::MemDescType buffer = op.getResult().getType();
    auto pointers = cast<RankedTensorType>(op.getSrc().getType());
    Type element = types.memoryType(buffer.getElementType());
    if (!element)
      return emitUnsupported(op) << "asynchronous copy of " << buffer.getElementType() << " values";
    if (op.getOther() && !isZero(op.getOther()))
      return emitUnsupported(op) << "asynchronous copy with values other than zero for elements "
                                    "that are masked out; select them after the load instead";
    if (isa<ttg::PaddedSharedEncodingAttr>(buffer.getEncoding()))
      return emitUnsupported(op) << "asynchronous copy into a padded buffer";

    LinearLayout layout = ttg::toLinearLayout(pointers);
    unsigned bytes = std::max(8u, tt::getPointeeBits(pointers)) / 8;
    std::optional<AsyncCopyPlan> plan = planAsyncCopy(
        layout, ttg::toLinearLayout(buffer), op.getContiguity(), bytes, target.asyncCopyBytes());
    if (!plan)
      return emitUnsupported(op) << "asynchronous copy of " << pointers.getShape().size()
                                 << "-dimensional tiles in these layouts on " << target.name()
                                 << ": the threads do not hold enough consecutive bytes for one "
                                    "instruction; use --num-stages 1";

    Location loc = op.getLoc();
    Value representative =
        emitIsRepresentative(b, loc, target, threadCount(layout), replicatedThreadBits(layout));
    Destinations destinations(b, loc, target, plan->offsets, operands.getResult(), element);
    ValueRange masks = operands.getMask();
    bool countsMask = op->hasAttr(kPrefixMaskAttr) && !masks.empty();
    for (ArrayRef<unsigned> vector : groupRegisters(layout, plan->registerBits).vectors) {
      unsigned first = vector.front();
      target.asyncCopy(b, loc,
                       {operands.getSrc()[first],
                        destinations.of(first),
                        plan->width * bytes,
                        masks.empty() || countsMask ? Value() : simplifyMask(masks[first]),
                        representative,
                        {op.getCache(), op.getEvict(), op.getIsVolatile()},
                        countsMask ? emitBytes(b, loc, masks, vector, bytes) : Value()});
    }
    b.replaceOpWithMultiple(op, {ValueRange()});
    return success();
  }
};

struct AsyncCommitGroupLowering : Lowering<ttg::AsyncCommitGroupOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::AsyncCommitGroupOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    target.asyncCommit(b, op.getLoc());
    b.replaceOpWithMultiple(op, {ValueRange()});
    return success();
  }
};

struct AsyncWaitLowering : Lowering<ttg::AsyncWaitOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::AsyncWaitOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    target.asyncWait(b, op.getLoc(), op.getNum());
    b.replaceOpWithMultiple(op, {ValueRange()});
    return success();
  }
};

} // namespace

void tessera::populateAsyncCopyPatterns(RewritePatternSet &patterns,
                                        const TTGIRTypeConverter &types, const TargetInfo &target) {
  // Groups may be empty. On a target without asynchronous copies these stay, and the conversion's
  // error names them.
  patterns.add<AsyncCommitGroupLowering, AsyncWaitLowering>(types, target);
  if (!target.asyncCopyBytes().empty())
    patterns.add<AsyncCopyLowering>(types, target);
}
