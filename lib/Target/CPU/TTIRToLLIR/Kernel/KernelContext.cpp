//===- KernelContext.cpp - state shared by all parts of a kernel's lowering -===//
// See KernelContext.h.
//===----------------------------------------------------------------------===//
#include "KernelContext.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

Value KernelContext::constant(LaneBuilder &b, TypedAttr value) {
  Type type = convertElement(value.getType());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return b.integer(type, integer.getValue());
  APFloat number = cast<FloatAttr>(value).getValue();
  if (isa<FloatType>(type))
    return LLVM::ConstantOp::create(b.builder, b.loc, type, FloatAttr::get(type, number));
  return b.integer(type, number.bitcastToAPInt());
}

void KernelContext::restoreTilesExceptOf(Block *block, TileMap saved) {
  for (auto [value, tile] : tiles)
    if (value.getParentBlock() == block)
      saved[value] = tile;
  tiles = std::move(saved);
}

void KernelContext::setGrid(ArrayRef<Value> extents, Value count) {
  llvm::copy(extents, gridExtents.begin());
  numPrograms = count;
}

void KernelContext::setProgram(ArrayRef<Value> ids) { llvm::copy(ids, programIds.begin()); }

uint64_t KernelContext::tileBytes(RankedTensorType type) {
  // Each tile is aligned to a cache line, so that tiles do not share lines.
  return llvm::alignTo(type.getNumElements() * elementBytes(type.getElementType()), 64);
}

Value KernelContext::reserveBytes(LaneBuilder &b, uint64_t bytes) {
  return tileArena.reserve(b, llvm::alignTo(bytes, 64));
}

Value KernelContext::reserveTile(LaneBuilder &b, RankedTensorType type) {
  return tileArena.reserve(b, tileBytes(type));
}

Value KernelContext::reserveTile(LaneBuilder &b, Value tensor) {
  auto wanted = destinations.find(tensor);
  if (wanted != destinations.end())
    return wanted->second;
  return reserveTile(b, cast<RankedTensorType>(tensor.getType()));
}

Value KernelContext::reserveSlot(Type type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(entry);
  LaneBuilder b(builder, entry->getLoc());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::AllocaOp::create(builder, b.loc, pointer, type, b.i64(1));
}

LLVM::LLVMFuncOp KernelContext::declare(StringRef name, Type result, ArrayRef<Type> arguments,
                                        bool variadic) {
  if (auto function = theModule.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(theModule.getBody());
  auto type = LLVM::LLVMFunctionType::get(result, arguments, variadic);
  return LLVM::LLVMFuncOp::create(builder, theModule.getLoc(), name, type);
}

Value KernelContext::callMalloc(LaneBuilder &b, Value bytes) {
  Type pointer = LLVM::LLVMPointerType::get(b.builder.getContext());
  auto function = declare("malloc", pointer, bytes.getType());
  return LLVM::CallOp::create(b.builder, b.loc, function, bytes).getResult();
}

void KernelContext::callFree(LaneBuilder &b, Value pointer) {
  Type nothing = LLVM::LLVMVoidType::get(b.builder.getContext());
  auto function = declare("free", nothing, pointer.getType());
  LLVM::CallOp::create(b.builder, b.loc, function, pointer);
}
