//===- LoopWrites.cpp - loads of memory that the loop itself may write ----===//
// See LoopWrites.h.
//===----------------------------------------------------------------------===//
#include "LoopWrites.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/MemoryOrder.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tessera;

/// Returns the pointer without ops that add offsets or change its shape or layout.
static Value withoutOffsets(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp,
             tt::TransOp, tt::BitcastOp, ttg::ConvertLayoutOp>(op))
      break;
    pointer = op->getOperand(0);
  }
  return pointer;
}

/// Returns the values that a loop-carried value, a branch's result or a select may be; nothing for
/// other values.
static SmallVector<Value> sourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return {};
    return {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()};
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)};
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop.getInitArgs()[number], loop.getYieldedValues()[number]};
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return {select.getTrueValue(), select.getFalseValue()};
  return {};
}

/// Returns the kernel's argument that an address is computed from; null if it is unknown. A pointer
/// that loops carry or branches choose must come from the same argument on all paths.
static Value baseOf(Value pointer) {
  SmallVector<Value> work{pointer};
  DenseSet<Value> seen;
  Value base;
  while (!work.empty()) {
    Value value = withoutOffsets(work.pop_back_val());
    if (value.getDefiningOp<ub::PoisonOp>() || !seen.insert(value).second)
      continue;
    if (SmallVector<Value> sources = sourcesOf(value); !sources.empty()) {
      llvm::append_range(work, sources);
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(value);
    bool isOfKernel = argument && isa<tt::FuncOp>(argument.getOwner()->getParentOp());
    if (!isOfKernel || (base && base != argument))
      return {};
    base = argument;
  }
  return base;
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
