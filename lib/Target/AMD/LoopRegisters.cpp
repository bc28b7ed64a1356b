//===- LoopRegisters.cpp - vector registers in loops of products ----------===//
// 1. LLVM's strength reduction gives the offsets that a loop advances one common part where their
// initial values have one, such as the sign of a remainder. It adds that part in every iteration:
//
//   before: %o = phi [ %a - %s, ... ], [ %o + %step, ... ]   (LLVM: phi [ %a ], and %o = phi - %s)
//   after:  %f = freeze (%a - %s)                             (no instruction; LLVM looks no
//   further)
//           %o = phi [ %f, ... ], [ %o + %step, ... ]
//
// 2. The addresses of a swizzled buffer differ by the xor with a constant. They are invariant, so
// each occupies a register in the whole loop. Where registers are short, those of stores are
// computed in the loop: the registers of what is stored get free there.
//
//   before: %x = xor %t, 16               after: loop: %u = phi [ %t, ... ], [ %v, ... ]
//           loop: store %d, gep %x                     %x = xor %u, 16
//                                                      store %d, gep %x
//                                                      %v = asm "" (%u)
//
// The statement without instructions keeps LLVM from hoisting the addresses again.
//
// 3. LLVM's scheduler reads operands of later products ahead until it has used all registers with
// which as many waves run as shared memory lets. A kernel gets the fewest such registers as a goal
// where a loop seems to need no more; emitAssembly drops the goal if something is spilled.
//
// Cost: linear in the instructions, plus the loops of each function.
//===----------------------------------------------------------------------===//
#include "LoopRegisters.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tessera;

/// Calls `visit` for each innermost loop of the module that has a preheader and one latch.
static void forInnermostLoops(Module &module, function_ref<void(Loop &)> visit) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (loop->isInnermost() && loop->getLoopPreheader() && loop->getLoopLatch())
        visit(*loop);
  }
}

//===----------------------------------------------------------------------===//
// What offsets start at
//===----------------------------------------------------------------------===//

void tessera::amd::freezeCarriedOffsets(Module &module) {
  forInnermostLoops(module, [](Loop &loop) {
    BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
    for (PHINode &phi : loop.getHeader()->phis()) {
      Value *start = phi.getIncomingValueForBlock(before);
      bool advances = phi.getType()->isIntegerTy(32) && match(phi.getIncomingValueForBlock(latch),
                                                              m_c_Add(m_Specific(&phi), m_Value()));
      if (!advances || !isa<Instruction>(start))
        continue;
      IRBuilder<> builder(before->getTerminator());
      phi.setIncomingValueForBlock(before, builder.CreateFreeze(start));
    }
  });
}

//===----------------------------------------------------------------------===//
// Addresses of stores
//===----------------------------------------------------------------------===//

/// LLVM's number of the address space of shared memory.
static constexpr unsigned kSharedSpace = 3;

namespace {
/// A store at `base ^ constant`, plus constants.
struct SwizzledStore {
  StoreInst *store;
  BinaryOperator *swizzle;                   // base ^ constant
  SmallVector<GetElementPtrInst *, 2> steps; // from the swizzle to the address
};
using Stores = MapVector<Value *, SmallVector<SwizzledStore>>; // by base
} // namespace

/// Returns how the loop's store gets its address; nothing if that is no swizzle outside of the
/// loop.
static std::optional<SwizzledStore> findSwizzle(StoreInst &store, const Loop &loop) {
  if (store.getPointerAddressSpace() != kSharedSpace)
    return std::nullopt;
  SwizzledStore result{&store, nullptr, {}};
  Value *pointer = store.getPointerOperand();
  while (auto *step = dyn_cast<GetElementPtrInst>(pointer)) {
    if (loop.contains(step) || step->getNumIndices() != 1)
      return std::nullopt;
    result.steps.push_back(step);
    pointer = step->getPointerOperand();
  }
  if (!isa<Constant>(pointer) || result.steps.empty())
    return std::nullopt;
  result.swizzle = dyn_cast<BinaryOperator>(*result.steps.back()->idx_begin());
  if (!result.swizzle || !match(result.swizzle, m_Xor(m_Value(), m_ConstantInt())))
    return std::nullopt;
  std::reverse(result.steps.begin(), result.steps.end());
  return result;
}

/// Gives the stores addresses that are computed in the loop from `base`.
static void recompute(Value *base, ArrayRef<SwizzledStore> stores, Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  Type *type = base->getType();
  IRBuilder<> builder(loop.getHeader(), loop.getHeader()->begin());
  PHINode *carried = builder.CreatePHI(type, 2);
  builder.SetInsertPoint(latch->getTerminator());
  auto *opaque = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=v,0",
                                /*hasSideEffects=*/false);
  carried->addIncoming(base, loop.getLoopPreheader());
  carried->addIncoming(builder.CreateCall(opaque, {carried}), latch);
  DenseMap<std::pair<BasicBlock *, Instruction *>, Instruction *> copies;
  for (const SwizzledStore &store : stores) {
    BasicBlock *block = store.store->getParent();
    auto copy = [&](Instruction *original, unsigned operand, Value *value) -> Value * {
      Instruction *&known = copies[{block, original}];
      if (!known) {
        known = original->clone();
        known->setOperand(operand, value);
        known->insertBefore(store.store->getIterator());
      }
      return known;
    };
    Value *pointer = copy(store.swizzle, 0, carried);
    for (auto [index, step] : enumerate(store.steps))
      pointer = copy(step, index == 0 ? 1 : 0, pointer);
    store.store->setOperand(1, pointer);
  }
}

/// Gives stores of the loop addresses that are computed in it, where that saves several registers.
static void recomputeStoreAddresses(Loop &loop) {
  constexpr unsigned worthwhile = 4;
  Stores stores;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        if (std::optional<SwizzledStore> found = findSwizzle(*store, loop))
          stores[found->swizzle->getOperand(0)].push_back(*found);
  for (auto &[base, swizzled] : stores) {
    SmallPtrSet<BinaryOperator *, 8> addresses;
    for (const SwizzledStore &store : swizzled)
      addresses.insert(store.swizzle);
    if (addresses.size() >= worthwhile && !isa<Constant>(base))
      recompute(base, swizzled, loop);
  }
}

//===----------------------------------------------------------------------===//
// The goal
//===----------------------------------------------------------------------===//

static uint64_t registersOf(const Value *value, const DataLayout &layout) {
  return divideCeil(layout.getTypeSizeInBits(value->getType()).getFixedValue(), 32);
}

/// Returns the call if it is one of a WMMA instruction.
static const IntrinsicInst *asProduct(const Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  return call && call->getCalledFunction()->getName().starts_with("llvm.amdgcn.wmma") ? call
                                                                                      : nullptr;
}

/// Returns the registers of the operands of the first products along K: those that add to no
/// product of this iteration. 0 if the loop has no products.
static uint64_t countOperands(const Loop &loop, const DataLayout &layout) {
  SmallPtrSet<const Value *, 16> operands[2]; // of products that add to zero, and of the others
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      const IntrinsicInst *product = asProduct(&instruction);
      if (!product)
        continue;
      SmallVector<const Value *, 2> factors;
      const Value *sum = nullptr;
      for (const Value *operand : product->args()) {
        if (operand->getType() == product->getType())
          sum = operand;
        else if (operand->getType()->isVectorTy())
          factors.push_back(operand);
      }
      if (sum && !asProduct(sum))
        operands[!isa<Constant>(sum)].insert(factors.begin(), factors.end());
    }
  uint64_t most = 0;
  for (const auto &set : operands) {
    uint64_t registers = 0;
    for (const Value *operand : set)
      registers += registersOf(operand, layout);
    most = std::max(most, registers);
  }
  return most;
}

/// Estimates the registers that a loop of products needs: those of the values that it carries, of
/// the values from outside that it uses, and of the operands of a step along K. Addresses in shared
/// memory are not counted. 0 if the loop has no products.
static uint64_t estimateNeed(const Loop &loop, const DataLayout &layout) {
  uint64_t registers = countOperands(loop, layout);
  if (registers == 0)
    return 0;
  for (const PHINode &phi : loop.getHeader()->phis())
    registers += registersOf(&phi, layout);
  SmallPtrSet<const Value *, 32> invariant;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      for (const Value *operand : instruction.operands()) {
        auto *outside = dyn_cast<Instruction>(operand);
        if (outside && !isa<PHINode>(instruction) && !loop.contains(outside) &&
            !outside->getType()->isPointerTy() && invariant.insert(outside).second)
          registers += registersOf(outside, layout);
      }
  return registers;
}

/// Returns whether a loop computes little besides its products, so that the estimate knows what is
/// alive in it.
static bool isMostlyProducts(const Loop &loop) {
  constexpr unsigned perProduct = 4;
  unsigned products = 0, others = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      products += asProduct(&instruction) != nullptr;
      others += isa<BinaryOperator, CmpInst, SelectInst>(instruction);
    }
  return others <= perProduct * products;
}

/// Returns the fewest registers with which no more waves run than with the next larger unit: shared
/// memory does not let more run anyway. 0 if that limits nothing.
static unsigned fewestRegisters(const Function &kernel, const amd::AmdSpec &spec) {
  uint64_t sharedBytes = 0;
  for (const GlobalVariable &variable : kernel.getParent()->globals())
    if (variable.getAddressSpace() == kSharedSpace)
      sharedBytes += kernel.getDataLayout().getTypeAllocSize(variable.getValueType());
  unsigned threads = 0;
  StringRef size = kernel.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString();
  if (sharedBytes == 0 || size.rsplit(',').second.getAsInteger(10, threads) || threads == 0)
    return 0;
  // A workgroup processor has four SIMD units and twice the shared memory of one workgroup.
  constexpr unsigned simds = 4;
  uint64_t workgroups = 2 * uint64_t(spec.maxSharedBytes) / sharedBytes;
  uint64_t waves = workgroups * divideCeil(threads, spec.threadsPerWarp) / simds;
  if (waves == 0 || waves >= spec.maxWarpsPerSIMD)
    return 0;
  unsigned fewest = alignDown(spec.registersPerSIMD / (waves + 1), spec.registerUnit()) + 1;
  return fewest < spec.maxRegistersPerThread ? fewest : 0;
}

void tessera::amd::saveLoopRegisters(Module &module, const AmdSpec &spec) {
  if (!spec.hasWMMA())
    return;
  // Three fifths of a wave's 256: a step along K ahead, and addresses, need the others.
  constexpr uint64_t many = 152;
  struct Need {
    uint64_t registers = 0;
    bool isKnown = true;
  };
  DenseMap<Function *, Need> needs;
  forInnermostLoops(module, [&](Loop &loop) {
    uint64_t registers = estimateNeed(loop, module.getDataLayout());
    if (registers == 0)
      return;
    Need &need = needs[loop.getHeader()->getParent()];
    need.registers = std::max(need.registers, registers);
    need.isKnown &= isMostlyProducts(loop);
    if (registers >= many)
      recomputeStoreAddresses(loop);
  });
  for (auto [function, need] : needs) {
    unsigned goal = fewestRegisters(*function, spec);
    bool isFree = !function->hasFnAttribute("amdgpu-num-vgpr") &&
                  !function->hasFnAttribute("amdgpu-waves-per-eu");
    if (need.isKnown && need.registers <= goal && isFree)
      function->addFnAttr(kRegisterGoal, std::to_string(goal));
  }
}
