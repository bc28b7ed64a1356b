//===- NestGuards.cpp - run-time aliasing checks of a nest ---------------===//
// See NestGuards.h. An access touches the bytes between its lowest and highest address over the
// part of the tile that its mask permits. The mask matters, because the last tile of an array
// usually extends into the next array.
//===----------------------------------------------------------------------===//
#include "NestGuards.h"
#include "../Lanes/Elementwise.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

namespace {
/// The bytes [low, high), or none if `empty`.
struct ByteRange {
  Value low, high;
  Value empty; // i1, or null for "never"
};

class GuardBuilder {
public:
  GuardBuilder(LaneBuilder &b, ArrayRef<int64_t> extents) : b(b), extents(extents) {}

  ByteRange rangeOf(const NestAccess &access);
  Value areApart(const ByteRange &x, const ByteRange &y);
  /// Returns whether both accesses touch the same element in every iteration; null if they never
  /// do.
  Value areSameElements(const NestAccess &x, const NestAccess &y);

private:
  Value begin(const NestAccess &access, unsigned loop) {
    return access.box[loop].first ? access.box[loop].first : b.i64(0);
  }
  Value end(const NestAccess &access, unsigned loop) {
    return access.box[loop].second ? access.box[loop].second : b.i64(extents[loop]);
  }
  Value bytes(const Coefficient &coefficient) {
    return coefficient.scalar ? coefficient.scalar : b.i64(coefficient.constant);
  }

  LaneBuilder &b;
  ArrayRef<int64_t> extents;
};
} // namespace

ByteRange GuardBuilder::rangeOf(const NestAccess &access) {
  ByteRange range;
  range.low = range.high = b.addressOf(access.address->base);
  auto emptyIf = [&](Value condition) {
    range.empty = range.empty ? b.bitOr(range.empty, condition) : condition;
  };
  for (Value condition : access.mask.conditions)
    emptyIf(b.logicalNot(condition));
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    if (access.box[loop].first)
      emptyIf(b.compare(Int::sge, begin(access, loop), end(access, loop)));
    const Coefficient &step = access.address->coefficients[loop];
    if (step.isZero())
      continue;
    Value first = b.mul(begin(access, loop), bytes(step));
    Value last = b.mul(b.sub(end(access, loop), 1), bytes(step));
    if (!step.scalar) {
      range.low = b.add(range.low, step.constant < 0 ? last : first);
      range.high = b.add(range.high, step.constant < 0 ? first : last);
      continue;
    }
    range.low = b.add(range.low, b.signedMin(first, last));
    range.high = b.add(range.high, b.signedMax(first, last));
  }
  range.high = b.add(range.high, int64_t(elementBytes(access.pointee())));
  return range;
}

Value GuardBuilder::areApart(const ByteRange &x, const ByteRange &y) {
  Value apart = b.bitOr(b.compare(Int::ule, x.high, y.low), b.compare(Int::ule, y.high, x.low));
  for (Value empty : {x.empty, y.empty})
    if (empty)
      apart = b.bitOr(apart, empty);
  return apart;
}

Value GuardBuilder::areSameElements(const NestAccess &x, const NestAccess &y) {
  int64_t size = elementBytes(x.pointee());
  if (size != elementBytes(y.pointee()) || x.address->coefficients != y.address->coefficients)
    return {};
  // Each iteration must have its own bytes: along every loop, from the innermost outwards, a step
  // must be larger than the range that the inner loops touch.
  Value same = x.address->base == y.address->base
                   ? b.i1(true)
                   : b.compare(Int::eq, b.addressOf(x.address->base), b.addressOf(y.address->base));
  Value span = b.i64(size);
  for (int loop = extents.size() - 1; loop >= 0; --loop) {
    const Coefficient &step = x.address->coefficients[loop];
    if (extents[loop] == 1)
      continue;
    if (step.isZero())
      return {};
    Value stepBytes = bytes(step);
    same = b.bitAnd(same, b.compare(Int::sge, stepBytes, span));
    Value first = b.signedMin(begin(x, loop), begin(y, loop));
    Value last = b.signedMax(end(x, loop), end(y, loop));
    span = b.mul(stepBytes, b.sub(last, first));
  }
  return same;
}

/// Returns whether this is known without a run-time check: both have the same address, with
/// consecutive elements.
static bool areObviouslySame(const NestAccess &x, const NestAccess &y, ArrayRef<int64_t> extents) {
  if (x.address->base != y.address->base || x.address->coefficients != y.address->coefficients ||
      elementBytes(x.pointee()) != elementBytes(y.pointee()))
    return false;
  int64_t span = elementBytes(x.pointee());
  for (int loop = extents.size() - 1; loop >= 0; --loop) {
    const Coefficient &step = x.address->coefficients[loop];
    if (extents[loop] == 1)
      continue;
    if (step.scalar || step.constant < span)
      return false;
    span = step.constant * extents[loop];
  }
  return true;
}

void tessera::cpu::emitAliasGuards(LaneBuilder &b, ArrayRef<NestAccess> accesses,
                                   ArrayRef<int64_t> extents, SmallVectorImpl<Value> &guards) {
  GuardBuilder builder(b, extents);
  SmallVector<std::optional<ByteRange>> ranges(accesses.size());
  auto range = [&](size_t i) {
    if (!ranges[i])
      ranges[i] = builder.rangeOf(accesses[i]);
    return *ranges[i];
  };
  for (size_t i = 0; i < accesses.size(); ++i) {
    for (size_t j = i + 1; j < accesses.size(); ++j) {
      const NestAccess &x = accesses[i], &y = accesses[j];
      if ((!x.isStore() && !y.isStore()) || areObviouslySame(x, y, extents))
        continue;
      Value fine = builder.areApart(range(i), range(j));
      if (Value same = builder.areSameElements(x, y))
        fine = b.bitOr(fine, same);
      guards.push_back(fine);
    }
  }
}
