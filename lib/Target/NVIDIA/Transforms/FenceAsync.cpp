//===- FenceAsync.cpp - order threads' accesses before those of engines ---===//
// wgmma and tensor copies access shared memory through the asynchronous proxy, threads through
// the generic one, cp.async too (PTX ISA, "Proxies"). A barrier orders accesses of one proxy;
// across proxies each thread needs a fence before it:
//
//   before: ttg.local_alloc %x        after: ttg.local_alloc %x
//           ttg.local_barrier                ttng.fence_async_shared
//           ttng.warp_group_dot              ttg.local_barrier
//                                            ttng.warp_group_dot
//
// Forward dataflow of one bit: whether threads have, since the last fence, written a buffer that
// an engine reads somewhere in the kernel, or accessed bytes that a tensor copy writes. A cp.async
// counts as a write where it is awaited. At a barrier, an op with a barrier inside, or an arrival
// at a barrier in shared memory, the bit asks for a fence in front.
//
// Requires: ttg-insert-barriers. Ensures: every such access has a fence between it and the
// next barrier. Cost: two sweeps over the ops for most kernels.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/SharedAliases.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIAFENCEASYNC
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;

namespace {
struct FenceAsync : nvidia::impl::NvidiaFenceAsyncBase<FenceAsync> {
  void runOnOperation() override;
};

/// The accesses of one function to the buffers that engines access.
class ProxyAccesses {
public:
  explicit ProxyAccesses(Region &body) : aliases(body, nullptr) {
    body.walk([&](ttg::BufferedDotOpInterface dot) {
      for (Value operand : {dot.getLeft(), dot.getRight()})
        if (isa<ttg::MemDescType>(operand.getType()))
          addBuffers(operand, buffers);
    });
    body.walk([&](ttg::AsyncAccessOpInterface op) { addTensorCopy(op); });
    body.walk([&](ttg::AsyncCopyGlobalToLocalOp copy) {
      copies |= reaches(copy.getResult()) || overlapsFilled(copy.getResult());
    });
    body.walk([&](ttng::AsyncCopyMbarrierArriveOp) { copiesArrive = true; });
  }
  bool hasAny() const { return !buffers.empty() || !filled.empty(); }

  /// Returns whether threads access what an engine will: they write what it reads, or touch what
  /// it writes.
  bool touches(Operation *op) const {
    if (isa<ttg::AsyncWaitOp>(op) || (copiesArrive && isa<ttng::WaitBarrierOp>(op)))
      return copies;
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
      return alloc.getSrc() && (reaches(alloc) || overlapsFilled(alloc));
    if (auto store = dyn_cast<ttg::LocalStoreOp>(op))
      return reaches(store.getDst()) || overlapsFilled(store.getDst());
    if (auto load = dyn_cast<ttg::LocalLoadOp>(op))
      return overlapsFilled(load.getSrc());
    std::optional<unsigned> scratch = getSharedOffset(op);
    return scratch && overlapsFilled(*scratch, *scratch + scratchNeed(op).bytes);
  }
  /// Returns whether the op starts an engine, or tells another thread that it may.
  static bool startsEngine(Operation *op) {
    if (isa<ttg::BufferedDotOpInterface>(op))
      return true;
    auto async = dyn_cast<ttg::AsyncAccessOpInterface>(op);
    return async && (async.isArrival() || llvm::any_of(op->getOperands(), [&](Value operand) {
                       return isFillOrDrain(async, operand) ||
                              useOf(async, operand) == ttg::AsyncUse::Release;
                     }));
  }
  /// Returns whether the op is a barrier of the CTA, or is lowered to code with one.
  static bool isBarrier(Operation *op) {
    if (isa<gpu::BarrierOp, ttg::LocalBarrierOp>(op))
      return true;
    return getSharedOffset(op) && !isa<ttg::LocalAllocOp>(op) && !scratchNeed(op).withinWarp;
  }

private:
  static ttg::AsyncUse useOf(ttg::AsyncAccessOpInterface op, Value operand) {
    return isa<ttg::MemDescType>(operand.getType()) ? op.getAsyncUse(operand) : ttg::AsyncUse::None;
  }
  static bool isFillOrDrain(ttg::AsyncAccessOpInterface op, Value operand) {
    ttg::AsyncUse use = useOf(op, operand);
    return use == ttg::AsyncUse::Fill || use == ttg::AsyncUse::Drain;
  }
  void addTensorCopy(ttg::AsyncAccessOpInterface op) {
    for (Value operand : op->getOperands()) {
      if (useOf(op, operand) == ttg::AsyncUse::Drain)
        addBuffers(operand, buffers);
      if (useOf(op, operand) == ttg::AsyncUse::Fill)
        addBuffers(operand, filled);
    }
  }
  std::pair<unsigned, unsigned> bytesOf(uint32_t buffer) const {
    ttg::LocalAllocOp alloc = aliases.buffers()[buffer];
    unsigned begin = getSharedOffset(alloc).value_or(0);
    return {begin, begin + bufferBytes(alloc.getType())};
  }
  /// Returns whether the bytes are part of a buffer that a tensor copy fills, now or at another
  /// time.
  bool overlapsFilled(unsigned begin, unsigned end) const {
    return llvm::any_of(filled, [&](uint32_t buffer) {
      auto [first, last] = bytesOf(buffer);
      return begin < last && first < end;
    });
  }
  bool overlapsFilled(Value memdesc) const {
    return llvm::any_of(aliases.partsOf(memdesc), [&](const SharedPart &part) {
      auto [first, last] = bytesOf(part.buffer);
      return overlapsFilled(first, last);
    });
  }
  void addBuffers(Value memdesc, DenseSet<uint32_t> &to) const {
    for (const SharedPart &part : aliases.partsOf(memdesc))
      to.insert(part.buffer);
  }
  bool reaches(Value memdesc) const {
    DenseSet<uint32_t> touched;
    addBuffers(memdesc, touched);
    return llvm::any_of(touched, [&](uint32_t buffer) { return buffers.contains(buffer); });
  }

  SharedAliases aliases;
  DenseSet<uint32_t> buffers; // that engines read
  DenseSet<uint32_t> filled;  // that tensor copies write
  bool copies = false;        // into them
  bool copiesArrive = false;  // at barriers in shared memory, where they are awaited
};
} // namespace

/// Walks a block; `visit` is called for each op that needs a fence in front. Whether writes
/// without one are left at the end.
static bool walkBlock(Block &block, bool isUnfenced, const ProxyAccesses &accesses,
                      function_ref<void(Operation *)> visit) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool needsFence = ProxyAccesses::isBarrier(&op) || ProxyAccesses::startsEngine(&op);
    if (isUnfenced && needsFence) {
      visit(&op);
      isUnfenced = false;
    }
    isUnfenced |= accesses.touches(&op);
  }
  return isUnfenced;
}

static void insertFences(Region &body) {
  ProxyAccesses accesses(body);
  if (!accesses.hasAny())
    return;
  llvm::ReversePostOrderTraversal<Region *> order(&body);
  DenseMap<Block *, bool> unfencedAfter;
  auto unfencedBefore = [&](Block *block) {
    return llvm::any_of(block->getPredecessors(),
                        [&](Block *other) { return unfencedAfter.lookup(other); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Block *block : order) {
      bool after = walkBlock(*block, unfencedBefore(block), accesses, [](Operation *) {});
      changed |= after != unfencedAfter.lookup(block);
      unfencedAfter[block] = after;
    }
  }
  for (Block *block : order)
    walkBlock(*block, unfencedBefore(block), accesses, [](Operation *op) {
      OpBuilder b(op);
      ttng::FenceAsyncSharedOp::create(b, op->getLoc(), /*bCluster=*/false);
    });
}

void FenceAsync::runOnOperation() {
  for (auto function : getOperation().getOps<tt::FuncOp>())
    if (!function.isExternal())
      insertFences(function.getBody());
}
