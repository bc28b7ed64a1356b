//===- LoopWrites.cpp - loads of memory that the loop itself may write ----===//
// See LoopWrites.h.
//===----------------------------------------------------------------------===//
#include "LoopWrites.h"
#include "tessera/TTGIR/Analysis/PointerBase.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/MemoryOrder.h"
#include "tessera/TTIR/IR/TTOps.h"

using namespace mlir;
using namespace tessera;

/// Returns the kernel's argument that an address is computed from; null if it is unknown.
static Value baseOf(Value pointer) {
  PointerBase base = findPointerBase(pointer);
  return base.isLoaded ? Value() : base.argument;
}

static bool mayOverwrite(Operation *writer, Value loadBase) {
  if (isa<tt::PrintOp, tt::AssertOp>(writer))
    return false;
  // Inline assembly, for example, may write anywhere, or wait for another program.
  if (!isa<tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(writer))
    return true;
  Value base = baseOf(writer->getOperand(0));
  return !loadBase || !base || base == loadBase;
}

/// Returns whether `op` may write to global memory.
static bool writesGlobally(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || isa<tt::LoadOp>(op))
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           !isa<ttg::SharedMemory>(effect.getResource());
  });
}

/// Returns whether `op` is an atomic with acquire semantics whose result is used: the program may
/// conclude from it that another program's writes are visible.
static bool acquiresForProgram(Operation *op) {
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
    return tt::acquires(update.getSem()) && !op->use_empty();
  if (auto swap = dyn_cast<tt::AtomicCASOp>(op))
    return tt::acquires(swap.getSem()) && !op->use_empty();
  return false;
}

LoopWrites::LoopWrites(scf::ForOp loop) {
  loop.getBody()->walk([&](Operation *op) {
    acquires |= acquiresForProgram(op);
    if (writesGlobally(op))
      writers.push_back(op);
  });
}

bool LoopWrites::mayChange(Value pointer) const {
  if (acquires)
    return true;
  Value base = baseOf(pointer);
  return llvm::any_of(writers, [&](Operation *writer) { return mayOverwrite(writer, base); });
}

bool LoopWrites::mayChangeLoadsOf(Operation *op) const {
  WalkResult result = op->walk([&](tt::LoadOp load) {
    return mayChange(load.getPtr()) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}
