//===- TTVerify.cpp - the rules of well-formed tt ops --------------------===//
// Each rule has an id, [tt.<op>.C<n>], which the test that violates it cites. Rules that types or
// traits express are checked before these; see TTTraits.cpp, TTTypes.cpp, TTFunctions.cpp and
// TTInference.cpp for the rest.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"

using namespace mlir;
using namespace tessera::tt;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  auto from = dyn_cast<PointerType>(getElementTypeOrSelf(getSrc()));
  auto to = dyn_cast<PointerType>(getElementTypeOrSelf(getResult()));
  // [tt.bitcast.C1] a pointer stays in its address space
  if (from && to) {
    if (from.getAddressSpace() != to.getAddressSpace())
      return emitOpError() << "changes the address space from " << from.getAddressSpace() << " to "
                           << to.getAddressSpace();
    return success();
  }
  // [tt.bitcast.C2] a pointer is not a number
  if (from || to)
    return emitOpError() << "cannot cast " << getSrc().getType() << " to " << getType()
                         << "; use tt.ptr_to_int or tt.int_to_ptr";
  // [tt.bitcast.C3] bits are kept
  unsigned fromBits = getElementBits(getSrc().getType()), toBits = getElementBits(getType());
  if (fromBits != toBits)
    return emitOpError() << "casts " << fromBits << " bits to " << toBits;
  return success();
}

LogicalResult FpToFpOp::verify() {
  unsigned fromBits = getElementBits(getSrc().getType()), toBits = getElementBits(getType());
  // [tt.fp_to_fp.C1] losing bits needs a rounding mode
  if (toBits < fromBits && !getRounding())
    return emitOpError() << "narrows " << fromBits << " bits to " << toBits
                         << " and must say how it rounds";
  return success();
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  // [tt.elementwise_inline_asm.C1] groups have elements
  int32_t packed = getPackedElement();
  if (packed < 1)
    return emitOpError() << "packed_element is " << packed << ", but must be at least 1";
  // [tt.elementwise_inline_asm.C2] and fill the tensors; scalars are not grouped
  for (Type type : getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (tensor.hasStaticShape() && tensor.getNumElements() % packed != 0)
        return emitOpError() << "takes groups of " << packed << " elements from " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Returns the number of elements, or nothing if the trait TensorSize rejects the type.
static std::optional<int64_t> countElements(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape()) {
    if (size < 1 || size > kMaxTensorElements || (count *= size) > kMaxTensorElements)
      return std::nullopt;
  }
  return count;
}

LogicalResult UnsplatOp::verify() {
  // [tt.unsplat.C1] there is one element
  auto type = cast<RankedTensorType>(getSrc().getType());
  if (llvm::any_of(type.getShape(), [](int64_t size) { return size != 1; }))
    return emitOpError() << "needs a tensor of one element, but got " << type;
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getType());
  // [tt.reshape.C1] no element is lost or gained
  std::optional<int64_t> before = countElements(from), after = countElements(to);
  if (!before || !after)
    return success();
  if (*before != *after)
    return emitOpError() << "changes the number of elements from " << *before << " to " << *after;
  // [tt.reshape.C2] both sides are laid out, or neither
  if (bool(from.getEncoding()) != bool(to.getEncoding()))
    return emitOpError() << "needs an encoding on both sides or on none, but got " << from
                         << " and " << to;
  if (!from.getEncoding() || getAllowReorder())
    return success();
  // [tt.reshape.C3] elements stay where they are
  auto emitError = [&] { return emitOpError(); };
  const LayoutInterface *layouts = LayoutInterface::of(from.getEncoding(), emitError);
  if (!layouts)
    return failure();
  FailureOr<Attribute> inferred =
      layouts->inferReshape(from.getEncoding(), from.getShape(), to.getShape(), emitError);
  if (failed(inferred))
    return failure();
  if (!layouts->denoteSameLayout(to.getShape(), *inferred, to.getEncoding()))
    return emitOpError() << "moves elements between threads: its result should have encoding "
                         << *inferred << ", but has " << to.getEncoding();
  return success();
}

LogicalResult CatOp::verify() {
  // [tt.cat.C1] the result has room for both
  auto from = cast<RankedTensorType>(getLhs().getType()), to = cast<RankedTensorType>(getType());
  std::optional<int64_t> half = countElements(from), whole = countElements(to);
  if (half && whole && *whole != 2 * *half)
    return emitOpError() << "joins two tensors of " << *half << " elements into one of " << *whole;
  // [tt.cat.C2] in as many dimensions
  if (from.getRank() != to.getRank())
    return emitOpError() << "changes the rank from " << from.getRank() << " to " << to.getRank();
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  // [tt.gather.C1] ranks agree
  if (source.getRank() != indices.getRank())
    return emitOpError() << "has a source of rank " << source.getRank() << " and indices of rank "
                         << indices.getRank();
  // [tt.gather.C2] the dimension is one of theirs
  if (getAxis() < 0 || getAxis() >= source.getRank())
    return emitOpError() << "axis " << getAxis() << " is not in [0, " << source.getRank() << ")";
  // [tt.gather.C3] the other dimensions agree
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(source.getShape(), indices.getShape()))) {
    auto [have, want] = sizes;
    if (int64_t(dim) != getAxis() && have != want)
      return emitOpError() << "has sizes " << have << " and " << want << " in dimension " << dim;
  }
  return success();
}

LogicalResult HistogramOp::verify() {
  // [tt.histogram.C1] bins are counted in one dimension
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1)
    return emitOpError() << "counts into a tensor of rank 1, not " << type;
  return success();
}

LogicalResult MakeRangeOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  int64_t length = int64_t(getEnd()) - getStart();
  // [tt.make_range.C1] the range is not empty
  if (length <= 0)
    return emitOpError() << "start " << getStart() << " must be less than end " << getEnd();
  // [tt.make_range.C2] one dimension
  if (type.getRank() != 1)
    return emitOpError() << "makes a tensor of rank 1, not " << type;
  // [tt.make_range.C3] as long as the range
  if (type.getDimSize(0) != length)
    return emitOpError() << "from " << getStart() << " to " << getEnd() << " has " << length
                         << " elements, but its type is " << type;
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getSrc().getType());
  auto to = cast<RankedTensorType>(getType());
  // [tt.broadcast.C1] ranks agree
  if (from.getRank() != to.getRank())
    return emitOpError() << "changes the rank from " << from.getRank() << " to " << to.getRank();
  // [tt.broadcast.C2] only dimensions of size one grow
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(from.getShape(), to.getShape()))) {
    auto [before, after] = sizes;
    if (before != after && before != 1)
      return emitOpError() << "cannot change dimension " << dim << " from " << before << " to "
                           << after;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The rules for block pointers that loads and stores share.
static LogicalResult verifyBlockAccess(Operation *op, Type ptr, ArrayRef<int32_t> boundaryCheck,
                                       bool hasMask) {
  if (!isTensorPointer(ptr)) {
    // [tt.load.C2] [tt.store.C1] bounds are known of block pointers only
    if (!boundaryCheck.empty())
      return op->emitOpError() << "checks boundaries, which needs a block pointer, not " << ptr;
    return success();
  }
  // [tt.load.C3] [tt.store.C2] a block pointer has bounds in place of a mask
  if (hasMask)
    return op->emitOpError() << "through a block pointer takes boundaryCheck, not a mask";
  // [tt.load.C4] [tt.store.C3] each checked dimension is one of the block's
  int64_t rank = getTensorOf(ptr).getRank();
  for (int32_t dim : boundaryCheck)
    if (dim < 0 || dim >= rank)
      return op->emitOpError() << "boundaryCheck names dimension " << dim << " of a block of rank "
                               << rank;
  return success();
}

LogicalResult LoadOp::verify() {
  // [tt.load.C1] other fills what a mask leaves out
  if (getOther() && !getMask())
    return emitOpError() << "has 'other' but no mask";
  if (failed(verifyBlockAccess(*this, getPtr().getType(), getBoundaryCheck(), bool(getMask()))))
    return failure();
  // [tt.load.C5] padding fills what a boundary check leaves out
  if (getPadding() && !isTensorPointer(getPtr().getType()))
    return emitOpError() << "has padding, which needs a block pointer, not " << getPtr().getType();
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyBlockAccess(*this, getPtr().getType(), getBoundaryCheck(), bool(getMask()));
}

LogicalResult AtomicRMWOp::verify() {
  // [tt.atomic_rmw.C1] integers and floats have their own operations
  Type element = getElementTypeOrSelf(getVal().getType());
  bool isFloat = isa<FloatType>(element);
  RMWOp kind = getAtomicRmwOp();
  bool takesAny = kind == RMWOp::Exchange;
  bool takesFloat = kind == RMWOp::FAdd;
  bool takesBoth = kind == RMWOp::Max || kind == RMWOp::Min;
  if (!takesAny && !takesBoth && isFloat != takesFloat)
    return emitOpError() << stringifyRMWOp(kind) << " does not take " << element;
  return success();
}

/// [tt.make_tensor_ptr.C1] [tt.advance.C1] [tt.make_tensor_descriptor.C1] one per dimension
static LogicalResult verifyPerDimension(Operation *op, StringRef what, size_t count,
                                        RankedTensorType block) {
  if (int64_t(count) != block.getRank())
    return op->emitOpError() << "has " << count << " " << what << " for a block of rank "
                             << block.getRank();
  return success();
}

LogicalResult MakeTensorPtrOp::verify() {
  RankedTensorType block = getTensorOf(getType());
  if (failed(verifyPerDimension(*this, "sizes", getShape().size(), block)))
    return failure();
  // [tt.make_tensor_ptr.C2] order is a permutation of the dimensions
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, block.getRank())))
    return emitOpError() << "order [" << getOrder() << "] is not a permutation of "
                         << block.getRank() << " dimensions";
  return success();
}

LogicalResult AdvanceOp::verify() {
  return verifyPerDimension(*this, "offsets", getOffsets().size(), getTensorOf(getType()));
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

LogicalResult MakeTensorDescOp::verify() {
  RankedTensorType block = getType().getBlockType();
  if (failed(verifyPerDimension(*this, "sizes", getShape().size(), block)))
    return failure();
  // [tt.make_tensor_descriptor.C2] memory holds what blocks hold
  Type element = getType().getSignlessBlockType().getElementType();
  Type pointee = cast<PointerType>(getBase().getType()).getPointeeType();
  if (pointee != element)
    return emitOpError() << "describes " << element << " through a pointer to " << pointee;
  // [tt.make_tensor_descriptor.C3] only floats have a NaN
  if (getPadding() == PaddingOption::NaN && !isa<FloatType>(element))
    return emitOpError() << "cannot pad " << element << " with NaN";
  return success();
}

/// The rule for what a descriptor loads or stores: `tensor` has the descriptor's block type,
/// possibly without leading dimensions of size one.
static LogicalResult verifyBlock(Operation *op, TensorDescType desc, RankedTensorType tensor,
                                 size_t numIndices) {
  RankedTensorType block = desc.getSignlessBlockType();
  // [tt.descriptor.C1] an index for each dimension
  if (int64_t(numIndices) != block.getRank())
    return op->emitOpError() << "has " << numIndices << " indices for a block of rank "
                             << block.getRank();
  // [tt.descriptor.C2] elements agree, but for their sign
  if (block.getElementType() != tensor.getElementType())
    return op->emitOpError() << "moves " << tensor.getElementType() << " through a descriptor of "
                             << block.getElementType();
  // [tt.descriptor.C3] shapes agree, but for leading ones
  ArrayRef<int64_t> shape = block.getShape();
  while (int64_t(shape.size()) > tensor.getRank() && shape.front() == 1)
    shape = shape.drop_front();
  if (shape != tensor.getShape())
    return op->emitOpError() << "moves " << tensor << " through a descriptor of " << block;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyBlock(*this, getDesc().getType(), getType(), getIndices().size());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyBlock(*this, getDesc().getType(), getSrc().getType(), getIndices().size());
}

LogicalResult DescriptorReduceOp::verify() {
  return verifyBlock(*this, getDesc().getType(), getSrc().getType(), getIndices().size());
}

/// The rules for gathers and scatters: `tensor` consists of rows, and the descriptor's block is one
/// row.
static LogicalResult verifyRows(Operation *op, TensorDescType desc, RankedTensorType offsets,
                                RankedTensorType tensor) {
  RankedTensorType block = desc.getSignlessBlockType();
  // [tt.descriptor_rows.C1] the descriptor's block is one row
  if (block.getRank() != 2 || block.getDimSize(0) != 1)
    return op->emitOpError() << "needs a descriptor of one row, but got " << block;
  // [tt.descriptor_rows.C2] there is a number for each row
  if (tensor.getRank() != 2 || offsets.getRank() != 1 ||
      offsets.getDimSize(0) != tensor.getDimSize(0))
    return op->emitOpError() << "has " << offsets << " as row numbers of " << tensor;
  // [tt.descriptor_rows.C3] rows are as long as the block
  if (tensor.getDimSize(1) != block.getDimSize(1) ||
      tensor.getElementType() != block.getElementType())
    return op->emitOpError() << "moves " << tensor << " through a descriptor of " << block;
  // [tt.descriptor_rows.C4] PTX ISA, tensor gather4: at least 8 rows and 8 words of 32 bits
  constexpr int64_t minRows = 8;
  unsigned bits = getElementBits(block);
  if (bits > 32)
    return op->emitOpError() << "moves elements of at most 32 bits, but got " << block;
  int64_t minColumns = 8 * 32 / bits;
  if (tensor.getDimSize(0) < minRows || tensor.getDimSize(1) < minColumns)
    return op->emitOpError() << "needs at least " << minRows << " rows of " << minColumns
                             << " elements, but got " << tensor;
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getSrc().getType());
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

LogicalResult PrintOp::verify() {
  // [tt.print.C1] each value says whether it has a sign
  if (getArgs().size() != getIsSigned().size())
    return emitOpError() << "has " << getArgs().size() << " values, but isSigned has "
                         << getIsSigned().size();
  return success();
}
