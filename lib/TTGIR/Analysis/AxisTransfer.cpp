//===- AxisTransfer.cpp - transfer functions of axis information ---------===//
// Handles constants, memory, hints of the user, and the dispatch to the families of rules in
// AxisArithmetic.cpp and AxisShapes.cpp. For ops without a rule nothing is known.
//===----------------------------------------------------------------------===//
#include "AxisTransfer.h"
#include "AxisNumbers.h"
#include "AxisRules.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace tessera;

//===----------------------------------------------------------------------===//
// Sources and memory
//===----------------------------------------------------------------------===//

static AxisInfo makeRange(tt::MakeRangeOp op) {
  int64_t start = op.getStart(), end = op.getEnd();
  if (end - start == 1)
    return AxisInfo::ofConstant(start, op.getType());
  AxisInfo result(SmallVector<Axis, 3>{{.contiguity = powerOfTwoIn(end - start),
                                        .divisibility = powerOfTwoIn(start),
                                        .constancy = 1}});
  result.setNonNegative(start >= 0);
  return result;
}

static AxisInfo constant(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat())
      return AxisInfo::unknown(op.getType());
    value = dense.getSplatValue<Attribute>();
  }
  if (auto integer = dyn_cast<IntegerAttr>(value))
    if (integer.getValue().getBitWidth() <= 64)
      return AxisInfo::ofConstant(integer.getValue().getSExtValue(), op.getType());
  return constancyAlone(op, {}, op.getType()); // the same float everywhere
}

static std::optional<AxisInfo> source(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<AxisInfo>>(op)
      .Case<arith::ConstantOp>([&](auto c) { return constant(c); })
      .Case<tt::MakeRangeOp>([&](auto range) { return makeRange(range); })
      .Case<tt::GetProgramIdOp, tt::GetNumProgramsOp, tt::HistogramOp>([&](auto count) {
        AxisInfo info = AxisInfo::unknown(count.getType());
        info.setNonNegative(true);
        return info;
      })
      .Case<ub::PoisonOp>([&](auto) { return AxisInfo::poison(); })
      .Default(std::nullopt);
}

/// Equal addresses give equal values, unless the load is volatile.
static AxisInfo load(tt::LoadOp op, ArrayRef<AxisInfo> operands) {
  if (op.getIsVolatile() || tt::isTensorPointer(op.getPtr().getType()))
    return AxisInfo::unknown(op.getType());
  SmallVector<AxisInfo> known(operands);
  for (AxisInfo &info : known)
    if (info.isPoison()) // an `other` that is not used
      info = AxisInfo::ofConstant(0, op.getType());
  return constancyAlone(op, known, op.getType());
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

/// Returns the hint for dimension `d`: one number for all dimensions, or one each; 1 if there is
/// none.
static int64_t promised(Attribute attribute, unsigned d) {
  int64_t value = 1;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    value = integer.getValue().getBitWidth() <= 64 ? integer.getInt() : 1;
  else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute))
    value = d < dense.getNumElements() ? (*(dense.value_begin<APInt>() + d)).getSExtValue() : 1;
  return value > 0 ? powerOfTwoIn(value) : 1;
}

/// The analysis and the hints both hold, so the larger claim holds; the start of a longer run is
/// the start of a shorter one.
static void applyPromises(AxisInfo &info, Type type,
                          llvm::function_ref<Attribute(StringRef)> attribute) {
  if (!info.isComputed() || info.isPoison())
    return;
  SmallVector<int64_t> sizes = axisSizes(type);
  for (unsigned d = 0; d < info.rank(); ++d) {
    Axis &axis = info.axis(d);
    int64_t size = powerOfTwoIn(sizes[d]);
    auto raise = [&](int64_t &claim, StringRef name, int64_t limit) {
      claim = std::max(claim, std::min(promised(attribute(name), d), limit));
    };
    unsigned bits = integerBits(type);
    raise(axis.contiguity, tt::kContiguityAttr, bits == 0 ? size : std::min(size, twoTo(bits - 1)));
    raise(axis.constancy, tt::kConstancyAttr, size);
    raise(axis.divisibility, tt::kDivisibilityAttr, AxisInfo::unlimited);
  }
}

AxisInfo tessera::axisInfoAtEntry(Value value) {
  AxisInfo info = AxisInfo::unknown(value.getType());
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return info;
  auto function = dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return info;
  applyPromises(info, value.getType(),
                [&](StringRef name) { return function.getArgAttr(argument.getArgNumber(), name); });
  info.setNonNegative(bool(function.getArgAttr(argument.getArgNumber(), kNonNegativeAttr)));
  return info;
}

AxisInfo tessera::axisInfoOfInduction(const AxisInfo &lower, const AxisInfo &step, bool isSigned) {
  if (lower.isPoison() || step.isPoison())
    return AxisInfo::poison();
  AxisInfo info(
      SmallVector<Axis, 3>{{.contiguity = 1,
                            .divisibility = std::min(lower.divisibility(0), step.divisibility(0)),
                            .constancy = 1}});
  info.setNonNegative(isSigned && lower.isNonNegative()); // steps are positive
  return info;
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

/// Returns whether the results depend only on the operands, elementwise or by a rule of
/// shapeAxisInfo.
static bool isPlain(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tt::ClampFOp, tt::FpToFpOp, tt::MulhiUIOp, tt::PreciseDivFOp, tt::PreciseSqrtOp>(op);
}

/// Returns nothing if there is no rule.
static std::optional<SmallVector<AxisInfo>> applyRule(Operation *op, ArrayRef<AxisInfo> operands,
                                                      const AxisInfoOptions &options) {
  auto one = [](AxisInfo info) { return SmallVector<AxisInfo>{std::move(info)}; };
  if (std::optional<AxisInfo> info = source(op))
    return one(*info);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return one(selectAxisInfo(select, operands[0], operands[1], operands[2]));
  if (auto loadOp = dyn_cast<tt::LoadOp>(op))
    return one(load(loadOp, operands));

  // A poison operand gives poison, except for ops without a rule.
  bool poisoned = llvm::any_of(operands, [](const AxisInfo &info) { return info.isPoison(); });
  SmallVector<AxisInfo> safe(operands);
  for (auto [info, operand] : llvm::zip_equal(safe, op->getOperands()))
    if (info.isPoison())
      info = AxisInfo::unknown(operand.getType());
  std::optional<SmallVector<AxisInfo>> results = shapeAxisInfo(op, safe);
  if (!results)
    if (std::optional<AxisInfo> info = castAxisInfo(op, safe))
      results = one(*info);
  if (!results)
    if (std::optional<AxisInfo> info = integerAxisInfo(op, safe, options))
      results = one(*info);
  if (!results && isPlain(op) && op->getNumResults() == 1)
    results = one(constancyAlone(op, safe, op->getResult(0).getType()));
  if (results && poisoned)
    return SmallVector<AxisInfo>(op->getNumResults(), AxisInfo::poison());
  return results;
}

SmallVector<AxisInfo> tessera::transferAxisInfo(Operation *op, ArrayRef<AxisInfo> operands,
                                                const AxisInfoOptions &options) {
  SmallVector<AxisInfo> results;
  if (std::optional<SmallVector<AxisInfo>> known = applyRule(op, operands, options))
    results = std::move(*known);
  else
    for (Value result : op->getResults())
      results.push_back(AxisInfo::unknown(result.getType()));
  // For an op with several results, a hint does not say which one it is about.
  if (results.size() == 1)
    applyPromises(results[0], op->getResult(0).getType(),
                  [&](StringRef name) { return op->getDiscardableAttr(name); });
  return results;
}
