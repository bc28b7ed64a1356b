//===- EmitShuffles.cpp - emit planned shuffles ---------------------------===//
// See ShufflePlan.h for the three steps. Each word of a step is emitted once, when a later step
// needs it.
//===----------------------------------------------------------------------===//
#include "EmitShuffles.h"
#include "LayoutIndices.h"
#include "SharedAccess.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;

static uint64_t xorOf(ArrayRef<uint64_t> bases, uint64_t bits) {
  uint64_t result = 0;
  for (auto [i, basis] : llvm::enumerate(bases))
    if (bits >> i & 1)
      result ^= basis;
  return result;
}

namespace {
class ShuffleEmitter {
public:
  ShuffleEmitter(OpBuilder &b, Location loc, const TargetInfo &target, const ShufflePlan &plan,
                 unsigned numThreads, ValueRange values)
      : b(b), loc(loc), target(target), plan(plan), values(values) {
    Value thread = target.threadId(b, loc, numThreads);
    unsigned lanes = 1u << plan.lanes.size();
    lane = numThreads == lanes
               ? thread
               : LLVM::AndOp::create(b, loc, thread, constantI32(b, loc, lanes - 1)).getResult();
    for (const LaneSwap &swap : plan.before)
      before.push_back(emitParity(swap.lanes));
    for (const LaneSwap &swap : plan.after)
      after.push_back(emitParity(swap.lanes));
    if (!plan.isXor())
      peer = emitLinear(b, loc, lane, plan.lanes);
  }

  /// Emits register `reg` of the result.
  Value emit(unsigned reg) {
    uint64_t word = xorOf(plan.wordTo, reg);
    SmallVector<Value> &elements = unpacked[word];
    if (elements.empty()) {
      Value whole = swapped(word, plan.after.size());
      elements = plan.packedTo.empty() ? SmallVector<Value>{whole} : unpackBytes(whole);
    }
    for (uint64_t place = 0; place < elements.size(); ++place)
      if ((word ^ xorOf(plan.packedTo, place)) == reg)
        return elements[place];
    return elements[0]; // not reached: a register is one of the elements of its word
  }

private:
  /// Unpacks the bytes of a word; bools are bytes.
  SmallVector<Value> unpackBytes(Value word) {
    Type type = values[0].getType();
    if (!type.isInteger(1))
      return unpackWords(b, loc, word, type);
    SmallVector<Value> bits;
    for (Value byte : unpackWords(b, loc, word, b.getI8Type()))
      bits.push_back(LLVM::TruncOp::create(b, loc, type, byte));
    return bits;
  }

  /// Emits an i1 that is true if an odd number of the lane's bits in `mask` are set.
  Value emitParity(uint64_t mask) {
    Value bits = LLVM::AndOp::create(b, loc, lane, constantI32(b, loc, mask));
    if (!llvm::isPowerOf2_64(mask)) {
      bits = LLVM::CtPopOp::create(b, loc, bits);
      bits = LLVM::AndOp::create(b, loc, bits, constantI32(b, loc, 1));
    }
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, bits, constantI32(b, loc, 0));
  }

  Value select(Value condition, Value yes, Value no) {
    return yes == no ? yes : LLVM::SelectOp::create(b, loc, condition, yes, no).getResult();
  }

  /// Emits a received word after the first `step` swaps of plan.after.
  Value swapped(uint64_t index, unsigned step) {
    if (step == 0)
      return received(index);
    auto found = swappedWords.find({index, step});
    if (found != swappedWords.end())
      return found->second;
    const LaneSwap &swap = plan.after[step - 1];
    Value yes = swapped(index ^ swap.registers, step - 1), no = swapped(index, step - 1);
    return swappedWords[{index, step}] = select(after[step - 1], yes, no);
  }

  Value received(uint64_t index) {
    if (Value known = receivedWords.lookup(index))
      return known;
    Value sent = sending(xorOf(plan.sent, index), plan.before.size());
    uint64_t distance = xorOf(plan.distance, index);
    if (!plan.isXor())
      return receivedWords[index] =
                 target.shuffleFrom(b, loc, sent, emitXor(b, loc, peer, distance));
    return receivedWords[index] = distance == 0 ? sent : target.shuffleXor(b, loc, sent, distance);
  }

  Value sending(uint64_t index, unsigned step) {
    if (step == 0)
      return source(index);
    auto found = sentWords.find({index, step});
    if (found != sentWords.end())
      return found->second;
    const LaneSwap &swap = plan.before[step - 1];
    Value yes = sending(index ^ swap.registers, step - 1), no = sending(index, step - 1);
    return sentWords[{index, step}] = select(before[step - 1], yes, no);
  }

  Value source(uint64_t index) {
    Value &word = sourceWords[index];
    if (word)
      return word;
    SmallVector<Value> elements;
    for (uint64_t place = 0; place < uint64_t(1) << plan.packedFrom.size(); ++place)
      elements.push_back(values[index ^ xorOf(plan.packedFrom, place)]);
    if (elements.size() > 1 && elements[0].getType().isInteger(1))
      for (Value &element : elements)
        element = LLVM::ZExtOp::create(b, loc, b.getI8Type(), element);
    return word = packWord(b, loc, elements);
  }

  OpBuilder &b;
  Location loc;
  const TargetInfo &target;
  const ShufflePlan &plan;
  ValueRange values;
  Value lane;
  KnownBits32 peer;
  SmallVector<Value> before, after; // i1, of each swap
  DenseMap<uint64_t, Value> sourceWords, receivedWords;
  DenseMap<std::pair<uint64_t, unsigned>, Value> sentWords, swappedWords;
  DenseMap<uint64_t, SmallVector<Value>> unpacked;
};
} // namespace

SmallVector<Value> tessera::emitShuffles(OpBuilder &b, Location loc, const TargetInfo &target,
                                         const ShufflePlan &plan, unsigned count,
                                         unsigned numThreads, ValueRange values) {
  ShuffleEmitter emitter(b, loc, target, plan, numThreads, values);
  SmallVector<Value> results;
  for (unsigned reg = 0; reg < count; ++reg)
    results.push_back(emitter.emit(reg));
  return results;
}
