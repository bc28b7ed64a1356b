//===- Atomics.cpp - read, change and write at once in PTX ----------------===//
//   @p atom.acq_rel.gpu.global.add.u32 r, [a], v;
//   @p red.relaxed.gpu.global.add.noftz.v4.f16x2 [a], {v0, v1, v2, v3};
//
// Where nobody reads the old value and nothing is acquired, red: the thread does not
// wait for an answer.
// What no instruction does (sums of bf16 before Hopper, extrema of halves, 16-bit
// integers) is a loop around compare-and-swap.
//===----------------------------------------------------------------------===//
#include "InlinePTX.h"
#include "tessera/TTIR/IR/MemoryOrder.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// ".acq_rel.gpu.global"
static std::string qualifiers(const AtomicAccess &access) {
  return ("." + tt::stringifyMemSemantic(access.order) + "." +
          tt::stringifyMemSyncScope(access.scope) + ".global")
      .str();
}

/// "s32", "b64", "f16": a type name of PTX; `kind` is s, u, b or f.
static std::string typeName(char kind, Type type) {
  if (type.isBF16())
    return "bf16";
  return std::string(1, kind) + std::to_string(type.getIntOrFloatBitWidth());
}

namespace {
struct Instruction {
  StringRef name; // "add"
  char typeKind;  // s, u, b or f
};
} // namespace

static Instruction instructionOf(tt::RMWOp kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case tt::RMWOp::And:
    return {"and", 'b'};
  case tt::RMWOp::Or:
    return {"or", 'b'};
  case tt::RMWOp::Xor:
    return {"xor", 'b'};
  case tt::RMWOp::Add:
    return {"add", 'u'};
  case tt::RMWOp::FAdd:
    return {"add", 'f'};
  case tt::RMWOp::Max:
    return {"max", isFloat ? 'f' : 's'};
  case tt::RMWOp::Min:
    return {"min", isFloat ? 'f' : 's'};
  case tt::RMWOp::UMax:
    return {"max", 'u'};
  case tt::RMWOp::UMin:
    return {"min", 'u'};
  case tt::RMWOp::Exchange:
    break;
  }
  return {"exch", 'b'};
}

//===----------------------------------------------------------------------===//
// What the hardware has
//===----------------------------------------------------------------------===//

/// Elements that one instruction updates; 0 when there is none.
/// PTX ISA, atom: vectors and bf16 need sm_90; pairs of f16 do not.
static unsigned instructionWidth(tt::RMWOp kind, Type type, const NvidiaSpec &spec) {
  bool isWide = type.isInteger(32) || type.isInteger(64);
  if (kind == tt::RMWOp::Exchange)
    return isWide || type.isF32() || type.isF64();
  if (kind != tt::RMWOp::FAdd)
    return isWide;
  if (type.isF16())
    return spec.hasWideAtomics() ? 8 : 2;
  if (type.isBF16())
    return spec.hasWideAtomics() ? 8 : 0;
  return type.isF32() && spec.hasWideAtomics() ? 4 : 1;
}

/// Returns whether a compare-and-swap loop implements the operation.
static bool hasLoop(tt::RMWOp kind, Type type) {
  bool isSmall = type.isInteger(16) || type.isF16() || type.isBF16();
  return isSmall || isa<FloatType>(type);
}

unsigned NvidiaTargetInfo::atomicWidth(tt::RMWOp kind, Type type) const {
  unsigned width = instructionWidth(kind, type, spec);
  return width == 0 && hasLoop(kind, type) ? 1 : width;
}

bool NvidiaTargetInfo::hasAtomicSwap(Type type) const {
  if (isa<LLVM::LLVMPointerType>(type))
    return true;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 16 || bits == 32 || bits == 64;
}

//===----------------------------------------------------------------------===//
// The statements
//===----------------------------------------------------------------------===//

/// Zero where the predicate is false: registers would keep anything.
static void tieToZero(PTXStatement &ptx, OpBuilder &b, Location loc, const AtomicAccess &access,
                      unsigned count, Type wordType) {
  if (!access.predicate)
    return;
  Value zero = LLVM::ConstantOp::create(b, loc, wordType, 0);
  for (unsigned i = 0; i < count; ++i)
    ptx.tie(i, zero);
}

static SmallVector<Value> emitUpdate(OpBuilder &b, Location loc, tt::RMWOp kind,
                                     const AtomicAccess &access, ValueRange values) {
  PackedWords words(access.elementType, values.size());
  Type wordType = b.getIntegerType(words.registerBits());
  PTXStatement ptx;
  SmallVector<std::string> outputs, inputs;
  // PTX ISA, red: there is no exch, and the order is relaxed or release. An old value that
  // nobody reads is no reason to acquire less than the program says.
  bool isRead = access.isRead || kind == tt::RMWOp::Exchange || tt::acquires(access.order);
  if (isRead) {
    for (unsigned i = 0; i < words.count; ++i)
      outputs.push_back(ptx.output(words.registerClass()));
    tieToZero(ptx, b, loc, access, words.count, wordType);
  }
  for (Value word : words.pack(b, loc, values))
    inputs.push_back(ptx.input(Twine(words.registerClass()), word));
  std::string address = ptx.input("l", access.pointer);
  std::string guard = ptx.guard(access.predicate);

  Instruction instruction = instructionOf(kind, access.elementType);
  bool isHalf = access.elementType.isF16() || access.elementType.isBF16();
  std::string type = typeName(instruction.typeKind, access.elementType);
  std::string text = guard + (isRead ? "atom" : "red") + qualifiers(access) + "." +
                     instruction.name.str() + (isHalf ? ".noftz" : "") + words.vectorSuffix() +
                     "." + type + (words.perWord == 2 ? "x2 " : " ");
  if (isRead)
    text += braced(outputs) + ", ";
  text += "[" + address + "], " + braced(inputs) + ";";
  SmallVector<Value> old =
      ptx.emit(b, loc, text, SmallVector<Type>(outputs.size(), wordType), Effects::Writes);
  return words.unpack(b, loc, old, access.elementType);
}

/// "fma.rn.bf16 next, $0, one, $1;": the new value from what was seen.
static std::string updateText(tt::RMWOp kind, Type type, const std::string &seen,
                              const std::string &value) {
  if (kind == tt::RMWOp::Exchange)
    return llvm::formatv("mov.b{0} next, {1};", type.getIntOrFloatBitWidth(), value);
  // PTX ISA, add: bf16 needs sm_90; fma, which rounds x * 1 + y as the sum, does not.
  if (kind == tt::RMWOp::FAdd && type.isBF16())
    return llvm::formatv("mov.b16 next, 0x3F80; fma.rn.bf16 next, {0}, next, {1};", seen, value);
  Instruction instruction = instructionOf(kind, type);
  std::string name = instruction.name.str();
  if (kind == tt::RMWOp::FAdd)
    name += ".rn";
  return llvm::formatv("{0}.{1} next, {2}, {3};", name, typeName(instruction.typeKind, type), seen,
                       value);
}

/// Reads, computes, and writes unless somebody else has written meanwhile.
static Value emitLoop(OpBuilder &b, Location loc, tt::RMWOp kind, const AtomicAccess &access,
                      Value value) {
  PackedWords words(access.elementType, 1);
  Type wordType = b.getIntegerType(words.bits);
  PTXStatement ptx;
  std::string old = ptx.output(words.registerClass(), /*isEarlyClobber=*/true);
  tieToZero(ptx, b, loc, access, 1, wordType);
  std::string operand = ptx.input(Twine(words.registerClass()), words.pack(b, loc, value)[0]);
  std::string address = ptx.input("l", access.pointer);
  std::string skip;
  if (access.predicate)
    skip = "@!" + ptx.input("b", access.predicate) + " bra done; ";
  std::string scope = tt::stringifyMemSyncScope(access.scope).str();
  std::string text = llvm::formatv(
      "{{ .reg .pred changed; .reg .b{0} seen, next; {1}ld.relaxed.{2}.global.b{0} {3}, [{4}]; "
      "again: {5} atom{6}.cas.b{0} seen, [{4}], {3}, next; setp.ne.b{0} changed, seen, {3}; "
      "mov.b{0} {3}, seen; @changed bra again; done: }",
      words.bits, skip, scope, old, address, updateText(kind, access.elementType, old, operand),
      qualifiers(access));
  SmallVector<Value> results = ptx.emit(b, loc, text, {wordType}, Effects::Writes);
  return words.unpack(b, loc, results, access.elementType)[0];
}

SmallVector<Value> NvidiaTargetInfo::atomicUpdate(RewriterBase &b, Location loc, tt::RMWOp kind,
                                                  const AtomicAccess &access,
                                                  ValueRange values) const {
  if (instructionWidth(kind, access.elementType, spec) == 0)
    return {emitLoop(b, loc, kind, access, values[0])};
  return emitUpdate(b, loc, kind, access, values);
}

Value NvidiaTargetInfo::atomicSwap(RewriterBase &b, Location loc, const AtomicAccess &access,
                                   Value expected, Value desired) const {
  PackedWords words(access.elementType, 1);
  Type wordType = b.getIntegerType(words.bits);
  PTXStatement ptx;
  std::string old = ptx.output(words.registerClass());
  tieToZero(ptx, b, loc, access, 1, wordType);
  std::string cmp = ptx.input(Twine(words.registerClass()), words.pack(b, loc, expected)[0]);
  std::string value = ptx.input(Twine(words.registerClass()), words.pack(b, loc, desired)[0]);
  std::string address = ptx.input("l", access.pointer);
  std::string guard = ptx.guard(access.predicate);
  std::string text = llvm::formatv("{0}atom{1}.cas.b{2} {3}, [{4}], {5}, {6};", guard,
                                   qualifiers(access), words.bits, old, address, cmp, value);
  return words.unpack(b, loc, ptx.emit(b, loc, text, {wordType}, Effects::Writes),
                      access.elementType)[0];
}

Value NvidiaTargetInfo::atomicRead(RewriterBase &b, Location loc,
                                   const AtomicAccess &access) const {
  PackedWords words(access.elementType, 1);
  Type wordType = b.getIntegerType(words.bits);
  PTXStatement ptx;
  std::string value = ptx.output(words.registerClass());
  tieToZero(ptx, b, loc, access, 1, wordType);
  std::string address = ptx.input("l", access.pointer);
  std::string guard = ptx.guard(access.predicate);
  std::string text = llvm::formatv("{0}ld{1}.b{2} {3}, [{4}];", guard, qualifiers(access),
                                   words.bits, value, address);
  return words.unpack(b, loc, ptx.emit(b, loc, text, {wordType}, Effects::Writes),
                      access.elementType)[0];
}

void NvidiaTargetInfo::fence(OpBuilder &b, Location loc, tt::MemSyncScope scope) const {
  StringRef name = scope == tt::MemSyncScope::CTA   ? "block"
                   : scope == tt::MemSyncScope::GPU ? "device"
                                                    : ""; // everybody
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, name);
}
