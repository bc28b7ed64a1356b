//===- SharedAccess.cpp - emit planned accesses of shared memory ----------===//
// See SharedAccess.h. Elements smaller than 32 bits are moved in words of 32 bits: matrix
// instructions take and return words, and vectors of words are loaded best.
//===----------------------------------------------------------------------===//
#include "SharedAccess.h"
#include "LayoutIndices.h"
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static SmallVector<PaddingInterval> paddingOf(ttg::MemDescType type) {
  auto padded = dyn_cast<ttg::PaddedSharedEncodingAttr>(type.getEncoding());
  return padded ? padded.getPaddingIntervals() : SmallVector<PaddingInterval>();
}

unsigned tessera::memoryBytes(Type element) {
  return std::max(1u, tt::getElementBits(element) / 8);
}

/// Returns the offset bits in which the views of a buffer with this shape differ.
static uint64_t partBits(ttg::MemDescType type) {
  if (!type.isSubview())
    return 0;
  LinearLayout layout = ttg::toLinearLayout(type);
  std::optional<LinearLayout> offsets = layout.pseudoinvert();
  ArrayRef<int64_t> shape = type.getShape().take_back(layout.outs().size());
  uint64_t bits = 0;
  if (!offsets)
    return ~uint64_t(0);
  for (auto [dim, size] : llvm::enumerate(shape))
    for (uint64_t step = size; step < layout.outSize(Dim::axis(dim)); step *= 2)
      bits |= offsets->apply({{Dim::axis(dim), step}}, Dim::offset());
  return bits;
}

SharedBuffer tessera::describeBuffer(ttg::MemDescType type, ValueRange lowered) {
  SharedBuffer buffer;
  buffer.start = lowered[0];
  buffer.partBits = partBits(type);
  if (buffer.partBits != 0)
    buffer.part = lowered[1];
  buffer.bytes = memoryBytes(type.getElementType());
  buffer.padding = paddingOf(type);
  return buffer;
}

static Value emitByteOffset(OpBuilder &b, Location loc, Value pointer, LLVM::GEPArg offset) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, offset,
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value tessera::emitSharedBase(OpBuilder &b, Location loc, const TargetInfo &target,
                              unsigned offset) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), target.sharedAddressSpace());
  Value base = LLVM::AddressOfOp::create(b, loc, pointer, kSharedMemorySymbol);
  return offset == 0 ? base : emitByteOffset(b, loc, base, static_cast<int32_t>(offset));
}

unsigned tessera::unpaddedBits(const SharedBuffer &buffer, unsigned limit) {
  uint64_t bits = limit;
  for (const PaddingInterval &padding : buffer.padding)
    bits = std::min(bits, std::min(padding.interval, padding.padding) * buffer.bytes * 8);
  return bits;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

SharedAddresses::SharedAddresses(OpBuilder &b, Location loc, const TargetInfo &target,
                                 const SharedBuffer &buffer, ArrayRef<uint64_t> threadBases)
    : start(buffer.start), bytes(buffer.bytes) {
  for (const PaddingInterval &interval : buffer.padding)
    padding.push_back({interval.interval * bytes, interval.padding * bytes});

  SmallVector<uint64_t> bases;
  for (uint64_t basis : threadBases)
    bases.push_back(basis * bytes);
  KnownBits32 part;
  if (llvm::any_of(bases, [](uint64_t basis) { return basis != 0; }))
    part = emitLinear(b, loc, target.threadId(b, loc, 1u << bases.size()), bases);
  if (buffer.part) {
    Value shift = constantI32(b, loc, llvm::Log2_32(bytes));
    Value inBytes = bytes == 1 ? buffer.part : LLVM::ShlOp::create(b, loc, buffer.part, shift);
    part = emitJoined(b, loc, part, {inBytes, buffer.partBits * bytes});
  }
  threadPart = part.value;
  possible = part.possible;
}

/// Emits a byte offset with its padding added.
static Value emitPadded(OpBuilder &b, Location loc, Value offset,
                        ArrayRef<PaddingInterval> padding) {
  Value result = offset;
  for (const PaddingInterval &p : padding) {
    Value count =
        LLVM::LShrOp::create(b, loc, offset, constantI32(b, loc, llvm::Log2_64(p.interval)));
    Value extra = LLVM::ShlOp::create(b, loc, count, constantI32(b, loc, llvm::Log2_64(p.padding)));
    result = LLVM::AddOp::create(b, loc, result, extra);
  }
  return result;
}

Value SharedAddresses::at(OpBuilder &b, Location loc, uint64_t offset) {
  // Bits that the thread's part cannot have are added, padding and all, since no carry
  // leaves them: (x | y) / n == x / n + y / n for x and y without common bits.
  uint64_t inBytes = offset * bytes, shared = inBytes & possible, own = inBytes & ~possible;
  Value &address = addresses[shared];
  if (!address) {
    address = start;
    if (threadPart) {
      Value part = emitXor(b, loc, {threadPart, possible}, shared);
      address = emitByteOffset(b, loc, start, emitPadded(b, loc, part, padding));
    }
  }
  if (own == 0)
    return address;
  return emitByteOffset(b, loc, address, static_cast<int32_t>(paddedOffset(own, padding)));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static unsigned bitsOf(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  return std::max(8u, type.getIntOrFloatBitWidth());
}

/// Converts a value to its type in memory: an integer of whole bytes, or a float.
static Value toMemory(OpBuilder &b, Location loc, Value value) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  if (value.getType().isInteger(1))
    return LLVM::ZExtOp::create(b, loc, b.getI8Type(), value);
  return value;
}

static Type memoryTypeOf(OpBuilder &b, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return b.getI64Type();
  return type.isInteger(1) ? b.getI8Type() : type;
}

static Value fromMemory(OpBuilder &b, Location loc, Value value, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, loc, type, value);
  if (!type.isInteger(1))
    return value;
  Value zero = LLVM::ConstantOp::create(b, loc, value.getType(), 0);
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, value, zero);
}

/// Returns the only value, or a vector of several.
static Value emitVector(OpBuilder &b, Location loc, ArrayRef<Value> values) {
  if (values.size() == 1)
    return values[0];
  auto type = VectorType::get(values.size(), values[0].getType());
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(b, loc, vector, value, constantI32(b, loc, i));
  return vector;
}

static SmallVector<Value> splitVector(OpBuilder &b, Location loc, Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return {vector};
  SmallVector<Value> values;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    values.push_back(LLVM::ExtractElementOp::create(b, loc, vector, constantI32(b, loc, i)));
  return values;
}

Value tessera::packWord(OpBuilder &b, Location loc, ArrayRef<Value> elements) {
  if (elements.size() == 1)
    return elements[0];
  Value vector = emitVector(b, loc, elements);
  unsigned bits = elements.size() * bitsOf(elements[0].getType());
  return LLVM::BitcastOp::create(b, loc, b.getIntegerType(bits), vector);
}

/// Packs elements of less than 32 bits into words if there are enough of them.
static SmallVector<Value> packWords(OpBuilder &b, Location loc, ArrayRef<Value> elements) {
  size_t perWord = 32 / bitsOf(elements[0].getType());
  if (perWord <= 1 || elements.size() < perWord)
    return SmallVector<Value>(elements);
  SmallVector<Value> words;
  for (size_t first = 0; first < elements.size(); first += perWord)
    words.push_back(packWord(b, loc, elements.slice(first, perWord)));
  return words;
}

SmallVector<Value> tessera::unpackWords(OpBuilder &b, Location loc, ArrayRef<Value> words,
                                        Type elementType) {
  SmallVector<Value> elements;
  for (Value word : words) {
    unsigned perWord = bitsOf(word.getType()) / bitsOf(elementType);
    if (perWord > 1)
      word = LLVM::BitcastOp::create(b, loc, VectorType::get(perWord, elementType), word);
    else if (word.getType() != elementType)
      word = LLVM::BitcastOp::create(b, loc, elementType, word);
    elements.append(splitVector(b, loc, word));
  }
  return elements;
}

/// Emits one vector load, of words or, if they do not fill a word, of elements.
static SmallVector<Value> loadVector(OpBuilder &b, Location loc, Value address, unsigned width,
                                     Type elementType) {
  unsigned bits = bitsOf(elementType) * width;
  bool asWords = bitsOf(elementType) < 32 && bits >= 32;
  Type unit = asWords ? b.getI32Type() : elementType;
  unsigned count = asWords ? bits / 32 : width;
  Type type = count == 1 ? unit : VectorType::get(count, unit);
  Value loaded = LLVM::LoadOp::create(b, loc, type, address, /*alignment=*/bits / 8);
  return splitVector(b, loc, loaded);
}

/// Emits one access of the plan, which returns words or, if they do not fill a word, elements.
static SmallVector<Value> loadWords(OpBuilder &b, Location loc, const TargetInfo &target,
                                    const SharedAccessPlan &plan, Value address, Type elementType) {
  unsigned words = plan.width * bitsOf(elementType) / 32;
  switch (plan.instruction) {
  case SharedInstruction::Vector:
    return loadVector(b, loc, address, plan.width, elementType);
  case SharedInstruction::Columns:
    return target.loadColumns(b, loc, address, bitsOf(elementType));
  case SharedInstruction::Matrix:
    return target.loadMatrices(b, loc, address, words, /*transposed=*/false);
  case SharedInstruction::MatrixTransposed:
    return target.loadMatrices(b, loc, address, words, /*transposed=*/true);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

SmallVector<Value> tessera::emitSharedLoads(OpBuilder &b, Location loc, const TargetInfo &target,
                                            const SharedBuffer &buffer,
                                            const SharedAccessPlan &plan, Type elementType) {
  SharedAddresses addresses(b, loc, target, buffer, plan.threadBases);
  Type memoryType = memoryTypeOf(b, elementType);
  SmallVector<Value> loaded(plan.holder.size());
  for (const SharedAccess &access : plan.accesses) {
    Value address = addresses.at(b, loc, access.offset);
    SmallVector<Value> words = loadWords(b, loc, target, plan, address, memoryType);
    SmallVector<Value> elements = unpackWords(b, loc, words, memoryType);
    for (auto [reg, element] : llvm::zip_equal(access.registers, elements))
      loaded[reg] = fromMemory(b, loc, element, elementType);
  }
  SmallVector<Value> results;
  for (unsigned holder : plan.holder)
    results.push_back(loaded[holder]);
  return results;
}

void tessera::emitSharedStores(OpBuilder &b, Location loc, const TargetInfo &target,
                               const SharedBuffer &buffer, const SharedAccessPlan &plan,
                               ValueRange values) {
  SharedAddresses addresses(b, loc, target, buffer, plan.threadBases);
  for (const SharedAccess &access : plan.accesses) {
    SmallVector<Value> elements;
    for (unsigned reg : access.registers)
      elements.push_back(toMemory(b, loc, values[reg]));
    SmallVector<Value> words = packWords(b, loc, elements);
    Value address = addresses.at(b, loc, access.offset);
    if (plan.instruction == SharedInstruction::Vector) {
      unsigned bytes = plan.width * buffer.bytes;
      LLVM::StoreOp::create(b, loc, emitVector(b, loc, words), address, /*alignment=*/bytes);
      continue;
    }
    for (Value &word : words)
      if (!word.getType().isInteger(32))
        word = LLVM::BitcastOp::create(b, loc, b.getI32Type(), word);
    target.storeMatrices(b, loc, address, words,
                         plan.instruction == SharedInstruction::MatrixTransposed);
  }
}

SmallVector<Value> tessera::emitClusterLoads(OpBuilder &b, Location loc, const TargetInfo &target,
                                             const SharedBuffer &buffer,
                                             const SharedAccessPlan &plan,
                                             const ClusterReads &reads, Type elementType) {
  Type memoryType = memoryTypeOf(b, elementType);
  KnownBits32 part;
  if (plan.threadBits() != 0)
    part = emitLinear(b, loc, target.threadId(b, loc, 1u << plan.threadBases.size()),
                      plan.threadBases);
  part = emitJoined(b, loc, part, emitLinear(b, loc, reads.block, reads.blockBases));

  Value inBuffer = constantI32(b, loc, (uint64_t(1) << reads.offsetBits) - 1);
  SmallVector<Value> loaded(plan.holder.size());
  for (const SharedAccess &access : plan.accesses) {
    Value place = emitXor(b, loc, part, access.offset);
    Value offset = LLVM::AndOp::create(b, loc, place, inBuffer);
    Value bytes = LLVM::MulOp::create(b, loc, offset, constantI32(b, loc, buffer.bytes));
    Value owner = LLVM::LShrOp::create(b, loc, place, constantI32(b, loc, reads.offsetBits));
    Value address =
        target.addressInCluster(b, loc, emitByteOffset(b, loc, buffer.start, bytes), owner);
    SmallVector<Value> elements =
        unpackWords(b, loc, loadVector(b, loc, address, plan.width, memoryType), memoryType);
    for (auto [reg, element] : llvm::zip_equal(access.registers, elements))
      loaded[reg] = fromMemory(b, loc, element, elementType);
  }
  SmallVector<Value> results;
  for (unsigned holder : plan.holder)
    results.push_back(loaded[holder]);
  return results;
}
