//===- InlinePTX.cpp - instructions that LLVM does not know ---------------===//
// See InlinePTX.h.
//===----------------------------------------------------------------------===//
#include "InlinePTX.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

static LLVM::InlineAsmOp emitAsm(OpBuilder &b, Location loc, Type result, ValueRange operands,
                                 StringRef text, StringRef constraints, bool hasEffects) {
  return LLVM::InlineAsmOp::create(b, loc, result, operands, text, constraints, hasEffects,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   {}, {});
}

SmallVector<Value> PTXStatement::emit(OpBuilder &b, Location loc, StringRef text,
                                      ArrayRef<Type> results, Effects effects) const {
  Type result;
  if (results.size() == 1)
    result = results[0];
  if (results.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  std::string all = constraints;
  if (effects == Effects::Writes)
    all += kClobbersMemory;
  if (constraints.empty())
    all.erase(0, 1); // the comma
  LLVM::InlineAsmOp op =
      emitAsm(b, loc, result, operands, text, all, /*hasEffects=*/effects != Effects::None);
  if (results.empty())
    return {};
  if (results.size() == 1)
    return {op.getResult(0)};
  SmallVector<Value> values;
  for (unsigned i = 0; i < results.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, op.getResult(0), i));
  return values;
}

Value nvidia::emitPureAsm(OpBuilder &b, Location loc, StringRef text, StringRef constraints,
                          Type result, ValueRange operands) {
  return emitAsm(b, loc, result, operands, text, constraints, /*hasEffects=*/false).getResult(0);
}

std::string nvidia::braced(ArrayRef<std::string> names) {
  std::string list = llvm::join(names, ", ");
  return names.size() == 1 ? list : "{" + list + "}";
}

//===----------------------------------------------------------------------===//
// Elements and words
//===----------------------------------------------------------------------===//

static unsigned bitsOf(Type type) {
  return isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

static Value constantI32(OpBuilder &b, Location loc, int value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
}

PackedWords::PackedWords(Type elementType, unsigned count) : elementBits(bitsOf(elementType)) {
  unsigned total = elementBits * count;
  bits = std::max(elementBits, std::min(total, 32u));
  this->count = total / bits;
  perWord = bits / elementBits;
}

Value nvidia::toInteger(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  if (isa<FloatType>(type))
    return LLVM::BitcastOp::create(b, loc, b.getIntegerType(bitsOf(type)), value);
  return value;
}

Value nvidia::fromInteger(OpBuilder &b, Location loc, Value value, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, loc, type, value);
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(b, loc, type, value);
}

SmallVector<Value> PackedWords::pack(OpBuilder &b, Location loc, ValueRange elements) const {
  SmallVector<Value> result;
  for (unsigned w = 0; w < count; ++w) {
    ValueRange members = elements.slice(w * perWord, perWord);
    Value word = toInteger(b, loc, members[0]);
    if (perWord > 1) {
      Value vector = LLVM::PoisonOp::create(b, loc, VectorType::get(perWord, members[0].getType()));
      for (auto [i, member] : llvm::enumerate(members))
        vector = LLVM::InsertElementOp::create(b, loc, vector, member, constantI32(b, loc, i));
      word = LLVM::BitcastOp::create(b, loc, b.getIntegerType(bits), vector);
    }
    if (registerBits() != bits)
      word = LLVM::ZExtOp::create(b, loc, b.getIntegerType(registerBits()), word);
    result.push_back(word);
  }
  return result;
}

SmallVector<Value> PackedWords::unpack(OpBuilder &b, Location loc, ValueRange words,
                                       Type elementType) const {
  SmallVector<Value> elements;
  for (Value word : words) {
    if (registerBits() != bits)
      word = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), word);
    if (perWord == 1) {
      elements.push_back(fromInteger(b, loc, word, elementType));
      continue;
    }
    Value vector = LLVM::BitcastOp::create(b, loc, VectorType::get(perWord, elementType), word);
    for (unsigned i = 0; i < perWord; ++i)
      elements.push_back(LLVM::ExtractElementOp::create(b, loc, vector, constantI32(b, loc, i)));
  }
  return elements;
}
