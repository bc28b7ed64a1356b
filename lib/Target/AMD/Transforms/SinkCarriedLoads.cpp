//===- SinkCarriedLoads.cpp - loads into registers that are free ----------===//
// A loop that loads an iteration ahead carries what it loaded in registers. Where the next load
// comes before the last use of those values, both are alive at once: twice the registers, and a
// copy of each at the end of the iteration.
//
//   %next = tt.load ...                              ttg.local_alloc %carried
//   ttg.local_alloc %carried               ->        %next = tt.load ...
//   tt.dot                                           tt.dot
//   scf.yield %next                                  scf.yield %next
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/DotChains.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTIR/IR/TTDialect.h"
#include "tessera/Target/AMD/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera;

namespace tessera::amd {
#define GEN_PASS_DEF_AMDSINKCARRIEDLOADS
#include "tessera/Target/AMD/Passes.h.inc"
} // namespace tessera::amd

/// The op of `block` that contains `op`.
static Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// The last op of the body that uses the values that the last iteration loaded where this one
/// yields `load`; null if the load may not move behind it.
static Operation *lastUseOfCarried(tt::LoadOp load, scf::ForOp loop) {
  if (!load.getResult().hasOneUse() || load.getIsVolatile())
    return nullptr;
  OpOperand &use = *load.getResult().use_begin();
  if (use.getOwner() != loop.getBody()->getTerminator())
    return nullptr;
  Operation *last = nullptr;
  for (Operation *user : loop.getRegionIterArg(use.getOperandNumber()).getUsers()) {
    Operation *own = ancestorIn(loop.getBody(), user);
    if (!last || last->isBeforeInBlock(own))
      last = own;
  }
  if (!last || last->isBeforeInBlock(load) || last == loop.getBody()->getTerminator())
    return nullptr;
  return last;
}

/// A load passes what neither writes global memory nor orders accesses to it. It does not pass a
/// dot, in whose time it is under way.
static bool mayPass(Operation *op) {
  if (isa<tt::LoadOp, ttg::LocalAllocOp, ttg::LocalLoadOp, ttg::LocalStoreOp>(op))
    return true;
  return isMemoryEffectFree(op) && !ttg::isDot(op);
}

namespace {
struct SinkCarriedLoads : amd::impl::AmdSinkCarriedLoadsBase<SinkCarriedLoads> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      // Loops with several dots have other values alive between them: measured on attention, LLVM
      // spills more there, not less.
      if (llvm::count_if(loop.getOps(), [](Operation &op) { return ttg::isDot(&op); }) > 1)
        return;
      for (auto load : llvm::to_vector(loop.getOps<tt::LoadOp>())) {
        Operation *last = lastUseOfCarried(load, loop);
        if (!last)
          continue;
        auto between =
            llvm::make_range(std::next(load->getIterator()), std::next(last->getIterator()));
        if (llvm::all_of(between, [](Operation &op) { return mayPass(&op); }))
          load->moveAfter(last);
      }
    });
  }
};
} // namespace
