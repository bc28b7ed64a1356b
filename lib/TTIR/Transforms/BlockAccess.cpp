//===- BlockAccess.cpp - the pointers and the mask of a block -------------===//
#include "BlockAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::tt;

static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

static Value splatLike(OpBuilder &b, Location loc, Value scalar, Value like) {
  return SplatOp::create(b, loc, typeOf(like).clone(scalar.getType()), scalar);
}

/// Broadcasts `tensor` to `shape`.
static Value broadcastTo(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> shape) {
  if (typeOf(tensor).getShape() == shape)
    return tensor;
  return BroadcastOp::create(b, loc, typeOf(tensor).clone(shape), tensor);
}

/// Broadcasts both tensors to their common shape.
static void broadcastToEachOther(OpBuilder &b, Location loc, Value &lhs, Value &rhs) {
  SmallVector<int64_t> shape;
  for (auto [left, right] : llvm::zip_equal(typeOf(lhs).getShape(), typeOf(rhs).getShape()))
    shape.push_back(std::max(left, right));
  lhs = broadcastTo(b, loc, lhs, shape);
  rhs = broadcastTo(b, loc, rhs, shape);
}

Value tessera::emitIndex(OpBuilder &b, Location loc, Value offset) {
  if (offset.getType().isInteger(64))
    return offset;
  return b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), offset);
}

Value tessera::emitRange(OpBuilder &b, Location loc, Value offset, int64_t size, unsigned dim,
                         unsigned rank) {
  auto type = RankedTensorType::get({size}, b.getI32Type());
  Value range =
      MakeRangeOp::create(b, loc, type, b.getI32IntegerAttr(0), b.getI32IntegerAttr(size));
  if (offset.getType() != type.getElementType())
    range = arith::ExtSIOp::create(b, loc, type.clone(offset.getType()), range);
  Value indices = arith::AddIOp::create(b, loc, splatLike(b, loc, offset, range), range);
  for (unsigned axis = 0; axis < rank; ++axis)
    if (axis != dim)
      indices = ExpandDimsOp::create(b, loc, indices, axis);
  return indices;
}

Tile tessera::emitTile(OpBuilder &b, Location loc, RankedTensorType type, ValueRange offsets) {
  Tile tile{type, {}};
  for (auto [dim, offset] : llvm::enumerate(offsets))
    tile.indices.push_back(emitRange(b, loc, offset, type.getDimSize(dim), dim, type.getRank()));
  return tile;
}

Value tessera::emitPointers(OpBuilder &b, Location loc, const MemoryTensor &tensor,
                            const Tile &tile) {
  // A block of rank 0 is one element, at the base.
  if (tile.indices.empty())
    return SplatOp::create(b, loc, RankedTensorType(tile.type).clone(tensor.base.getType()),
                           tensor.base);
  Value pointers;
  for (auto [index, stride] : llvm::zip_equal(tile.indices, tensor.strides)) {
    Value distance = index;
    if (!typeOf(index).getElementType().isInteger(64))
      distance = arith::ExtSIOp::create(b, loc, typeOf(index).clone(b.getI64Type()), index);
    if (stride)
      distance = arith::MulIOp::create(b, loc, distance, splatLike(b, loc, stride, index));
    if (!pointers)
      pointers = splatLike(b, loc, tensor.base, index);
    broadcastToEachOther(b, loc, pointers, distance);
    pointers = AddPtrOp::create(b, loc, pointers.getType(), pointers, distance);
  }
  return pointers;
}

/// Returns a mask of the indices in [0, size). With 64-bit indices it uses two comparisons, because
/// the CPU target recognises them as the loop bounds of a partial block.
static Value emitInside(OpBuilder &b, Location loc, Value index, Value size) {
  using Predicate = arith::CmpIPredicate;
  if (typeOf(index).getElementType().isInteger(32))
    return arith::CmpIOp::create(b, loc, Predicate::ult, index, size);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(index.getType()));
  Value above = arith::CmpIOp::create(b, loc, Predicate::sge, index, zero);
  Value below = arith::CmpIOp::create(b, loc, Predicate::slt, index, size);
  return arith::AndIOp::create(b, loc, above, below);
}

Value tessera::emitMask(OpBuilder &b, Location loc, const MemoryTensor &tensor, const Tile &tile,
                        ArrayRef<int32_t> dims) {
  Value mask;
  for (int32_t dim : dims) {
    Value index = tile.indices[dim];
    Value inside = emitInside(b, loc, index, splatLike(b, loc, tensor.sizes[dim], index));
    if (mask) {
      broadcastToEachOther(b, loc, mask, inside);
      inside = arith::AndIOp::create(b, loc, mask, inside);
    }
    mask = inside;
  }
  return mask ? broadcastTo(b, loc, mask, tile.type.getShape()) : mask;
}

Value tessera::emitPadding(OpBuilder &b, Location loc, RankedTensorType type,
                           PaddingOption padding) {
  Type element = type.getElementType();
  if (auto floating = dyn_cast<FloatType>(element); floating && padding == PaddingOption::NaN) {
    APFloat nan = APFloat::getNaN(floating.getFloatSemantics());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, nan));
  }
  if (!isa<PointerType>(element))
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type.clone(b.getI64Type())));
  return IntToPtrOp::create(b, loc, type, zero);
}
