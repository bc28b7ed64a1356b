//===- Accesses.cpp - loads and stores of global memory in PTX ------------===//
// A plain access is an LLVM load or store of a vector, which LLVM can reason
// about. One with a predicate, a cache modifier or an eviction policy has no
// LLVM counterpart and becomes inline PTX:
//
//   @p ld.global.L1::evict_first.L2::cache_hint.v4.b32 {r0, r1, r2, r3}, [a], policy;
//
// Where the predicate is false the destination keeps what it held: each output
// register is tied to an input that holds `other`, or zero.
//===----------------------------------------------------------------------===//
#include "InlinePTX.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIRToLLIR/PlainAccess.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

//===----------------------------------------------------------------------===//
// Inline PTX
//===----------------------------------------------------------------------===//

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
  return emitPureAsm(b, loc, text, "=l", b.getI64Type(), {});
}

/// ".v4.b32"
static std::string suffix(const PackedWords &words) {
  return words.vectorSuffix() + ".b" + std::to_string(words.bits);
}

/// Returns the qualifiers between "ld" or "st" and the vector: state space and hints.
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

/// The access with `.cv` as a volatile load. Both read memory again each time, but ld.cv is no
/// effect to ptxas, which removes a loop that polls with it: a loop without effects may be
/// assumed to end.
static MemoryAccess withVolatileForCV(MemoryAccess access) {
  if (access.hints.cache == tt::CacheModifier::CV)
    access.hints = {tt::CacheModifier::None, tt::EvictionPolicy::Normal, /*isVolatile=*/true};
  return access;
}

SmallVector<Value> NvidiaTargetInfo::load(OpBuilder &b, Location loc, const MemoryAccess &asked,
                                          ValueRange other) const {
  MemoryAccess access = withVolatileForCV(asked);
  AccessHints hints = access.hints;
  bool onlyVolatile = hints.isVolatile && !access.predicate;
  if (!access.predicate && (!hints.any() || onlyVolatile))
    return loadPlain(b, loc, access);

  PackedWords words(access.elementType, access.count);
  Type wordType = b.getIntegerType(words.registerBits());
  Value policy = emitCachePolicy(b, loc, spec, hints);
  PTXStatement ptx;
  SmallVector<std::string> outputs;
  for (unsigned i = 0; i < words.count; ++i)
    outputs.push_back(ptx.output(words.registerClass()));
  if (access.predicate) {
    SmallVector<Value> initial;
    if (other.empty())
      initial.assign(words.count, LLVM::ConstantOp::create(b, loc, wordType, 0));
    else
      initial = words.pack(b, loc, other);
    for (auto [i, word] : llvm::enumerate(initial))
      ptx.tie(i, word);
  }
  std::string address = ptx.input("l", access.pointer);
  std::string guard = ptx.guard(access.predicate);
  std::string hint = policy ? ", " + ptx.input("l", policy) : "";
  std::string text = guard + "ld" + qualifiers(hints, bool(policy)) + suffix(words) + " " +
                     braced(outputs) + ", [" + address + "]" + hint + ";";
  SmallVector<Value> registers =
      ptx.emit(b, loc, text, SmallVector<Type>(words.count, wordType), Effects::Reads);
  return words.unpack(b, loc, registers, access.elementType);
}

void NvidiaTargetInfo::store(OpBuilder &b, Location loc, const MemoryAccess &access,
                             ValueRange values) const {
  if (!access.predicate && !access.hints.any())
    return storePlain(b, loc, access, values);

  PackedWords words(access.elementType, access.count);
  Value policy = emitCachePolicy(b, loc, spec, access.hints);
  PTXStatement ptx;
  SmallVector<std::string> inputs;
  for (Value word : words.pack(b, loc, values))
    inputs.push_back(ptx.input(Twine(words.registerClass()), word));
  std::string address = ptx.input("l", access.pointer);
  std::string guard = ptx.guard(access.predicate);
  std::string hint = policy ? ", " + ptx.input("l", policy) : "";
  std::string text = guard + "st" + qualifiers(access.hints, bool(policy)) + suffix(words) + " [" +
                     address + "], " + braced(inputs) + hint + ";";
  ptx.emit(b, loc, text, {}, Effects::Writes);
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
