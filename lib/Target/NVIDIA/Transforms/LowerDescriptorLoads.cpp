//===- LowerDescriptorLoads.cpp - tiles that are copied and awaited -------===//
// A load through a descriptor that the pipeliner left where it was becomes a copy into the buffer
// that a dot reads, and a wait:
//
//   before: %x = tt.descriptor_load %d[%i, %j] ; %m = ttg.local_alloc %x
//   after:  %m = ttg.local_alloc ; ttng.init_barrier %b, 1 ; ttng.barrier_expect %b, bytes
//           ttng.async_tma_copy_global_to_local %d[%i, %j] %m, %b
//           ttng.wait_barrier %b, 0 ; ttng.inval_barrier %b
//
// Requires: ttg-pipeline. Ensures: no tt.descriptor_load is left whose users are buffers alone.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/IR/TileCopies.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIALOWERDESCRIPTORLOADS
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;

namespace {
struct LowerDescriptorLoads : nvidia::impl::NvidiaLowerDescriptorLoadsBase<LowerDescriptorLoads> {
  void runOnOperation() override;
};
} // namespace

/// Copies the tile into a buffer of the type of `first`, and waits for it.
static Value emitCopy(tt::DescriptorLoadOp load, ttg::LocalAllocOp first) {
  OpBuilder b(load);
  Location loc = load.getLoc();
  const auto &engine = *ttg::TileCopies::of(b.getContext());
  ttg::MemDescType type = first.getType();
  auto writable = ttg::MemDescType::get(type.getShape(), type.getElementType(), type.getEncoding(),
                                        type.getMemorySpace(), /*mutableMemory=*/true);
  Value buffer = ttg::LocalAllocOp::create(b, loc, writable);
  Value barriers = engine.makeBarriers(b, loc, 1, 1);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value always = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value barrier = engine.chooseBarrier(b, loc, barriers, zero)->getResult(0);
  engine.expect(b, loc, barrier, bufferBytes(writable), always);
  engine.copy(b, load, buffer, barrier, always);
  engine.await(b, loc, barrier, zero, buffer);
  engine.endBarriers(b, loc, barriers, 1);
  return buffer;
}

void LowerDescriptorLoads::runOnOperation() {
  SmallVector<tt::DescriptorLoadOp> loads;
  getOperation().walk([&](tt::DescriptorLoadOp load) { loads.push_back(load); });
  for (tt::DescriptorLoadOp load : loads) {
    SmallVector<ttg::LocalAllocOp> buffers;
    for (Operation *user : load->getUsers())
      if (auto buffer = dyn_cast<ttg::LocalAllocOp>(user))
        buffers.push_back(buffer);
    if (buffers.empty() || !load.getResult().hasNUses(buffers.size()))
      continue;
    Value buffer = emitCopy(load, buffers.front());
    for (ttg::LocalAllocOp alloc : buffers) {
      alloc.getResult().replaceAllUsesWith(buffer);
      alloc.erase();
    }
    load.erase();
  }
}
