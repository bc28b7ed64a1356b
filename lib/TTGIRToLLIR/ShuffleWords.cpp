//===- ShuffleWords.cpp - values as words that lanes exchange -------------===//
#include "tessera/TTGIRToLLIR/ShuffleWords.h"

using namespace mlir;
using namespace tessera;

SmallVector<Value> tessera::toWords(OpBuilder &b, Location loc, Value value) {
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

Value tessera::fromWords(OpBuilder &b, Location loc, ArrayRef<Value> words, Type type) {
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
