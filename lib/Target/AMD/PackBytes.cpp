//===- PackBytes.cpp - pack bytes of several words by v_perm --------------===//
// An operand of 8-bit elements is transposed in registers: a lane holds a few rows as words, and
// stores columns. LLVM 22 shifts and combines byte by byte; v_perm_b32 takes any four bytes of two
// words. Two columns share the instructions that interleave two rows:
//
//   before: %c = shufflevector of the bytes of %w0, %w1, %w2, %w3 ; store <4 x i8> %c
//   after:  %l = perm(%w1, %w0) ; %h = perm(%w3, %w2)     bytes of two columns each
//           store perm(%h, %l)
//
// 1. A stored byte is followed through shufflevector to a word.
// 2. Four bytes of at most two words take one instruction, others three, of which two are shared.
//
// Cost: linear in the bytes stored.
//===----------------------------------------------------------------------===//
#include "PackBytes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;

namespace {
/// Byte `index` of the i32 `word`, the lowest is 0.
struct Byte {
  Value *word = nullptr;
  unsigned index = 0;
};

/// Emits the instructions for one block.
class Packer {
public:
  explicit Packer(IRBuilderBase &b) : b(b) {}
  /// Returns the word with these bytes, the lowest first.
  Value *pack(ArrayRef<Byte> bytes);

private:
  /// A word that has two bytes side by side, and the place of the first.
  std::pair<Value *, unsigned> interleave(Byte first, Byte second);
  /// Bytes 0 to 3 are those of `low`, 4 to 7 those of `high`.
  Value *permute(Value *high, Value *low, ArrayRef<unsigned> places);

  IRBuilderBase &b;
  DenseMap<std::pair<Value *, Value *>, Value *> interleaved[2]; // by the half of the words
};
} // namespace

/// Returns byte `lane` of the vector of bytes; nothing if it does not come from a word.
static std::optional<Byte> findByte(Value *vector, unsigned lane) {
  while (true) {
    if (auto *cast = dyn_cast<BitCastInst>(vector)) {
      Value *word = cast->getOperand(0);
      return word->getType()->isIntegerTy(32) ? std::optional(Byte{word, lane}) : std::nullopt;
    }
    auto *shuffle = dyn_cast<ShuffleVectorInst>(vector);
    if (!shuffle)
      return std::nullopt;
    int from = shuffle->getMaskValue(lane);
    if (from < 0)
      return std::nullopt;
    unsigned width = cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
    vector = shuffle->getOperand(unsigned(from) < width ? 0 : 1);
    lane = unsigned(from) % width;
  }
}

Value *Packer::permute(Value *high, Value *low, ArrayRef<unsigned> places) {
  uint32_t selector = 0;
  for (auto [i, place] : enumerate(places))
    selector |= place << 8 * i;
  return b.CreateIntrinsic(Intrinsic::amdgcn_perm, {}, {high, low, b.getInt32(selector)});
}

std::pair<Value *, unsigned> Packer::interleave(Byte first, Byte second) {
  if (first.index != second.index)
    return {permute(second.word, first.word, {first.index, second.index + 4, 0, 4}), 0};
  unsigned half = first.index / 2, low = 2 * half;
  Value *&known = interleaved[half][{first.word, second.word}];
  if (!known)
    known = permute(second.word, first.word, {low, low + 4, low + 1, low + 5});
  return {known, first.index % 2 * 2};
}

Value *Packer::pack(ArrayRef<Byte> bytes) {
  Value *one = bytes[0].word, *other = one;
  for (const Byte &byte : bytes)
    if (byte.word != one)
      other = byte.word;
  if (all_of(bytes, [&](const Byte &byte) { return byte.word == one || byte.word == other; })) {
    SmallVector<unsigned> places;
    for (const Byte &byte : bytes)
      places.push_back(byte.word == one ? byte.index : byte.index + 4);
    return permute(other, one, places);
  }
  auto [low, l] = interleave(bytes[0], bytes[1]);
  auto [high, h] = interleave(bytes[2], bytes[3]);
  return permute(high, low, {l, l + 1, h + 4, h + 5});
}

/// Returns the stored bytes if they come from words, and not whole words as they are.
static SmallVector<Byte> findBytes(StoreInst &store) {
  constexpr unsigned sharedSpace = 3;
  auto *type = dyn_cast<FixedVectorType>(store.getValueOperand()->getType());
  if (store.getPointerAddressSpace() != sharedSpace || !type ||
      !type->getElementType()->isIntegerTy(8) || type->getNumElements() % 4 != 0)
    return {};
  SmallVector<Byte> bytes;
  bool isMoved = false;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    std::optional<Byte> byte = findByte(store.getValueOperand(), lane);
    if (!byte)
      return {};
    isMoved |= byte->index != lane % 4 || (lane % 4 != 0 && byte->word != bytes.back().word);
    bytes.push_back(*byte);
  }
  return isMoved ? bytes : SmallVector<Byte>();
}

void tessera::amd::packBytes(Module &module) {
  IRBuilder<> b(module.getContext());
  for (Function &function : module)
    for (BasicBlock &block : function) {
      Packer packer(b);
      SmallVector<WeakTrackingVH> replaced;
      for (Instruction &instruction : block) {
        auto *store = dyn_cast<StoreInst>(&instruction);
        SmallVector<Byte> bytes = store ? findBytes(*store) : SmallVector<Byte>();
        if (bytes.empty())
          continue;
        b.SetInsertPoint(store);
        Value *words = PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), bytes.size() / 4));
        for (unsigned i = 0; i < bytes.size(); i += 4)
          words = b.CreateInsertElement(words, packer.pack(ArrayRef(bytes).slice(i, 4)), i / 4);
        Value *old = store->getValueOperand();
        store->setOperand(0, b.CreateBitCast(words, old->getType()));
        replaced.push_back(old);
      }
      RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
    }
}
