//===- Accesses.cpp - loads and stores of global and shared memory --------===//
// There are no predicated accesses. A masked load reads the kernel's arguments where the
// mask is false, which are always there, and a select drops what it read: no branch, and
// several loads are in flight at once. A masked store is LLVM's, which becomes a branch
// around one store.
//
//   %a = select %mask, %pointer, %arguments ; %v = load %a ; select %mask, %v, %other
//
// Accesses at offsets from one pointer (amdg) are buffer instructions: a descriptor in scalar
// registers and a 32-bit offset of each thread. A read beyond the descriptor's number of bytes
// gives zero, and a write there does nothing, so a mask is a selection of the offset.
//
//   %d = make.buffer.rsrc %pointer, 2^31 ; %v = raw.ptr.buffer.load %d, select(%mask, %offset,
//   2^31)
//===----------------------------------------------------------------------===//
#include "Intrinsics.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIRToLLIR/PlainAccess.h"
#include "tessera/Target/AMD/TargetInfo.h"
#include "mlir/IR/Matchers.h"

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

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The bytes that a descriptor reaches, and the offset of a masked-off access. A sum of this offset
/// and the constant in an instruction is out of range as well.
static constexpr int64_t kBufferBytes = int64_t(1) << 31;

/// Returns the operands of a buffer instruction: descriptor, offset, scalar offset, cache policy.
static SmallVector<Value> emitBufferOperands(OpBuilder &b, Location loc, const MemoryAccess &access,
                                             const AmdSpec::Buffers &buffers, unsigned policy) {
  auto descriptorType = LLVM::LLVMPointerType::get(b.getContext(), AmdSpec::bufferSpace);
  Value stride = LLVM::ConstantOp::create(b, loc, b.getI16Type(), b.getI16IntegerAttr(0));
  Value bytes = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(kBufferBytes));
  Value flags = constantI32(b, loc, int32_t(buffers.flags));
  Value descriptor = emitIntrinsic(b, loc, "make.buffer.rsrc", descriptorType,
                                   {access.pointer, stride, bytes, flags});
  Value offset =
      LLVM::MulOp::create(b, loc, access.offset, constantI32(b, loc, bytesOf(access.elementType)));
  if (access.predicate)
    offset = LLVM::SelectOp::create(b, loc, access.predicate, offset,
                                    constantI32(b, loc, int32_t(kBufferBytes)));
  return {descriptor, offset, constantI32(b, loc, 0), constantI32(b, loc, policy)};
}

/// The type in which a buffer instruction moves so many bytes.
static Type bufferType(OpBuilder &b, unsigned bytes) {
  if (bytes <= 4)
    return b.getIntegerType(8 * bytes);
  return VectorType::get(bytes / 4, b.getI32Type());
}

static Value castTo(OpBuilder &b, Location loc, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}

static bool areZeros(ValueRange values) {
  return llvm::all_of(values, [](Value value) {
    return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
  });
}

/// Requires: no pointers.
static SmallVector<Value> loadFromBuffer(OpBuilder &b, Location loc, const MemoryAccess &access,
                                         ValueRange other, const AmdSpec::Buffers &buffers) {
  Type type = loadedType(b, access);
  unsigned policy = isNonTemporal(access.hints) ? buffers.streamingLoad : 0;
  Value loaded = emitIntrinsic(b, loc, "raw.ptr.buffer.load", bufferType(b, bytesOf(type)),
                               emitBufferOperands(b, loc, access, buffers, policy));
  loaded = castTo(b, loc, type, loaded);
  // A masked-off access has read zeros.
  return access.predicate && !areZeros(other) ? selectLoaded(b, loc, access, loaded, other)
                                              : unpackLoaded(b, loc, access, loaded);
}

static void storeToBuffer(OpBuilder &b, Location loc, const MemoryAccess &access, ValueRange values,
                          const AmdSpec::Buffers &buffers) {
  Value stored = packPlain(b, loc, access, values);
  unsigned policy = isNonTemporal(access.hints) ? buffers.streamingStore : 0;
  SmallVector<Value> operands = {castTo(b, loc, bufferType(b, bytesOf(stored.getType())), stored)};
  llvm::append_range(operands, emitBufferOperands(b, loc, access, buffers, policy));
  emitIntrinsic(b, loc, "raw.ptr.buffer.store", {}, operands);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

SmallVector<Value> AmdTargetInfo::load(OpBuilder &b, Location loc, const MemoryAccess &access,
                                       ValueRange other) const {
  if (access.offset)
    return loadFromBuffer(b, loc, access, other, spec.buffers);
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
  if (access.offset)
    return storeToBuffer(b, loc, access, values, spec.buffers);
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

/// CDNA4's ds_read_b64_tr: each lane gets 8 bytes.
SmallVector<Value> AmdTargetInfo::loadColumns(OpBuilder &b, Location loc, Value part,
                                              unsigned elementBits) const {
  auto words = VectorType::get(2, b.getI32Type());
  Type type = elementBits == 16 ? VectorType::get(4, b.getI16Type()) : words;
  Value loaded =
      castTo(b, loc, words,
             emitIntrinsic(b, loc, elementBits == 16 ? "ds.read.tr16.b64" : "ds.read.tr8.b64", type,
                           part));
  SmallVector<Value> result;
  for (unsigned i = 0; i < 2; ++i)
    result.push_back(LLVM::ExtractElementOp::create(b, loc, loaded, constantI32(b, loc, i)));
  return result;
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
