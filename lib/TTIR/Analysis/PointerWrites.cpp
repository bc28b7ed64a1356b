//===- PointerWrites.cpp - which of a kernel's pointers it writes through -===//
// See PointerWrites.h. The analysis has two steps:
//
//   1. One walk over the kernel and its callees records, for each use of a pointer, the values
//      that hold the pointer afterwards. A use without a record counts as a write: it either
//      writes, or is an op that the analysis does not know. Pointers that come from neither
//      argument, such as loaded ones, are recorded as "from elsewhere".
//   2. From each argument, and from all pointers from elsewhere together, the records are followed
//      until they end or reach a use without a record.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Analysis/PointerWrites.h"
#include "tessera/TTIR/IR/DescriptorParts.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;

namespace {
class PointerUses {
public:
  explicit PointerUses(tt::FuncOp kernel);

  bool mayWriteThrough(ArrayRef<Value> pointers) const;
  bool mayWriteElsewhere() const { return writesAnything || mayWriteThrough(fromElsewhere); }

private:
  tt::FuncOp calleeOf(tt::CallOp call) const;
  void note(Operation *op);
  void noteCall(tt::CallOp call);
  void noteBranch(BranchOpInterface branch);
  bool notePassedOn(Operation *op);
  void noteElsewhere(ValueRange values);

  SymbolTable symbols;
  llvm::SetVector<tt::FuncOp> functions; // the kernel and its callees
  RegionBranchSuccessorMapping holders;  // use of a pointer -> the values that hold it afterwards
  SmallVector<std::pair<tt::CallOp, tt::FuncOp>> calls;
  SmallVector<Value> fromElsewhere;
  bool writesAnything = false;
};
} // namespace

static bool isPointer(Value value) {
  return isa<tt::PointerType, tt::TensorDescType>(getElementTypeOrSelf(value.getType()));
}

/// Returns the pointer operand of an op that only reads through it; null for other ops.
static OpOperand *pointerRead(Operation *op) {
  return isa<tt::LoadOp, tt::DescriptorLoadOp, tt::DescriptorGatherOp>(op) ? &op->getOpOperand(0)
                                                                           : nullptr;
}

/// Returns whether the op states its effects, and all concern memory of the kernel's own, such as
/// shared memory.
static bool staysOffGlobalMemory(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::none_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<tt::GlobalMemory, SideEffects::DefaultResource>(effect.getResource());
  });
}

/// Returns whether all memory of the program that `op` writes is reached through its pointer
/// operands.
static bool writesThroughOperandsOnly(Operation *op) {
  return staysOffGlobalMemory(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
         isMemoryEffectFree(op) ||
         isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp, tt::DescriptorLoadOp,
             tt::DescriptorStoreOp, tt::DescriptorReduceOp, tt::DescriptorGatherOp,
             tt::DescriptorScatterOp, tt::PrintOp, tt::AssertOp, tt::FuncOp, gpu::BarrierOp,
             LLVM::AssumeOp>(op);
}

PointerUses::PointerUses(tt::FuncOp kernel) : symbols(kernel->getParentOfType<ModuleOp>()) {
  functions.insert(kernel);
  for (size_t i = 0; i < functions.size(); ++i)
    functions[i]->walk([&](Operation *op) { note(op); });
  // Calls and returns are linked last, when all calls are known.
  for (auto [call, callee] : calls)
    for (auto back : callee.getBody().getOps<tt::ReturnOp>())
      for (OpOperand &use : back->getOpOperands())
        holders[&use].push_back(call->getResult(use.getOperandNumber()));
}

void PointerUses::note(Operation *op) {
  if (auto call = dyn_cast<tt::CallOp>(op))
    return noteCall(call);
  if (!writesThroughOperandsOnly(op))
    writesAnything = true;
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    return noteBranch(branch);
  if (auto regions = dyn_cast<RegionBranchOpInterface>(op))
    return regions.getSuccessorOperandInputMapping(holders);
  if (isa<tt::FuncOp, ub::PoisonOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
      notePassedOn(op))
    return;
  if (OpOperand *pointer = pointerRead(op))
    holders[pointer];
  if (isa<tt::PrintOp, tt::AssertOp>(op))
    for (OpOperand &use : op->getOpOperands())
      holders[&use];
  // The elements that a reduction or scan combines are arguments of its region.
  noteElsewhere(op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      noteElsewhere(block.getArguments());
}

tt::FuncOp PointerUses::calleeOf(tt::CallOp call) const {
  auto callee = symbols.lookup<tt::FuncOp>(call.getCallee());
  return callee && !callee.isExternal() ? callee : tt::FuncOp();
}

void PointerUses::noteCall(tt::CallOp call) {
  tt::FuncOp callee = calleeOf(call);
  if (!callee) {
    writesAnything = true;
    return noteElsewhere(call->getResults());
  }
  functions.insert(callee);
  calls.emplace_back(call, callee);
  for (OpOperand &use : call->getOpOperands())
    holders[&use].push_back(callee.getArgument(use.getOperandNumber()));
}

void PointerUses::noteBranch(BranchOpInterface branch) {
  for (auto [index, target] : llvm::enumerate(branch->getSuccessors())) {
    SuccessorOperands operands = branch.getSuccessorOperands(index);
    unsigned produced = operands.getProducedOperandCount();
    noteElsewhere(target->getArguments().take_front(produced));
    for (unsigned i = produced; i < operands.size(); ++i)
      holders[&operands.getMutableForwardedOperands()[i - produced]].push_back(
          target->getArgument(i));
  }
}

/// Arithmetic, shape ops, selections and descriptors pass the operands' pointers on to their
/// results. Foreign code (inline assembly, extern functions) may do anything with a pointer.
bool PointerUses::notePassedOn(Operation *op) {
  if (op->getNumRegions() != 0 || isa<tt::ElementwiseInlineAsmOp, tt::ExternElementwiseOp>(op) ||
      !isMemoryEffectFree(op) || !llvm::all_of(op->getResults(), isPointer) ||
      !llvm::any_of(op->getOperands(), isPointer))
    return false;
  for (OpOperand &use : op->getOpOperands())
    if (isPointer(use.get()))
      llvm::append_range(holders[&use], op->getResults());
  return true;
}

void PointerUses::noteElsewhere(ValueRange values) {
  llvm::copy_if(values, std::back_inserter(fromElsewhere), isPointer);
}

bool PointerUses::mayWriteThrough(ArrayRef<Value> pointers) const {
  llvm::SetVector<Value> held(pointers.begin(), pointers.end());
  for (size_t i = 0; i < held.size(); ++i) {
    for (OpOperand &use : held[i].getUses()) {
      auto next = holders.find(&use);
      if (next == holders.end())
        return true;
      held.insert(next->second.begin(), next->second.end());
    }
  }
  return false;
}

PointerWrites tessera::findPointerWrites(tt::FuncOp kernel) {
  PointerUses uses(kernel);
  PointerWrites found;
  for (BlockArgument argument : kernel.getArguments()) {
    found.readOnly.push_back(isPointer(argument) && !uses.mayWriteThrough({argument}));
    auto descriptor = dyn_cast<tt::TensorDescType>(argument.getType());
    if (descriptor && !tt::isFollowedByDescriptorParts(kernel, argument.getArgNumber()))
      found.readOnly.append(2 * descriptor.getBlockType().getRank(), false);
  }
  found.onlyThroughArguments = !uses.mayWriteElsewhere();
  return found;
}
