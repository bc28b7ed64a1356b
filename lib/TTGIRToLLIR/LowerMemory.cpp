//===- LowerMemory.cpp - lower loads and stores through pointers ----------===//
// A thread's elements are accessed in vectors of the width in the op's attribute
// (ttg-assign-access-width has proved that their addresses are consecutive and aligned, and that
// they have the same mask bit).
//
//   before: %v = tt.load %p, %m {ttg.access = array<i32: 0, 4>}   8 registers
//   after:  two accesses of 4 elements, each with one predicate
//
// If a mask may end inside a vector (`ttg.prefix_mask`), a thread with such a vector accesses
// single elements:
//
//   before: tt.store %p, %v, %m {ttg.access = array<i32: 0, 4>, ttg.prefix_mask}
//   after:  if (m[0] == m[3] && m[4] == m[7]) two accesses of 4; else eight accesses of 1
//
//   before: tt.load %p, %m {ttg.access = array<i32: 0, 4>, ttg.prefix_mask}
//   after:  two accesses of 4; if (m[0] != m[3] || m[4] != m[7]) eight accesses of 1 instead
//
// The vectors of a load come before the branch, and their 32-bit words are taken apart behind it:
// so one load need not wait for what another one, with a branch of its own, brings.
//
// Registers of a thread that hold the same element are accessed once. If several threads hold an
// element, all of them load it, and one of them stores it.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/TTGIR/Transforms/AccessWidth.h"
#include "tessera/TTGIR/Transforms/RegisterVectors.h"
#include "tessera/TTGIRToLLIR/MemoryLowering.h"

using namespace mlir;
using namespace tessera;

namespace {
/// The accesses of a load or a store.
struct AccessPlan {
  RegisterVectors registers;
  unsigned width = 1;
  bool hasPrefixMask = false; // the mask may end inside a vector
  unsigned numThreads = 1;
  uint64_t replicatedThreads = 0; // bits of the thread id that only select copies
  uint64_t replicatedBlocks = 0;  // and those of the CTA's index in its cluster
};
} // namespace

static AccessPlan planAccess(Operation *op, Type addressType) {
  AccessPlan plan;
  auto tensor = dyn_cast<RankedTensorType>(addressType);
  if (!tensor) { // a scalar: one element, the same for all threads
    plan.registers = {{{0}}, {0}};
    auto module = op->getParentOfType<ModuleOp>();
    plan.numThreads =
        ttg::lookupNumWarps(op).value_or(ttg::getNumWarps(module)) * ttg::getThreadsPerWarp(module);
    plan.replicatedThreads = plan.numThreads - 1;
    plan.replicatedBlocks = ttg::getNumCTAs(module) - 1;
    return plan;
  }
  LinearLayout layout = ttg::toLinearLayout(tensor);
  AccessWidth allowed = getAccessWidth(op);
  VectorAccess access = vectorAlong(layout, allowed.dim, allowed.width);
  plan.width = access.width;
  plan.hasPrefixMask = op->hasAttr(kPrefixMaskAttr);
  plan.registers = groupRegisters(layout, access.registerBits);
  plan.numThreads = threadCount(layout);
  plan.replicatedThreads = replicatedThreadBits(layout);
  plan.replicatedBlocks = replicatedBlockBits(layout);
  return plan;
}

Value tessera::simplifyPredicate(Value mask) {
  auto constant = mask ? mask.getDefiningOp<LLVM::ConstantOp>() : LLVM::ConstantOp();
  if (constant && matchPattern(constant.getResult(), m_One()))
    return {};
  return mask;
}

Value tessera::emitBoth(OpBuilder &b, Location loc, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return LLVM::AndOp::create(b, loc, x, y);
}

/// Converts a value to its type in memory, where a bool takes a byte.
static Value toMemory(OpBuilder &b, Location loc, Value value, Type memoryType) {
  if (value.getType() == memoryType)
    return value;
  return LLVM::ZExtOp::create(b, loc, memoryType, value);
}

static Value fromMemory(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  Value zero = LLVM::ConstantOp::create(b, loc, value.getType(), 0);
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, value, zero);
}

//===----------------------------------------------------------------------===//
// Masks that end inside a vector
//===----------------------------------------------------------------------===//

/// Emits the condition that each vector's mask is all true or all false; null if it always is. A
/// prefix mask is uniform if its first and last bit are equal.
static Value emitIsWhole(OpBuilder &b, Location loc, const RegisterVectors &registers,
                         ValueRange masks) {
  llvm::SetVector<std::pair<Value, Value>> ends;
  for (ArrayRef<unsigned> vector : registers.vectors)
    if (masks[vector.front()] != masks[vector.back()])
      ends.insert({masks[vector.front()], masks[vector.back()]});
  Value all;
  for (auto [first, last] : ends)
    all = emitBoth(b, loc, all, LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, first, last));
  return all;
}

/// Returns the same registers as vectors of one element.
static RegisterVectors inSingles(const RegisterVectors &registers) {
  RegisterVectors singles{{}, registers.holder};
  for (ArrayRef<unsigned> vector : registers.vectors)
    for (unsigned reg : vector)
      singles.vectors.push_back({reg});
  return singles;
}

using EmitAccesses = llvm::function_ref<SmallVector<Value>(const RegisterVectors &, unsigned)>;

/// The condition that no mask ends inside a vector; null if that is known.
static Value emitIsWhole(OpBuilder &b, Location loc, const AccessPlan &plan, ValueRange masks) {
  bool mayEndInVector = plan.hasPrefixMask && !masks.empty() && plan.width > 1;
  return mayEndInVector ? emitIsWhole(b, loc, plan.registers, masks) : Value();
}

/// Packs vectors of elements of 8 or 16 bits into words, if they fill some.
static SmallVector<Value> packWords(OpBuilder &b, Location loc, ArrayRef<Value> elements,
                                    unsigned width) {
  constexpr unsigned wordBits = 32;
  Type element = elements.front().getType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : wordBits;
  if (bits < 8 || bits >= wordBits || width * bits % wordBits)
    return SmallVector<Value>(elements);
  auto type = VectorType::get(wordBits / bits, element);
  SmallVector<Value> words;
  for (size_t first = 0; first < elements.size(); first += type.getNumElements()) {
    Value vector = LLVM::PoisonOp::create(b, loc, type);
    for (auto [i, value] : llvm::enumerate(elements.slice(first, type.getNumElements())))
      vector = LLVM::InsertElementOp::create(b, loc, vector, value,
                                             LLVM::ConstantOp::create(b, loc, b.getI32Type(), i));
    words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), vector));
  }
  return words;
}

static SmallVector<Value> unpackWords(OpBuilder &b, Location loc, ValueRange words, Type element,
                                      size_t count) {
  if (words.size() == count)
    return SmallVector<Value>(words);
  auto type = VectorType::get(count / words.size(), element);
  SmallVector<Value> elements;
  for (Value word : words) {
    Value vector = LLVM::BitcastOp::create(b, loc, type, word);
    for (int64_t i : llvm::seq(type.getNumElements()))
      elements.push_back(LLVM::ExtractElementOp::create(
          b, loc, vector, LLVM::ConstantOp::create(b, loc, b.getI32Type(), i)));
  }
  return elements;
}

/// Emits the loads of a plan. Returns the loaded values.
static SmallVector<Value> emitLoads(ConversionPatternRewriter &b, Location loc,
                                    const AccessPlan &plan, ValueRange masks, EmitAccesses emit) {
  Value isWhole = emitIsWhole(b, loc, plan, masks);
  SmallVector<Value> inVectors = emit(plan.registers, plan.width);
  if (!isWhole)
    return inVectors;

  SmallVector<Value> words = packWords(b, loc, inVectors, plan.width);
  Block *before = b.getInsertionBlock();
  Block *after = b.splitBlock(before, b.getInsertionPoint());
  Block *single = b.createBlock(before->getParent(), after->getIterator());
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, isWhole, after, words, single, ValueRange());
  b.setInsertionPointToEnd(single);
  SmallVector<Value> inSingleOnes = emit(inSingles(plan.registers), 1);
  LLVM::BrOp::create(b, loc, packWords(b, loc, inSingleOnes, plan.width), after);
  for (Value word : words)
    after->addArgument(word.getType(), loc);
  b.setInsertionPointToStart(after);
  return unpackWords(b, loc, after->getArguments(), inVectors.front().getType(), inVectors.size());
}

/// Emits the stores of a plan: vectors, or, if masks may end inside vectors, a branch with vectors
/// and one with single elements.
static void emitStores(ConversionPatternRewriter &b, Location loc, const AccessPlan &plan,
                       ValueRange masks,
                       llvm::function_ref<void(const RegisterVectors &, unsigned)> emit) {
  Value isWhole = emitIsWhole(b, loc, plan, masks);
  if (!isWhole)
    return emit(plan.registers, plan.width);
  Block *before = b.getInsertionBlock();
  Block *after = b.splitBlock(before, b.getInsertionPoint());
  Block *whole = b.createBlock(before->getParent(), after->getIterator());
  Block *single = b.createBlock(before->getParent(), after->getIterator());
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, isWhole, whole, single);
  b.setInsertionPointToEnd(whole);
  emit(plan.registers, plan.width);
  LLVM::BrOp::create(b, loc, ValueRange(), after);
  b.setInsertionPointToEnd(single);
  emit(inSingles(plan.registers), 1);
  LLVM::BrOp::create(b, loc, ValueRange(), after);
  b.setInsertionPointToStart(after);
}

/// The access of one vector at the address of its first element.
static MemoryAccess accessAt(const ElementAddresses &addresses, unsigned first, Type memoryType,
                             unsigned width, Value predicate, const AccessHints &hints) {
  Value address = addresses.values[first];
  if (addresses.base)
    return {addresses.base, memoryType, width, predicate, hints, address};
  return {address, memoryType, width, predicate, hints};
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {

/// Emits the accesses of one load.
struct LoadEmitter {
  OpBuilder &b;
  Location loc;
  const TargetInfo &target;
  Type type, memoryType; // of an element in a register and in memory
  AccessHints hints;
  ElementAddresses addresses;
  ValueRange masks, others;

  /// Returns one value for each element of each vector, in the order of the vectors.
  SmallVector<Value> emit(const RegisterVectors &registers, unsigned width) {
    SmallVector<Value> loaded;
    // Elements with one address (of a broadcast) are read once.
    DenseMap<std::tuple<Value, Value, Value>, Value> known;
    for (ArrayRef<unsigned> vector : registers.vectors) {
      unsigned first = vector.front();
      // A prefix of true bits is a whole vector if the last one is true.
      Value mask = masks.empty() ? Value() : simplifyPredicate(masks[vector.back()]);
      Value *seen = nullptr;
      if (width == 1 && !hints.isVolatile) {
        seen = &known[{addresses.values[first], mask, others.empty() ? Value() : others[first]}];
        if (*seen) {
          loaded.push_back(*seen);
          continue;
        }
      }
      llvm::append_range(loaded, emitVector(vector, width, mask));
      if (seen)
        *seen = loaded.back();
    }
    return loaded;
  }

private:
  SmallVector<Value> emitVector(ArrayRef<unsigned> vector, unsigned width, Value mask) {
    SmallVector<Value> other;
    if (!others.empty() && mask)
      for (unsigned reg : vector)
        other.push_back(toMemory(b, loc, others[reg], memoryType));
    SmallVector<Value> values = target.load(
        b, loc, accessAt(addresses, vector.front(), memoryType, width, mask, hints), other);
    for (Value &value : values)
      value = fromMemory(b, loc, value, type);
    return values;
  }
};

} // namespace

FailureOr<SmallVector<Value>>
tessera::emitTensorLoad(ConversionPatternRewriter &b, Operation *op, Type element,
                        const ElementAddresses &addresses, ValueRange masks, ValueRange others,
                        const AccessHints &hints, const TTGIRTypeConverter &types,
                        const TargetInfo &target) {
  Type type = types.convertType(element), memoryType = types.memoryType(element);
  if (!type || !memoryType)
    return emitUnsupported(op) << "load of " << element << " values";
  if (failed(target.checkHints(op, hints, /*isStore=*/false)))
    return failure();

  AccessPlan plan = planAccess(op, addresses.type);
  LoadEmitter emitter{b, op->getLoc(), target, type, memoryType, hints, addresses, masks, others};
  SmallVector<Value> inOrder = emitLoads(b, op->getLoc(), plan, masks,
                                         [&](const RegisterVectors &registers, unsigned width) {
                                           return emitter.emit(registers, width);
                                         });
  SmallVector<Value> loaded(plan.registers.holder.size());
  auto next = inOrder.begin();
  for (ArrayRef<unsigned> vector : plan.registers.vectors)
    for (unsigned reg : vector)
      loaded[reg] = *next++;
  SmallVector<Value> results;
  for (unsigned holder : plan.registers.holder)
    results.push_back(loaded[holder]);
  return results;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

LogicalResult tessera::emitTensorStore(ConversionPatternRewriter &b, Operation *op, Type element,
                                       const ElementAddresses &addresses, ValueRange masks,
                                       ValueRange stored, const AccessHints &hints,
                                       const TTGIRTypeConverter &types, const TargetInfo &target) {
  Type memoryType = types.memoryType(element);
  if (!memoryType)
    return emitUnsupported(op) << "store of " << element << " values";
  if (failed(target.checkHints(op, hints, /*isStore=*/true)))
    return failure();

  Location loc = op->getLoc();
  AccessPlan plan = planAccess(op, addresses.type);
  Value representative = emitIsRepresentative(b, loc, target, plan.numThreads,
                                              plan.replicatedThreads, plan.replicatedBlocks);
  emitStores(b, loc, plan, masks, [&](const RegisterVectors &registers, unsigned width) {
    for (ArrayRef<unsigned> vector : registers.vectors) {
      unsigned first = vector.front();
      Value mask = masks.empty() ? Value() : simplifyPredicate(masks[first]);
      SmallVector<Value> values;
      for (unsigned reg : vector)
        values.push_back(toMemory(b, loc, stored[reg], memoryType));
      Value predicate = emitBoth(b, loc, mask, representative);
      target.store(b, loc, accessAt(addresses, first, memoryType, width, predicate, hints), values);
    }
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

struct LoadLowering : Lowering<tt::LoadOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::LoadOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    FailureOr<SmallVector<Value>> loaded = emitTensorLoad(
        b, op, getElementTypeOrSelf(op.getType()), {op.getPtr().getType(), operands.getPtr()},
        operands.getMask(), operands.getOther(), {op.getCache(), op.getEvict(), op.getIsVolatile()},
        types, target);
    return succeeded(loaded) ? replaceWith(b, op, *loaded) : failure();
  }
};

struct StoreLowering : Lowering<tt::StoreOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::StoreOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    if (failed(emitTensorStore(
            b, op, getElementTypeOrSelf(op.getValue().getType()),
            {op.getPtr().getType(), operands.getPtr()}, operands.getMask(), operands.getValue(),
            {op.getCache(), op.getEvict(), /*isVolatile=*/false}, types, target)))
      return failure();
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void tessera::populateMemoryPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                     const TargetInfo &target) {
  patterns.add<LoadLowering, StoreLowering>(types, target);
}
