//===- AxisShapes.cpp - axis information of casts and rearrangements ------===//
// Casts keep the powers of two that remain valid; shape ops move each dimension's claims along with
// its elements.
//===----------------------------------------------------------------------===//
#include "AxisNumbers.h"
#include "AxisRules.h"
#include "ConstantFold.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace tessera;

unsigned tessera::integerBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? integer.getWidth() : 0;
}

std::optional<int64_t> tessera::pointerUnit(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(type));
  if (!pointer || !pointer.getPointeeType().isIntOrFloat())
    return pointer && isa<tt::PointerType>(pointer.getPointeeType()) ? std::optional<int64_t>(8)
                                                                     : std::nullopt;
  unsigned bits = pointer.getPointeeType().getIntOrFloatBitWidth();
  if (bits == 1)
    return 1; // a bool takes a byte
  return bits % 8 == 0 ? std::optional<int64_t>(bits / 8) : std::nullopt;
}

int64_t tessera::divisorOfEach(const AxisInfo &info, int64_t unit) {
  int64_t divisor = 1;
  for (unsigned d = 0; d < info.rank(); ++d)
    divisor = std::max(divisor, divisorAt(info.axis(d), 1, unit));
  return divisor;
}

AxisInfo tessera::constancyAlone(Operation *op, ArrayRef<AxisInfo> operands, Type type) {
  AxisInfo result = AxisInfo::unknown(type);
  for (unsigned d = 0; d < result.rank(); ++d) {
    int64_t constancy = AxisInfo::unlimited;
    for (auto [info, operand] : llvm::zip_equal(operands, op->getOperands()))
      if (isa<ShapedType>(operand.getType()) && info.rank() == result.rank())
        constancy = std::min(constancy, info.constancy(d));
    result.axis(d).constancy = std::min(constancy, powerOfTwoIn(axisSizes(type)[d]));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Casts and pointers
//===----------------------------------------------------------------------===//

/// Converts claims to another unit: only claims about single elements remain valid.
static AxisInfo inUnits(const AxisInfo &info, int64_t from, int64_t to) {
  if (from == to)
    return info;
  AxisInfo result = info;
  for (unsigned d = 0; d < info.rank(); ++d) {
    result.axis(d).divisibility = divisorAt(info.axis(d), 1, from);
    result.axis(d).contiguity = 1;
  }
  return result;
}

/// In n bits, numbers are consecutive over at most 2^(n-1), because the sign changes there.
static void limitRuns(AxisInfo &info, unsigned bits) {
  int64_t longest = twoTo(bits - 1);
  for (unsigned d = 0; d < info.rank(); ++d) {
    Axis &axis = info.axis(d);
    axis.divisibility = divisorAt(axis, longest);
    axis.contiguity = std::min(axis.contiguity, longest);
  }
}

static AxisInfo castInteger(Operation *op, const AxisInfo &source) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  unsigned fromBits = integerBits(from), toBits = integerBits(to);
  if (fromBits == 0 || toBits == 0)
    return AxisInfo::unknown(to);
  bool zeroExtends = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) && toBits > fromBits;
  if (std::optional<int64_t> value = source.constant()) {
    if (std::optional<int64_t> cast = castConstant(*value, fromBits, toBits, zeroExtends))
      return AxisInfo::ofConstant(*cast, to);
    return constancyAlone(op, source, to);
  }
  AxisInfo result = source;
  if (toBits < fromBits) {
    result.setNonNegative(false);
    limitRuns(result, toBits);
  } else if (zeroExtends) {
    result.setNonNegative(true);
  }
  return result;
}

static AxisInfo addPointer(tt::AddPtrOp op, const AxisInfo &pointer, const AxisInfo &offset) {
  std::optional<int64_t> unit = pointerUnit(op.getType());
  return unit ? sumAxisInfo(pointer, offset, *unit) : AxisInfo::unknown(op.getType());
}

std::optional<AxisInfo> tessera::castAxisInfo(Operation *op, ArrayRef<AxisInfo> operands) {
  auto unit = [](Value v) { return pointerUnit(v.getType()).value_or(1); };
  return llvm::TypeSwitch<Operation *, std::optional<AxisInfo>>(op)
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp>([&](auto cast) { return castInteger(cast, operands[0]); })
      .Case<tt::AddPtrOp>([&](auto add) { return addPointer(add, operands[0], operands[1]); })
      .Case<tt::IntToPtrOp, tt::PtrToIntOp>([&](auto cast) {
        AxisInfo info = inUnits(operands[0], unit(cast.getSrc()), unit(cast.getResult()));
        info.setNonNegative(false);
        return info;
      })
      .Case<tt::BitcastOp>([&](tt::BitcastOp cast) {
        if (pointerUnit(cast.getSrc().getType()) && pointerUnit(cast.getType()))
          return inUnits(operands[0], unit(cast.getSrc()), unit(cast.getResult()));
        return cast.getSrc().getType() == cast.getType()
                   ? operands[0]
                   : constancyAlone(cast, operands, cast.getType());
      })
      .Case<ttg::ConvertLayoutOp>([&](auto) { return operands[0]; })
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static AxisInfo splat(const AxisInfo &scalar, Type type) {
  if (scalar.constant())
    return AxisInfo::ofConstant(*scalar.constant(), type);
  SmallVector<Axis, 3> axes;
  for (int64_t size : axisSizes(type))
    axes.push_back(
        {.contiguity = 1, .divisibility = scalar.divisibility(0), .constancy = powerOfTwoIn(size)});
  AxisInfo result(std::move(axes));
  result.setNonNegative(scalar.isNonNegative());
  return result;
}

static AxisInfo broadcast(tt::BroadcastOp op, const AxisInfo &source) {
  if (source.constant())
    return AxisInfo::ofConstant(*source.constant(), op.getType());
  SmallVector<int64_t> before = axisSizes(op.getSrc().getType()), after = axisSizes(op.getType());
  AxisInfo result = source;
  for (unsigned d = 0; d < result.rank(); ++d)
    if (before[d] != after[d])
      result.axis(d) = {.contiguity = 1,
                        .divisibility = source.divisibility(d),
                        .constancy = powerOfTwoIn(after[d])};
  return result;
}

/// Returns `info` with `axis` inserted before dimension `at`.
static AxisInfo insertAxis(const AxisInfo &info, unsigned at, Axis axis) {
  SmallVector<Axis, 3> axes;
  for (unsigned d = 0; d <= info.rank(); ++d) {
    if (d == at)
      axes.push_back(axis);
    if (d < info.rank())
      axes.push_back(info.axis(d));
  }
  AxisInfo result(std::move(axes));
  result.setNonNegative(info.isNonNegative());
  return result;
}

static AxisInfo expandDims(tt::ExpandDimsOp op, const AxisInfo &source) {
  if (source.constant())
    return AxisInfo::ofConstant(*source.constant(), op.getType());
  // Along the new dimension every element starts a run.
  int64_t divisor = divisorOfEach(source, pointerUnit(op.getType()).value_or(1));
  return insertAxis(source, op.getAxis(), {.divisibility = divisor});
}

static AxisInfo unsplat(tt::UnsplatOp op, const AxisInfo &source) {
  if (source.constant())
    return AxisInfo::ofConstant(*source.constant(), op.getType());
  int64_t divisor = 1; // the only element starts every run
  for (unsigned d = 0; d < source.rank(); ++d)
    divisor = std::max(divisor, source.divisibility(d));
  AxisInfo result(SmallVector<Axis, 3>{{.divisibility = divisor}});
  result.setNonNegative(source.isNonNegative());
  return result;
}

static AxisInfo transpose(tt::TransOp op, const AxisInfo &source) {
  AxisInfo result = source;
  for (auto [d, from] : llvm::enumerate(op.getOrder()))
    result.axis(d) = source.axis(from);
  return result;
}

static AxisInfo joinPair(tt::JoinOp op, const AxisInfo &lhs, const AxisInfo &rhs) {
  int64_t unit = pointerUnit(op.getType()).value_or(1);
  // Along the old dimensions a line belongs to lhs or to rhs.
  return insertAxis(AxisInfo::join(lhs, rhs), lhs.rank(),
                    {.divisibility = std::min(divisorOfEach(lhs, unit), divisorOfEach(rhs, unit))});
}

static AxisInfo splitHalf(tt::SplitOp op, const AxisInfo &source) {
  if (source.constant())
    return AxisInfo::ofConstant(*source.constant(), op.getOutLHS().getType());
  if (source.rank() < 2)
    return AxisInfo::unknown(op.getOutLHS().getType());
  SmallVector<Axis, 3> axes;
  for (unsigned d = 0; d + 1 < source.rank(); ++d)
    axes.push_back(source.axis(d));
  AxisInfo result(std::move(axes));
  result.setNonNegative(source.isNonNegative());
  return result;
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// Returns the claims along dimensions [first, last) of `info`, flattened in row-major order.
static Axis flattened(const AxisInfo &info, ArrayRef<int64_t> sizes, unsigned first, unsigned last,
                      int64_t unit) {
  // Stretches continue in the next dimension if this one is constant throughout.
  int64_t constancy = 1;
  for (unsigned d = last; d-- > first;) {
    constancy *= std::min(info.constancy(d), powerOfTwoIn(sizes[d]));
    if (info.constancy(d) < sizes[d])
      break;
  }
  for (unsigned d = last; d-- > first;) {
    if (sizes[d] == 1)
      continue;
    int64_t run = std::min(info.contiguity(d), powerOfTwoIn(sizes[d]));
    return {.contiguity = run,
            .divisibility = divisorAt(info.axis(d), run, unit),
            .constancy = constancy};
  }
  return {.contiguity = 1, .divisibility = divisorOfEach(info, unit), .constancy = 1};
}

/// Returns the claims along a dimension of `size` whose consecutive elements are `stride` elements
/// of `flat` apart.
static Axis strided(const Axis &flat, int64_t size, int64_t stride, int64_t unit) {
  int64_t constancy = std::clamp<int64_t>(flat.constancy / stride, 1, powerOfTwoIn(size));
  int64_t run = stride == 1 ? std::min(flat.contiguity, powerOfTwoIn(size)) : 1;
  return {.contiguity = run, .divisibility = divisorAt(flat, run, unit), .constancy = constancy};
}

static AxisInfo reshape(tt::ReshapeOp op, const AxisInfo &source) {
  if (source.constant())
    return AxisInfo::ofConstant(*source.constant(), op.getType());
  SmallVector<int64_t> before = axisSizes(op.getSrc().getType()), after = axisSizes(op.getType());
  AxisInfo result = AxisInfo::unknown(op.getType());
  result.setNonNegative(source.isNonNegative());
  if (op.getAllowReorder())
    return result;
  int64_t unit = pointerUnit(op.getType()).value_or(1);
  // Groups of dimensions, last first, with the same number of elements on both sides.
  unsigned from = before.size(), to = after.size();
  while (to > 0) {
    unsigned lastFrom = from, lastTo = to;
    int64_t left = from > 0 ? before[--from] : 1, right = after[--to];
    while (left != right) {
      if (left < right && from > 0)
        left *= before[--from];
      else if (left > right && to > 0)
        right *= after[--to];
      else
        return AxisInfo::unknown(op.getType()); // impossible: equally many elements
    }
    Axis flat = flattened(source, before, from, lastFrom, unit);
    int64_t stride = 1;
    for (unsigned d = lastTo; d-- > to; stride *= after[d])
      result.axis(d) = strided(flat, after[d], stride, unit);
  }
  return result;
}

std::optional<SmallVector<AxisInfo>> tessera::shapeAxisInfo(Operation *op,
                                                            ArrayRef<AxisInfo> operands) {
  using Results = std::optional<SmallVector<AxisInfo>>;
  auto one = [](AxisInfo info) { return SmallVector<AxisInfo>{std::move(info)}; };
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case<tt::SplatOp>([&](auto s) { return one(splat(operands[0], s.getType())); })
      .Case<tt::UnsplatOp>([&](auto u) { return one(unsplat(u, operands[0])); })
      .Case<tt::BroadcastOp>([&](auto b) { return one(broadcast(b, operands[0])); })
      .Case<tt::ExpandDimsOp>([&](auto e) { return one(expandDims(e, operands[0])); })
      .Case<tt::TransOp>([&](auto t) { return one(transpose(t, operands[0])); })
      .Case<tt::ReshapeOp>([&](auto r) { return one(reshape(r, operands[0])); })
      .Case<tt::JoinOp>([&](auto j) { return one(joinPair(j, operands[0], operands[1])); })
      .Case<tt::SplitOp>(
          [&](auto s) { return SmallVector<AxisInfo>(2, splitHalf(s, operands[0])); })
      .Default(std::nullopt);
}
