//===- LayoutIndices.cpp - which element does this thread hold? -----------===//
// See LayoutIndices.h.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"

using namespace mlir;
using namespace tessera;

Value tessera::constantI32(OpBuilder &b, Location loc, uint64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
}

KnownBits32 tessera::emitJoined(OpBuilder &b, Location loc, KnownBits32 x, KnownBits32 y) {
  if (!x.value)
    return y;
  if (!y.value)
    return x;
  if (x.possible & y.possible)
    return {LLVM::XOrOp::create(b, loc, x.value, y.value), x.possible | y.possible};
  return {LLVM::OrOp::create(b, loc, x.value, y.value, /*isDisjoint=*/true),
          x.possible | y.possible};
}

/// The bits of `mask` in `bits`, moved left by `distance` (right if negative).
static KnownBits32 moveBits(OpBuilder &b, Location loc, Value bits, uint64_t mask, bool isAll,
                            int distance) {
  Value value = bits;
  if (!isAll)
    value = LLVM::AndOp::create(b, loc, value, constantI32(b, loc, mask));
  if (distance > 0)
    value = LLVM::ShlOp::create(b, loc, value, constantI32(b, loc, distance),
                                LLVM::IntegerOverflowFlags::nuw);
  if (distance < 0)
    value = LLVM::LShrOp::create(b, loc, value, constantI32(b, loc, -distance));
  return {value, distance >= 0 ? mask << distance : mask >> -distance};
}

KnownBits32 tessera::emitLinear(OpBuilder &b, Location loc, Value bits, ArrayRef<uint64_t> bases) {
  // Maps a distance to the input bits that have an output bit this many places further up.
  std::map<int, uint64_t> masks;
  for (unsigned in = 0; in < bases.size(); ++in)
    for (unsigned out = 0; out < 32; ++out)
      if (bases[in] >> out & 1)
        masks[static_cast<int>(out) - static_cast<int>(in)] |= uint64_t(1) << in;

  uint64_t all = (uint64_t(1) << bases.size()) - 1;
  KnownBits32 result;
  for (auto [distance, mask] : masks)
    result = emitJoined(b, loc, result, moveBits(b, loc, bits, mask, mask == all, distance));
  return result;
}

Value tessera::emitXor(OpBuilder &b, Location loc, KnownBits32 part, uint64_t constant) {
  if (constant == 0 && part.value)
    return part.value;
  return emitJoined(b, loc, part, {constantI32(b, loc, constant), constant}).value;
}

unsigned tessera::threadCount(const LinearLayout &layout) {
  return layout.inSize(Dim::lane()) * layout.inSize(Dim::warp());
}

SmallVector<Value> tessera::emitIndices(OpBuilder &b, Location loc, const TargetInfo &target,
                                        const LinearLayout &layout, Dim out) {
  // The thread id has the lane in its low bits and the warp above.
  SmallVector<uint64_t> bases;
  for (Dim dim : {Dim::lane(), Dim::warp()})
    for (unsigned bit = 0; bit < layout.inBits(dim); ++bit)
      bases.push_back(layout.basis(dim, bit, out));
  auto anyMoves = [](ArrayRef<uint64_t> bases) {
    return llvm::any_of(bases, [](uint64_t basis) { return basis != 0; });
  };
  KnownBits32 thread;
  if (anyMoves(bases))
    thread = emitLinear(b, loc, target.threadId(b, loc, threadCount(layout)), bases);
  bases.clear();
  for (unsigned bit = 0; bit < layout.inBits(Dim::block()); ++bit)
    bases.push_back(layout.basis(Dim::block(), bit, out));
  if (anyMoves(bases))
    thread = emitJoined(b, loc, thread, emitLinear(b, loc, target.blockInCluster(b, loc), bases));

  SmallVector<Value> indices;
  DenseMap<uint64_t, Value> known; // registers that replicate share one value
  for (uint64_t reg = 0; reg < layout.inSize(Dim::reg()); ++reg) {
    uint64_t constant = layout.apply({{Dim::reg(), reg}}, out);
    Value &index = known[constant];
    if (!index)
      index = emitXor(b, loc, thread, constant);
    indices.push_back(index);
  }
  return indices;
}

uint64_t tessera::replicatedThreadBits(const LinearLayout &layout) {
  uint64_t lanes = 0, warps = 0;
  for (DimIndex mask : layout.freeVariableMasks()) {
    if (mask.dim == Dim::lane())
      lanes = mask.index;
    if (mask.dim == Dim::warp())
      warps = mask.index;
  }
  return lanes | warps << layout.inBits(Dim::lane());
}

uint64_t tessera::replicatedBlockBits(const LinearLayout &layout) {
  for (DimIndex mask : layout.freeVariableMasks())
    if (mask.dim == Dim::block())
      return mask.index;
  return 0;
}

Value tessera::emitIsRepresentative(OpBuilder &b, Location loc, const TargetInfo &target,
                                    unsigned numThreads, uint64_t replicated,
                                    uint64_t replicatedBlocks) {
  Value bits;
  if (replicated != 0) {
    bits = target.threadId(b, loc, numThreads);
    if (replicated != numThreads - 1)
      bits = LLVM::AndOp::create(b, loc, bits, constantI32(b, loc, replicated));
  }
  if (replicatedBlocks != 0) {
    Value block = target.blockInCluster(b, loc);
    block = LLVM::AndOp::create(b, loc, block, constantI32(b, loc, replicatedBlocks));
    bits = bits ? LLVM::OrOp::create(b, loc, bits, block) : block;
  }
  if (!bits)
    return {};
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, bits, constantI32(b, loc, 0));
}
