//===- ShareBases.cpp - one base for the elements of a tile in a loop -----===//
// The elements of a tile lie at `step + (thread + constant)`, and of a loop's step only the
// sum in brackets does not change: it was hoisted, one register for every element
// throughout the loop. Their common base takes one, and instructions take constants.
//
//   before: %a = or disjoint i32 %t, 1         after:
//           %b = or disjoint i32 %t, 2
//         loop:                                      loop:
//           %x = add i32 %i, %a                        %s = add i32 %i, %t
//           %y = add i32 %i, %b                        %x = add i32 %s, 1
//                                                      %y = add i32 %s, 2
//
// A sum stays as it is where no other shares its base. Cost: linear in the instructions.
//===----------------------------------------------------------------------===//
#include "ShareBases.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// `step + (base + offset)`: the sum in brackets was computed in another block.
struct TileSum {
  BinaryOperator *sum;
  ConstantInt *offset;
  unsigned stepOperand; // of the sum
};
/// The step and the base that sums share.
using Addends = std::pair<Value *, Value *>;
} // namespace

static bool isSum(const Value *value) { return match(value, m_AddLike(m_Value(), m_Value())); }

/// Adds `sum` to those that share its addends, if it is of a tile's form.
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

static bool shareIn(BasicBlock &block) {
  MapVector<Addends, SmallVector<TileSum, 8>> groups;
  for (Instruction &instruction : block)
    if (isSum(&instruction))
      collect(cast<BinaryOperator>(instruction), groups);
  bool changed = false;
  for (auto &[addends, sums] : groups) {
    if (sums.size() < 2)
      continue;
    // The step may itself have been a sum that another took the place of.
    const TileSum &first = sums.front();
    IRBuilder<> builder(first.sum);
    Value *shared = builder.CreateAdd(first.sum->getOperand(first.stepOperand), addends.second);
    for (const TileSum &each : sums) {
      builder.SetInsertPoint(each.sum);
      each.sum->replaceAllUsesWith(builder.CreateAdd(shared, each.offset));
      each.sum->eraseFromParent();
    }
    changed = true;
  }
  return changed;
}

PreservedAnalyses tessera::ShareBasesPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= shareIn(block);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
