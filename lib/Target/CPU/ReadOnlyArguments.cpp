//===- ReadOnlyArguments.cpp - pointers that a kernel only reads through --===//
// See ReadOnlyArguments.h.
//===----------------------------------------------------------------------===//
#include "ReadOnlyArguments.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;

static bool isPointer(Value value) {
  return isa<tt::PointerType>(getElementTypeOrSelf(value.getType()));
}

/// Adds the values that hold the pointer after `use`. False when that is not known,
/// or memory is written.
static bool follow(OpOperand &use, llvm::SetVector<Value> &holders) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (isa<tt::LoadOp>(op))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    holders.insert(loop.getTiedLoopRegionIterArg(&use));
    holders.insert(loop.getTiedLoopResult(&use));
    return true;
  }
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      holders.insert(loop.getRegionIterArg(index));
    else if (!isa<scf::IfOp>(parent))
      return false;
    holders.insert(parent->getResult(index));
    return true;
  }
  if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
      !isMemoryEffectFree(op) || !llvm::all_of(op->getResults(), isPointer))
    return false;
  holders.insert(op->result_begin(), op->result_end());
  return true;
}

static bool isReadOnly(Value pointer) {
  llvm::SetVector<Value> holders;
  holders.insert(pointer);
  for (size_t i = 0; i < holders.size(); ++i)
    for (OpOperand &use : holders[i].getUses())
      if (!follow(use, holders))
        return false;
  return true;
}

llvm::SmallVector<bool> cpu::findReadOnlyArguments(tt::FuncOp kernel) {
  return llvm::map_to_vector(kernel.getArguments(), [](BlockArgument argument) {
    return isPointer(argument) && isReadOnly(argument);
  });
}
