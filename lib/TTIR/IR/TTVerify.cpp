//===- TTVerify.cpp - what the tt dialect holds to be well formed ---------===//
// Each rule has an id, [tt.<op>.C<n>], cited by the test that rejects it. Rules
// that types or traits express are checked before these run; see TTTraits.cpp,
// TTTypes.cpp, TTFunctions.cpp and TTInference.cpp for the rest.
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

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

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

/// Rules of block pointers that loads and stores share; ids end in `rule` + 0, 1.
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
