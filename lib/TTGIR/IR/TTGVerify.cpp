//===- TTGVerify.cpp - the rules of well-formed ttg ops ------------------===//
// Each rule has an id, [ttg.<op>.C<n>], which the test that violates it cites. Rules of encodings
// are in TTGAttrs.cpp and TTGSharedAttrs.cpp, of types in TTGTypes.cpp, of tensors and dots in
// TTGInference.cpp.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

LogicalResult ConvertLayoutOp::verify() {
  // [ttg.convert_layout.C1] there is a layout on both sides
  if (!tt::getEncodingOf(getSrc().getType()) || !tt::getEncodingOf(getType()))
    return emitOpError() << "converts between encodings, but got " << getSrc().getType() << " and "
                         << getType();
  return success();
}

LogicalResult Fp4ToFpOp::verify() {
  auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getType());
  // [ttg.fp4_to_fp.C1] the dimension is one of the source's
  if (getAxis() < 0 || getAxis() >= from.getRank())
    return emitOpError() << "axis " << getAxis() << " is not in [0, " << from.getRank() << ")";
  // [ttg.fp4_to_fp.C2] and grows to twice its size
  SmallVector<int64_t> shape(from.getShape());
  if (!from.hasStaticShape() || shape[getAxis()] > tt::kMaxTensorElements)
    return success(); // the trait TensorSize rejects it
  shape[getAxis()] *= 2;
  if (ArrayRef(shape) != to.getShape())
    return emitOpError() << "makes a tensor of shape [" << shape << "], not " << to;
  // [ttg.fp4_to_fp.C3] both sides are laid out, or neither
  if (bool(from.getEncoding()) != bool(to.getEncoding()))
    return emitOpError() << "needs an encoding on both sides or on none";
  if (!from.getEncoding())
    return success();
  // [ttg.fp4_to_fp.C4] elements stay in their thread
  auto emitError = [&] { return emitOpError(); };
  FailureOr<LinearLayout> layout =
      inferFp4ToFpLayout(from.getEncoding(), from.getShape(), getAxis(), emitError);
  if (failed(layout))
    return failure();
  auto result = dyn_cast<DistributedEncodingAttr>(to.getEncoding());
  if (!result || result.getRank() != to.getRank() ||
      toLinearLayout(to.getEncoding(), to.getShape()) != *layout)
    return emitOpError() << "moves elements between threads: its result should have encoding "
                         << nameLayout(getContext(), *layout) << ", but has " << to.getEncoding();
  return success();
}

LogicalResult GlobalScratchAllocOp::verify() {
  // [ttg.global_scratch_alloc.C1] a size and an alignment that exist
  if (getNbytes() < 0 || !llvm::isPowerOf2_32(getAlignment()) || getAlignment() < 0)
    return emitOpError() << "cannot allocate " << getNbytes() << " bytes aligned to "
                         << getAlignment();
  return success();
}

LogicalResult PredicateStageOp::verify() {
  // [ttg.predicate_stage.C1] the stage is one of the loop's
  if (getStage() < 0 || getStage() > getMaxStage())
    return emitOpError() << "stage " << getStage() << " is not in [0, " << getMaxStage() << "]";
  return success();
}

LogicalResult MaskOp::verifyRegions() {
  // [ttg.mask.C1] the region takes nothing and returns the results
  Block &block = getRegion().front();
  if (block.getNumArguments() != 0)
    return emitOpError() << "region takes " << block.getNumArguments()
                         << " values, but should take none";
  TypeRange returned = block.getTerminator()->getOperandTypes();
  if (returned != TypeRange(getResultTypes()))
    return emitOpError() << "region returns (" << returned << "), but the op (" << getResultTypes()
                         << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers and tensors
//===----------------------------------------------------------------------===//

/// [ttg.local.C1] what moves between a buffer and a tensor has one shape and element type
static LogicalResult verifySameElements(Operation *op, MemDescType buffer,
                                        RankedTensorType tensor) {
  if (buffer.getShape() == tensor.getShape() && buffer.getElementType() == tensor.getElementType())
    return success();
  return op->emitOpError() << "moves elements between " << buffer << " and " << tensor;
}

/// [ttg.local.C2] what is written is mutable
static LogicalResult verifyMutable(Operation *op, MemDescType buffer) {
  if (buffer.getMutableMemory())
    return success();
  return op->emitOpError() << "writes to an immutable buffer";
}

LogicalResult LocalAllocOp::verify() {
  MemDescType type = getType();
  // [ttg.local_alloc.C1] a buffer without contents is written later
  if (!getSrc() && !type.getMutableMemory())
    return emitOpError() << "without a source must be mutable";
  // [ttg.local_alloc.C2] a whole buffer is allocated
  if (type.isSubview())
    return emitOpError() << "allocates a whole buffer, not " << type;
  // [ttg.local_alloc.C3] alignments are powers of two
  if (std::optional<int32_t> alignment = getAlignment())
    if (*alignment < 1 || !llvm::isPowerOf2_32(*alignment))
      return emitOpError() << "alignment " << *alignment << " is not a power of two";
  if (!getSrc())
    return success();
  return verifySameElements(*this, type, cast<RankedTensorType>(getSrc().getType()));
}

LogicalResult LocalLoadOp::verify() {
  return verifySameElements(*this, getSrc().getType(), cast<RankedTensorType>(getType()));
}

LogicalResult LocalStoreOp::verify() {
  if (failed(verifyMutable(*this, getDst().getType())))
    return failure();
  return verifySameElements(*this, getDst().getType(), cast<RankedTensorType>(getSrc().getType()));
}

LogicalResult AsyncCopyGlobalToLocalOp::verify() {
  MemDescType buffer = getResult().getType();
  if (failed(verifyMutable(*this, buffer)))
    return failure();
  // [ttg.async_copy_global_to_local.C1] a vector has elements
  if (getContiguity() < 1)
    return emitOpError() << "contiguity is " << getContiguity() << ", but must be at least 1";
  return verifySameElements(*this, buffer,
                            cast<RankedTensorType>(tt::getPointeeLike(getSrc().getType())));
}

LogicalResult AsyncWaitOp::verify() {
  // [ttg.async_wait.C1] no fewer than none are under way
  if (getNum() < 0)
    return emitOpError() << "waits until " << getNum() << " groups are pending";
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// [ttg.view.C1] a view keeps the memory space, and never makes a buffer mutable
static LogicalResult verifyView(Operation *op, MemDescType from, MemDescType to,
                                bool sameElement = true) {
  if (from.getMemorySpace() != to.getMemorySpace())
    return op->emitOpError() << "changes the memory space";
  if (to.getMutableMemory() && !from.getMutableMemory())
    return op->emitOpError() << "makes an immutable buffer mutable";
  // [ttg.view.C2] and, but for a reinterpretation, the elements
  if (sameElement && from.getElementType() != to.getElementType())
    return op->emitOpError() << "changes the element type from " << from.getElementType() << " to "
                             << to.getElementType();
  return success();
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifyView(*this, from, to)))
    return failure();
  // [ttg.memdesc_index.C1] the first dimension goes
  if (from.getShape().drop_front() != to.getShape())
    return emitOpError() << "takes one of " << from << ", which is not " << to;
  // [ttg.memdesc_index.C2] and was not part of the layout
  unsigned rank = cast<SharedEncodingAttr>(from.getEncoding()).getRank();
  if (rank >= from.getShape().size() || from.getEncoding() != to.getEncoding())
    return emitOpError() << "needs an encoding of the dimensions that remain, on both sides";
  // [ttg.memdesc_index.C3] whole buffers lie behind each other; parts do not
  if (from.isSubview() || to.isSubview())
    return emitOpError() << "takes a whole buffer, not a part of one";
  return success();
}

/// Returns whether each step along a split dimension is one address bit, so that a part starts at a
/// constant offset and keeps its swizzle. `from` and `to` have the encoding's rank.
static bool cutsPlainBits(const LinearLayout &layout, ArrayRef<int64_t> from,
                          ArrayRef<int64_t> to) {
  std::optional<LinearLayout> inverse = layout.pseudoinvert();
  if (!inverse)
    return false;
  for (auto [dim, size] : llvm::enumerate(to))
    for (int64_t step = size; step < from[dim]; step *= 2)
      if (!llvm::isPowerOf2_64(
              inverse->apply(DimIndex{Dim::axis(dim), uint64_t(step)}, Dim::offset())))
        return false;
  return true;
}

LogicalResult MemDescSubsliceOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifyView(*this, from, to)))
    return failure();
  // [ttg.memdesc_subslice.C1] a part has the whole's rank, encoding and allocation
  size_t rank = from.getShape().size();
  if (to.getShape().size() != rank || from.getEncoding() != to.getEncoding() ||
      from.getAllocShape() != to.getAllocShape())
    return emitOpError() << "must keep rank, encoding and allocation shape of " << from
                         << ", but yields " << to;
  // [ttg.memdesc_subslice.C2] there is an offset for each dimension
  if (getOffsets().size() != rank)
    return emitOpError() << "has " << getOffsets().size() << " offsets for rank " << rank;
  // [ttg.memdesc_subslice.C3] parts are counted in their own size, and lie inside
  for (auto [dim, offset] : llvm::enumerate(getOffsets())) {
    int64_t size = to.getShape()[dim], whole = from.getShape()[dim];
    if (offset < 0 || size > whole || offset % size != 0 || offset + size > whole)
      return emitOpError() << "offset " << offset << " of a part of size " << size
                           << " in dimension " << dim << " of size " << whole;
  }
  // [ttg.memdesc_subslice.C4] only what is laid out can be split
  auto encoding = cast<SharedEncodingAttr>(from.getEncoding());
  unsigned laidOut = encoding.getRank();
  if (from.getShape().drop_back(laidOut) != to.getShape().drop_back(laidOut))
    return emitOpError() << "splits a dimension that counts buffers; use ttg.memdesc_index";
  // [ttg.memdesc_subslice.C5] within one CTA
  if (encoding.getCGALayout().getNumBlocks() != 1)
    return emitOpError() << "cannot split a buffer that a cluster shares";
  // [ttg.memdesc_subslice.C6] without cutting through a swizzle
  if (!cutsPlainBits(toLinearLayout(from), from.getShape().take_back(laidOut),
                     to.getShape().take_back(laidOut)))
    return emitOpError() << "cuts through the swizzle of " << from.getEncoding();
  return success();
}

LogicalResult MemDescTransOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifyView(*this, from, to)))
    return failure();
  // [ttg.memdesc_trans.C1] order is a permutation of the dimensions
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, from.getShape().size())))
    return emitOpError() << "order [" << getOrder() << "] is not a permutation of "
                         << from.getShape().size() << " dimensions";
  // [ttg.memdesc_trans.C2] shapes are permuted
  auto isPermuted = [&](ArrayRef<int64_t> before, ArrayRef<int64_t> after) {
    return before.size() == after.size() && before.size() == getOrder().size() &&
           llvm::all_of(llvm::enumerate(getOrder()),
                        [&](auto dim) { return after[dim.index()] == before[dim.value()]; });
  };
  if (!isPermuted(from.getShape(), to.getShape()) ||
      !isPermuted(from.getAllocShape(), to.getAllocShape()))
    return emitOpError() << "permutes " << from << ", which does not give " << to;
  // [ttg.memdesc_trans.C3] and so is the layout
  FailureOr<Attribute> encoding = inferTransEncoding(from.getEncoding(), from.getLayoutShape(),
                                                     getOrder(), [&] { return emitOpError(); });
  if (failed(encoding))
    return failure();
  if (!denoteSameLayout(to.getLayoutShape(), *encoding, to.getEncoding()))
    return emitOpError() << "should yield encoding " << *encoding << ", but has "
                         << to.getEncoding();
  return success();
}

/// Returns the number of elements, or nothing if it exceeds any memory.
static std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size > int64_t(1) << 40 || (count *= size) > int64_t(1) << 40)
      return std::nullopt;
  return count;
}

LogicalResult MemDescReshapeOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifyView(*this, from, to)))
    return failure();
  // [ttg.memdesc_reshape.C1] of whole buffers
  if (from.isSubview() || to.isSubview())
    return emitOpError() << "takes a whole buffer, not a part of one";
  // [ttg.memdesc_reshape.C2] no element is lost or gained
  if (countElements(from.getShape()) != countElements(to.getShape()))
    return emitOpError() << "changes the number of elements";
  // [ttg.memdesc_reshape.C3] buffers are still counted in the same way
  size_t fromCount = from.getShape().size() - from.getLayoutShape().size();
  size_t toCount = to.getShape().size() - to.getLayoutShape().size();
  if (from.getShape().take_front(fromCount) != to.getShape().take_front(toCount))
    return emitOpError() << "changes how many buffers there are";
  // [ttg.memdesc_reshape.C4] elements stay where they are
  auto emitError = [&] { return emitOpError(); };
  FailureOr<LinearLayout> layout =
      inferReshapeLayout(from.getEncoding(), from.getLayoutShape(), to.getLayoutShape(), emitError);
  if (failed(layout))
    return failure();
  if (toLinearLayout(to) != *layout)
    return emitOpError() << "moves elements: " << to.getEncoding()
                         << " does not denote the source's layout";
  return success();
}

LogicalResult MemDescReinterpretOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifyView(*this, from, to, /*sameElement=*/false)))
    return failure();
  // [ttg.memdesc_reinterpret.C1] of whole buffers
  if (from.isSubview() || to.isSubview())
    return emitOpError() << "takes a whole buffer, not a part of one";
  // [ttg.memdesc_reinterpret.C2] the bytes are there
  std::optional<int64_t> have = countElements(from.getShape()), want = countElements(to.getShape());
  if (!have || !want ||
      *want * tt::getElementBits(to.getElementType()) >
          *have * tt::getElementBits(from.getElementType()))
    return emitOpError() << "reads " << to << " from the smaller " << from;
  return success();
}
