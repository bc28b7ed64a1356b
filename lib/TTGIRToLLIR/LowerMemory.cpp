//===- LowerMemory.cpp - loads and stores through pointers ----------------===//
// A thread's elements are accessed in vectors as wide as the op's attribute
// says (ttg-assign-access-width proved that the addresses are consecutive and
// aligned and that one mask bit serves them all).
//
//   before: %v = tt.load %p, %m {ttg.access = array<i32: 0, 4>}   8 registers
//   after:  two accesses of 4 elements, each with one predicate
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

namespace {

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

    Location loc = op.getLoc();
    AccessPlan plan = planAccess(op, op.getPtr().getType());
    ValueRange pointers = operands.getPtr(), masks = operands.getMask(),
               others = operands.getOther();
    SmallVector<Value> loaded(plan.registers.holder.size());
    // Elements with one address (of a broadcast) are read once.
    DenseMap<std::tuple<Value, Value, Value>, Value> known;
    for (ArrayRef<unsigned> vector : plan.registers.vectors) {
      unsigned first = vector.front();
      MemoryAccess access{pointers[first], memoryType, plan.width,
                          masks.empty() ? Value() : simplifyPredicate(masks[first]), hints};
      Value *seen = nullptr;
      if (plan.width == 1 && !hints.isVolatile) {
        seen = &known[{access.pointer, access.predicate, others.empty() ? Value() : others[first]}];
        if (*seen) {
          loaded[first] = *seen;
          continue;
        }
      }
      SmallVector<Value> other;
      if (!others.empty() && access.predicate)
        for (unsigned reg : vector)
          other.push_back(toMemory(b, loc, others[reg], memoryType));
      SmallVector<Value> values = target.load(b, loc, access, other);
      for (auto [reg, value] : llvm::zip_equal(vector, values))
        loaded[reg] = fromMemory(b, loc, value, type);
      if (seen)
        *seen = loaded[first];
    }
    SmallVector<Value> results;
    for (unsigned holder : plan.registers.holder)
      results.push_back(loaded[holder]);
    return replaceWith(b, op, results);
  }
};

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
    for (ArrayRef<unsigned> vector : plan.registers.vectors) {
      unsigned first = vector.front();
      Value mask = masks.empty() ? Value() : simplifyPredicate(masks[first]);
      SmallVector<Value> values;
      for (unsigned reg : vector)
        values.push_back(toMemory(b, loc, operands.getValue()[reg], memoryType));
      target.store(
          b, loc,
          {pointers[first], memoryType, plan.width, emitBoth(b, loc, mask, representative), hints},
          values);
    }
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void tessera::populateMemoryPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                     const TargetInfo &target) {
  patterns.add<LoadLowering, StoreLowering>(types, target);
}
