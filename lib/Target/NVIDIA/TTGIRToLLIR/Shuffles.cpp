//===- Shuffles.cpp - values between the lanes of a warp ------------------===//
// shfl.sync moves words of 32 bits: smaller scalars travel in the low bits of
// one, larger ones in two.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

/// `value` as words of 32 bits, lowest first.
static SmallVector<Value> toWords(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType(), word = b.getI32Type();
  if (isa<LLVM::LLVMPointerType>(type)) {
    value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  } else if (!isa<IntegerType>(type)) {
    value = LLVM::BitcastOp::create(b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
  }
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (bits < 32)
    return {LLVM::ZExtOp::create(b, loc, word, value)};
  if (bits == 32)
    return {value};
  Value half = LLVM::ConstantOp::create(b, loc, value.getType(), 32);
  Value high = LLVM::LShrOp::create(b, loc, value, half);
  return {LLVM::TruncOp::create(b, loc, word, value), LLVM::TruncOp::create(b, loc, word, high)};
}

static Value fromWords(OpBuilder &b, Location loc, ArrayRef<Value> words, Type type) {
  bool isPointer = isa<LLVM::LLVMPointerType>(type);
  unsigned bits = isPointer ? 64 : type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value value = words[0];
  if (words.size() == 2) {
    Value low = LLVM::ZExtOp::create(b, loc, integer, words[0]);
    Value high = LLVM::ZExtOp::create(b, loc, integer, words[1]);
    Value half = LLVM::ConstantOp::create(b, loc, integer, 32);
    value = LLVM::OrOp::create(b, loc, low, LLVM::ShlOp::create(b, loc, high, half));
  } else if (bits < 32) {
    value = LLVM::TruncOp::create(b, loc, integer, value);
  }
  if (isPointer)
    return LLVM::IntToPtrOp::create(b, loc, type, value);
  return type == integer ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}

static Value emitShuffle(OpBuilder &b, Location loc, NVVM::ShflKind kind, Value value, Value place,
                         int clamp) {
  Value all = LLVM::ConstantOp::create(b, loc, b.getI32Type(), -1);
  Value limit = LLVM::ConstantOp::create(b, loc, b.getI32Type(), clamp);
  SmallVector<Value> words = toWords(b, loc, value);
  for (Value &word : words)
    word = NVVM::ShflOp::create(b, loc, b.getI32Type(), all, word, place, limit, kind, UnitAttr());
  return fromWords(b, loc, words, value.getType());
}

static Value constant(OpBuilder &b, Location loc, unsigned value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
}

Value NvidiaTargetInfo::shuffleXor(OpBuilder &b, Location loc, Value value, unsigned mask) const {
  return emitShuffle(b, loc, NVVM::ShflKind::bfly, value, constant(b, loc, mask), 31);
}

Value NvidiaTargetInfo::shuffleFrom(OpBuilder &b, Location loc, Value value, Value lane) const {
  return emitShuffle(b, loc, NVVM::ShflKind::idx, value, lane, 31);
}
