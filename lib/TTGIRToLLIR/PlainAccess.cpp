//===- PlainAccess.cpp - loads and stores by LLVM's own instructions ------===//
#include "tessera/TTGIRToLLIR/PlainAccess.h"

using namespace mlir;
using namespace tessera;

static Value index(OpBuilder &b, Location loc, size_t i) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), static_cast<int32_t>(i));
}

static bool holdsPointers(const MemoryAccess &access) {
  return isa<LLVM::LLVMPointerType>(access.elementType);
}

static unsigned bytesOf(const MemoryAccess &access) {
  unsigned bits = holdsPointers(access) ? 64 : access.elementType.getIntOrFloatBitWidth();
  return bits / 8 * access.count;
}

Type tessera::plainType(OpBuilder &b, const MemoryAccess &access) {
  if (access.count == 1)
    return access.elementType;
  return VectorType::get(access.count, holdsPointers(access) ? b.getI64Type() : access.elementType);
}

SmallVector<Value> tessera::unpackPlain(OpBuilder &b, Location loc, const MemoryAccess &access,
                                        Value packed) {
  if (access.count == 1)
    return {packed};
  SmallVector<Value> elements;
  for (unsigned i = 0; i < access.count; ++i) {
    Value element = LLVM::ExtractElementOp::create(b, loc, packed, index(b, loc, i));
    if (holdsPointers(access))
      element = LLVM::IntToPtrOp::create(b, loc, access.elementType, element);
    elements.push_back(element);
  }
  return elements;
}

Value tessera::packPlain(OpBuilder &b, Location loc, const MemoryAccess &access,
                         ValueRange values) {
  if (access.count == 1)
    return values[0];
  Value packed = LLVM::PoisonOp::create(b, loc, plainType(b, access));
  for (auto [i, value] : llvm::enumerate(values)) {
    Value element = value;
    if (holdsPointers(access))
      element = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
    packed = LLVM::InsertElementOp::create(b, loc, packed, element, index(b, loc, i));
  }
  return packed;
}

SmallVector<Value> tessera::loadPlain(OpBuilder &b, Location loc, const MemoryAccess &access) {
  Value loaded = LLVM::LoadOp::create(b, loc, plainType(b, access), access.pointer, bytesOf(access),
                                      access.hints.isVolatile);
  return unpackPlain(b, loc, access, loaded);
}

void tessera::storePlain(OpBuilder &b, Location loc, const MemoryAccess &access,
                         ValueRange values) {
  Value stored = packPlain(b, loc, access, values);
  LLVM::StoreOp::create(b, loc, stored, access.pointer, bytesOf(access), access.hints.isVolatile);
}
