//===- AllocateGlobalScratch.cpp - offsets in a CTA's global scratch memory -===//
// The launcher gives each CTA some global memory of its own (docs/abi.md). This pass assigns
// offsets in it.
//
//   before: %p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32}
//   after:  the same {ttg.global_scratch_memory_offset = 0 : i32}, and on the module
//           ttg.global_scratch_memory_size = 128, ttg.global_scratch_memory_alignment = 128
//
// Pointers may be stored anywhere, so the live ranges are unknown: no two allocations share bytes.
// An allocation in a loop is the same memory in each iteration.
//
// Ensures: the size is a multiple of the alignment, so that every CTA's part is aligned.
// Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGALLOCATEGLOBALSCRATCH
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct AllocateGlobalScratch : tessera::impl::TTGAllocateGlobalScratchBase<AllocateGlobalScratch> {
  using TTGAllocateGlobalScratchBase::TTGAllocateGlobalScratchBase;
  void runOnOperation() override;
};
} // namespace

void AllocateGlobalScratch::runOnOperation() {
  ModuleOp module = getOperation();
  Builder b(&getContext());
  uint64_t bytes = 0, alignment = 1;
  WalkResult result = module.walk([&](ttg::GlobalScratchAllocOp op) {
    uint64_t offset = llvm::alignTo(bytes, op.getAlignment());
    bytes = offset + op.getNbytes();
    alignment = std::max<uint64_t>(alignment, op.getAlignment());
    if (llvm::alignTo(bytes, alignment) > INT32_MAX) {
      op.emitOpError("needs more global scratch than a block can have: ") << bytes << " bytes";
      return WalkResult::interrupt();
    }
    op->setAttr(ttg::kGlobalScratchOffsetAttr, b.getI32IntegerAttr(offset));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  if (bytes != 0)
    ttg::setGlobalScratch(module, llvm::alignTo(bytes, alignment), alignment);
}
