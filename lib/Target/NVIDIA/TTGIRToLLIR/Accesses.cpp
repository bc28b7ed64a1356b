//===- Accesses.cpp - loads and stores of global memory in PTX ------------===//
// A plain access is an LLVM load or store of a vector, which LLVM can reason
// about. One with a predicate, a cache modifier or an eviction policy has no
// LLVM counterpart and becomes inline PTX:
//
//   @p ld.global.L1::evict_first.L2::cache_hint.v4.b32 {r0, r1, r2, r3}, [a], policy;
//
// Registers are moved as words of 32 bits (64 for 64-bit elements, 8 or 16
// when that is all there is); smaller elements are packed into them. Where the
// predicate is false the destination keeps what it held: each output register
// is tied to an input that holds `other`, or zero.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Unsupported.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

namespace {
/// How `count` elements are cut into words.
struct Words {
  Words(Type elementType, unsigned count)
      : elementBits(isa<LLVM::LLVMPointerType>(elementType) ? 64
                                                            : elementType.getIntOrFloatBitWidth()) {
    unsigned total = elementBits * count;
    bits = std::max(elementBits, std::min(total, 32u));
    this->count = total / bits;
    perWord = bits / elementBits;
  }
  unsigned elementBits;
  unsigned bits;    // of a word
  unsigned count;   // of words
  unsigned perWord; // elements

  /// The register that holds a word: PTX has none of 8 bits.
  unsigned registerBits() const { return std::max(bits, 16u); }
  char constraint() const { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }
  /// ".v4.b32"
  std::string suffix() const {
    std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
    return vector + ".b" + std::to_string(bits);
  }
};
} // namespace

static Value constantI32(OpBuilder &b, Location loc, int value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
}

//===----------------------------------------------------------------------===//
// Elements and words
//===----------------------------------------------------------------------===//

static Value toInteger(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  if (isa<FloatType>(type))
    return LLVM::BitcastOp::create(b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
  return value;
}

static Value fromInteger(OpBuilder &b, Location loc, Value value, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, loc, type, value);
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(b, loc, type, value);
}

/// The elements as register-sized words.
static SmallVector<Value> packWords(OpBuilder &b, Location loc, const Words &words,
                                    ValueRange elements) {
  SmallVector<Value> result;
  for (unsigned w = 0; w < words.count; ++w) {
    ValueRange members = elements.slice(w * words.perWord, words.perWord);
    Value word = toInteger(b, loc, members[0]);
    if (words.perWord > 1) {
      Value vector =
          LLVM::PoisonOp::create(b, loc, VectorType::get(words.perWord, members[0].getType()));
      for (auto [i, member] : llvm::enumerate(members))
        vector = LLVM::InsertElementOp::create(b, loc, vector, member, constantI32(b, loc, i));
      word = LLVM::BitcastOp::create(b, loc, b.getIntegerType(words.bits), vector);
    }
    if (words.registerBits() != words.bits)
      word = LLVM::ZExtOp::create(b, loc, b.getIntegerType(words.registerBits()), word);
    result.push_back(word);
  }
  return result;
}

static SmallVector<Value> unpackWords(OpBuilder &b, Location loc, const Words &words,
                                      ValueRange registers, Type elementType) {
  SmallVector<Value> elements;
  for (Value word : registers) {
    if (words.registerBits() != words.bits)
      word = LLVM::TruncOp::create(b, loc, b.getIntegerType(words.bits), word);
    if (words.perWord == 1) {
      elements.push_back(fromInteger(b, loc, word, elementType));
      continue;
    }
    Value vector =
        LLVM::BitcastOp::create(b, loc, VectorType::get(words.perWord, elementType), word);
    for (unsigned i = 0; i < words.perWord; ++i)
      elements.push_back(LLVM::ExtractElementOp::create(b, loc, vector, constantI32(b, loc, i)));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Plain accesses
//===----------------------------------------------------------------------===//

/// Pointers have no vectors in memory; they travel as integers.
static Type plainType(OpBuilder &b, const MemoryAccess &access) {
  Type element = access.elementType;
  if (access.count == 1)
    return element;
  return VectorType::get(access.count,
                         isa<LLVM::LLVMPointerType>(element) ? b.getI64Type() : element);
}

static unsigned bytesOf(const MemoryAccess &access) {
  return Words(access.elementType, 1).elementBits / 8 * access.count;
}

static SmallVector<Value> loadPlain(OpBuilder &b, Location loc, const MemoryAccess &access) {
  Value loaded = LLVM::LoadOp::create(b, loc, plainType(b, access), access.pointer, bytesOf(access),
                                      access.hints.isVolatile);
  if (access.count == 1)
    return {loaded};
  SmallVector<Value> elements;
  for (unsigned i = 0; i < access.count; ++i)
    elements.push_back(
        fromInteger(b, loc, LLVM::ExtractElementOp::create(b, loc, loaded, constantI32(b, loc, i)),
                    access.elementType));
  return elements;
}

static void storePlain(OpBuilder &b, Location loc, const MemoryAccess &access, ValueRange values) {
  Value stored = values[0];
  if (access.count > 1) {
    bool isPointer = isa<LLVM::LLVMPointerType>(access.elementType);
    stored = LLVM::PoisonOp::create(b, loc, plainType(b, access));
    for (auto [i, value] : llvm::enumerate(values))
      stored = LLVM::InsertElementOp::create(
          b, loc, stored, isPointer ? toInteger(b, loc, value) : value, constantI32(b, loc, i));
  }
  LLVM::StoreOp::create(b, loc, stored, access.pointer, bytesOf(access), access.hints.isVolatile);
}

//===----------------------------------------------------------------------===//
// Inline PTX
//===----------------------------------------------------------------------===//

namespace {
/// An inline assembly statement under construction. Operands are numbered in
/// the order they are added; outputs must come first.
struct AsmStatement {
  SmallVector<Value> operands;
  std::string constraints;
  unsigned count = 0;

  std::string add(const Twine &constraint, Value operand = {}) {
    constraints += ((count ? "," : "") + constraint).str();
    if (operand)
      operands.push_back(operand);
    return "$" + std::to_string(count++);
  }
};
} // namespace

/// "{$0, $1}", or "$0" when there is one.
static std::string braced(ArrayRef<std::string> names) {
  std::string list = llvm::join(names, ", ");
  return names.size() == 1 ? list : "{" + list + "}";
}

static StringRef evictionName(tt::EvictionPolicy policy) {
  return policy == tt::EvictionPolicy::First ? "evict_first" : "evict_last";
}

/// The L2 policy register of an eviction policy; null for the normal one.
static Value emitCachePolicy(OpBuilder &b, Location loc, const NvidiaSpec &spec,
                             const AccessHints &hints) {
  if (hints.evict == tt::EvictionPolicy::Normal || hints.isVolatile || !spec.hasCachePolicy())
    return {};
  std::string text =
      ("createpolicy.fractional.L2::" + evictionName(hints.evict) + ".b64 $0, 1.0;").str();
  return LLVM::InlineAsmOp::create(b, loc, b.getI64Type(), ValueRange{}, text, "=l",
                                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, {}, {})
      .getResult(0);
}

/// What stands between "ld" or "st" and the vector: state space and hints.
/// PTX ISA, ld and st: a cache operator and an L1 eviction priority exclude
/// each other, and volatile accesses take neither.
static std::string qualifiers(const AccessHints &hints, bool hasPolicy) {
  if (hints.isVolatile)
    return ".volatile.global";
  std::string text = ".global";
  if (hints.cache != tt::CacheModifier::None)
    text += ("." + tt::stringifyCacheModifier(hints.cache)).str();
  else if (hints.evict != tt::EvictionPolicy::Normal)
    text += (".L1::" + evictionName(hints.evict)).str();
  return hasPolicy ? text + ".L2::cache_hint" : text;
}

static LLVM::InlineAsmOp emitAsm(OpBuilder &b, Location loc, Type result,
                                 const AsmStatement &asmText, StringRef text) {
  // Has side effects: LLVM may neither merge accesses nor move them past others.
  return LLVM::InlineAsmOp::create(b, loc, result, asmText.operands, text, asmText.constraints,
                                   /*has_side_effects=*/true, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, {}, {});
}

SmallVector<Value> NvidiaTargetInfo::load(OpBuilder &b, Location loc, const MemoryAccess &access,
                                          ValueRange other) const {
  AccessHints hints = access.hints;
  bool onlyVolatile = hints.isVolatile && !access.predicate;
  if (!access.predicate && (!hints.any() || onlyVolatile))
    return loadPlain(b, loc, access);

  Words words(access.elementType, access.count);
  Type wordType = b.getIntegerType(words.registerBits());
  Value policy = emitCachePolicy(b, loc, spec, hints);
  AsmStatement statement;
  SmallVector<std::string> outputs;
  for (unsigned i = 0; i < words.count; ++i)
    outputs.push_back(statement.add(Twine("=") + Twine(words.constraint())));
  if (access.predicate) {
    SmallVector<Value> initial;
    if (other.empty())
      initial.assign(words.count, LLVM::ConstantOp::create(b, loc, wordType, 0));
    else
      initial = packWords(b, loc, words, other);
    for (auto [i, word] : llvm::enumerate(initial))
      statement.add(Twine(i), word); // tied to output i
  }
  std::string address = statement.add("l", access.pointer);
  std::string guard = access.predicate ? "@" + statement.add("b", access.predicate) + " " : "";
  std::string hint = policy ? ", " + statement.add("l", policy) : "";
  std::string text = guard + "ld" + qualifiers(hints, bool(policy)) + words.suffix() + " " +
                     braced(outputs) + ", [" + address + "]" + hint + ";";

  SmallVector<Type> types(words.count, wordType);
  Type result =
      words.count == 1 ? wordType : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value loaded = emitAsm(b, loc, result, statement, text).getResult(0);
  SmallVector<Value> registers{loaded};
  if (words.count > 1) {
    registers.clear();
    for (unsigned i = 0; i < words.count; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
  }
  return unpackWords(b, loc, words, registers, access.elementType);
}

void NvidiaTargetInfo::store(OpBuilder &b, Location loc, const MemoryAccess &access,
                             ValueRange values) const {
  if (!access.predicate && !access.hints.any())
    return storePlain(b, loc, access, values);

  Words words(access.elementType, access.count);
  Value policy = emitCachePolicy(b, loc, spec, access.hints);
  AsmStatement statement;
  SmallVector<std::string> inputs;
  for (Value word : packWords(b, loc, words, values))
    inputs.push_back(statement.add(Twine(words.constraint()), word));
  std::string address = statement.add("l", access.pointer);
  std::string guard = access.predicate ? "@" + statement.add("b", access.predicate) + " " : "";
  std::string hint = policy ? ", " + statement.add("l", policy) : "";
  std::string text = guard + "st" + qualifiers(access.hints, bool(policy)) + words.suffix() + " [" +
                     address + "], " + braced(inputs) + hint + ";";
  emitAsm(b, loc, Type(), statement, text);
}

LogicalResult NvidiaTargetInfo::checkHints(Operation *op, const AccessHints &hints,
                                           bool isStore) const {
  using enum tt::CacheModifier;
  bool ok =
      hints.cache == None || hints.cache == CG || hints.cache == CS ||
      (isStore ? hints.cache == WB || hints.cache == WT : hints.cache == CA || hints.cache == CV);
  if (ok)
    return success();
  return emitUnsupported(op) << "cache modifier '" << tt::stringifyCacheModifier(hints.cache)
                             << "' on a " << (isStore ? "store" : "load") << "; use one of "
                             << (isStore ? "wb, cg, cs, wt" : "ca, cg, cs, cv");
}
