//===- RewriteTensorPointer.cpp - block pointers become pointers ----------===//
// Splits a block pointer into base, sizes, strides and offsets. Loads and stores through it get a
// pointer per element, and a mask for the dimensions whose bounds they check.
//
//   before: %p = tt.make_tensor_ptr %base, [%m, %n], [%s, %c1], [%i, %j] {order = …}
//           %q = tt.advance %p, [%c0, %c64]
//           %v = tt.load %q {boundaryCheck = array<i32: 1>, padding = 1 : i32}
//   after:  %columns = (%j + 64) + [0, 64)
//           %pointers = (%base + (%i + [0, 32)) * %s) + %columns * 1
//           %v = tt.load %pointers, 0 <= %columns < %n, 0.0
//
// An element out of bounds reads as the padding value; without padding it is undefined. `order` is
// only a hint and is dropped.
//
// Ensures: no block pointers are left, neither in functions nor in their signatures. Offsets have
// 64 bits, so tt.advance cannot overflow. Cost: linear; one walk if the module has no block
// pointers.
//===----------------------------------------------------------------------===//
#include "BlockAccess.h"
#include "ExpandedValues.h"

#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTREWRITETENSORPOINTER
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using namespace tessera::tt;

namespace {

struct RewriteTensorPointer : tessera::impl::TTRewriteTensorPointerBase<RewriteTensorPointer> {
  using TTRewriteTensorPointerBase::TTRewriteTensorPointerBase;
  void runOnOperation() override;
};

/// The parts of a block pointer: base, then sizes, strides and offsets, i64 each.
struct BlockPointerParts : TypeConverter {
  BlockPointerParts() {
    addConversion([](Type type) { return type; });
    addConversion(
        [](PointerType type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          if (!isTensorPointer(type))
            return std::nullopt;
          parts.push_back(getElementPointerType(type));
          parts.append(3 * getTensorOf(type).getRank(), IntegerType::get(type.getContext(), 64));
          return success();
        });
  }
};

/// The parts of one block pointer by name.
struct BlockPointer {
  MemoryTensor tensor;
  SmallVector<Value> offsets;

  explicit BlockPointer(ValueRange parts) {
    size_t rank = parts.size() / 3;
    tensor.base = parts.front();
    tensor.sizes = llvm::to_vector(parts.slice(1, rank));
    tensor.strides = llvm::to_vector(parts.slice(1 + rank, rank));
    offsets = llvm::to_vector(parts.slice(1 + 2 * rank, rank));
  }
};

struct RewriteMake : OpConversionPattern<MakeTensorPtrOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeTensorPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{adaptor.getBase()};
    llvm::append_range(parts, adaptor.getShape());
    llvm::append_range(parts, adaptor.getStrides());
    for (Value offset : adaptor.getOffsets())
      parts.push_back(emitIndex(rewriter, op.getLoc(), offset));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct RewriteAdvance : OpConversionPattern<AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AdvanceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts(adaptor.getPtr());
    auto offsets = MutableArrayRef(parts).take_back(op.getOffsets().size());
    for (auto [offset, distance] : llvm::zip_equal(offsets, flatten(adaptor.getOffsets())))
      offset = rewriter.createOrFold<arith::AddIOp>(op.getLoc(), offset,
                                                    emitIndex(rewriter, op.getLoc(), distance));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct RewriteLoad : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BlockPointer pointer(adaptor.getPtr());
    Tile tile = emitTile(rewriter, loc, getTensorOf(op.getPtr().getType()), pointer.offsets);
    Value pointers = emitPointers(rewriter, loc, pointer.tensor, tile);
    Value mask = emitMask(rewriter, loc, pointer.tensor, tile, op.getBoundaryCheck());
    Value other;
    if (mask && op.getPadding())
      other = emitPadding(rewriter, loc, tile.type, *op.getPadding());
    auto load = LoadOp::create(rewriter, loc, pointers, mask, other, op.getCache(), op.getEvict(),
                               op.getIsVolatile());
    load->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, load);
    return success();
  }
};

struct RewriteStore : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BlockPointer pointer(adaptor.getPtr());
    Tile tile = emitTile(rewriter, loc, getTensorOf(op.getPtr().getType()), pointer.offsets);
    Value pointers = emitPointers(rewriter, loc, pointer.tensor, tile);
    Value mask = emitMask(rewriter, loc, pointer.tensor, tile, op.getBoundaryCheck());
    auto store = StoreOp::create(rewriter, loc, pointers, only(adaptor.getValue()), mask,
                                 op.getCache(), op.getEvict());
    store->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, store);
    return success();
  }
};

} // namespace

/// Rejects IR that no program of the language produces.
static LogicalResult check(ModuleOp module) {
  bool valid = true;
  auto reject = [&](Operation *op) {
    valid = false;
    return op->emitError();
  };
  module.walk([&](Operation *op) {
    if (auto func = dyn_cast<FuncOp>(op); func && func.isKernel())
      for (Type type : func.getArgumentTypes())
        if (isTensorPointer(type))
          reject(op) << "a kernel cannot take a block pointer (" << type
                     << "); pass the base and make one inside";
    if (isa<LoadOp, StoreOp>(op))
      if (Type pointer = op->getOperand(0).getType();
          isTensorPointer(pointer) && getEncodingOf(pointer))
        reject(op) << "goes through " << pointer << ", but blocks have no encoding yet";
    if (auto load = dyn_cast<LoadOp>(op); load && load.getPadding() == PaddingOption::NaN)
      if (Type element = getElementTypeOrSelf(load.getType()); !isa<FloatType>(element))
        reject(op) << "cannot pad " << element << " with NaN";
  });
  return success(valid);
}

void RewriteTensorPointer::runOnOperation() {
  if (!hasValueOf(getOperation(), isTensorPointer))
    return;
  if (failed(check(getOperation())))
    return signalPassFailure();
  BlockPointerParts parts;
  RewritePatternSet users(&getContext());
  users.add<RewriteMake, RewriteAdvance, RewriteLoad, RewriteStore>(parts, &getContext());
  auto isUser = [](Operation *op) { return isa<MakeTensorPtrOp, AdvanceOp, LoadOp, StoreOp>(op); };
  if (failed(expandValues(getOperation(), parts, std::move(users), isUser, "a block pointer")))
    signalPassFailure();
}
