//===- RewriteTensorDescriptorToPointer.cpp - descriptors become pointers -===//
// Splits a descriptor into the values that the hardware would keep in it: base, sizes, strides, and
// whether elements out of bounds read as NaN or zero. Accesses become plain loads and stores whose
// mask checks the bounds of every dimension. Targets without TMA need this.
//
//   before: %d = tt.make_tensor_descriptor %base, [%m, %n], [%s, %c1]
//           %v = tt.descriptor_load %d[%i, %j] : … -> tensor<32x64xf16>
//   after:  %rows = %i + [0, 32) ; %columns = %j + [0, 64)
//           %v = tt.load (%base + %rows * %s) + %columns,
//                        0 <= %rows < %m & 0 <= %columns < %n, 0.0
//
// With `narrow-indices` rows and columns are 32-bit integers, as sizes and offsets are.
// Gathers and scatters take their rows from a tensor; reductions become atomics.
// The last stride of a descriptor is 1 by definition and is not read; TMA does not read it either.
//
// A kernel's descriptor argument is followed by its sizes (i32 each) and strides (i64 each), which
// the kernel may read. The descriptor argument itself becomes its base. These are all values that a
// launcher passes (docs/abi.md):
//
//   before: tt.func @k(%d: !tt.tensordesc<tensor<8x16xf32>> {tt.padding = 2 : i32},
//                      %m: i32, %n: i32, %s: i64, %t: i64)
//   after:  tt.func @k(%base: !tt.ptr<f32> {tt.divisibility = 16 : i32},
//                      %m: i32, %n: i32, %s: i64 {tt.divisibility = 4 : i32}, %t: i64)
//
// Base and strides are multiples of 16 bytes by definition; as attributes of the arguments, these
// facts allow wide accesses. With `hints` the same facts are attached, by casts (TTHints.h), to
// descriptors that the kernel itself creates.
//
// Ensures: no descriptors are left, neither in functions nor in their signatures. Cost: linear; one
// walk if the module has no descriptors.
//===----------------------------------------------------------------------===//
#include "BlockAccess.h"
#include "ExpandedValues.h"

#include "tessera/Support/Unsupported.h"
#include "tessera/TTIR/IR/DescriptorParts.h"
#include "tessera/TTIR/IR/TTHints.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTREWRITETENSORDESCRIPTORTOPOINTER
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using namespace tessera::tt;

/// Marks an argument that is a tensor map, passed by value.
static constexpr llvm::StringLiteral kTensorMapAttr = "tt.nv_tma_desc";

namespace {

struct RewriteTensorDescriptorToPointer
    : tessera::impl::TTRewriteTensorDescriptorToPointerBase<RewriteTensorDescriptorToPointer> {
  using TTRewriteTensorDescriptorToPointerBase::TTRewriteTensorDescriptorToPointerBase;
  void runOnOperation() override;
};

/// The parts of a descriptor: base, sizes (of the indices' type), strides (i64), and whether it
/// pads with NaN (i1).
struct DescriptorParts : TypeConverter {
  explicit DescriptorParts(unsigned indexBits) {
    addConversion([](Type type) { return type; });
    addConversion([=](TensorDescType type, SmallVectorImpl<Type> &parts) {
      MLIRContext *context = type.getContext();
      parts.push_back(PointerType::get(type.getSignlessBlockType().getElementType()));
      parts.append(type.getBlockType().getRank(), IntegerType::get(context, indexBits));
      parts.append(type.getBlockType().getRank(), IntegerType::get(context, 64));
      parts.push_back(IntegerType::get(context, 1));
      return success();
    });
  }
};

/// The parts of one descriptor by name.
struct Descriptor {
  MemoryTensor tensor;
  Value padsWithNaN;
  RankedTensorType block;
  bool hasNarrowIndices;

  Descriptor(TensorDescType type, ValueRange parts) : block(type.getSignlessBlockType()) {
    size_t rank = block.getRank();
    tensor.base = parts.front();
    tensor.sizes = llvm::to_vector(parts.slice(1, rank));
    tensor.strides = llvm::to_vector(parts.slice(1 + rank, rank));
    tensor.strides.back() = {};
    padsWithNaN = parts.back();
    hasNarrowIndices = tensor.sizes.front().getType().isInteger(32);
  }

  /// Converts `index`, an i32, to the type of indices into this descriptor.
  Value toIndex(OpBuilder &b, Location loc, Value index) const {
    return hasNarrowIndices ? index : emitIndex(b, loc, index);
  }
};

/// The pointers and mask of a plain load or store.
struct Access {
  Value pointers, mask;
  RankedTensorType type; ///< of the values moved
};

} // namespace

/// Creates the pointers and mask of a tile; the mask checks every dimension.
static Access emitAccess(OpBuilder &b, Location loc, const Descriptor &desc, const Tile &tile) {
  auto dims = llvm::to_vector(llvm::seq<int32_t>(0, tile.type.getRank()));
  return {emitPointers(b, loc, desc.tensor, tile), emitMask(b, loc, desc.tensor, tile, dims),
          tile.type};
}

/// Creates the access to the block at `indices`, i32 each.
static Access emitBlockAccess(OpBuilder &b, Location loc, const Descriptor &desc,
                              ValueRange indices) {
  SmallVector<Value> offsets;
  for (Value index : indices)
    offsets.push_back(desc.toIndex(b, loc, index));
  return emitAccess(b, loc, desc, emitTile(b, loc, desc.block, offsets));
}

/// Creates the access to the rows whose numbers `rows`, a tensor<Nxi32>, contains, from `column`
/// on.
static Access emitRowAccess(OpBuilder &b, Location loc, const Descriptor &desc, Value rows,
                            Value column) {
  if (!desc.hasNarrowIndices)
    rows = arith::ExtSIOp::create(
        b, loc, cast<RankedTensorType>(rows.getType()).clone(b.getI64Type()), rows);
  int64_t count = cast<RankedTensorType>(rows.getType()).getDimSize(0);
  int64_t columns = desc.block.getDimSize(1);
  Tile tile{desc.block.clone({count, columns}),
            {ExpandDimsOp::create(b, loc, rows, /*axis=*/1),
             emitRange(b, loc, desc.toIndex(b, loc, column), columns, /*dim=*/1, /*rank=*/2)}};
  return emitAccess(b, loc, desc, tile);
}

/// Returns the value of elements out of bounds. For a descriptor that the caller created, it is
/// known only at run time.
static Value emitOutside(OpBuilder &b, Location loc, const Descriptor &desc,
                         RankedTensorType type) {
  Value zeros = emitPadding(b, loc, type, PaddingOption::Zero);
  if (!isa<FloatType>(type.getElementType()) || matchPattern(desc.padsWithNaN, m_Zero()))
    return zeros;
  Value nans = emitPadding(b, loc, type, PaddingOption::NaN);
  return b.createOrFold<arith::SelectOp>(loc, desc.padsWithNaN, nans, zeros);
}

/// Reshapes `value` to `type`, which differs at most by leading dimensions of size one.
static Value reshapeTo(OpBuilder &b, Location loc, Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return ReshapeOp::create(b, loc, type, value, /*allow_reorder=*/false,
                           /*efficient_layout=*/false);
}

/// Returns the atomic that implements a descriptor reduction; nothing if there is none.
static std::optional<RMWOp> toAtomic(DescriptorReduceKind kind, Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    switch (kind) {
    case DescriptorReduceKind::Add:
      return RMWOp::FAdd;
    case DescriptorReduceKind::Min:
      return RMWOp::Min;
    case DescriptorReduceKind::Max:
      return RMWOp::Max;
    default:
      return std::nullopt;
    }
  // Minimum and maximum depend on the sign, which a signless integer type does not have.
  switch (kind) {
  case DescriptorReduceKind::Add:
    return RMWOp::Add;
  case DescriptorReduceKind::And:
    return RMWOp::And;
  case DescriptorReduceKind::Or:
    return RMWOp::Or;
  case DescriptorReduceKind::Xor:
    return RMWOp::Xor;
  case DescriptorReduceKind::Min:
    if (integer.isSignless())
      return std::nullopt;
    return integer.isSigned() ? RMWOp::Min : RMWOp::UMin;
  case DescriptorReduceKind::Max:
    if (integer.isSignless())
      return std::nullopt;
    return integer.isSigned() ? RMWOp::Max : RMWOp::UMax;
  case DescriptorReduceKind::Inc:
  case DescriptorReduceKind::Dec:
    return std::nullopt; // TMA has these reductions; tt.atomic_rmw has not
  }
  return std::nullopt;
}

namespace {

/// Attaches the hint that `value` is a multiple of `divisor`.
static Value promise(OpBuilder &b, Location loc, Value value, int64_t divisor) {
  if (divisor <= 1 || matchPattern(value, m_Constant()))
    return value;
  auto cast = BitcastOp::create(b, loc, value.getType(), value);
  cast->setDiscardableAttr(kDivisibilityAttr, b.getI32IntegerAttr(divisor));
  return cast;
}

struct RewriteMake : OpConversionPattern<MakeTensorDescOp> {
  RewriteMake(const TypeConverter &parts, MLIRContext *context, bool hints)
      : OpConversionPattern(parts, context), hints(hints) {}
  LogicalResult matchAndRewrite(MakeTensorDescOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> parts{adaptor.getBase()};
    for (Value size : adaptor.getShape())
      parts.push_back(size.getType() == types[1] ? size : emitIndex(rewriter, loc, size));
    llvm::append_range(parts, adaptor.getStrides());
    RankedTensorType block = op.getType().getSignlessBlockType();
    if (hints)
      for (auto [part, known] : llvm::zip_equal(
               parts, getDescriptorParts(block.getRank(), block.getElementTypeBitWidth())))
        part = promise(rewriter, loc, part, known.divisibility);
    parts.push_back(arith::ConstantOp::create(
        rewriter, loc, rewriter.getBoolAttr(op.getPadding() == PaddingOption::NaN)));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }

private:
  bool hints;
};

/// Attaches the attribute that the access went through a descriptor.
static void mark(Operation *access) {
  access->setDiscardableAttr(kDescriptorAccessAttr, UnitAttr::get(access->getContext()));
}

struct RewriteLoad : OpConversionPattern<DescriptorLoadOp> {
  RewriteLoad(const TypeConverter &parts, MLIRContext *context, bool marks)
      : OpConversionPattern(parts, context), marks(marks) {}
  LogicalResult matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor desc(op.getDesc().getType(), adaptor.getDesc());
    Access access = emitBlockAccess(rewriter, loc, desc, flatten(adaptor.getIndices()));
    auto load =
        LoadOp::create(rewriter, loc, access.pointers, access.mask,
                       emitOutside(rewriter, loc, desc, access.type), op.getCache(), op.getEvict());
    load->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (marks)
      mark(load);
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, load, op.getType()));
    return success();
  }

private:
  bool marks;
};

struct RewriteStore : OpConversionPattern<DescriptorStoreOp> {
  RewriteStore(const TypeConverter &parts, MLIRContext *context, bool marks)
      : OpConversionPattern(parts, context), marks(marks) {}
  LogicalResult matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor desc(op.getDesc().getType(), adaptor.getDesc());
    Access access = emitBlockAccess(rewriter, loc, desc, flatten(adaptor.getIndices()));
    Value value = reshapeTo(rewriter, loc, only(adaptor.getSrc()), access.type);
    auto store =
        StoreOp::create(rewriter, loc, access.pointers, value, access.mask, CacheModifier::None);
    store->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (marks)
      mark(store);
    rewriter.replaceOp(op, store);
    return success();
  }

private:
  bool marks;
};

struct RewriteReduce : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    TensorDescType type = op.getDesc().getType();
    std::optional<RMWOp> kind = toAtomic(op.getKind(), type.getBlockType().getElementType());
    if (!kind)
      return failure();
    Descriptor desc(type, adaptor.getDesc());
    Access access = emitBlockAccess(rewriter, loc, desc, flatten(adaptor.getIndices()));
    Value value = reshapeTo(rewriter, loc, only(adaptor.getSrc()), access.type);
    // The order is release, as in Triton 3.6.0: a thread that sees the result also sees this
    // program's earlier writes.
    AtomicRMWOp::create(rewriter, loc, access.type, *kind, access.pointers, value, access.mask,
                        MemSemantic::Release, MemSyncScope::GPU);
    rewriter.eraseOp(op);
    return success();
  }
};

struct RewriteGather : OpConversionPattern<DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor desc(op.getDesc().getType(), adaptor.getDesc());
    Access access =
        emitRowAccess(rewriter, loc, desc, only(adaptor.getXOffsets()), only(adaptor.getYOffset()));
    auto load = LoadOp::create(rewriter, loc, access.pointers, access.mask,
                               emitOutside(rewriter, loc, desc, access.type));
    load->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, load);
    return success();
  }
};

struct RewriteScatter : OpConversionPattern<DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor desc(op.getDesc().getType(), adaptor.getDesc());
    Access access =
        emitRowAccess(rewriter, loc, desc, only(adaptor.getXOffsets()), only(adaptor.getYOffset()));
    auto store = StoreOp::create(rewriter, loc, access.pointers, only(adaptor.getSrc()),
                                 access.mask, CacheModifier::None);
    store->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, store);
    return success();
  }
};

} // namespace

/// Rejects reductions that no atomic implements (they need TMA hardware) and malformed descriptors.
static LogicalResult check(ModuleOp module, bool hasFloatExtrema) {
  bool valid = true;
  auto reject = [&](Operation *op) {
    valid = false;
    return op->emitError();
  };
  module.walk([&](Operation *op) {
    if (auto reduce = dyn_cast<DescriptorReduceOp>(op)) {
      Type element = reduce.getDesc().getType().getBlockType().getElementType();
      bool isExtremum = isa<FloatType>(element) && reduce.getKind() != DescriptorReduceKind::Add;
      if (!toAtomic(reduce.getKind(), element) || (isExtremum && !hasFloatExtrema)) {
        valid = false;
        emitUnsupported(op) << "descriptor reduction '"
                            << stringifyDescriptorReduceKind(reduce.getKind()) << "' of " << element
                            << " needs a target with TMA: no atomic does the same";
      }
    } else if (auto make = dyn_cast<MakeTensorDescOp>(op)) {
      APInt stride;
      if (matchPattern(make.getStrides().back(), m_ConstantInt(&stride)) && !stride.isOne())
        reject(op) << "the last stride of a descriptor is 1, not " << stride.getSExtValue();
    }
    if (isa_and_nonnull<TTDialect>(op->getDialect()))
      for (Type type : op->getOperandTypes())
        if (auto desc = dyn_cast<TensorDescType>(type); desc && desc.getBlockType().getEncoding())
          reject(op) << "goes through " << type << ", but blocks have no encoding yet";
  });
  return success(valid);
}

//===----------------------------------------------------------------------===//
// Arguments of kernels
//===----------------------------------------------------------------------===//

/// Adds a divisibility attribute to the argument unless it has a stronger one.
static void promiseMultiple(FuncOp func, unsigned index, int64_t divisor) {
  auto said = func.getArgAttrOfType<IntegerAttr>(index, kDivisibilityAttr);
  if (divisor > 1 && (!said || said.getInt() < divisor))
    func.setArgAttr(index, kDivisibilityAttr,
                    IntegerAttr::get(IntegerType::get(func.getContext(), 32), divisor));
}

/// Returns the padding that the argument's attribute states.
static PaddingOption paddingOf(FuncOp func, unsigned index) {
  auto said = func.getArgAttrOfType<IntegerAttr>(index, kPaddingAttr);
  bool isNaN = said && said.getInt() == int64_t(PaddingOption::NaN);
  return isNaN ? PaddingOption::NaN : PaddingOption::Zero;
}

/// Replaces the descriptor argument `index` of a kernel by its base, and by sizes and strides if
/// the kernel does not take them already.
static void takeArgumentApart(FuncOp func, unsigned index) {
  auto type = cast<TensorDescType>(func.getArgumentTypes()[index]);
  RankedTensorType block = type.getSignlessBlockType();
  unsigned rank = block.getRank();
  SmallVector<DescriptorPart> parts = getDescriptorParts(rank, block.getElementTypeBitWidth());
  unsigned added = isFollowedByDescriptorParts(func, index) ? 1 : parts.size();
  PaddingOption padding = paddingOf(func, index);
  Location loc = func.getArgument(index).getLoc();
  for (auto [i, part] : llvm::enumerate(ArrayRef(parts).take_front(added))) {
    Type partType = part.bits ? Type(IntegerType::get(func.getContext(), part.bits))
                              : Type(PointerType::get(block.getElementType()));
    (void)func.insertArgument(index + i, partType,
                              i == 0 ? func.getArgAttrDict(index) : DictionaryAttr(), loc);
  }
  // The arguments are now base, descriptor, sizes, strides; or the descriptor comes last.
  Value descriptor = func.getArgument(index + added);
  ValueRange values = func.getArguments().drop_front(index + (added == 1 ? 2 : 1));
  OpBuilder b(&func.getBody().front(), func.getBody().front().begin());
  descriptor.replaceAllUsesWith(MakeTensorDescOp::create(b, loc, type, func.getArgument(index),
                                                         values.take_front(rank),
                                                         values.slice(rank, rank), padding));
  (void)func.eraseArgument(index + added);
  func.removeArgAttr(index, kPaddingAttr);
  func.removeArgAttr(index, kTensorMapAttr); // the base pointer is no tensor map
  for (auto [i, part] : llvm::enumerate(parts))
    promiseMultiple(func, index + i, part.divisibility);
}

static void takeArgumentsApart(ModuleOp module) {
  llvm::StringSet<> called; // their callers pass descriptors
  module.walk([&](CallOp call) { called.insert(call.getCallee()); });
  for (auto func : module.getOps<FuncOp>())
    for (unsigned index = func.getNumArguments(); index-- > 0;)
      if (isa<TensorDescType>(func.getArgumentTypes()[index])) {
        if (func.isKernel() && !func.isExternal() && !called.contains(func.getName()))
          takeArgumentApart(func, index);
        else
          func.removeArgAttr(index, kTensorMapAttr);
      }
}

void RewriteTensorDescriptorToPointer::runOnOperation() {
  ModuleOp module = getOperation();
  if (!hasValueOf(module, llvm::IsaPred<TensorDescType>))
    return;
  if (failed(check(module, hasFloatExtrema)))
    return signalPassFailure();
  takeArgumentsApart(module);
  DescriptorParts parts(/*indexBits=*/narrowIndices ? 32 : 64);
  RewritePatternSet users(&getContext());
  users.add<RewriteMake>(parts, &getContext(), hints);
  users.add<RewriteLoad, RewriteStore>(parts, &getContext(), markAccesses);
  users.add<RewriteReduce, RewriteGather, RewriteScatter>(parts, &getContext());
  auto isUser = [](Operation *op) {
    return isa<MakeTensorDescOp, DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp,
               DescriptorGatherOp, DescriptorScatterOp>(op);
  };
  if (failed(expandValues(module, parts, std::move(users), isUser, "a descriptor")))
    signalPassFailure();
}
