//===- KernelMemory.cpp - what a kernel does to global memory -------------===//
// See KernelMemory.h.
//===----------------------------------------------------------------------===//
#include "KernelMemory.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/MemoryOrder.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;
using Kind = GlobalAccess::Kind;

bool nvidia::isVolatile(tt::LoadOp load) {
  return load.getIsVolatile() || load.getCache() == tt::CacheModifier::CV;
}

/// Returns whether the op is part of the condition of a while loop.
static bool decidesWhile(Operation *op) {
  auto loop = op->getParentOfType<scf::WhileOp>();
  return loop && loop.getBefore().isAncestor(op->getParentRegion());
}

/// Returns whether the op may tell the program that others have accessed memory.
static bool mayAcquire(Operation *op) {
  if (isa<tt::LoadOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op) && decidesWhile(op))
    return true;
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
    return tt::acquires(update.getSem()) && !op->use_empty();
  if (auto swap = dyn_cast<tt::AtomicCASOp>(op))
    return tt::acquires(swap.getSem()) && !op->use_empty();
  auto load = dyn_cast<tt::LoadOp>(op);
  return load && isVolatile(load) && !op->use_empty();
}

bool nvidia::mayAcquire(tt::FuncOp kernel) {
  return kernel
      ->walk([](Operation *op) {
        return ::mayAcquire(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the pointer that a descriptor was made of; the descriptor itself if it is an argument.
static Value pointerOf(Value descriptor) {
  auto make = descriptor.getDefiningOp<tt::MakeTensorDescOp>();
  return make ? make.getBase() : descriptor;
}

static bool isGlobal(Value value) {
  return isa<tt::PointerType, tt::TensorDescType>(getElementTypeOrSelf(value.getType()));
}

GlobalAccess nvidia::globalAccessOf(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return {isVolatile(load) ? Kind::Unknown : Kind::Read, load.getPtr()};
  if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op))
    return {Kind::Read, copy.getSrc()};
  if (auto load = dyn_cast<tt::DescriptorLoadOp>(op))
    return {Kind::Read, pointerOf(load.getDesc())};
  if (auto copy = dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op))
    return {Kind::Read, pointerOf(copy.getDesc())};
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return {Kind::Write, store.getPtr()};
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
    return {Kind::Write, update.getPtr(), tt::releases(update.getSem())};
  if (auto swap = dyn_cast<tt::AtomicCASOp>(op))
    return {Kind::Write, swap.getPtr(), tt::releases(swap.getSem())};
  if (isa<gpu::BarrierOp>(op))
    return {Kind::Order};
  if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      isa<tt::FuncOp, tt::PrintOp, tt::AssertOp, LLVM::AssumeOp>(op))
    return {};
  bool isOfTiles = isa<ttg::TTGDialect, ttng::TTNGDialect>(op->getDialect());
  return {isOfTiles && llvm::none_of(op->getOperands(), isGlobal) ? Kind::None : Kind::Unknown};
}
