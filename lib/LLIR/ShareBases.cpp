//===- ShareBases.cpp - one loop-invariant base for the elements of a tile -===//
// The elements of a tile are at `step + (thread + constant)`. In a loop only the sum in parentheses
// is invariant, so LICM hoists it and it occupies one register per element during the loop. Their
// common base occupies one register, and instructions have immediate operands for the constants.
//
//   before: %a = or disjoint i32 %t, 1         after:
//           %b = or disjoint i32 %t, 2
//         loop:                                      loop:
//           %x = add i32 %i, %a                        %s = add i32 %i, %t
//           %y = add i32 %i, %b                        %x = add i32 %s, 1
//                                                      %y = add i32 %s, 2
//
// Sums of disjoint bits stay such. A sum stays as it is if no other shares its base. Cost: linear
// in the instructions.
//===----------------------------------------------------------------------===//
#include "ShareBases.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// A sum `step + (base + offset)` whose inner sum is computed in another block.
struct TileSum {
  BinaryOperator *sum;
  ConstantInt *offset;
  unsigned stepOperand; // the index of the operand that is the step
};
/// The step and the base that sums share.
using Addends = std::pair<Value *, Value *>;
} // namespace

/// Returns whether step, base and offset have no bits in common. The sums that replace this one
/// have none either, and say so: extensions to 64 bits can then be moved to their operands.
static bool isDisjoint(const TileSum &sum) {
  Value *inner = sum.sum->getOperand(1 - sum.stepOperand);
  return match(sum.sum, m_DisjointOr(m_Value(), m_Value())) &&
         match(inner, m_DisjointOr(m_Value(), m_Value()));
}

static Value *createSum(IRBuilder<> &builder, Value *left, Value *right, bool isDisjoint) {
  return isDisjoint ? builder.CreateOr(left, right, "", /*IsDisjoint=*/true)
                    : builder.CreateAdd(left, right);
}

static bool isSum(const Value *value) { return match(value, m_AddLike(m_Value(), m_Value())); }

/// Adds `sum` to the group with the same addends, if it has this form.
static void collect(BinaryOperator &sum, MapVector<Addends, SmallVector<TileSum, 8>> &groups) {
  for (unsigned side : {0u, 1u}) {
    auto *inner = dyn_cast<BinaryOperator>(sum.getOperand(side));
    Value *step = sum.getOperand(1 - side), *base = nullptr;
    ConstantInt *offset = nullptr;
    if (inner && !isa<Constant>(step) && inner->getParent() != sum.getParent() &&
        match(inner, m_AddLike(m_Value(base), m_ConstantInt(offset)))) {
      groups[{step, base}].push_back({&sum, offset, 1 - side});
      return;
    }
  }
}

static bool shareIn(BasicBlock &block, const tessera::LLVMRemarks &remarks) {
  MapVector<Addends, SmallVector<TileSum, 8>> groups;
  for (Instruction &instruction : block)
    if (isSum(&instruction))
      collect(cast<BinaryOperator>(instruction), groups);
  bool changed = false;
  for (auto &[addends, sums] : groups) {
    if (sums.size() < 2)
      continue;
    // The step may itself be a sum that was replaced.
    const TileSum &first = sums.front();
    remarks.decided(*first.sum, "llir-share-bases", "base")
        .says("{0} sums of the loop share one base", sums.size())
        .because("they differ by constants only")
        .number("sums", sums.size());
    IRBuilder<> builder(first.sum);
    bool areDisjoint = all_of(sums, isDisjoint);
    Value *step = first.sum->getOperand(first.stepOperand);
    Value *shared = createSum(builder, step, addends.second, areDisjoint);
    for (const TileSum &each : sums) {
      builder.SetInsertPoint(each.sum);
      each.sum->replaceAllUsesWith(createSum(builder, shared, each.offset, areDisjoint));
      each.sum->eraseFromParent();
    }
    changed = true;
  }
  return changed;
}

PreservedAnalyses tessera::ShareBasesPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= shareIn(block, remarks);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
