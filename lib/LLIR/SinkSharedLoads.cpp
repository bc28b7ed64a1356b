//===- SinkSharedLoads.cpp - move shared memory loads down to their uses -===//
// The operands of a matrix product are read from shared memory as a whole, and then multiplied
// slice by slice along K. If all loads come first, the assembler has to keep hundreds of registers
// live; at 256 or more it spills nearly all of them. This pass moves each load, and the casts and
// packing of its result, in front of their first user:
//
//   before: %a0 = load ; %a1 = load ; ... ; %s0 = fma %a0, ... ; %s1 = fma %a1, ...
//   after:  %a0 = load ; %s0 = fma %a0, ... ; %a1 = load ; %s1 = fma %a1, ... ; ...
//
// The assembler still moves loads up to hide their latency, as far as registers allow.
//
// 1. Loads are loads from the shared address space and intrinsics that only read memory. Pure
//    instructions all of whose operands are movable or constant are movable too: moving them
//    together lengthens no live range.
// 2. Each movable instruction moves in front of its first user (or in front of the place to which
//    that user moves), but a load never past an instruction that may write memory.
// 3. Blocks with few loads stay as they are.
//
// With `arithmetic`, all pure instructions are movable, in every block, such as the addresses of an
// epilogue's stores: their operands live longer, so that this is for kernels that spill otherwise.
//
// Ensures: no load crosses a write, a barrier or a fence. Cost: linear in the instructions.
//===----------------------------------------------------------------------===//
#include "SinkSharedLoads.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// The address space of shared memory in LLVM's GPU back ends.
constexpr unsigned kSharedSpace = 3;

/// Blocks whose loads fill fewer 32-bit registers than this keep their order.
constexpr uint64_t kManyRegisters = 48;
constexpr StringLiteral kPass = "llir-sink-shared-loads", kDecision = "order";

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

/// Returns whether the instruction has no effects and may be moved within its block.
static bool isPure(const Instruction &instruction) {
  return !isa<PHINode, CallBase, AllocaInst>(instruction) && !instruction.isTerminator() &&
         !instruction.mayReadOrWriteMemory();
}

namespace {
/// An instruction of the block, and where it moves.
struct Place {
  Instruction *instruction;
  bool isRead = false, isMovable = false;
  /// The index of the non-moving instruction in front of which it is placed; its own index if it
  /// stays.
  unsigned anchor = 0;
};
} // namespace

/// Returns the block's instructions with the movable ones marked; nothing if there are few loads.
static SmallVector<Place> findMovable(BasicBlock &block, bool arithmetic,
                                      const tessera::LLVMRemarks &remarks) {
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
    bool comesFromReads = any_of(instruction.operand_values(), isMovable) &&
                          all_of(instruction.operand_values(), moves);
    place.isMovable = place.isRead || (isPure(instruction) && (arithmetic || comesFromReads));
    if (place.isMovable)
      movable.insert(&instruction);
  }
  if (arithmetic || bits >= kManyRegisters * 32)
    return places;
  if (const auto *read = find_if(places, [](const Place &place) { return place.isRead; });
      read != places.end())
    remarks.declined(*read->instruction, kPass, kDecision)
        .says("loads from shared memory keep their order")
        .because("they fill {0} registers, fewer than {1}", bits / 32, kManyRegisters)
        .number("registers", bits / 32);
  return {};
}

/// Chooses the place of each instruction: in front of its first user; for a load not past a write.
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

static bool sinkIn(BasicBlock &block, bool arithmetic, const tessera::LLVMRemarks &remarks) {
  SmallVector<Place> places = findMovable(block, arithmetic, remarks);
  if (places.empty())
    return false;
  chooseAnchors(places);
  // Instructions move in the order of the block, so that each stays after its operands.
  const Instruction *first = nullptr;
  unsigned loads = 0;
  for (auto [index, place] : enumerate(places)) {
    if (place.anchor == index)
      continue;
    place.instruction->moveBefore(places[place.anchor].instruction->getIterator());
    first = first ? first : place.instruction;
    loads += place.isRead;
  }
  if (first)
    remarks.decided(*first, kPass, kDecision)
        .says("{0} loads from shared memory move to their first use", loads)
        .because("together they fill at least {0} registers", kManyRegisters)
        .number("loads", loads);
  return first != nullptr;
}

PreservedAnalyses tessera::SinkSharedLoadsPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= sinkIn(block, arithmetic, remarks);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
