//===- PackCarriedValues.cpp - pack loop-carried 16-bit values into 32-bit registers -===//
// A tensor becomes one scalar per element, also if a loop carries it. GPU registers have 32 bits:
// two 16-bit values that are extracted from one word and packed into one again would take two
// registers in between, and an instruction to pack them.
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
static constexpr StringLiteral kPass = "llir-pack-carried-values", kDecision = "words";

namespace {
/// The vector and the element that a phi takes from each predecessor.
struct Sources {
  std::map<BasicBlock *, Value *> vectors;
  unsigned element = 0;
};
} // namespace

/// Returns nothing unless the phi takes the same element of 32-bit vectors from all predecessors.
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

/// Replaces the phis of all elements of one word by one phi.
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

/// Returns whether the phi has fewer bits than a word and could share one.
static bool isNarrow(const PHINode &phi) {
  unsigned bits = phi.getType()->getPrimitiveSizeInBits();
  return bits == 8 || bits == 16;
}

/// Reports the values of a block's phis: how many share words, and how many do not.
static void explain(BasicBlock &block, unsigned narrow, unsigned packed, unsigned words,
                    const tessera::LLVMRemarks &remarks) {
  if (words > 0)
    remarks.decided(block.front(), kPass, kDecision)
        .says("{0} carried values of 8 or 16 bits take {1} words of 32 bits", packed, words)
        .because("they are all elements of these words in every predecessor")
        .number("values", packed)
        .number("words", words);
  if (narrow > packed)
    remarks.declined(block.front(), kPass, kDecision)
        .says("{0} carried values of 8 or 16 bits take a register each", narrow - packed)
        .because("they are not all elements of the same 32-bit vectors")
        .number("values", narrow - packed);
}

static bool packIn(BasicBlock &block, const tessera::LLVMRemarks &remarks) {
  // Groups phis by the vectors whose elements they take, in program order, so that the output does
  // not depend on pointer values.
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
  unsigned narrow = remarks ? count_if(block.phis(), isNarrow) : 0, packed = 0, words = 0;
  for (auto &[vectors, phis] : groups) {
    if (is_contained(phis, nullptr))
      continue;
    pack(phis, vectors);
    packed += phis.size();
    ++words;
  }
  explain(block, narrow, packed, words, remarks);
  return words > 0;
}

PreservedAnalyses tessera::PackCarriedValuesPass::run(Function &function,
                                                      FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= packIn(block, remarks);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
