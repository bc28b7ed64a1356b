//===- ReplaceTritonOps.cpp - ops that only Triton's passes write ---------===//
// TTGIR that Triton 3.6.0 made for an AMD GPU has ops that our passes do not make. They become
// others, for which the following passes know barriers, shared memory and widths of accesses:
//
//   amdg.buffer_atomic_rmw %x[%o], amdg.buffer_atomic_cas
//       -> tt.atomic_rmw, tt.atomic_cas of tt.addptr (tt.splat %x), %o
//   amdg.buffer_load_to_local %x[%o] into %b, ttg.async_copy_global_to_local %p, %b
//       -> amdg.buffer_load or tt.load; ttg.local_store
//   amdg.cond_barrier, rocdl.s.setprio, rocdl.sched.barrier, amdg.memory_counter_wait
//       -> nothing
//   rocdl.s.barrier -> gpu.barrier
//
// amdg.cond_barrier puts half of the warps one barrier behind the others, so that they load while
// the others multiply ("ping-pong"). ttg-insert-barriers, which decides where barriers are needed,
// takes it that all warps have reached the same barrier. So the warps run alike here; that is
// correct, and perhaps slower. Waits for counters are LLVM's task.
//
// Ensures: values unchanged. A copy to shared memory is done where it began.
// Cost: linear in the ops.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/Target/AMD/IR/ROCDLOps.h"
#include "tessera/Target/AMD/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::amd {
#define GEN_PASS_DEF_AMDREPLACETRITONOPS
#include "tessera/Target/AMD/Passes.h.inc"
} // namespace tessera::amd

using namespace mlir;
using namespace tessera;

static constexpr llvm::StringLiteral kPass = "amd-replace-triton-ops", kSchedule = "warp-schedule";

/// The pointers at `offsets` from `base`.
static Value emitPointers(OpBuilder &b, Location loc, Value base, Value offsets) {
  auto type = cast<RankedTensorType>(offsets.getType()).clone(base.getType());
  Value bases = tt::SplatOp::create(b, loc, type, base);
  return tt::AddPtrOp::create(b, loc, type, bases, offsets);
}

static void replace(amdg::BufferAtomicRMWOp op) {
  OpBuilder b(op);
  Value pointers = emitPointers(b, op.getLoc(), op.getPtr(), op.getOffsets());
  Value old = tt::AtomicRMWOp::create(b, op.getLoc(), op.getType(), op.getAtomicRmwOp(), pointers,
                                      op.getValue(), op.getMask(), op.getSem(), op.getScope());
  op.replaceAllUsesWith(old);
  op.erase();
}

static void replace(amdg::BufferAtomicCASOp op) {
  OpBuilder b(op);
  Value pointers = emitPointers(b, op.getLoc(), op.getPtr(), op.getOffsets());
  Value old = tt::AtomicCASOp::create(b, op.getLoc(), op.getType(), pointers, op.getCmp(),
                                      op.getVal(), op.getSem(), op.getScope());
  op.replaceAllUsesWith(old);
  op.erase();
}

/// Stores what a copy would have brought, and leaves a token of nothing.
static void storeInstead(OpBuilder &b, Operation *copy, Value loaded, Value buffer) {
  ttg::LocalStoreOp::create(b, copy->getLoc(), loaded, buffer);
  Value token = ttg::AsyncCommitGroupOp::create(b, copy->getLoc(), ValueRange());
  copy->getResult(0).replaceAllUsesWith(token);
  copy->erase();
}

static void replace(amdg::BufferLoadToLocalOp op) {
  OpBuilder b(op);
  Type element = op.getDest().getType().getElementType();
  auto type = cast<RankedTensorType>(op.getOffsets().getType()).clone(element);
  Value loaded =
      amdg::BufferLoadOp::create(b, op.getLoc(), type, op.getPtr(), op.getOffsets(), op.getStride(),
                                 op.getCache(), op.getMask(), op.getOther());
  storeInstead(b, op, loaded, op.getDest());
}

static void replace(ttg::AsyncCopyGlobalToLocalOp op) {
  OpBuilder b(op);
  Value loaded = tt::LoadOp::create(b, op.getLoc(), op.getSrc(), op.getMask(), op.getOther(),
                                    op.getCache(), op.getEvict(), op.getIsVolatile());
  storeInstead(b, op, loaded, op.getResult());
}

static void replace(rocdl::BarrierOp op) {
  OpBuilder b(op);
  gpu::BarrierOp::create(b, op.getLoc());
  op.erase();
}

static void eraseIfDead(Operation *op) {
  if (!op || !isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : operands)
    eraseIfDead(operand.getDefiningOp());
}

static void replace(amdg::CondBarrierOp op) {
  decided(op, kPass, kSchedule)
      .says("all warps run alike")
      .because("barriers are planned for warps that have reached the same place");
  Operation *condition = op.getPred().getDefiningOp();
  op.erase();
  eraseIfDead(condition);
}

template <typename SourceOp> static void eraseAll(ModuleOp module) {
  module.walk([](SourceOp op) { op.erase(); });
}
template <typename SourceOp> static void replaceAll(ModuleOp module) {
  module.walk([](SourceOp op) { replace(op); });
}

namespace {
struct ReplaceTritonOps : amd::impl::AmdReplaceTritonOpsBase<ReplaceTritonOps> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    replaceAll<amdg::BufferAtomicRMWOp>(module);
    replaceAll<amdg::BufferAtomicCASOp>(module);
    replaceAll<amdg::BufferLoadToLocalOp>(module);
    replaceAll<ttg::AsyncCopyGlobalToLocalOp>(module);
    replaceAll<amdg::CondBarrierOp>(module);
    replaceAll<rocdl::BarrierOp>(module);
    eraseAll<amdg::MemoryCounterWaitOp>(module);
    eraseAll<rocdl::SetPriorityOp>(module);
    eraseAll<rocdl::ScheduleBarrierOp>(module);
    eraseAll<rocdl::ScheduleGroupOp>(module);
    module.walk([&](rocdl::ThreadIdOp op) {
      emitUnsupported(op) << "'" << op->getName()
                          << "' that is not the condition of an 'amdg.cond_barrier'; compile the "
                             "kernel from its TTIR or its source";
      signalPassFailure();
    });
  }
};
} // namespace
