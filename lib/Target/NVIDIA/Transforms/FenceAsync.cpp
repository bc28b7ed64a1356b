//===- FenceAsync.cpp - make writes to shared memory visible to wgmma -----===//
// wgmma reads shared memory through the asynchronous proxy, threads write it through the
// generic one, cp.async too (PTX ISA, "Proxies"). A barrier orders accesses of one proxy;
// across proxies each writing thread needs a fence before it:
//
//   before: ttg.local_alloc %x        after: ttg.local_alloc %x
//           ttg.local_barrier                ttng.fence_async_shared
//           ttng.warp_group_dot              ttg.local_barrier
//                                            ttng.warp_group_dot
//
// Forward dataflow of one bit: whether something wrote, since the last fence, a buffer that a
// dot of warp groups reads somewhere in the kernel. A copy counts as a write where it is
// awaited. At a barrier, or an op with a barrier inside, the bit asks for a fence in front.
//
// Requires: ttg-insert-barriers. Ensures: every such write has a fence between it and the
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

/// The accesses of one function to the buffers that asynchronous units read.
class ProxyAccesses {
public:
  explicit ProxyAccesses(Region &body) : aliases(body, nullptr) {
    body.walk([&](ttg::BufferedDotOpInterface dot) {
      for (Value operand : {dot.getLeft(), dot.getRight()})
        if (isa<ttg::MemDescType>(operand.getType()))
          addBuffers(operand, buffers);
    });
    body.walk([&](ttg::AsyncCopyGlobalToLocalOp copy) { copies |= reaches(copy.getResult()); });
  }
  bool hasAny() const { return !buffers.empty(); }

  /// Returns whether the op writes such a buffer through the generic proxy.
  bool writes(Operation *op) const {
    if (isa<ttg::AsyncWaitOp>(op))
      return copies;
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
      return alloc.getSrc() && reaches(alloc);
    auto store = dyn_cast<ttg::LocalStoreOp>(op);
    return store && reaches(store.getDst());
  }
  /// Returns whether the op is a barrier of the CTA, or is lowered to code with one.
  static bool isBarrier(Operation *op) {
    if (isa<gpu::BarrierOp, ttg::LocalBarrierOp>(op))
      return true;
    return getSharedOffset(op) && !isa<ttg::LocalAllocOp>(op) && !scratchNeed(op).withinWarp;
  }

private:
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
  DenseSet<uint32_t> buffers; // that asynchronous units read
  bool copies = false;        // into them
};
} // namespace

/// Walks a block; `visit` is called for each op that needs a fence in front. Whether writes
/// without one are left at the end.
static bool walkBlock(Block &block, bool isUnfenced, const ProxyAccesses &accesses,
                      function_ref<void(Operation *)> visit) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool needsFence = ProxyAccesses::isBarrier(&op) || isa<ttg::BufferedDotOpInterface>(op);
    if (isUnfenced && needsFence) {
      visit(&op);
      isUnfenced = false;
    }
    isUnfenced |= accesses.writes(&op);
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
