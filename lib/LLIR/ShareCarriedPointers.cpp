//===- ShareCarriedPointers.cpp - carry one base pointer instead of one per element -===//
// A loop-carried tensor of pointers becomes a pointer per element: two registers each during the
// whole loop. Tiles with single elements per access have so many that accumulators are spilled. All
// of them advance by the same step, so their distances are loop-invariant:
//
//   before: %p = phi ptr [ gep (gep %base, sext %r0), %k ], [ gep %p, %step ]
//           %q = phi ptr [ gep (gep %base, sext %r1), %k ], [ gep %q, %step ]
//   after:  %s = phi ptr [ gep %base, %k ], [ gep %s, %step ]
//           %p = gep %s, sext %r0
//           %q = gep %s, sext %r1
//
// This pays off only for many pointers, because each address is then a sum in every iteration.
// Cost: linear in the phis, plus the dominator tree.
//===----------------------------------------------------------------------===//
#include "ShareCarriedPointers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include <tuple>

using namespace llvm;

/// The pass leaves loops with fewer pointers alone: they leave enough registers for a tile.
static constexpr unsigned kManyPointers = 16;

namespace {
/// An index that is added to a pointer, in units of an element type.
using Term = std::pair<Type *, Value *>;

/// A pointer that a loop advances.
struct CarriedPointer {
  PHINode *phi;
  GetElementPtrInst *next;
  SmallVector<Term, 2> terms; // the terms that its initial value adds to the root, in order
};

/// The properties that pointers must share: root, element type of the step, step, and the block of
/// the phi.
using Movement = std::tuple<Value *, Type *, Value *, BasicBlock *>;
using Groups = MapVector<Movement, SmallVector<CarriedPointer, 0>>;
} // namespace

static GetElementPtrInst *asSum(Value *value) {
  auto *sum = dyn_cast<GetElementPtrInst>(value);
  bool isPlain = sum && sum->getNumIndices() == 1 && !sum->getType()->isVectorTy();
  return isPlain ? sum : nullptr;
}

/// Adds the phi to the group with the same movement, if it is a pointer that advances.
static void collect(PHINode &phi, unsigned entry, Groups &groups) {
  GetElementPtrInst *next = asSum(phi.getIncomingValue(1 - entry));
  if (!next || next->getPointerOperand() != &phi)
    return;
  CarriedPointer carried{&phi, next, {}};
  Value *root = phi.getIncomingValue(entry);
  for (GetElementPtrInst *sum = asSum(root); sum; sum = asSum(root)) {
    carried.terms.push_back({sum->getSourceElementType(), sum->getOperand(1)});
    root = sum->getPointerOperand();
  }
  if (carried.terms.empty())
    return;
  std::reverse(carried.terms.begin(), carried.terms.end());
  groups[{root, next->getSourceElementType(), next->getOperand(1), next->getParent()}].push_back(
      std::move(carried));
}

/// How often all pointers add a term. A prologue adds the step several times.
using CommonTerms = SmallMapVector<Term, unsigned, 4>;

/// Returns the terms that all pointers add.
static CommonTerms commonTerms(ArrayRef<CarriedPointer> pointers) {
  CommonTerms common;
  for (const Term &term : pointers.front().terms) {
    size_t times = pointers.front().terms.size();
    for (const CarriedPointer &pointer : pointers)
      times = std::min<size_t>(times, count(pointer.terms, term));
    if (times > 0)
      common[term] = times;
  }
  return common;
}

/// Returns the terms that a pointer adds beside the common ones.
static SmallVector<Term, 2> ownTerms(const CarriedPointer &pointer, CommonTerms common) {
  SmallVector<Term, 2> own;
  for (const Term &term : pointer.terms) {
    auto *shared = common.find(term);
    if (shared != common.end() && shared->second > 0)
      --shared->second;
    else
      own.push_back(term);
  }
  return own;
}

/// Returns the number of registers for the terms that the pointers do not share.
static unsigned countRegisters(ArrayRef<CarriedPointer> pointers, const CommonTerms &common) {
  SmallDenseSet<Value *> seen;
  unsigned registers = 0;
  for (const CarriedPointer &pointer : pointers)
    for (const Term &term : ownTerms(pointer, common))
      if (!isa<Constant>(term.second) && seen.insert(term.second).second)
        registers += isa<SExtInst, ZExtInst>(term.second) ? 1 : 2;
  return registers;
}

/// Creates sums of a carried base and terms, each once.
namespace {
class Sums {
public:
  explicit Sums(IRBuilder<> &builder) : builder(builder) {}

  Value *add(Value *base, const Term &term) {
    Value *&sum = known[{base, term}];
    if (!sum)
      sum = builder.CreateGEP(term.first, base, extend(term.second));
    return sum;
  }

private:
  /// Indices are extended here, so that the loop keeps them in 32 bits.
  Value *extend(Value *index) {
    if (!isa<SExtInst, ZExtInst>(index))
      return index;
    Value *&here = extended[index];
    if (!here)
      here = builder.Insert(cast<Instruction>(index)->clone());
    return here;
  }

  IRBuilder<> &builder;
  DenseMap<std::pair<Value *, Term>, Value *> known;
  DenseMap<Value *, Value *> extended;
};
} // namespace

static void share(BasicBlock &header, unsigned entry, Value *root,
                  ArrayRef<CarriedPointer> pointers, const CommonTerms &common) {
  PHINode *first = pointers.front().phi;
  BasicBlock *before = first->getIncomingBlock(entry), *latch = first->getIncomingBlock(1 - entry);
  IRBuilder<> builder(before->getTerminator());
  for (const auto &[term, times] : common)
    for (unsigned i = 0; i < times; ++i)
      root = builder.CreateGEP(term.first, root, term.second);
  builder.SetInsertPoint(first);
  PHINode *base = builder.CreatePHI(first->getType(), 2);
  base->addIncoming(root, before);
  builder.SetInsertPoint(&header, header.getFirstInsertionPt());
  Sums sums(builder);
  for (const CarriedPointer &pointer : pointers) {
    Value *sum = base;
    for (const Term &term : ownTerms(pointer, common))
      sum = sums.add(sum, term);
    pointer.phi->replaceAllUsesWith(sum);
    pointer.phi->eraseFromParent();
  }
  GetElementPtrInst *next = pointers.front().next;
  builder.SetInsertPoint(next);
  base->addIncoming(builder.CreateGEP(next->getSourceElementType(), base, next->getOperand(1)),
                    latch);
}

/// Returns whether a common base saves registers for these pointers; a remark says why.
static bool pays(ArrayRef<CarriedPointer> pointers, const CommonTerms &common,
                 const tessera::LLVMRemarks &remarks) {
  constexpr StringLiteral pass = "llir-share-carried-pointers", decision = "base";
  const GetElementPtrInst &at = *pointers.front().next;
  // A 64-bit pointer takes two registers.
  unsigned now = 2 * pointers.size();
  if (pointers.size() < kManyPointers) {
    if (pointers.size() > 1)
      remarks.declined(at, pass, decision)
          .says("the loop carries {0} pointers that advance together", pointers.size())
          .because("fewer than {0} leave enough registers", kManyPointers)
          .number("pointers", pointers.size());
    return false;
  }
  unsigned shared = countRegisters(pointers, common) + 2;
  tessera::PassRemark remark =
      shared < now ? remarks.decided(at, pass, decision) : remarks.declined(at, pass, decision);
  remark.number("pointers", pointers.size())
      .because("the pointers take {0} registers, a base and their distances {1}", now, shared);
  if (shared < now)
    remark.says("the loop carries one base instead of {0} pointers", pointers.size());
  else
    remark.says("the loop carries {0} pointers that advance together", pointers.size());
  return shared < now;
}

static bool shareIn(BasicBlock &header, const DominatorTree &dominators,
                    const tessera::LLVMRemarks &remarks) {
  auto phis = header.phis();
  if (phis.empty() || phis.begin()->getNumIncomingValues() != 2)
    return false;
  PHINode &any = *phis.begin();
  unsigned entry = dominators.dominates(&header, any.getIncomingBlock(0)) ? 1 : 0;
  if (!dominators.dominates(&header, any.getIncomingBlock(1 - entry)) ||
      !dominators.properlyDominates(any.getIncomingBlock(entry), &header))
    return false;
  BasicBlock *before = any.getIncomingBlock(entry);
  Groups groups;
  for (PHINode &phi : phis)
    if (phi.getType()->isPointerTy())
      collect(phi, phi.getBasicBlockIndex(before), groups);
  bool changed = false;
  for (auto &[movement, pointers] : groups) {
    CommonTerms common = commonTerms(pointers);
    if (!pays(pointers, common, remarks))
      continue;
    share(header, pointers.front().phi->getBasicBlockIndex(before), std::get<0>(movement), pointers,
          common);
    changed = true;
  }
  return changed;
}

PreservedAnalyses tessera::ShareCarriedPointersPass::run(Function &function,
                                                         FunctionAnalysisManager &analyses) {
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= shareIn(block, dominators, remarks);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
