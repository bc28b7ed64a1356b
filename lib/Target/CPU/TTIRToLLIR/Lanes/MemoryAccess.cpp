//===- MemoryAccess.cpp - one load or store of lanes ----------------------===//
// See MemoryAccess.h.
//===----------------------------------------------------------------------===//
#include "MemoryAccess.h"
#include "Elementwise.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

Type tessera::cpu::storageType(Type element) {
  Type type = convertElement(element);
  return type.isInteger(1) ? IntegerType::get(element.getContext(), 8) : type;
}

static Value fromStorage(LaneBuilder &b, Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  return b.compare(LLVM::ICmpPredicate::ne, value, 0);
}

static Value toStorage(LaneBuilder &b, Value value, Type element) {
  return element.isInteger(1) ? b.resizeUnsigned(value, b.builder.getI8Type()) : value;
}

/// Pointers come from the user, so only the alignment of the element type is known.
static unsigned alignmentOf(Type element) { return elementBytes(element); }

/// Gathers elements of less than four bytes. Processors gather elements of four and eight bytes;
/// LLVM would load smaller ones one by one, with a branch for each lane. The aligned word around an
/// element can always be read, because it lies in the same page.
static Value gatherSmall(LaneBuilder &b, Value pointers, Type storage, Value mask,
                         Value passThrough) {
  Type i32 = b.builder.getI32Type();
  unsigned lanes = lanesOf(pointers);
  Value within = b.bitAnd(b.addressOf(pointers), 3);
  Value words = b.offset(pointers, b.sub(b.zero(within.getType()), within));
  Type type = withLanes(i32, lanes);
  Value gathered = LLVM::masked_gather::create(b.builder, b.loc, type, words, mask,
                                               ValueRange{b.zero(type)}, /*align=*/4);
  Value shift = b.resizeUnsigned(b.shiftLeft(within, 3), i32);
  return b.select(mask, b.resizeUnsigned(b.shiftRight(gathered, shift), storage), passThrough);
}

Value tessera::cpu::emitLoad(LaneBuilder &b, const MemoryAccess &access, Value other) {
  Type storage = storageType(access.element);
  unsigned align = alignmentOf(access.element);
  // A masked scalar is treated as a vector of one lane.
  bool masked = static_cast<bool>(access.mask);
  unsigned lanes = masked && !access.lanes ? 1 : access.lanes;
  Type type = withLanes(storage, lanes);
  Value loaded;
  if (!masked && !lanesOf(access.pointer)) {
    loaded = LLVM::LoadOp::create(b.builder, b.loc, type, access.pointer, align, access.isVolatile);
    return fromStorage(b, loaded, access.element);
  }
  Value mask = b.splat(masked ? access.mask : b.i1(true), lanes);
  Value passThrough = other ? b.splat(toStorage(b, other, access.element), lanes) : b.zero(type);
  if (lanesOf(access.pointer) && elementBytes(access.element) < 4)
    loaded = gatherSmall(b, access.pointer, storage, mask, passThrough);
  else if (lanesOf(access.pointer))
    loaded = LLVM::masked_gather::create(b.builder, b.loc, type, access.pointer, mask,
                                         ValueRange{passThrough}, align);
  else
    loaded = LLVM::MaskedLoadOp::create(b.builder, b.loc, type, access.pointer, mask, passThrough,
                                        align, /*nontemporal=*/false);
  if (!access.lanes)
    loaded = b.extract(loaded, 0);
  return fromStorage(b, loaded, access.element);
}

/// Scatters elements of less than four bytes, for which processors have no instruction: one store
/// per lane. Lanes that are masked off store to a dummy location, which avoids a branch per lane.
static void scatterSmall(LaneBuilder &b, Value pointers, Value value, Value mask, unsigned align) {
  unsigned lanes = lanesOf(pointers);
  Value nowhere;
  {
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(&b.builder.getBlock()->getParent()->front());
    Type pointer = LLVM::LLVMPointerType::get(b.builder.getContext());
    nowhere = LLVM::AllocaOp::create(b.builder, b.loc, pointer, b.builder.getI32Type(), b.i64(1));
  }
  Value places = b.select(mask, pointers, b.splat(nowhere, lanes));
  LLVM::masked_scatter::create(b.builder, b.loc, value, places, b.splat(b.i1(true), lanes), align);
}

void tessera::cpu::emitStore(LaneBuilder &b, const MemoryAccess &access, Value value) {
  unsigned align = alignmentOf(access.element);
  bool masked = static_cast<bool>(access.mask);
  unsigned lanes = masked && !access.lanes ? 1 : access.lanes;
  value = b.splat(toStorage(b, value, access.element), lanes);
  if (!masked && !lanesOf(access.pointer)) {
    if (access.streaming)
      align = std::min<unsigned>(64, lanes * elementBytes(access.element));
    LLVM::StoreOp::create(b.builder, b.loc, value, access.pointer, align, access.isVolatile,
                          /*isNonTemporal=*/access.streaming);
    return;
  }
  Value mask = b.splat(masked ? access.mask : b.i1(true), lanes);
  if (masked && lanesOf(access.pointer) && elementBytes(access.element) < 4)
    scatterSmall(b, access.pointer, value, mask, align);
  else if (lanesOf(access.pointer))
    LLVM::masked_scatter::create(b.builder, b.loc, value, access.pointer, mask, align);
  else
    LLVM::MaskedStoreOp::create(b.builder, b.loc, value, access.pointer, mask, align);
}
