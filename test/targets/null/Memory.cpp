//===- Memory.cpp - null's loads, stores and atomics ----------------------===//
// An access without a mask is LLVM's own. One with a mask is a call, which takes the mask
// and, for a load, what it gives where the mask is false.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIRToLLIR/PlainAccess.h"
#include "null/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::null;

SmallVector<Value> NullTargetInfo::load(OpBuilder &b, Location loc, const MemoryAccess &access,
                                        ValueRange other) const {
  if (!access.predicate)
    return loadPlain(b, loc, access);
  Type type = plainType(b, access);
  Value otherwise =
      other.empty() ? Value(LLVM::ZeroOp::create(b, loc, type)) : packPlain(b, loc, access, other);
  Value loaded = emitCall(b, loc, "null.masked_load", type,
                          {access.pointer, access.predicate, otherwise}, type);
  return unpackPlain(b, loc, access, loaded);
}

void NullTargetInfo::store(OpBuilder &b, Location loc, const MemoryAccess &access,
                           ValueRange values) const {
  if (!access.predicate)
    return storePlain(b, loc, access, values);
  Value stored = packPlain(b, loc, access, values);
  emitCall(b, loc, "null.masked_store", {}, {access.pointer, access.predicate, stored},
           stored.getType());
}

void NullTargetInfo::storeShared(OpBuilder &b, Location loc, Value pointer, Value value,
                                 Value predicate) const {
  if (!predicate) {
    LLVM::StoreOp::create(b, loc, value, pointer);
    return;
  }
  emitCall(b, loc, "null.masked_store_shared", {}, {pointer, predicate, value}, value.getType());
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static bool isWord(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 32; }

/// The mask of an access as a value: true where there is none.
static Value predicateOf(OpBuilder &b, Location loc, const AtomicAccess &access) {
  return access.predicate ? access.predicate
                          : Value(LLVM::ConstantOp::create(b, loc, b.getI1Type(), true));
}

unsigned NullTargetInfo::atomicWidth(tt::RMWOp, Type elementType) const {
  return isWord(elementType) ? 1 : 0;
}

bool NullTargetInfo::hasAtomicSwap(Type elementType) const { return isWord(elementType); }

SmallVector<Value> NullTargetInfo::atomicUpdate(RewriterBase &b, Location loc, tt::RMWOp kind,
                                                const AtomicAccess &access,
                                                ValueRange values) const {
  std::string name = ("null.atomic_" + tt::stringifyRMWOp(kind)).str();
  Type type = values[0].getType();
  return {
      emitCall(b, loc, name, type, {access.pointer, predicateOf(b, loc, access), values[0]}, type)};
}

Value NullTargetInfo::atomicSwap(RewriterBase &b, Location loc, const AtomicAccess &access,
                                 Value expected, Value desired) const {
  Type type = expected.getType();
  return emitCall(b, loc, "null.atomic_cas", type,
                  {access.pointer, predicateOf(b, loc, access), expected, desired}, type);
}

Value NullTargetInfo::atomicRead(RewriterBase &b, Location loc, const AtomicAccess &access) const {
  return emitCall(b, loc, "null.atomic_read", access.elementType,
                  {access.pointer, predicateOf(b, loc, access)}, access.elementType);
}

void NullTargetInfo::fence(OpBuilder &b, Location loc, tt::MemSyncScope) const {
  emitCall(b, loc, "null.fence", {}, {});
}
