//===- PackCarriedValues.cpp - halves travel in pairs ---------------------===//
// A tensor becomes one scalar per element, also where a loop carries it. GPU registers
// have 32 bits: two halves that come out of one word and go into one word again would
// take two registers in between, and an instruction to join them.
//
//   before: %x = phi half [ extractelement %v, 0 ], [ extractelement %w, 0 ]
//           %y = phi half [ extractelement %v, 1 ], [ extractelement %w, 1 ]
//   after:  %p = phi i32 [ bitcast %v ], [ bitcast %w ]
//           %x, %y = elements of bitcast %p to <2 x half>
//
// Cost: linear in the phis.
//===----------------------------------------------------------------------===//
#include "PackCarriedValues.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include <map>
#include <optional>

using namespace llvm;

static constexpr unsigned kWordBits = 32;

namespace {
/// Which element of which vectors a phi takes, by predecessor.
struct Sources {
  std::map<BasicBlock *, Value *> vectors;
  unsigned element = 0;
};
} // namespace

/// Nothing unless the phi takes the same element of vectors of one word everywhere.
static std::optional<Sources> findSources(PHINode &phi) {
  using namespace llvm::PatternMatch;
  unsigned bits = phi.getType()->getPrimitiveSizeInBits();
  if (bits != 8 && bits != 16)
    return std::nullopt;
  auto *vectorType = FixedVectorType::get(phi.getType(), kWordBits / bits);
  Sources sources;
  std::optional<uint64_t> element;
  for (auto [from, incoming] : zip_equal(phi.blocks(), phi.incoming_values())) {
    Value *vector = nullptr;
    uint64_t index = 0;
    if (!match(incoming.get(), m_ExtractElt(m_Value(vector), m_ConstantInt(index))) ||
        vector->getType() != vectorType || (element && *element != index))
      return std::nullopt;
    element = index;
    sources.vectors[from] = vector;
  }
  if (!element || *element >= vectorType->getNumElements())
    return std::nullopt;
  sources.element = *element;
  return sources;
}

/// Replaces the phis of all elements of one word.
static void pack(ArrayRef<PHINode *> phis, const std::map<BasicBlock *, Value *> &vectors) {
  PHINode *first = phis.front();
  Type *word = Type::getInt32Ty(first->getContext());
  IRBuilder<> builder(first);
  PHINode *packed = builder.CreatePHI(word, first->getNumIncomingValues());
  for (BasicBlock *from : first->blocks()) {
    builder.SetInsertPoint(from->getTerminator());
    packed->addIncoming(builder.CreateBitCast(vectors.at(from), word), from);
  }
  BasicBlock *block = first->getParent();
  builder.SetInsertPoint(block, block->getFirstInsertionPt());
  Value *vector = builder.CreateBitCast(packed, vectors.begin()->second->getType());
  for (auto [element, phi] : enumerate(phis)) {
    phi->replaceAllUsesWith(builder.CreateExtractElement(vector, uint64_t(element)));
    phi->eraseFromParent();
  }
}

static bool packIn(BasicBlock &block) {
  // Phis by the vectors they take elements of; in the order of the program, so that what
  // is written does not depend on addresses.
  std::map<std::map<BasicBlock *, Value *>, unsigned> numbers;
  SmallVector<std::pair<std::map<BasicBlock *, Value *>, SmallVector<PHINode *, 4>>> groups;
  for (PHINode &phi : block.phis()) {
    std::optional<Sources> sources = findSources(phi);
    if (!sources)
      continue;
    auto [place, isNew] = numbers.try_emplace(sources->vectors, groups.size());
    if (isNew)
      groups.push_back({sources->vectors, {}});
    SmallVector<PHINode *, 4> &phis = groups[place->second].second;
    phis.resize(kWordBits / phi.getType()->getPrimitiveSizeInBits());
    phis[sources->element] = &phi;
  }
  bool changed = false;
  for (auto &[vectors, phis] : groups) {
    if (is_contained(phis, nullptr))
      continue;
    pack(phis, vectors);
    changed = true;
  }
  return changed;
}

PreservedAnalyses tessera::PackCarriedValuesPass::run(Function &function,
                                                      FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= packIn(block);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
