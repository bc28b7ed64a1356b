//===- AllocateSharedMemory.cpp - who uses which bytes --------------------===//
// Layout conversions that leave their thread need a buffer while they run.
// Each waits for all threads before it writes (LowerConvertLayout.cpp), so
// all of them can use the same bytes, from 0.
//
//   before: %b = ttg.convert_layout %a : tensor<64x64xf32, #rows> -> ... #cols
//   after:  the same {allocation.offset = 0 : i32}, module {ttg.shared = 16384 : i32}
//
// Ensures: the decision is in the IR; the lowering does not decide again.
// Cost: one conversion plan per convert_layout.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGALLOCATESHAREDMEMORY
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct AllocateSharedMemory : tessera::impl::TTGAllocateSharedMemoryBase<AllocateSharedMemory> {
  using TTGAllocateSharedMemoryBase::TTGAllocateSharedMemoryBase;
  void runOnOperation() override;
};
} // namespace

void AllocateSharedMemory::runOnOperation() {
  ModuleOp module = getOperation();
  unsigned total = 0;
  Builder b(&getContext());
  module.walk([&](Operation *op) {
    unsigned bytes = scratchNeed(op).bytes;
    if (bytes == 0)
      return;
    op->setAttr(ttg::kAllocationOffsetAttr, b.getI32IntegerAttr(0));
    total = std::max(total, bytes);
  });
  ttg::setSharedBytes(module, llvm::alignTo(total, kSharedAlignment));
}
