//===- SinkSharedLoads.cpp - read shared memory where it is used ----------===//
// The operands of a matrix product are read from shared memory as a whole, and then
// multiplied slice by slice along K. An assembler that finds all reads first has to keep
// hundreds of registers live; with 256 or more it spills nearly everything. This pass moves
// each read, and the casts and packs of what it returned, in front of their first user:
//
//   before: %a0 = load ; %a1 = load ; ... ; %s0 = fma %a0, ... ; %s1 = fma %a1, ...
//   after:  %a0 = load ; %s0 = fma %a0, ... ; %a1 = load ; %s1 = fma %a1, ... ; ...
//
// The assembler still moves reads up to hide their latency, as far as registers allow.
//
// 1. Reads are loads from the shared address space and intrinsics that only read memory.
//    Movable, too, are pure instructions all of whose operands are movable or constant:
//    moving those together lengthens no live range.
// 2. Each movable instruction goes in front of its first user, or of what that user goes in
//    front of; a read no further than the next instruction that may write memory.
// 3. Blocks that read little stay as they are.
//
// Ensures: no read crosses a write, a barrier or a fence. Cost: linear in the instructions.
//===----------------------------------------------------------------------===//
#include "SinkSharedLoads.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// The address space of shared memory in LLVM's back ends for GPUs.
constexpr unsigned kSharedSpace = 3;

/// Blocks that read fewer 32-bit registers than this keep their order.
constexpr uint64_t kManyRegisters = 48;

static bool isSharedPointer(const Value *value) {
  auto *type = dyn_cast<PointerType>(value->getType());
  return type && type->getAddressSpace() == kSharedSpace;
}

static bool isSharedRead(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() && isSharedPointer(load->getPointerOperand());
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->onlyReadsMemory() && !call->doesNotAccessMemory() && call->arg_size() > 0 &&
         isSharedPointer(call->getArgOperand(0));
}

/// Instructions without effects whose place in a block does not matter.
static bool isPure(const Instruction &instruction) {
  return !isa<PHINode, CallBase, AllocaInst>(instruction) && !instruction.isTerminator() &&
         !instruction.mayReadOrWriteMemory();
}

namespace {
/// An instruction of the block, and what it is to stand in front of.
struct Place {
  Instruction *instruction;
  bool isRead = false, isMovable = false;
  /// The index of an instruction that does not move; its own where it stays.
  unsigned anchor = 0;
};
} // namespace

/// The block's instructions with those marked that may move; nothing where they are few.
static SmallVector<Place> findMovable(BasicBlock &block) {
  const DataLayout &data = block.getModule()->getDataLayout();
  SmallVector<Place> places;
  SmallPtrSet<const Value *, 32> movable;
  uint64_t bits = 0;
  for (Instruction &instruction : block) {
    Place &place = places.emplace_back(Place{&instruction});
    place.isRead = isSharedRead(instruction);
    if (place.isRead)
      bits += data.getTypeSizeInBits(instruction.getType());
    auto isMovable = [&](Value *operand) { return movable.contains(operand); };
    auto moves = [&](Value *operand) { return isa<Constant>(operand) || isMovable(operand); };
    place.isMovable =
        place.isRead || (isPure(instruction) && any_of(instruction.operand_values(), isMovable) &&
                         all_of(instruction.operand_values(), moves));
    if (place.isMovable)
      movable.insert(&instruction);
  }
  return bits < kManyRegisters * 32 ? SmallVector<Place>() : places;
}

/// Where each instruction goes: in front of its first user, a read not beyond a write.
static void chooseAnchors(MutableArrayRef<Place> places) {
  DenseMap<const User *, unsigned> anchors;
  unsigned nextWrite = places.size() - 1; // the terminator
  for (unsigned index = places.size(); index-- > 0;) {
    Place &place = places[index];
    if (place.instruction->mayWriteToMemory())
      nextWrite = index;
    place.anchor = index;
    if (place.isMovable) {
      unsigned first = places.size();
      for (const User *user : place.instruction->users())
        if (auto found = anchors.find(user); found != anchors.end() && !isa<PHINode>(user))
          first = std::min(first, found->second);
      if (place.isRead)
        first = std::min(first, nextWrite);
      if (first != places.size())
        place.anchor = first;
    }
    anchors[place.instruction] = place.anchor;
  }
}

static bool sinkIn(BasicBlock &block) {
  SmallVector<Place> places = findMovable(block);
  if (places.empty())
    return false;
  chooseAnchors(places);
  // In the block's order, so that an instruction stays behind its operands.
  bool changed = false;
  for (auto [index, place] : enumerate(places)) {
    if (place.anchor == index)
      continue;
    place.instruction->moveBefore(places[place.anchor].instruction->getIterator());
    changed = true;
  }
  return changed;
}

PreservedAnalyses tessera::SinkSharedLoadsPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= sinkIn(block);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
