//===- LowerAtomics.cpp - lower atomic operations -------------------------===//
// Each element is updated once, by one of the threads that hold it; all of them get the previous
// value (AtomicResults.h).
//
//   before: %o = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
//   after:  barrier                      the program's earlier writes are done
//           thread 0: atom.acq_rel.gpu.add, store to scratch
//           barrier                      later accesses come later
//           all: load from scratch
//
// The memory order is that of the program, not of a thread: a release waits for all threads of the
// CTA, and no thread continues before an acquire. One fence orders all elements of a thread; their
// own instructions are then relaxed. This is so even if the old value is not used: a lock may be
// released by an exchange whose result is dropped, and its acquire invalidates the cache lines that
// the lock protects.
//
// Requires: ttg-allocate-shared-memory has given the op an offset if its plan needs one.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "SharedAccess.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/TTGIR/Transforms/AccessWidth.h"
#include "tessera/TTGIR/Transforms/AtomicResults.h"
#include "tessera/TTGIR/Transforms/RegisterVectors.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/TTGIRToLLIR/Branch.h"
#include "tessera/TTIR/IR/MemoryOrder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using tt::acquires;
using tt::MemSemantic;
using tt::releases;

//===----------------------------------------------------------------------===//
// Code that both ops share
//===----------------------------------------------------------------------===//

namespace {

/// Emits an atomic operation, except for the instruction itself.
class AtomicEmitter {
public:
  AtomicEmitter(Operation *op, Value pointer, MemSemantic order, tt::MemSyncScope scope,
                const TTGIRTypeConverter &types, const TargetInfo &target,
                ConversionPatternRewriter &b)
      : op(op), pointerType(pointer.getType()), order(order), scope(scope), types(types),
        target(target), b(b), loc(op->getLoc()), results(planAtomicResults(op)) {
    isRead = !op->getResult(0).use_empty();
    element = getElementTypeOrSelf(op->getResult(0).getType());
  }

  /// Plans vectors of at most `maxWidth` elements.
  void prepare(unsigned maxWidth);

  /// Calls `update(vector, access)`, which returns the old values, for each vector of registers.
  /// Returns them for all registers of this thread.
  using Update = function_ref<SmallVector<Value>(ArrayRef<unsigned>, const AtomicAccess &)>;
  FailureOr<SmallVector<Value>> emit(ValueRange pointers, ValueRange masks, Update update);

private:
  SmallVector<Value> performAll(ValueRange pointers, ValueRange masks, Update update);
  FailureOr<SmallVector<Value>> distribute(SmallVector<Value> old);
  FailureOr<SmallVector<Value>> passThroughSharedMemory(ValueRange old);
  /// Emits a barrier of all threads of the program.
  void barrier();
  Value emitIsOwner();

  Operation *op;
  Type pointerType, element;
  MemSemantic order;
  tt::MemSyncScope scope;
  const TTGIRTypeConverter &types;
  const TargetInfo &target;
  ConversionPatternRewriter &b;
  Location loc;
  AtomicResults results;
  bool isRead = false;
  RegisterVectors registers;
};

} // namespace

void AtomicEmitter::barrier() {
  if (results.blocks > 1)
    return target.clusterBarrier(b, loc);
  results.warps == 1 ? target.warpBarrier(b, loc) : target.barrier(b, loc);
}

void AtomicEmitter::prepare(unsigned maxWidth) {
  auto tensor = dyn_cast<RankedTensorType>(pointerType);
  if (!tensor) {
    registers = {{{0}}, {0}};
    return;
  }
  LinearLayout layout = ttg::toLinearLayout(tensor);
  AccessWidth allowed = getAccessWidth(op);
  VectorAccess access = vectorAlong(layout, allowed.dim, std::min(allowed.width, maxWidth));
  registers = groupRegisters(layout, access.registerBits);
}

/// Emits an i1 that is true if this thread updates its elements; null if all threads do.
Value AtomicEmitter::emitIsOwner() {
  uint64_t replicated = results.owners.lanes | results.owners.warps * results.lanes;
  return emitIsRepresentative(b, loc, target, results.numThreads(), replicated,
                              results.owners.blocks);
}

SmallVector<Value> AtomicEmitter::performAll(ValueRange pointers, ValueRange masks, Update update) {
  bool isSingle = registers.vectors.size() == 1;
  Value isOwner = emitIsOwner();
  Type memoryType = types.memoryType(element);
  SmallVector<Value> old(registers.holder.size());
  for (ArrayRef<unsigned> vector : registers.vectors) {
    unsigned first = vector.front();
    Value mask = masks.empty() ? Value() : simplifyPredicate(masks[first]);
    AtomicAccess access{pointers[first],
                        memoryType,
                        emitBoth(b, loc, mask, isOwner),
                        isSingle ? order : MemSemantic::Relaxed,
                        scope,
                        isRead};
    for (auto [reg, value] : llvm::zip(vector, update(vector, access)))
      old[reg] = value;
  }
  return old;
}

/// Returns whether the program ends after `op` without another memory access.
static bool isLastAccess(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isa<tt::ReturnOp, LLVM::ReturnOp>(next))
      return true;
    if (!isMemoryEffectFree(next))
      return false;
  }
  return false;
}

FailureOr<SmallVector<Value>> AtomicEmitter::emit(ValueRange pointers, ValueRange masks,
                                                  Update update) {
  bool isSingle = registers.vectors.size() == 1;
  if (releases(order)) {
    barrier();
    if (!isSingle)
      target.fence(b, loc, scope);
  }
  SmallVector<Value> old = performAll(pointers, masks, update);
  if (acquires(order) && !isSingle)
    target.fence(b, loc, scope);
  // If results go through shared memory, there is a barrier already.
  if (acquires(order) && results.reach < AtomicReach::Block && !isLastAccess(op))
    barrier();

  SmallVector<Value> all;
  if (!isRead) { // nobody looks at them
    Value nothing = LLVM::PoisonOp::create(b, loc, types.convertType(element));
    return SmallVector<Value>(registers.holder.size(), nothing);
  }
  for (unsigned holder : registers.holder)
    all.push_back(old[holder]);
  return distribute(std::move(all));
}

FailureOr<SmallVector<Value>> AtomicEmitter::distribute(SmallVector<Value> old) {
  if (results.reach == AtomicReach::Own)
    return old;
  if (results.reach >= AtomicReach::Block)
    return passThroughSharedMemory(old);
  // The bits above the lane's are those of the warp, which shuffles ignore.
  Value thread = target.threadId(b, loc, results.numThreads());
  Value lane = LLVM::AndOp::create(
      b, loc, thread, constantI32(b, loc, (results.lanes - 1) & ~results.owners.lanes));
  DenseMap<Value, Value> shuffled;
  for (Value &value : old) {
    Value &result = shuffled[value];
    if (!result)
      result = target.shuffleFrom(b, loc, value, lane);
    value = result;
  }
  return old;
}

FailureOr<SmallVector<Value>> AtomicEmitter::passThroughSharedMemory(ValueRange old) {
  std::optional<unsigned> offset = getSharedOffset(op);
  if (!offset)
    return op->emitOpError("has no shared memory: run ttg-allocate-shared-memory first"), failure();
  Value base = emitSharedBase(b, loc, target, *offset);
  SmallVector<Value> places{constantI32(b, loc, 0)};
  if (auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
    places = emitIndices(b, loc, target, ttg::toLinearLayout(tensor).flattenOuts(Dim::offset()),
                         Dim::offset());

  Type memoryType = types.memoryType(element);
  SmallVector<Value> addresses;
  for (Value place : places)
    addresses.push_back(
        LLVM::GEPOp::create(b, loc, base.getType(), memoryType, base, LLVM::GEPArg(place)));
  // Threads with copies of the element do not have the old value: only the owner writes it.
  Value isOwner = emitIsOwner();
  Block *after = enterIf(b, loc, isOwner);
  for (ArrayRef<unsigned> vector : registers.vectors)
    for (unsigned reg : vector)
      LLVM::StoreOp::create(b, loc, old[reg], addresses[reg]);
  leaveIf(b, loc, after);
  bool isRemote = results.reach == AtomicReach::Cluster;
  isRemote ? target.clusterBarrier(b, loc) : target.barrier(b, loc);

  Value ownerBlock;
  if (isRemote)
    ownerBlock =
        LLVM::AndOp::create(b, loc, target.blockInCluster(b, loc),
                            constantI32(b, loc, (results.blocks - 1) & ~results.owners.blocks));
  SmallVector<Value> loaded(registers.holder.size());
  for (ArrayRef<unsigned> vector : registers.vectors)
    for (unsigned reg : vector) {
      Value address =
          isRemote ? target.addressInCluster(b, loc, addresses[reg], ownerBlock) : addresses[reg];
      loaded[reg] = LLVM::LoadOp::create(b, loc, memoryType, address);
    }
  // No CTA may overwrite its memory, or end, while others read it.
  if (isRemote)
    target.clusterBarrier(b, loc);
  SmallVector<Value> all;
  for (unsigned holder : registers.holder)
    all.push_back(loaded[holder]);
  return all;
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

/// Returns whether the update is a read: it changes nothing and does not release. Programs use such
/// updates to wait for a value in a loop.
static bool isRead(tt::AtomicRMWOp op) {
  bool keeps = op.getAtomicRmwOp() == tt::RMWOp::Add || op.getAtomicRmwOp() == tt::RMWOp::Or ||
               op.getAtomicRmwOp() == tt::RMWOp::Xor;
  return keeps && !releases(op.getSem()) && !op.getResult().use_empty() &&
         !isa<RankedTensorType>(op.getType()) && matchPattern(op.getVal(), m_Zero());
}

namespace {

struct AtomicRMWLowering : Lowering<tt::AtomicRMWOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::AtomicRMWOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type element = getElementTypeOrSelf(op.getType());
    Type type = types.memoryType(element);
    unsigned width = type ? target.atomicWidth(op.getAtomicRmwOp(), type) : 0;
    if (width == 0 || type != types.convertType(element))
      return emitUnsupported(op) << "atomic '" << tt::stringifyRMWOp(op.getAtomicRmwOp())
                                 << "' on elements of type " << element << " on " << target.name()
                                 << "; use 32-bit elements";
    AtomicEmitter atomic(op, op.getPtr(), op.getSem(), op.getScope(), types, target, b);
    atomic.prepare(width);
    ValueRange values = operands.getVal();
    bool onlyReads = isRead(op);
    FailureOr<SmallVector<Value>> old =
        atomic.emit(operands.getPtr(), operands.getMask(),
                    [&](ArrayRef<unsigned> vector, const AtomicAccess &access) {
                      if (onlyReads)
                        return SmallVector<Value>{target.atomicRead(b, op.getLoc(), access)};
                      SmallVector<Value> in;
                      for (unsigned reg : vector)
                        in.push_back(values[reg]);
                      return target.atomicUpdate(b, op.getLoc(), op.getAtomicRmwOp(), access, in);
                    });
    if (failed(old))
      return failure();
    return replaceWith(b, op, *old);
  }
};

struct AtomicCASLowering : Lowering<tt::AtomicCASOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::AtomicCASOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type element = getElementTypeOrSelf(op.getType());
    Type type = types.memoryType(element);
    if (!type || type != types.convertType(element) || !target.hasAtomicSwap(type))
      return emitUnsupported(op) << "compare-and-swap of elements of type " << element << " on "
                                 << target.name() << "; use elements of 16, 32 or 64 bits";
    AtomicEmitter atomic(op, op.getPtr(), op.getSem(), op.getScope(), types, target, b);
    atomic.prepare(/*maxWidth=*/1);
    FailureOr<SmallVector<Value>> old = atomic.emit(
        operands.getPtr(), ValueRange(),
        [&](ArrayRef<unsigned> vector, const AtomicAccess &access) {
          return SmallVector<Value>{target.atomicSwap(
              b, op.getLoc(), access, operands.getCmp()[vector[0]], operands.getVal()[vector[0]])};
        });
    if (failed(old))
      return failure();
    return replaceWith(b, op, *old);
  }
};

} // namespace

void tessera::populateAtomicsPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                      const TargetInfo &target) {
  patterns.add<AtomicRMWLowering, AtomicCASLowering>(types, target);
}
