//===- LowerMemory.cpp - loads and stores through pointers ----------------===//
// A thread's elements are accessed in vectors as wide as the op's attribute
// says (ttg-assign-access-width proved that the addresses are consecutive and
// aligned and that one mask bit serves them all).
//
//   before: %v = tt.load %p, %m {ttg.access = array<i32: 0, 4>}   8 registers
//   after:  two accesses of 4 elements, each with one predicate
//
// Where a mask may end inside a vector (`ttg.prefix_mask`), a thread whose vectors are each
// masked in or out as a whole takes one branch and moves vectors; any other moves single elements:
//
//   before: tt.store %p, %v, %m {ttg.access = array<i32: 0, 4>, ttg.prefix_mask}
//   after:  if (m[0] == m[3] && m[4] == m[7]) two accesses of 4; else eight accesses of 1
//
// Replicated data: registers that hold the same element are accessed once;
// loads are repeated by every thread that needs them, stores are done by one.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/TTGIR/Transforms/AccessWidth.h"
#include "tessera/TTGIR/Transforms/RegisterVectors.h"

using namespace mlir;
using namespace tessera;

namespace {
/// How a load or store of a value is cut into accesses.
struct AccessPlan {
  RegisterVectors registers;
  unsigned width = 1;
  bool hasPrefixMask = false; // the mask may end inside a vector
  unsigned numThreads = 1;
  uint64_t replicatedThreads = 0; // bits of the thread id that change nothing
  uint64_t replicatedBlocks = 0;  // and of the block's number in its cluster
};
} // namespace

static AccessPlan planAccess(Operation *op, Type pointerType) {
  AccessPlan plan;
  auto tensor = dyn_cast<RankedTensorType>(pointerType);
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

/// Bools take a byte in memory.
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

/// The same registers as vectors of one element.
static RegisterVectors inSingles(const RegisterVectors &registers) {
  RegisterVectors singles{{}, registers.holder};
  for (ArrayRef<unsigned> vector : registers.vectors)
    for (unsigned reg : vector)
      singles.vectors.push_back({reg});
  return singles;
}

using EmitAccesses = llvm::function_ref<SmallVector<Value>(const RegisterVectors &, unsigned)>;

/// Emits the accesses of a plan: in vectors, or where the masks may end inside vectors in a
/// branch with vectors and one with single elements. Gives the values that they load.
static SmallVector<Value> emitAccesses(ConversionPatternRewriter &b, Location loc,
                                       const AccessPlan &plan, ValueRange masks,
                                       EmitAccesses emit) {
  bool mayEndInVector = plan.hasPrefixMask && !masks.empty() && plan.width > 1;
  Value isWhole = mayEndInVector ? emitIsWhole(b, loc, plan.registers, masks) : Value();
  if (!isWhole)
    return emit(plan.registers, plan.width);

  Block *before = b.getInsertionBlock();
  Block *after = b.splitBlock(before, b.getInsertionPoint());
  Block *whole = b.createBlock(before->getParent(), after->getIterator());
  Block *single = b.createBlock(before->getParent(), after->getIterator());
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, isWhole, whole, single);
  b.setInsertionPointToEnd(whole);
  SmallVector<Value> inVectors = emit(plan.registers, plan.width);
  LLVM::BrOp::create(b, loc, inVectors, after);
  b.setInsertionPointToEnd(single);
  LLVM::BrOp::create(b, loc, emit(inSingles(plan.registers), 1), after);
  for (Value value : inVectors)
    after->addArgument(value.getType(), loc);
  b.setInsertionPointToStart(after);
  return SmallVector<Value>(after->getArguments());
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
  ValueRange pointers, masks, others;

  /// One value per vector's element, in the order of the vectors.
  SmallVector<Value> emit(const RegisterVectors &registers, unsigned width) {
    SmallVector<Value> loaded;
    // Elements with one address (of a broadcast) are read once.
    DenseMap<std::tuple<Value, Value, Value>, Value> known;
    for (ArrayRef<unsigned> vector : registers.vectors) {
      unsigned first = vector.front();
      Value mask = masks.empty() ? Value() : simplifyPredicate(masks[first]);
      Value *seen = nullptr;
      if (width == 1 && !hints.isVolatile) {
        seen = &known[{pointers[first], mask, others.empty() ? Value() : others[first]}];
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
    SmallVector<Value> values =
        target.load(b, loc, {pointers[vector.front()], memoryType, width, mask, hints}, other);
    for (Value &value : values)
      value = fromMemory(b, loc, value, type);
    return values;
  }
};

struct LoadLowering : Lowering<tt::LoadOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::LoadOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type element = getElementTypeOrSelf(op.getType());
    Type type = types.convertType(element), memoryType = types.memoryType(element);
    AccessHints hints{op.getCache(), op.getEvict(), op.getIsVolatile()};
    if (!type || !memoryType)
      return emitUnsupported(op) << "load of " << element << " values";
    if (failed(target.checkHints(op, hints, /*isStore=*/false)))
      return failure();

    AccessPlan plan = planAccess(op, op.getPtr().getType());
    LoadEmitter emitter{b,
                        op.getLoc(),
                        target,
                        type,
                        memoryType,
                        hints,
                        operands.getPtr(),
                        operands.getMask(),
                        operands.getOther()};
    SmallVector<Value> inOrder =
        emitAccesses(b, op.getLoc(), plan, operands.getMask(),
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
    return replaceWith(b, op, results);
  }
};

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

struct StoreLowering : Lowering<tt::StoreOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::StoreOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type element = getElementTypeOrSelf(op.getValue().getType());
    Type memoryType = types.memoryType(element);
    AccessHints hints{op.getCache(), op.getEvict(), /*isVolatile=*/false};
    if (!memoryType)
      return emitUnsupported(op) << "store of " << element << " values";
    if (failed(target.checkHints(op, hints, /*isStore=*/true)))
      return failure();

    Location loc = op.getLoc();
    AccessPlan plan = planAccess(op, op.getPtr().getType());
    ValueRange pointers = operands.getPtr(), masks = operands.getMask();
    Value representative = emitIsRepresentative(b, loc, target, plan.numThreads,
                                                plan.replicatedThreads, plan.replicatedBlocks);
    emitAccesses(b, loc, plan, masks, [&](const RegisterVectors &registers, unsigned width) {
      for (ArrayRef<unsigned> vector : registers.vectors) {
        unsigned first = vector.front();
        Value mask = masks.empty() ? Value() : simplifyPredicate(masks[first]);
        SmallVector<Value> values;
        for (unsigned reg : vector)
          values.push_back(toMemory(b, loc, operands.getValue()[reg], memoryType));
        Value predicate = emitBoth(b, loc, mask, representative);
        target.store(b, loc, {pointers[first], memoryType, width, predicate, hints}, values);
      }
      return SmallVector<Value>();
    });
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void tessera::populateMemoryPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                     const TargetInfo &target) {
  patterns.add<LoadLowering, StoreLowering>(types, target);
}
