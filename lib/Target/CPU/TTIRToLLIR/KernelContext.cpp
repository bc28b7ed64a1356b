//===- KernelContext.cpp - memory for tiles -------------------------------===//
// See KernelContext.h.
//===----------------------------------------------------------------------===//
#include "KernelContext.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::cpu;

uint64_t KernelContext::tileBytes(RankedTensorType type) {
  // A cache line of alignment each, so that tiles do not share lines.
  return llvm::alignTo(type.getNumElements() * elementBytes(type.getElementType()), 64);
}

Value KernelContext::reserveTile(LaneBuilder &b, RankedTensorType type) {
  uint64_t begin = arenaBytes;
  arenaBytes += tileBytes(type);
  return b.offset(arena, static_cast<int64_t>(begin));
}

static LLVM::LLVMFuncOp declare(ModuleOp module, OpBuilder &builder, StringRef name, Type result,
                                Type argument) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name,
                                  LLVM::LLVMFunctionType::get(result, argument));
}

Value KernelContext::callMalloc(LaneBuilder &b, Value bytes) {
  Type pointer = LLVM::LLVMPointerType::get(b.builder.getContext());
  auto function = declare(module, b.builder, "malloc", pointer, bytes.getType());
  return LLVM::CallOp::create(b.builder, b.loc, function, bytes).getResult();
}

void KernelContext::callFree(LaneBuilder &b, Value pointer) {
  Type nothing = LLVM::LLVMVoidType::get(b.builder.getContext());
  auto function = declare(module, b.builder, "free", nothing, pointer.getType());
  LLVM::CallOp::create(b.builder, b.loc, function, pointer);
}
