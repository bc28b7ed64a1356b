//===- Shuffles.cpp - values between the lanes of a warp ------------------===//
// shfl.sync moves words of 32 bits.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIRToLLIR/ShuffleWords.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

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
