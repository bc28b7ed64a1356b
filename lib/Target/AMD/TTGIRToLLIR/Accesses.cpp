//===- Accesses.cpp - loads and stores of global and shared memory --------===//
// There are no predicated accesses. A masked load reads the kernel's arguments where the
// mask is false, which are always there, and a select drops what it read: no branch, and
// several loads are in flight at once. A masked store is LLVM's, which becomes a branch
// around one store.
//
//   %a = select %mask, %pointer, %arguments ; %v = load %a ; select %mask, %v, %other
//===----------------------------------------------------------------------===//
#include "Intrinsics.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIRToLLIR/PlainAccess.h"
#include "tessera/Target/AMD/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// `.cg` and `.cs` say that data will not be used again soon, as does evict_first.
static bool isNonTemporal(const AccessHints &hints) {
  return hints.cache == tt::CacheModifier::CG || hints.cache == tt::CacheModifier::CS ||
         hints.evict == tt::EvictionPolicy::First;
}

/// `.cv` reads memory again each time, as a loop that polls needs it.
static bool isVolatile(const AccessHints &hints) {
  return hints.isVolatile || hints.cache == tt::CacheModifier::CV;
}

static unsigned bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  return isa<LLVM::LLVMPointerType>(type) ? 8 : type.getIntOrFloatBitWidth() / 8;
}

/// An address that every thread may read 16 bytes at: a kernel has at least its two hidden
/// arguments.
static Value emitReadableAddress(OpBuilder &b, Location loc, Type pointer) {
  auto constant = LLVM::LLVMPointerType::get(b.getContext(), AmdSpec::constantSpace);
  Value arguments = emitIntrinsic(b, loc, "kernarg.segment.ptr", constant, {});
  return LLVM::AddrSpaceCastOp::create(b, loc, pointer, arguments);
}

/// The type in which an access is loaded. Elements of less than 32 bits come in words, as registers
/// hold them: masks select words, and loops carry words (llir-pack-carried-values).
static Type loadedType(OpBuilder &b, const MemoryAccess &access) {
  Type plain = plainType(b, access);
  unsigned words = bytesOf(plain) / 4;
  if (words == 0 || bytesOf(access.elementType) >= 4)
    return plain;
  return words == 1 ? Type(b.getI32Type()) : Type(VectorType::get(words, b.getI32Type()));
}

/// The elements of a value of loadedType().
static SmallVector<Value> unpackLoaded(OpBuilder &b, Location loc, const MemoryAccess &access,
                                       Value loaded) {
  if (loaded.getType() == plainType(b, access))
    return unpackPlain(b, loc, access, loaded);
  unsigned perWord = 4 / bytesOf(access.elementType);
  auto packed = VectorType::get(perWord, access.elementType);
  SmallVector<Value> elements;
  for (unsigned i = 0; i < access.count; ++i) {
    if (i % perWord == 0) {
      Value word = loaded;
      if (isa<VectorType>(loaded.getType()))
        word = LLVM::ExtractElementOp::create(b, loc, loaded, constantI32(b, loc, i / perWord));
      elements.push_back(LLVM::BitcastOp::create(b, loc, packed, word));
    } else {
      elements.push_back(elements[i - 1]);
    }
  }
  for (auto [i, element] : llvm::enumerate(elements))
    element = LLVM::ExtractElementOp::create(b, loc, element, constantI32(b, loc, i % perWord));
  return elements;
}

/// Returns `loaded`, of loadedType(), with `other` (or zeros) where the predicate is false.
static SmallVector<Value> selectLoaded(OpBuilder &b, Location loc, const MemoryAccess &access,
                                       Value loaded, ValueRange other) {
  Type type = loaded.getType();
  if (type == plainType(b, access)) {
    // Selections of single elements: LLVM moves them past arithmetic, up to a store that needs
    // none.
    SmallVector<Value> values = unpackPlain(b, loc, access, loaded);
    Value zero = LLVM::ZeroOp::create(b, loc, access.elementType);
    for (auto [i, value] : llvm::enumerate(values))
      value =
          LLVM::SelectOp::create(b, loc, access.predicate, value, other.empty() ? zero : other[i]);
    return values;
  }
  Value packed = other.empty()
                     ? LLVM::ZeroOp::create(b, loc, type).getResult()
                     : LLVM::BitcastOp::create(b, loc, type, packPlain(b, loc, access, other));
  Value selected = LLVM::SelectOp::create(b, loc, access.predicate, loaded, packed);
  return unpackLoaded(b, loc, access, selected);
}

SmallVector<Value> AmdTargetInfo::load(OpBuilder &b, Location loc, const MemoryAccess &access,
                                       ValueRange other) const {
  Type type = loadedType(b, access);
  Value pointer = access.pointer;
  if (access.predicate)
    pointer = LLVM::SelectOp::create(b, loc, access.predicate, pointer,
                                     emitReadableAddress(b, loc, pointer.getType()));
  Value loaded = LLVM::LoadOp::create(b, loc, type, pointer, bytesOf(type),
                                      isVolatile(access.hints), isNonTemporal(access.hints));
  return access.predicate ? selectLoaded(b, loc, access, loaded, other)
                          : unpackLoaded(b, loc, access, loaded);
}

/// Stores `value` if `predicate` is true: LLVM makes a branch of a mask whose lanes are equal.
static void emitMaskedStore(OpBuilder &b, Location loc, Value value, Value pointer,
                            Value predicate) {
  unsigned bytes = bytesOf(value.getType()), lanes = 1;
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    lanes = vector.getNumElements();
  } else {
    Value empty = LLVM::PoisonOp::create(b, loc, VectorType::get(1, value.getType()));
    value = LLVM::InsertElementOp::create(b, loc, empty, value, constantI32(b, loc, 0));
  }
  auto maskType = VectorType::get(lanes, b.getI1Type());
  Value none = LLVM::PoisonOp::create(b, loc, maskType);
  Value mask = LLVM::InsertElementOp::create(b, loc, none, predicate, constantI32(b, loc, 0));
  if (lanes > 1)
    mask = LLVM::ShuffleVectorOp::create(b, loc, mask, none, SmallVector<int32_t>(lanes, 0));
  LLVM::MaskedStoreOp::create(b, loc, value, pointer, mask, b.getI32IntegerAttr(bytes));
}

void AmdTargetInfo::store(OpBuilder &b, Location loc, const MemoryAccess &access,
                          ValueRange values) const {
  Value stored = packPlain(b, loc, access, values);
  if (access.predicate)
    return emitMaskedStore(b, loc, stored, access.pointer, access.predicate);
  LLVM::StoreOp::create(b, loc, stored, access.pointer, bytesOf(stored.getType()),
                        isVolatile(access.hints), isNonTemporal(access.hints));
}

void AmdTargetInfo::storeShared(OpBuilder &b, Location loc, Value pointer, Value value,
                                Value predicate) const {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  if (predicate)
    emitMaskedStore(b, loc, value, pointer, predicate);
  else
    LLVM::StoreOp::create(b, loc, value, pointer);
}

LogicalResult AmdTargetInfo::checkHints(Operation *op, const AccessHints &hints,
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
