//===- Atomics.cpp - tt.atomic_rmw, tt.atomic_cas -------------------------===//
// Programs run on several threads, so these ops use the processor's atomics. The elements of a
// tensor are updated one after the other in row-major order; if two have the same address, the
// later update sees the earlier one's result.
//
//   before: %o = tt.atomic_rmw add, relaxed, gpu, %p, %v, %m : ...tensor<128xi32>
//   after:  for i { if (m[i]) o[i] = atomicrmw add p[i], v[i] monotonic }
//
// The result is the old value, and 0 where the mask is false. Every scope means the whole machine.
//
// An element is updated as an integer of its width (a "cell"), except for arithmetic on f32 and
// f64. Small floats are added in a compare-and-swap loop that rounds each sum to the type.
//
// A kernel may wait in a loop for another program's store. The programs of one thread run in the
// order of their ids, so waiting for an earlier program or for the holder of a lock terminates.
// Waiting for a later program may not, as on any device that does not run all programs
// concurrently.
//===----------------------------------------------------------------------===//
#include "TileElements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "../Kernel/Loops.h"
#include "../Lanes/SmallFloat.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Order = LLVM::AtomicOrdering;
using BinOp = LLVM::AtomicBinOp;

static Order orderOf(tt::MemSemantic semantic) {
  switch (semantic) {
  case tt::MemSemantic::Relaxed:
    return Order::monotonic;
  case tt::MemSemantic::Acquire:
    return Order::acquire;
  case tt::MemSemantic::Release:
    return Order::release;
  case tt::MemSemantic::AcquireRelease:
    break;
  }
  return Order::acq_rel;
}

/// Returns the memory order of a compare-and-swap that does not write.
static Order failureOrder(Order order) {
  return order == Order::monotonic || order == Order::release ? Order::monotonic : Order::acquire;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static bool isFloatArithmetic(tt::RMWOp kind, Type element) {
  return isa<FloatType>(element) && kind != tt::RMWOp::Exchange;
}

static Type integerCell(Type element) {
  return IntegerType::get(element.getContext(), 8 * elementBytes(element));
}

/// Returns the type as which memory is updated.
static Type cellOf(tt::RMWOp kind, Type element) {
  bool isNative = isFloatArithmetic(kind, element) && !isSmallFloat(element);
  return isNative ? element : integerCell(element);
}

static Value toCell(LaneBuilder &b, Value scalar, Type cell) {
  if (isa<LLVM::LLVMPointerType>(scalar.getType()))
    return b.addressOf(scalar);
  if (scalar.getType().isInteger(1))
    return b.resizeUnsigned(scalar, cell);
  return b.bitcast(scalar, cell);
}

static Value fromCell(LaneBuilder &b, Value value, Type element) {
  Type type = convertElement(element);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b.builder, b.loc, type, value);
  if (type.isInteger(1))
    return b.compare(LLVM::ICmpPredicate::ne, value, 0);
  return b.bitcast(value, type);
}

//===----------------------------------------------------------------------===//
// Updates of one cell
//===----------------------------------------------------------------------===//

/// An i1 is stored in a byte, in which arithmetic could set more than one bit: its sum is xor, and
/// the signed maximum of 0 and -1 is their and.
static BinOp operationOnBits(tt::RMWOp kind) {
  switch (kind) {
  case tt::RMWOp::And:
  case tt::RMWOp::Max:
  case tt::RMWOp::UMin:
    return BinOp::_and;
  case tt::RMWOp::Or:
  case tt::RMWOp::Min:
  case tt::RMWOp::UMax:
    return BinOp::_or;
  case tt::RMWOp::Exchange:
    return BinOp::xchg;
  default:
    return BinOp::_xor;
  }
}

static BinOp operationOf(tt::RMWOp kind, Type element) {
  bool isFloat = isa<FloatType>(element);
  if (element.isInteger(1))
    return operationOnBits(kind);
  switch (kind) {
  case tt::RMWOp::And:
    return BinOp::_and;
  case tt::RMWOp::Or:
    return BinOp::_or;
  case tt::RMWOp::Xor:
    return BinOp::_xor;
  case tt::RMWOp::Add:
    return BinOp::add;
  case tt::RMWOp::FAdd:
    return BinOp::fadd;
  case tt::RMWOp::Max:
    return isFloat ? BinOp::fmax : BinOp::max;
  case tt::RMWOp::Min:
    return isFloat ? BinOp::fmin : BinOp::min;
  case tt::RMWOp::UMax:
    return BinOp::umax;
  case tt::RMWOp::UMin:
    return BinOp::umin;
  case tt::RMWOp::Exchange:
    break;
  }
  return BinOp::xchg;
}

/// Returns the old value, and whether `value` was written.
static std::pair<Value, Value> compareAndSwap(LaneBuilder &b, Value pointer, Value expected,
                                              Value value, Order order) {
  unsigned align = value.getType().getIntOrFloatBitWidth() / 8;
  Value both = LLVM::AtomicCmpXchgOp::create(b.builder, b.loc, pointer, expected, value, order,
                                             failureOrder(order), StringRef(), align);
  return {LLVM::ExtractValueOp::create(b.builder, b.loc, both, 0),
          LLVM::ExtractValueOp::create(b.builder, b.loc, both, 1)};
}

namespace {
struct Update {
  KernelContext &context;
  tt::RMWOp kind;
  Type element, cell;
  Order order;

  Update(KernelContext &context, tt::AtomicRMWOp op)
      : context(context), kind(op.getAtomicRmwOp()), element(getElementTypeOrSelf(op.getVal())),
        cell(cellOf(kind, element)), order(orderOf(op.getSem())) {}

  /// Updates the cell at `pointer` and returns its old value.
  Value emit(LaneBuilder &b, Value pointer, Value value) const;

private:
  Value emitSmallFloat(LaneBuilder &b, Value pointer, Value value) const;
};
} // namespace

Value Update::emitSmallFloat(LaneBuilder &b, Value pointer, Value value) const {
  Value first =
      LLVM::LoadOp::create(b.builder, b.loc, cell, pointer, elementBytes(element),
                           /*isVolatile=*/false, /*isNonTemporal=*/false,
                           /*isInvariant=*/false, /*isInvariantGroup=*/false, Order::monotonic);
  Block *again = appendBlock(b, cell), *done = appendBlock(b);
  LLVM::BrOp::create(b.builder, b.loc, first, again);
  b.builder.setInsertionPointToEnd(again);
  Value old = again->getArgument(0);
  Value x = widenFloat(b, old, element, context.spec);
  Value y = widenFloat(b, value, element, context.spec);
  Value wide = kind == tt::RMWOp::Max   ? b.make<LLVM::MaxNumOp>(x, y)
               : kind == tt::RMWOp::Min ? b.make<LLVM::MinNumOp>(x, y)
                                        : b.make<LLVM::FAddOp>(x, y);
  Value next = narrowFloat(b, wide, element, Rounding::NearestEven, context.spec);
  auto [actual, written] = compareAndSwap(b, pointer, old, next, order);
  LLVM::CondBrOp::create(b.builder, b.loc, written, done, ValueRange(), again, actual);
  b.builder.setInsertionPointToEnd(done);
  return old;
}

Value Update::emit(LaneBuilder &b, Value pointer, Value value) const {
  if (isFloatArithmetic(kind, element) && isSmallFloat(element))
    return emitSmallFloat(b, pointer, value);
  return LLVM::AtomicRMWOp::create(b.builder, b.loc, operationOf(kind, element), pointer, value,
                                   order, StringRef(), elementBytes(element));
}

//===----------------------------------------------------------------------===//
// Tensors and scalars
//===----------------------------------------------------------------------===//

/// Returns the tile with its elements taken as cells.
static Tile withCells(const Tile &tile, Type cell) { return {tile.address, tile.shape, cell}; }

/// Emits `body` under the condition; returns its value, or zero.
static Value emitWhere(LaneBuilder &b, Value condition, Type type, function_ref<Value()> body) {
  if (!condition)
    return body();
  Block *inside = appendBlock(b), *after = appendBlock(b, type);
  Value zero = b.zero(type);
  LLVM::CondBrOp::create(b.builder, b.loc, condition, inside, ValueRange(), after, zero);
  b.builder.setInsertionPointToEnd(inside);
  Value value = body();
  LLVM::BrOp::create(b.builder, b.loc, value, after);
  b.builder.setInsertionPointToEnd(after);
  return after->getArgument(0);
}

static void touchOperands(KernelContext &context, ArrayRef<TileOrScalar> operands,
                          const std::optional<Tile> &result) {
  for (const TileOrScalar &operand : operands)
    if (operand.tile)
      touchTiles(context, *operand.tile);
  if (result)
    touchTiles(context, *result);
}

Value tessera::cpu::emitAtomicRMW(KernelContext &context, tt::AtomicRMWOp op,
                                  const TileOrScalar &pointer, const TileOrScalar &value,
                                  const TileOrScalar &mask, const std::optional<Tile> &result) {
  LaneBuilder b(context.builder, op.getLoc());
  Update update(context, op);
  // The frontend always creates a mask.
  bool isMasked = mask && !matchPattern(op.getMask(), m_One());
  if (!pointer.tile) {
    Value cell = toCell(b, value.scalar, update.cell);
    Value old = emitWhere(b, isMasked ? mask.scalar : Value(), update.cell,
                          [&] { return update.emit(b, pointer.scalar, cell); });
    return fromCell(b, old, update.element);
  }
  Tile values = withCells(*value.tile, update.cell);
  forEach(b, b.i64(0), b.i64(values.elements()), 1, [&](Value index) {
    Value where;
    if (isMasked)
      where = mask.tile ? loadElements(b, *mask.tile, index) : mask.scalar;
    Value old = emitWhere(b, where, update.cell, [&] {
      return update.emit(b, loadElements(b, *pointer.tile, index), loadElements(b, values, index));
    });
    if (result)
      storeElements(b, withCells(*result, update.cell), index, old);
  });
  touchOperands(context, {pointer, value, mask}, result);
  return {};
}

Value tessera::cpu::emitAtomicCAS(KernelContext &context, tt::AtomicCASOp op,
                                  const TileOrScalar &pointer, const TileOrScalar &compare,
                                  const TileOrScalar &value, const std::optional<Tile> &result) {
  LaneBuilder b(context.builder, op.getLoc());
  Type element = getElementTypeOrSelf(op.getVal()), cell = integerCell(element);
  Order order = orderOf(op.getSem());
  if (!pointer.tile) {
    Value expected = toCell(b, compare.scalar, cell), desired = toCell(b, value.scalar, cell);
    Value old = compareAndSwap(b, pointer.scalar, expected, desired, order).first;
    return fromCell(b, old, element);
  }
  Tile expected = withCells(*compare.tile, cell), desired = withCells(*value.tile, cell);
  forEach(b, b.i64(0), b.i64(desired.elements()), 1, [&](Value index) {
    Value old =
        compareAndSwap(b, loadElements(b, *pointer.tile, index), loadElements(b, expected, index),
                       loadElements(b, desired, index), order)
            .first;
    if (result)
      storeElements(b, withCells(*result, cell), index, old);
  });
  touchOperands(context, {pointer, compare, value}, result);
  return {};
}
