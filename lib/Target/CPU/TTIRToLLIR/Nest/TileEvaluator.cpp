//===- TileEvaluator.cpp - the value of a tensor in one nest iteration ----===//
// See TileEvaluator.h. Cost: one visit per value and index, however often it is used.
//===----------------------------------------------------------------------===//
#include "TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

/// The distance in bytes by which a row is prefetched.
static constexpr int64_t kBytesAhead = 2048;

Type NestAccess::pointee() const {
  Type pointer = getElementTypeOrSelf(op->getOperand(0).getType());
  return cast<tt::PointerType>(pointer).getPointeeType();
}

bool NestAccess::isConsecutive(unsigned loop) const {
  return address && address->coefficients[loop].isConstant(elementBytes(pointee()));
}

unsigned TileEvaluator::depthOf(ArrayRef<int8_t> index) const {
  unsigned depth = 0;
  for (int8_t loop : index)
    if (loop >= 0)
      depth = std::max(depth, loops.depths[loop]);
  return depth;
}

void TileEvaluator::goTo(unsigned depth) {
  if (depth < loops.points.size())
    context.builder.setInsertionPoint(loops.points[depth]);
}

void TileEvaluator::addLoad(const NestAccess &access) {
  loads[{access.op->getResult(0), access.index}] = &access;
}

void TileEvaluator::beginBody(BodyKind kind) {
  body = kind;
  inner.clear();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TileEvaluator::known(const TileElement &element) const {
  if (!isTensor(element.value))
    return context.scalar(element.value);
  auto &memo = depthOf(element.index) < innermost() ? outer : inner;
  return memo.lookup(element);
}

Value TileEvaluator::evaluate(Value value, ArrayRef<int8_t> index) {
  TileElement root{value, TileIndex(index)};
  auto isKnown = [&](const TileElement &element) { return static_cast<bool>(known(element)); };
  auto operandsOf = [&](const TileElement &element) {
    bool inMemory = context.hasTile(element.value);
    return inMemory ? SmallVector<TileElement>() : tensorOperands(element);
  };
  forOperandsFirst(root, isKnown, operandsOf, [&](const TileElement &element) {
    // Values of the innermost loop are appended at the insertion point, outer ones at their loop's
    // point.
    bool isOuter = depthOf(element.index) < innermost();
    OpBuilder::InsertPoint place = context.builder.saveInsertionPoint();
    Value result = compute(element.value, element.index);
    if (isOuter)
      context.builder.restoreInsertionPoint(place);
    (isOuter ? outer : inner)[element] = result;
  });
  return known(root);
}

Value TileEvaluator::indexAsI32(int8_t loop) {
  LaneBuilder b(context.builder, context.builder.getUnknownLoc());
  Type i32 = context.builder.getI32Type();
  if (loop < 0)
    return b.integer(i32, fixedIndex(loop));
  Value first = b.resizeSigned(loops.indices[loop], i32);
  return loops.isVectorLoop(loop) ? b.add(first, b.iota(i32, loops.lanes)) : first;
}

static Value constantElement(LaneBuilder &b, DenseElementsAttr constant) {
  Type element = constant.getElementType();
  Type type = convertElement(element);
  if (isa<IntegerType>(element))
    return b.integer(type, constant.getSplatValue<APInt>());
  APFloat number = constant.getSplatValue<APFloat>();
  if (isa<FloatType>(type))
    return LLVM::ConstantOp::create(b.builder, b.loc, type, FloatAttr::get(type, number));
  return b.integer(type, number.bitcastToAPInt());
}

Value TileEvaluator::compute(Value value, ArrayRef<int8_t> index) {
  unsigned depth = depthOf(index);
  if (Value tile = context.tile(value)) {
    goTo(depth);
    return loadTile(value, index, tile);
  }
  Operation *op = value.getDefiningOp();
  LaneBuilder b(context.builder, op->getLoc());
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return this->load(load, index);
  if (isRenaming(op))
    return evaluate(op->getOperand(0), operandIndex(value, index));
  if (auto join = dyn_cast<tt::JoinOp>(op))
    return this->join(join, index);
  if (auto splat = dyn_cast<tt::SplatOp>(op))
    return context.scalar(splat.getSrc());
  goTo(depth);
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return b.add(indexAsI32(index[0]), int64_t(range.getStart()));
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constantElement(b, constant);
  if (isa<ub::PoisonOp>(op))
    return b.zero(convertElement(getElementTypeOrSelf(value.getType())));
  SmallVector<Value, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand, index));
  goTo(depth);
  return context.elementwise.lower(b, op, operands);
}

/// The last index selects the operand.
Value TileEvaluator::join(tt::JoinOp op, ArrayRef<int8_t> index) {
  int8_t which = index.back();
  ArrayRef<int8_t> rest = index.drop_back();
  if (which < 0)
    return evaluate(op->getOperand(fixedIndex(which)), rest);
  Value left = evaluate(op.getLhs(), rest), right = evaluate(op.getRhs(), rest);
  goTo(depthOf(index));
  LaneBuilder b(context.builder, op.getLoc());
  Value sides[] = {b.compare(Int::eq, indexAsI32(which), 0), left, right};
  b.unify(sides);
  return b.select(sides[0], sides[1], sides[2]);
}

//===----------------------------------------------------------------------===//
// Addresses and masks
//===----------------------------------------------------------------------===//

static Value scaled(LaneBuilder &b, Value index, const Coefficient &coefficient) {
  if (coefficient.isConstant(1))
    return index;
  return coefficient.scalar ? b.mul(index, coefficient.scalar) : b.mul(index, coefficient.constant);
}

Value TileEvaluator::rowAddress(const NestAccess &access) {
  if (Value known = rows.lookup(&access))
    return known;
  unsigned depth = 0;
  for (auto [loop, coefficient] : llvm::enumerate(access.address->coefficients))
    if (!coefficient.isZero() && static_cast<int>(loop) != loops.vectorLoop)
      depth = std::max(depth, loops.depths[loop]);
  OpBuilder::InsertionGuard guard(context.builder);
  goTo(depth);
  LaneBuilder b(context.builder, access.op->getLoc());
  Value address = access.address->base;
  for (auto [loop, coefficient] : llvm::enumerate(access.address->coefficients))
    if (!coefficient.isZero() && static_cast<int>(loop) != loops.vectorLoop)
      address = b.offset(address, scaled(b, loops.indices[loop], coefficient));
  // In a nest without vectors the address of the innermost loop changes in each body.
  if (depth < innermost())
    rows[&access] = address;
  return address;
}

Value TileEvaluator::firstAddress(const NestAccess &access) {
  Value row = rowAddress(access);
  if (loops.vectorLoop < 0 || access.address->coefficients[loops.vectorLoop].isZero())
    return row;
  LaneBuilder b(context.builder, access.op->getLoc());
  return b.offset(row, scaled(b, loops.indices[loops.vectorLoop],
                              access.address->coefficients[loops.vectorLoop]));
}

Value TileEvaluator::pointerOf(const NestAccess &access, unsigned depth) {
  LaneBuilder b(context.builder, access.op->getLoc());
  if (!access.address) {
    Value pointer = evaluate(access.op->getOperand(0), access.index);
    goTo(depth);
    return depth == innermost() && loops.lanes ? b.splat(pointer, loops.lanes) : pointer;
  }
  if (depth < innermost() || !loops.lanes)
    return firstAddress(access);
  Value first = firstAddress(access);
  if (access.isConsecutive(loops.vectorLoop))
    return first;
  const Coefficient &step = access.address->coefficients[loops.vectorLoop];
  if (step.isZero())
    return b.splat(first, loops.lanes);
  Value lane = b.iota(context.builder.getI64Type(), loops.lanes);
  return b.offset(first, scaled(b, lane, step));
}

/// Returns a mask of the vector loop's lanes in [begin, end); null bounds are ignored.
Value TileEvaluator::lanesWithin(Value begin, Value end) {
  LaneBuilder b(context.builder, context.builder.getUnknownLoc());
  Type i32 = context.builder.getI32Type();
  Value lane = indexAsI32(loops.vectorLoop);
  Value inside = b.compare(Int::slt, lane, b.resizeSigned(end, i32));
  return b.bitAnd(inside, b.compare(Int::sge, lane, b.resizeSigned(begin, i32)));
}

Value TileEvaluator::overhangMask(ArrayRef<int8_t> index) {
  if (!loops.mayOverhang || body != BodyKind::Masked ||
      !llvm::is_contained(index, loops.vectorLoop))
    return {};
  LaneBuilder b(context.builder, context.builder.getUnknownLoc());
  return lanesWithin(b.i64(0), b.i64(loops.extents[loops.vectorLoop]));
}

Value TileEvaluator::maskOf(const NestAccess &access, unsigned depth) {
  LaneBuilder b(context.builder, access.op->getLoc());
  Value mask;
  auto require = [&](Value condition) {
    mask = mask && condition ? b.bitAnd(mask, condition) : mask ? mask : condition;
  };
  bool inBody = depth == innermost() && loops.lanes;
  if (!inBody || body == BodyKind::Masked) {
    for (Value condition : access.mask.conditions)
      require(condition);
    bool bounded = false;
    for (auto [loop, bounds] : llvm::enumerate(access.box)) {
      if (!bounds.first)
        continue;
      if (inBody && static_cast<int>(loop) == loops.vectorLoop) {
        require(lanesWithin(bounds.first, bounds.second));
        bounded = true;
        continue;
      }
      require(b.compare(Int::sge, loops.indices[loop], bounds.first));
      require(b.compare(Int::slt, loops.indices[loop], bounds.second));
    }
    if (inBody && !bounded)
      require(overhangMask(access.index));
  }
  for (const TileElement &part : access.mask.rest) {
    Value condition = evaluate(part.value, part.index);
    goTo(depth);
    require(condition);
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Value TileEvaluator::load(tt::LoadOp op, ArrayRef<int8_t> index) {
  unsigned depth = depthOf(index);
  NestAccess unknown{op, TileIndex(index), std::nullopt, {}, {}};
  const NestAccess *access = loads.lookup({op.getResult(), TileIndex(index)});
  if (!access) {
    if (op.getMask())
      unknown.mask.rest.push_back({op.getMask(), TileIndex(index)});
    access = &unknown;
  }
  Value other = op.getOther() ? evaluate(op.getOther(), index) : Value();
  goTo(depth);
  MemoryAccess memory;
  memory.element = access->pointee();
  memory.mask = maskOf(*access, depth);
  goTo(depth);
  memory.pointer = pointerOf(*access, depth);
  goTo(depth);
  memory.lanes = depth == innermost() ? loops.lanes : 0;
  memory.isVolatile = op.getIsVolatile() || op.getCache() == tt::CacheModifier::CV;
  LaneBuilder b(context.builder, op.getLoc());
  if (memory.lanes && !lanesOf(memory.pointer) && body != BodyKind::Masked &&
      loops.prefetchesAhead && access->isConsecutive(loops.vectorLoop))
    prefetch(b, memory.pointer, elementBytes(memory.element) * memory.lanes);
  return emitLoad(b, memory, other);
}

/// Hardware prefetchers stop at page boundaries.
void TileEvaluator::prefetch(LaneBuilder &b, Value pointer, unsigned bytes) {
  for (unsigned line = 0; line < bytes; line += 64)
    LLVM::Prefetch::create(b.builder, b.loc, b.offset(pointer, kBytesAhead + line), /*rw=*/0,
                           /*hint=*/3, /*cache=*/1);
}

void TileEvaluator::store(const NestAccess &access) {
  auto op = cast<tt::StoreOp>(access.op);
  LaneBuilder b(context.builder, op.getLoc());
  Value value = evaluate(op.getValue(), access.index);
  MemoryAccess memory;
  memory.element = access.pointee();
  memory.mask = maskOf(access, innermost());
  memory.pointer = pointerOf(access, innermost());
  memory.lanes = loops.lanes;
  memory.streaming =
      body == BodyKind::Streaming && loops.lanes && access.isConsecutive(loops.vectorLoop);
  emitStore(b, memory, value);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Value TileEvaluator::tileAddress(Value value, ArrayRef<int8_t> index, Value tile) {
  context.arena().touch(tile);
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return tile;
  LaneBuilder b(context.builder, tile.getLoc());
  int64_t bytes = elementBytes(tensor.getElementType()), stride = bytes;
  Value address = tile, perLane;
  auto dims = llvm::to_vector(llvm::seq<int>(0, tensor.getRank()));
  if (context.isColumnMajor(value))
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  for (int dim : llvm::reverse(dims)) {
    int8_t loop = index[dim];
    if (loop < kNoLoop)
      address = b.offset(address, stride * fixedIndex(loop));
    if (loop >= 0) {
      address = b.offset(address, b.mul(loops.indices[loop], stride));
      if (loops.isVectorLoop(loop) && stride != bytes)
        perLane = b.mul(b.iota(context.builder.getI64Type(), loops.lanes), stride);
    }
    stride *= tensor.getDimSize(dim);
  }
  return perLane ? b.offset(address, perLane) : address;
}

MemoryAccess TileEvaluator::tileAccess(Value value, ArrayRef<int8_t> index, Value tile) {
  bool vector = loops.lanes && llvm::is_contained(index, loops.vectorLoop);
  MemoryAccess memory;
  memory.element = getElementTypeOrSelf(value.getType());
  memory.pointer = tileAddress(value, index, tile);
  memory.lanes = vector ? loops.lanes : 0;
  memory.mask = vector ? overhangMask(index) : Value();
  return memory;
}

Value TileEvaluator::loadTile(Value value, ArrayRef<int8_t> index, Value tile) {
  LaneBuilder b(context.builder, tile.getLoc());
  return emitLoad(b, tileAccess(value, index, tile), {});
}

void TileEvaluator::storeTile(Value value, ArrayRef<int8_t> index, Value tile, Value element) {
  LaneBuilder b(context.builder, tile.getLoc());
  emitStore(b, tileAccess(value, index, tile), element);
}

void TileEvaluator::writeTile(Value value, ArrayRef<int8_t> index, Value tile) {
  Value element = evaluate(value, index);
  storeTile(value, index, tile, element);
}
